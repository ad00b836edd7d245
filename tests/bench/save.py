"""From a save to the message in an open page and to what the page shows, against Vite."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.bench.saving import Times, missed, rows_of, save_in_turns
from tests.bench.side_by_side import BUNDLED, running, shown, sites
from tests.bench.sites import small_site, start_on_use
from tests.bench.table import comparison

TITLE = "From a save to the page, ms"
SAVES = {"css": 40, "html": 20, "js": 20}
MANIFEST_SAVES = 30
MESSAGES = {"css": 20, "js": 20}
"""Saves beside Vite's bundled mode: its pages show them in ways of their own."""


async def run() -> str:
    """Return the table."""
    times: dict[str, dict[str, Times]] = {}
    with tempfile.TemporaryDirectory() as folder:
        roots = sites(Path(folder), lambda root: start_on_use(small_site(root)))
        with running(roots) as both:
            async with shown(both) as places:
                for kind, saves in SAVES.items():
                    times[kind] = await save_in_turns(places, kind, saves)
                # Vite has no part that reads a manifest.
                await places["webagent-dev"].page.start_agent()
                alone = {"webagent-dev": places["webagent-dev"]}
                times["manifest"] = await save_in_turns(alone, "manifest", MANIFEST_SAVES)
        roots = sites(Path(folder) / "bundled", lambda root: start_on_use(small_site(root)))
        with running(roots, BUNDLED) as both:
            async with shown(both) as places:
                messages = {
                    kind: await save_in_turns(places, kind, saves, shown=False)
                    for kind, saves in MESSAGES.items()
                }
    parts = (
        comparison("ms after the save", "Vite", rows_of(times)),
        missed(times),
        comparison("ms after the save", "Vite, bundled", rows_of(messages)),
        missed(messages),
    )
    return "\n\n".join(part for part in parts if part)
