"""Downloads of a page before its agent is ready, in each coding that clients accept."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles

TITLE = "Downloads of a page before its agent is ready, MB"
CODINGS = ("zstd", "br", "gzip", "identity")
SCRIPTS = ("webagent.js", "global.js", "modelcontext.js", "boot.js")
"""The scripts of a start on the page's own thread."""


async def run() -> str:
    """Return the table: each file of a start from the snapshot, and the sums of both starts."""
    listed = json.loads((BUNDLE / "bundle.json").read_text("utf-8"))
    files = BundleFiles(BUNDLE)
    starts = {
        "snapshot": (*listed["snapshot"]["sizes"], *SCRIPTS),
        "files": (*listed["sizes"], *SCRIPTS),
    }
    rows = {name.rpartition("/")[2]: [name] for name in starts["snapshot"]}
    rows |= {f"**all, from the {start}**": names for start, names in starts.items()}
    lines = [f"| file | {' | '.join(CODINGS)} |", f"|---|{'---:|' * len(CODINGS)}"]
    for row, names in rows.items():
        sent = (f"{sent_bytes(files, names, coding) / 1e6:.3f}" for coding in CODINGS)
        lines.append(f"| {row} | {' | '.join(sent)} |")
    return "\n".join(lines)


def sent_bytes(files: BundleFiles, names: Iterable[str], coding: str) -> int:
    """Return how many bytes are sent of some files to a client that accepts one coding."""
    total = 0
    for name in names:
        chosen = files.chosen(name, coding)
        assert chosen is not None
        source = chosen[1]
        total += source.stat().st_size if isinstance(source, Path) else len(source)
    return total
