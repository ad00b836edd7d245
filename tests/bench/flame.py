"""Flame graphs of slow paths, as pictures of the documentation, by py-spy and Chromium's profiler.

python -m tests.bench flame                         draws all of them, as they are now
python -m tests.bench flame check --checkout PATH   draws one, and beside it how it was, in turns
"""

from __future__ import annotations

import asyncio
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path, PurePosixPath
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

from playwright.async_api import Page

from tests.bench.flame_graph import Stacks, svg
from tests.bench.link import Host
from tests.bench.look import LOOK, OURS, page_of, script
from tests.bench.page_times import chromium
from tests.bench.record import ROOT
from tests.bench.running import Running, as_installed
from tests.bench.sites import small_site, start_on_use
from tests.bench.start_site import BUILT, CHANGING
from tests.bench.texts import MIB, hostile

IMAGES: Final = ROOT / "docs" / "images"
BEFORE, NOW = WHEN = ("before", "after")
ROUNDS: Final = 20
SAMPLES_PER_S: Final = 200
"""Of py-spy, which lets the program wait for each."""
STEP_US: Final = 100
"""Between two samples of Chromium's profiler."""
ELEMENTS: Final = 1_000
HOSTILE: Final = "tiny compact tools"
MANIFEST: Final = ROOT / "site_template" / "webagents.md"
WRITE_PAGES: Final = (
    "import pathlib, sys; from tests.bench.start_site import write_pages; "
    "write_pages(pathlib.Path(sys.argv[1]))"
)
BLANK: Final = "blank.html"
IMPORTS: Final = re.compile(r"<frozen ")
MODULE: Final = re.compile(r"<module> \((.*)\)")
AROUND: Final = "Python's own start and end"
NATIVE: Final = {
    "(program)": "no script: the browser works or waits",
    "(garbage collector)": "garbage collector",
}
WASM: Final = re.compile(r"^wasm:|\.wasm$")
SMALL: Final = 2
"""Most letters of a name that a script got when it was made small."""
AT_REST: Final = frozenset({"(root)", "(idle)"})

Round: TypeAlias = Callable[[], Awaitable[Stacks]]
"""Records a path once."""
Prepare: TypeAlias = Callable[[Path, AsyncExitStack], Awaitable[Round]]
"""Makes what records a path with the code of a checkout, until the stack is left."""


def flame(names: Sequence[str], checkout: Path | None) -> str:
    """Draw some paths, or all, and return the pictures.

    Args:
        names: The paths, or nothing for all.
        checkout: Where the code from before is, built.
    """
    if unknown := set(names) - PATHS.keys():
        raise SystemExit(f"bench: no path `{unknown.pop()}` - write {', '.join(PATHS)}")
    checkouts = {NOW: ROOT} if checkout is None else {BEFORE: checkout.resolve(), NOW: ROOT}
    said = []
    for name in names or PATHS:
        title, prepare = PATHS[name]
        for when, stacks in asyncio.run(_in_turns(prepare, checkouts)).items():
            path = IMAGES / picture(name, when)
            path.write_text(svg(f"{title}, {when}", stacks), encoding="utf-8")
            said.append(str(path.relative_to(ROOT)))
    return "\n".join(said)


def picture(name: str, when: str) -> str:
    """Return the name of a picture."""
    return f"flame-{name}-{when}.svg"


