"""The memory of the servers: at rest, with 5 pages, after 1,000 saves; against Vite."""

from __future__ import annotations

import contextlib
import tempfile
import time
from pathlib import Path

from tests.bench.listening import Listener
from tests.bench.running import Memory, Running, ours_before, plain
from tests.bench.side_by_side import Side, running, sites
from tests.bench.sites import save, small_site
from tests.bench.table import Pair, comparison

TITLE = "Memory (one value each)"
SAVES = 1_000
PAGES = 5
PACE_S = 0.03
"""From save to save."""

Found = dict[str, dict[str, Memory]]
"""By moment, then by server."""


async def run() -> str:
    """Return the table."""
    found: Found = {}
    with tempfile.TemporaryDirectory() as folder:
        few = sites(Path(folder) / "few", small_site)
        with running(few) as both:
            found["at rest"] = weigh(both)
            with contextlib.ExitStack() as stack:
                listeners = {
                    name: [stack.enter_context(Listener(side.server)) for _ in range(PAGES)]
                    for name, side in both.items()
                }
                found[f"{PAGES} pages"] = weigh(both)
                save_often(both, listeners)
                found[f"{PAGES} pages, {SAVES:,} saves"] = weigh(both)
        found["at rest, `--proxy`"] = {"webagent-dev": before_another(few["webagent-dev"])}
    return comparison("MB of 10⁶ bytes", "Vite", rows_of(found))


def weigh(both: dict[str, Side]) -> dict[str, Memory]:
    """Wait until the servers rest and return what they have in memory."""
    for side in both.values():
        side.server.wait_until_quiet()
    return {name: side.server.memory() for name, side in both.items()}


def before_another(root: Path) -> Memory:
    """Return the memory of `serve --proxy`."""
    behind = Running(plain, root)
    try:
        server = Running(ours_before(behind.url), root)
        try:
            server.wait_until_quiet()
            return server.memory()
        finally:
            server.kill()
    finally:
        behind.kill()


def save_often(both: dict[str, Side], listeners: dict[str, list[Listener]]) -> None:
    """Save stylesheets, every eighth time a page; the clients load what they hear of."""
    for number in range(SAVES):
        begun_s = time.perf_counter()
        for side in both.values():
            save(side.root, "html" if number % 8 == 0 else "css", f"m{number}")
        for clients in listeners.values():
            for client in clients:
                client.catch_up()
        time.sleep(max(0.0, begun_s + PACE_S - time.perf_counter()))


def rows_of(found: Found) -> dict[str, Pair]:
    """Return the rows of `comparison`."""
    rows: dict[str, Pair] = {}
    for moment, by_server in found.items():
        ours, theirs = by_server["webagent-dev"], by_server.get("Vite")
        rows[f"RSS, {moment}"] = ([ours.rss], [theirs.rss] if theirs else [])
        rows[f"PSS, {moment}"] = ([ours.pss], [theirs.pss] if theirs else [])
    return rows
