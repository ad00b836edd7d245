"""Walks through our own files: how many files a call, a save or a text passes through.

    python -m tests.bench.walks               a table (`make walks`)
    python -m tests.bench.walks --list goal   the files of a walk, in the order of their first line
    python -m tests.bench.walks --check       exits with 1 when a walk is over its limit

A profiler counts the files of our packages in which a function is called, and how
often the next call is in another file. Each walk is made once before it is measured, so that
imports do not count. Walks through the server are made by a real one, with the profiler inside.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from types import FrameType
from typing import Any

import webagent
import webagent_dev
import webagent_site
from tests.devserver.agents.client import connected
from tests.page_client import ClientPage, good
from tests.server import ServerProcess
from webagent import check, parse
from webagent.agent import Driver
from webagent.llm import ScriptedModel, ToolCall
from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry

PACKAGES = tuple(
    Path(package.__file__ or "").parent for package in (webagent, webagent_dev, webagent_site)
)
SERVERS = tuple(package.name for package in PACKAGES[1:])
TEMPLATE = Path(__file__).parents[2] / "site_template" / "webagents.md"
"""A manifest of 15 tools."""

ROUNDS = 5
"""How often the server is measured; the shortest walk counts, as its clocks tick in between."""
PAUSE_S = 0.3
"""Between two saves, so that they are not taken for one."""

QUEUED = "a queue"
"""A step of a trail: a message was put into an `asyncio.Queue`."""
_PUT = asyncio.Queue.put_nowait.__code__

INDEX = "<!doctype html><title>Shop</title><p>Books</p>"
MANIFEST = """\
# Shop

## findBooks

Find books by words of their title.

### Params

- `query` ({type}, required): What to look for.

### Output

```typescript
Array<{{ title: string; price: number }}>
```

### Behavior