async def _in_turns(prepare: Prepare, checkouts: Mapping[str, Path]) -> dict[str, Stacks]:
    """Return the mean of the faster half of the rounds, in which other programs did least."""
    kept: dict[str, list[Stacks]] = {when: [] for when in checkouts}
    async with AsyncExitStack() as stack:
        rounds = {when: await prepare(path, stack) for when, path in checkouts.items()}
        for _ in range(ROUNDS):
            for when, record in rounds.items():
                kept[when].append(await record())
    return {when: _mean(sorted(each, key=_ms)[: ROUNDS // 2]) for when, each in kept.items()}


def _mean(rounds: Sequence[Stacks]) -> Stacks:
    mean = Stacks(float)
    for stacks in rounds:
        for frames, ms in stacks.items():
            mean[frames] += ms / len(rounds)
    return mean


def _ms(stacks: Stacks) -> float:
    return sum(stacks.values())


async def _check(checkout: Path, stack: AsyncExitStack) -> Round:
    return _checked(checkout, MANIFEST)


async def _hostile(checkout: Path, stack: AsyncExitStack) -> Round:
    path = _folder(stack) / "webagents.md"
    path.write_text(hostile(MIB)[HOSTILE], encoding="utf-8")
    return _checked(checkout, path)


def _checked(checkout: Path, path: Path) -> Round:
    command = [_python(checkout), "-m", "webagent_dev", "check", str(path)]
    return _spied(
        lambda spy: subprocess.run(
            [*spy, *command], env=as_installed(), capture_output=True, check=False
        )
    )


async def _serve(checkout: Path, stack: AsyncExitStack) -> Round:
    """Serve a folder with a configuration until the first answer."""
    site = start_on_use(small_site(_folder(stack) / "site"))
    command = [_python(checkout), "-m", "webagent_dev", "serve"]
    return _spied(
        lambda spy: Running(
            lambda root, port: [*spy, *command, str(root), "--port", str(port)], site
        ).stop_ms()
    )


def _spied(run: Callable[[list[str]], object]) -> Round:
    """Record a program, which `run` starts behind the words of py-spy."""
    beside = str(Path(sys.executable).parent)
    program = shutil.which("py-spy", path=beside) or shutil.which("py-spy")
    if program is None:
        raise SystemExit("bench: a flame graph needs py-spy - install it: pip install py-spy")
    options = ["--rate", str(SAMPLES_PER_S), "--nolineno", "--format", "raw"]

    async def record() -> Stacks:
        # The profiler makes the program wait, so the time is that of a run without it.
        before_s = _cpu_s()
        run([])
        cpu_ms = (_cpu_s() - before_s) * 1000
        stacks = Stacks(float)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "stacks"
            run([program, "record", *options, "--output", str(out), "--"])
            if not out.exists():
                raise SystemExit("bench: py-spy wrote nothing - may it trace other processes?")
            for line in out.read_text("utf-8").splitlines():
                frames, _, samples = line.rpartition(" ")
                stacks[tuple(_of_python(frames.split(";"))) or (AROUND,)] += int(samples)
        ms_per_sample = cpu_ms / _ms(stacks)
        return Stacks(float, {names: samples * ms_per_sample for names, samples in stacks.items()})

    return record


def _cpu_s() -> float:
    """Return the processor time of all programs that this one has started, and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _of_python(frames: Sequence[str]) -> Iterator[str]:
    """Yield the frames but those of the import system; a module that is imported is its path."""
    for frame in frames:
        if frame and not IMPORTS.search(frame):
            yield MODULE.sub(r"\1", frame)


async def _start(checkout: Path, stack: AsyncExitStack) -> Round:
    """Open the published page where nothing is cached, until its agent is ready."""
    built = _written(checkout, _folder(stack))
    url = stack.enter_context(Host(built, changing=CHANGING)).url
    browser = await stack.enter_async_context(chromium())

    async def record() -> Stacks:
        stacks = Stacks(float)
        context = await browser.new_context()
        page = await context.new_page()
        # A page of the same origin comes first, so that the process stays the same.
        await page.goto(f"{url}/{BLANK}")
        async with _profiled(page, stacks):
            await page.goto(f"{url}/page.html")
            await page.evaluate("measured")
        await context.close()
        return stacks

    return record


def _written(checkout: Path, folder: Path) -> Path:
    """Build the published site with a checkout, and return its folder."""
    write = [_python(checkout), "-c", WRITE_PAGES, str(folder)]
    subprocess.run(write, cwd=checkout, check=True)
    (folder / BUILT / BLANK).write_bytes(b"<!doctype html>")
    return folder / BUILT


async def _look(checkout: Path, stack: AsyncExitStack) -> Round:
    """Look once at a new page."""
    source = str(checkout / "browser_bundle/src/dom/index.ts")
    text = script(OURS.replace("{source}", source), checkout, minified=False)
    browser = await stack.enter_async_context(chromium())

    async def record() -> Stacks:
        stacks = Stacks(float)
        page = await browser.new_page()
        await page.set_content(page_of(ELEMENTS))
        await page.evaluate(f"{text}\n//# sourceURL=webagent/dom.js")
        async with _profiled(page, stacks):
            await page.evaluate(LOOK)
        await page.close()
        return stacks

    return record


@asynccontextmanager
async def _profiled(page: Page, stacks: Stacks) -> AsyncIterator[None]:
    """Add what the thread of a page does while the block runs."""
    session = await page.context.new_cdp_session(page)
    await session.send("Profiler.enable")
    await session.send("Profiler.setSamplingInterval", {"interval": STEP_US})
    await session.send("Profiler.start")
    yield
    profile = (await session.send("Profiler.stop"))["profile"]
    nodes = {node["id"]: node for node in profile["nodes"]}
    above = {child: node["id"] for node in profile["nodes"] for child in node.get("children", ())}
    # Each sample lasts until the next one.
    for number, took_us in zip(profile["samples"], profile["timeDeltas"][1:], strict=False):
        frames: list[str] = []
        at: int | None = number
        while at is not None:
            frames.append(_of_browser(nodes[at]["callFrame"]))
            at = above.get(at)
        if not AT_REST.intersection(frames[:1]):
            stacks[tuple(reversed(frames[:-1]))] += took_us / 1000


def _of_browser(frame: Mapping[str, Any]) -> str:
    """Return the name of a frame, with its script; that of WebAssembly is Python's."""
    name, path = frame["functionName"], urlsplit(frame["url"]).path
    if WASM.search(frame["url"]) or name.startswith("wasm-"):
        return "Python, in WebAssembly"
    if not path:
        return NATIVE.get(name, name) or "(anonymous)"
    ours = "webagent" in path and "pyodide" not in path
    file = f"{'webagent/' * ours}{PurePosixPath(path).name}"
    # The names of scripts that were made small say nothing.
    return f"{name} ({file})" if len(name) > SMALL else file


def _folder(stack: AsyncExitStack) -> Path:
    return Path(stack.enter_context(tempfile.TemporaryDirectory()))


def _python(checkout: Path) -> str:
    return str(checkout / ".venv" / "bin" / "python")


PATHS: Final[Mapping[str, tuple[str, Prepare]]] = {
    "start": ("A published page until its agent is ready, the page's thread", _start),
    "serve": ("webagent-dev serve with a configuration, until the first answer", _serve),
    "check": ("webagent-dev check of one file", _check),
    "hostile": (f"webagent-dev check of a hostile MiB, {HOSTILE}", _hostile),
    "look": (f"A look at a page of {ELEMENTS:,} elements", _look),
}
"""The title of each picture, and what records its stacks in a checkout."""
