"""From navigation to an agent that is ready, against Pyodide alone: its npm package, and a snapshot.

`make bench-start`, or `python -m tests.bench start --only cold-loopback,page --rounds 3`.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from playwright.async_api import BrowserContext, Playwright, async_playwright

from tests.bench.link import Host, Line
from tests.bench.loading import Loaded, load, row
from tests.bench.record import keep
from tests.bench.running import Running, ours
from tests.bench.start_site import BUILT, CHANGING, SOURCE, write_pages
from tests.chromium import ARGS, find_chromium, install_chromium

TITLE = "Start in the page, against `loadPyodide()` alone"
HEAD = (
    "| start | ready, ms | min–max | ratio | to a snapshot | "
    "long tasks, ms: sum / longest (of all) | MB sent | heap, MB | PSS, MB |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
)
PEERS = ("stock", "stock-snapshot")
"""Pyodide alone: from its files, and from a snapshot of its own."""


@dataclass(frozen=True, slots=True)
class Start:
    """A page and how its agent starts."""

    path: str
    way: str | None
    """By what, and where (`loading.load`)."""
    before: str | None = None
    """The page that the tab shows before."""
    served: bool = False
    """Whether `webagent-dev serve` sends it, else the host of the built site."""


STARTS = {
    "stock": Start("stock/index.html", None),
    "stock-snapshot": Start("stock/snapshot.html", None),
    "page": Start("page.html", "snapshot, page"),
    "worker": Start("worker.html", "snapshot, worker"),
    "shared": Start("shared.html", "snapshot, shared"),
    "shared-next": Start("shared-next.html", "snapshot, shared", before="shared.html"),
    "files": Start("files.html", "bundle, page"),
    "serve": Start("index.html", "snapshot, page", served=True),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """Under which conditions pages start."""

    what: str
    line: Line
    cold: bool
    """Whether each load has a browser context of its own, else all of a start share a profile."""
    rounds: int
    starts: Sequence[str]


COLD = (*PEERS, "page", "worker", "shared", "files")
# The shared runtime of the last page may still be alive, so only the next page is reported there.
WARM = (*PEERS, "page", "worker", "shared-next", "files")
LOOPBACK, FAST, SLOW = Line(), Line(100, 20), Line(20, 40)
SCENES = {
    "cold-loopback": Scene("Nothing cached, loopback", LOOPBACK, True, 7, (*COLD, "serve")),
    "cold-100": Scene("Nothing cached, 100 Mbit/s and 20 ms", FAST, True, 5, COLD),
    "cold-20": Scene("Nothing cached, 20 Mbit/s and 40 ms", SLOW, True, 4, COLD),
    "warm-loopback": Scene("Loaded before, loopback", LOOPBACK, False, 8, (*WARM, "serve")),
    "warm-100": Scene("Loaded before, 100 Mbit/s and 20 ms", FAST, False, 4, WARM),
    "warm-20": Scene("Loaded before, 20 Mbit/s and 40 ms", SLOW, False, 4, WARM),
}
PRIMING = 3
"""Loads before the first that counts where pages were loaded before, each with some use of Python:
browsers keep compiled code only of what they have seen more than once, and enough of."""
SETTLE_S = 3.0
"""A Python that pages share goes on when its page is gone; then it has fetched all that it wants."""

Samples = dict[str, dict[str, list[Loaded]]]
Contexts = Callable[[str], AbstractAsyncContextManager[BrowserContext]]
"""Makes the context of a load, by the name of the start."""


async def run(rounds: int | None = None, only: Sequence[str] = ()) -> str:
    """Return the tables; those of the loads so far when Ctrl-C is pressed.

    Args:
        rounds: How often each page is loaded, instead of the scene's number.
        only: Names of scenes and starts, where not all of them are wanted.
    """
    if unknown := set(only) - set(SCENES) - set(STARTS):
        known = ", ".join([*SCENES, *STARTS])
        raise SystemExit(f"bench: `{unknown.pop()}` is neither a scene nor a start; write {known}")
    scenes = {name: SCENES[name] for name in SCENES if name in only} or SCENES
    starts = {*PEERS, *(set(only) & set(STARTS) or STARTS)}
    samples: Samples = {}
    try:
        await _measure(scenes, starts, rounds, samples)
    except asyncio.CancelledError:
        print("bench: stopped; these are the loads until then", file=sys.stderr)
    return "\n\n".join(
        f"### {scenes[name].what} (n = {len(found[PEERS[0]])})\n\n{_table(scenes[name].what, found)}"
        for name, found in samples.items()
        if found[PEERS[0]]
    )


async def _measure(
    scenes: Mapping[str, Scene], starts: set[str], rounds: int | None, samples: Samples
) -> None:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        print("bench: building the site", file=sys.stderr)
        write_pages(folder)
        server = Running(ours, folder / SOURCE)
        stack.callback(server.kill)
        host = stack.enter_context(Host(folder / BUILT, changing=CHANGING))
        playwright = await stack.enter_async_context(async_playwright())
        for name, scene in scenes.items():
            found = samples[name] = {each: [] for each in scene.starts if each in starts}
            host.line = LOOPBACK
            async with _contexts(playwright, scene) as contexts:
                if not scene.cold:
                    for _ in range(PRIMING):
                        await _round(contexts, host, server.url, found, use=True)
                host.line = scene.line
                count = rounds or scene.rounds
                for number in range(1, count + 1):
                    said = await _round(contexts, host, server.url, found)
                    for start, loaded in said.items():
                        found[start].append(loaded)
                    text = ", ".join(f"{s} {one.ready_ms:.0f}" for s, one in said.items())
                    print(f"bench: {name} {number}/{count}: {text}", file=sys.stderr)


async def _round(
    contexts: Contexts, host: Host, server_url: str, starts: Iterable[str], *, use: bool = False
) -> dict[str, Loaded]:
    """Load each page once."""
    said = {}
    for name in starts:
        start = STARTS[name]
        base = server_url if start.served else host.url
        before = f"{base}/{start.before}" if start.before else None
        async with contexts(name) as context:
            said[name] = await load(
                context, host, f"{base}/{start.path}", start.way, page_before=before, use=use
            )
        if start.before is not None:
            await asyncio.sleep(SETTLE_S)
    return said


@asynccontextmanager
async def _contexts(playwright: Playwright, scene: Scene) -> AsyncIterator[Contexts]:
    """Run browsers while the block runs; give what makes the context of a load."""
    path = find_chromium() or install_chromium()
    async with AsyncExitStack() as stack:
        if scene.cold:
            browser = await playwright.chromium.launch(
                executable_path=path, args=list(ARGS), handle_sigint=False
            )
            stack.push_async_callback(browser.close)

            @asynccontextmanager
            async def new(start: str) -> AsyncIterator[BrowserContext]:
                context = await browser.new_context()
                try:
                    yield context
                finally:
                    await context.close()

            yield new
            return
        kept: dict[str, BrowserContext] = {}

        @asynccontextmanager
        async def same(start: str) -> AsyncIterator[BrowserContext]:
            if start not in kept:
                profile = stack.enter_context(tempfile.TemporaryDirectory())
                kept[start] = await playwright.chromium.launch_persistent_context(
                    profile, executable_path=path, args=list(ARGS), handle_sigint=False
                )
                stack.push_async_callback(kept[start].close)
            yield kept[start]

        yield same


def _table(scene: str, found: Mapping[str, list[Loaded]]) -> str:
    ready_ms = {name: [each.ready_ms for each in loads] for name, loads in found.items()}
    for name, values in ready_ms.items():
        keep(f"{scene}: ready, ms", name, values, ready_ms[PEERS[0]])
    peers_ms = [median(ready_ms[peer]) for peer in PEERS]
    return "\n".join(
        [HEAD, *(row(name, loads, peers_ms) for name, loads in found.items() if loads)]
    )
