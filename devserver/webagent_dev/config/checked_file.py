"""The sections of a `webagent.toml`, which is checked once and not at every start.

pydantic, which checks it, takes half as long to load as the server. The sections that were checked are kept in
`$XDG_STATE_HOME/webagent/<digest of the path>.config.json`, readable by its owner alone, and count
while the file has the same content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from webagent.json_text import read_json
from webagent_dev import __version__
from webagent_dev.config.private_file import read_private, write_private
from webagent_site.config.folders import state_path

_MOST_BYTES = 1_000_000


def checked_sections(file: Path) -> Mapping[str, Any]:
    """Return what a `webagent.toml` sets, by section, and the names of the rules it wants as `rules`.

    The section `test` is left out: the server does not use it, and it may have passwords.

    Raises:
        ConfigError: It cannot be read, or something in it is not allowed.
    """
    content = _content(file)
    digest = hashlib.sha256(__version__.encode() + b"\0" + (content or b"")).hexdigest()
    kept = state_path(file.resolve(), ".config.json")
    sections = None if content is None else _kept_sections(kept, digest)
    if sections is None:
        # It imports pydantic, which is only needed to find mistakes and to word them.
        from webagent_dev.config.toml_file import read_config, wanted_rules

        checked = read_config(file, content)
        rules = wanted_rules(checked)
        sections = checked.model_dump(exclude_none=True, exclude={"test"})
        sections["rules"] = None if rules is None else sorted(rules)
        # Prices are decimals, which JSON does not have: a file with some is checked each time.
        with suppress(OSError, TypeError):
            text = json.dumps({"digest": digest, "sections": sections})
            kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(kept, text)
    rules = sections["rules"]
    return {**sections, "rules": None if rules is None else frozenset(rules)}


def _content(file: Path) -> bytes | None:
    """Return the bytes of a file; None if it cannot be read, which the check words."""
    try:
        return file.read_bytes()
    except OSError:
        return None


def _kept_sections(kept: Path, digest: str) -> dict[str, Any] | None:
    """Return the sections that were kept of a file with a digest, None without any."""
    try:
        stored = read_json(read_private(kept, _MOST_BYTES))
    except (OSError, ValueError):
        return None
    if not isinstance(stored, dict) or stored.get("digest") != digest:
        return None
    sections = stored.get("sections")
    return sections if isinstance(sections, dict) and "rules" in sections else None