- effect: read
"""
PLAIN = "string"
TYPED = "{ words: string; year?: number }"
FOUND = [{"title": "The Comma Orchard", "price": 8.5}]


# --- The profiler ------------------------------------------------------------------------


class Trail:
    """Where calls went: the time and the file of each call that is in another file than the last.

    A connection of the web server (an `asyncio.Protocol`) is below the walk, and does not count.
    """

    def __init__(self, steps: list[tuple[float, str]] | None = None) -> None:
        """Begin, with the steps that another trail has noted."""
        self.steps = steps or []
        self._names: dict[str, str | None] = {}
        self._last_s = 0.0

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """Note a call; a function for `sys.setprofile`."""
        if event != "call":
            return
        if frame.f_code is _PUT and frame.f_back and self._name(frame.f_back):
            self.steps.append((time.monotonic(), QUEUED))
        name = self._name(frame)
        if not name or isinstance(frame.f_locals.get("self"), asyncio.BaseProtocol):
            return
        now = time.monotonic()
        # After a pause something new begins, perhaps in the same file.
        if not self.steps or self.steps[-1][1] != name or now - self._last_s > PAUSE_S / 10:
            self.steps.append((now, name))
        self._last_s = now

    def _name(self, frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        if path not in self._names:
            self._names[path] = _own_name(path)
        return self._names[path]

    @contextmanager
    def followed(self) -> Iterator[Trail]:
        """Follow the calls of this thread, and of those that begin meanwhile."""
        threading.setprofile(self.profile)
        sys.setprofile(self.profile)
        try:
            yield self
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def between(self, start: float, end: float) -> Trail:
        """Return the part of a span of time."""
        return Trail([step for step in self.steps if start <= step[0] <= end])

    def until_queued(self) -> Trail:
        """Return the part until the first message is in the queue of a connection."""
        return Trail(list(takewhile(lambda step: step[1] != QUEUED, self.steps)))

    def within(self, *packages: str) -> Trail:
        """Return the part in some packages."""
        return Trail([step for step in self.steps if step[1].partition("/")[0] in packages])

    def files(self) -> list[str]:
        """Return the files in the order of their first call."""
        return list(dict.fromkeys(name for _, name in self.steps if name != QUEUED))

    def moves(self) -> int:
        """Return how often calls went from one file to another."""
        names = [name for _, name in self.steps if name != QUEUED]
        return sum(one != other for one, other in pairwise(names))


def _own_name(path: str) -> str | None:
    for package in PACKAGES:
        if path.startswith(f"{package}/"):
            return Path(path).relative_to(package.parent).as_posix()
    return None


# --- Walks in this process ---------------------------------------------------------------


async def parse_template() -> Trail:
    """From a text to its manifest."""
    text = TEMPLATE.read_text(encoding="utf-8")
    parse(text)
    with Trail().followed() as trail:
        parse(text)
    return trail


async def check_template() -> Trail:
    """From a text to its findings."""
    text = TEMPLATE.read_text(encoding="utf-8")
    check(text)
    with Trail().followed() as trail:
        check(text)
    return trail


async def invoke() -> Trail:
    """From the registry to the page and back."""

    async def once() -> Trail:
        _, registry = await shop(PLAIN)
        with Trail().followed() as trail:
            result = await registry.invoke("findBooks", {"query": "orchard"})
        assert result.value == FOUND
        return trail

    await once()
    return await once()


async def goal() -> Trail:
    """From a goal to a call of a typed tool and to the answer, with a model that knows them."""
    # One page for both goals: the declarations of its tools are written for the first one only.
    page, registry = await shop(TYPED)

    async def once() -> Trail:
        model = ScriptedModel(
            ToolCall("1", "make_plan", {"plan": "I will look for it."}),
            ToolCall("2", "findBooks", {"query": {"words": "orchard"}}),
            ToolCall("3", "finish", {"text": "It costs 8.50.", "success": True}),
        )
        with Trail().followed() as trail:
            result = await Driver(page, registry, model=model).run("find a book")
        assert result.ok, result.text
        assert any(done.value == FOUND for done in result.run.done())
        return trail

    await once()
    return await once()


async def shop(query: str) -> tuple[FakePage, ToolRegistry]:
    """Return a page with one tool, whose parameter has a type, and its registry."""
    page = FakePage({"findBooks": lambda query: FOUND})
    registry = ToolRegistry(page)
    await registry.bind(parse(MANIFEST.format(type=query)))
    return page, registry


# --- Walks through the server ------------------------------------------------------------


class FollowedServer(ServerProcess):
    """A server that follows its calls, and writes them down when it stops."""

    def __init__(self, folder: Path) -> None:
        """Serve a site with one tool."""
        root, self._log = folder / "shop", folder / "log.json"
        root.mkdir()
        (root / "index.html").write_text(INDEX, encoding="utf-8")
        (root / "webagents.md").write_text(MANIFEST.format(type=PLAIN), encoding="utf-8")
        self._spans: list[tuple[float, float]] = []
        super().__init__(root, command=(sys.executable, "-m", "tests.bench.walks", str(self._log)))

    async def repeat(self, walk: Callable[[], Awaitable[None]]) -> None:
        """Make a walk often enough to measure it."""
        await walk()
        for _ in range(ROUNDS):
            await asyncio.sleep(PAUSE_S)
            start = time.monotonic()
            await walk()
            self._spans.append((start, time.monotonic()))

    def shortest(self) -> Trail:
        """Stop, and return the shortest walk: clocks of the server tick in some of them."""
        self.stop()
        whole = Trail([(at, name) for at, name in json.loads(self._log.read_text("utf-8"))])
        return min((whole.between(*span) for span in self._spans), key=lambda t: len(t.files()))


def serve(log: Path, arguments: list[str]) -> None:
    """Run the command line, and write down its calls."""
    from webagent_dev.__main__ import run

    sys.argv = ["webagent-dev", *arguments]
    trail = Trail()
    try:
        with trail.followed():
            run()
    finally:
        log.write_text(json.dumps(trail.steps), encoding="utf-8")


async def mcp_call() -> Trail:
    """From a call by MCP to a tool of the open page and back, in the server."""
    with tempfile.TemporaryDirectory() as folder:
        server = FollowedServer(Path(folder))
        page = ClientPage(server, tools=("findBooks",), answer=lambda _: good(FOUND))
        async with page, connected(server) as client:

            async def walk() -> None:
                result = await client.call_tool("findBooks", {"query": "orchard"})
                assert not result.is_error, result

            await server.repeat(walk)
        return server.shortest()


async def save_manifest() -> Trail:
    """From a save of the manifest to the message for the page, the checks themselves left out."""
    with tempfile.TemporaryDirectory() as folder:
        server = FollowedServer(Path(folder))
        async with ClientPage(server) as page:

            async def walk() -> None:
                count = len([message for message in page.heard if message["type"] == "manifest"])
                text = MANIFEST.format(type=f"string | {count}")
                (server.root / "webagents.md").write_text(text, encoding="utf-8")
                await page.told("manifest", count + 1)

            await server.repeat(walk)
        return server.shortest().until_queued().within(*SERVERS)


# --- The command -------------------------------------------------------------------------


@dataclass(frozen=True)
class Walk:
    """A walk, and the most files that it may pass through."""

    make: Callable[[], Awaitable[Trail]]
    most: int | None = None


WALKS = {
    "goal": Walk(goal, 30),
    "mcp": Walk(mcp_call, 18),
    "save": Walk(save_manifest, 11),
    "parse": Walk(parse_template, 9),
    "check": Walk(check_template),
    "invoke": Walk(invoke),
}


def table(trails: dict[str, Trail]) -> str:
    """Return the figures as Markdown."""
    rows = ["| walk | what | files | at most | moves between files |", "|---|---|---:|---:|---:|"]
    for name, trail in trails.items():
        walk = WALKS[name]
        what = (walk.make.__doc__ or "").rstrip(".")
        files = len(trail.files())
        rows.append(f"| {name} | {what} | {files} | {walk.most or ''} | {trail.moves():,} |")
    return "\n".join(rows)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.walks", description="Count the files of walks through the code."
    )
    parser.add_argument("--list", choices=WALKS, metavar="WALK", help=", ".join(WALKS))
    parser.add_argument("--check", action="store_true", help="exit with 1 when over a limit")
    given = parser.parse_args()
    if given.list:
        print("\n".join(asyncio.run(made(given.list)).files()))
        return
    trails = {name: asyncio.run(made(name)) for name in WALKS}
    print(table(trails))
    over = [
        name for name, walk in WALKS.items() if walk.most and len(trails[name].files()) > walk.most
    ]
    if given.check and over:
        raise SystemExit(f"walks: over their limit: {', '.join(over)}")


async def made(name: str) -> Trail:
    """Make a walk."""
    return await WALKS[name].make()


if __name__ == "__main__":
    if sys.argv[2:3] == ["serve"]:
        serve(Path(sys.argv[1]), sys.argv[2:])
    else:
        main()
