"""Our server and Vite side by side, each with a site of its own, saved in turns."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.bench.notices import noticing
from tests.bench.page_times import chromium, watch
from tests.bench.running import Command, Running, bundled, ours, vite
from tests.bench.saving import Place

COMMANDS: dict[str, Command] = {"webagent-dev": ours, "Vite": vite}
BUNDLED: dict[str, Command] = {"webagent-dev": ours, "Vite": bundled}
"""With Vite's experimental bundled mode, which sends nothing when HTML is saved."""


@dataclass(frozen=True, slots=True)
class Side:
    """A server that runs, and the folder it serves."""

    root: Path
    server: Running


def sites(folder: Path, make: Callable[[Path], Path]) -> dict[str, Path]:
    """Make a site for each server."""
    return {name: make(folder / name) for name in COMMANDS}


@contextlib.contextmanager
def running(
    roots: Mapping[str, Path], commands: Mapping[str, Command] = COMMANDS
) -> Iterator[dict[str, Side]]:
    """Run both while the block runs."""
    sides: dict[str, Side] = {}
    try:
        for name, command in commands.items():
            sides[name] = Side(roots[name], Running(command, roots[name]))
        yield sides
    finally:
        for side in sides.values():
            side.server.kill()


@contextlib.asynccontextmanager
async def shown(sides: Mapping[str, Side]) -> AsyncIterator[dict[str, Place]]:
    """Open a page of each in one browser while the block runs."""
    async with chromium() as browser:
        with contextlib.ExitStack() as stack:
            yield {
                name: Place(
                    side.root,
                    await watch(browser, side.server),
                    stack.enter_context(noticing(side.root)),
                )
                for name, side in sides.items()
            }
