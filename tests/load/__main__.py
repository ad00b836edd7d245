"""Measures a site of several processes: `python -m tests.load calls`, `highest` or `faults`."""

from __future__ import annotations

import argparse
import asyncio
import signal
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from playwright.async_api import async_playwright

from tests.chromium import ARGS, find_chromium
from tests.load.load import (
    Account,
    RealPage,
    close_pages,
    executed_twice,
    load,
    open_pages,
    open_real,
)
from tests.load.processes import Deployment, deployed
from tests.visitor_page import VisitorPage

WORKERS = 3
STEP = 1.3
BETWEEN_S = 5
"""Pause between two processes of a rolling restart, in which the pages of the first come back."""
MOST_MS = 1_000.0
"""A rate holds while 95 % of the calls are answered within this time."""


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("what", choices=["calls", "highest", "faults"])
    parser.add_argument("--pages", type=int, default=3_000, help="open pages, real ones included")
    parser.add_argument("--real", type=int, default=20, help="pages in Chromium")
    parser.add_argument("--rate", type=float, default=60, help="calls a second")
    parser.add_argument("--seconds", type=float, default=0, help="of each measurement")
    parser.add_argument("--only", default="", help="the fault whose name contains this")
    given = parser.parse_args()
    run = {"calls": _calls, "highest": _highest, "faults": _faults}[given.what]
    asyncio.run(run(given))


async def _calls(given: argparse.Namespace) -> None:
    """Measure calls with a tenth of the pages, with all, and with one process without a broker."""
    columns = (
        *("processes", "pages", "calls/s", "answered", "others", "p50 ms", "p95 ms"),
        *("ms of processor a call", "of Redis", "kB a page", "of Redis"),
    )
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    seconds = given.seconds or 120
    for workers, broker, count in (
        (1, False, given.pages // 10),
        (WORKERS, True, given.pages // 10),
        (WORKERS, True, given.pages),
    ):
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            site = await stack.enter_async_context(deployed(folder, workers, broker=broker))
            real = await _real_pages(stack, site, given.real)
            empty = await site.used()
            pages = await open_pages(site.url, count - given.real)
            # Their first messages are over by then.
            await asyncio.sleep(5)
            opened = await site.used()
            account = await load(site.url, pages, real, rate=given.rate, seconds=seconds)
            after = await site.used()
            twice = await executed_twice(pages, real)
            await close_pages(pages)
        others = {kind: n for kind, n in account.outcomes().items() if kind != "answered"}
        calls, simple = len(account.asked), count - given.real
        cells = (
            f"{workers}" if broker else f"{workers}, no broker",
            f"{count}",
            f"{given.rate:g}",
            f"{account.answered} of {calls}",
            f"{others or '–'}{f', twice {len(twice)}' if twice else ''}",
            f"{account.percentile(0.5):.1f}",
            f"{account.percentile(0.95):.1f}",
            f"{(after.cpu_s - opened.cpu_s) * 1000 / calls:.1f}",
            f"{(after.redis_s - opened.redis_s) * 1000 / calls:.2f}",
            f"{(opened.memory_mb - empty.memory_mb) * 1024 / simple:.1f}",
            f"{(opened.redis_mb - empty.redis_mb) * 1024 / simple:.2f}",
        )
        print(f"| {' | '.join(cells)} |", flush=True)


async def _highest(given: argparse.Namespace) -> None:
    """Raise the rate until calls wait for more than a second, and hold the highest one."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = await stack.enter_async_context(deployed(folder, WORKERS))
        real = await _real_pages(stack, site, given.real)
        pages = await open_pages(site.url, given.pages - given.real)
        print(f"| calls/s | seconds | answered | p50 ms | p95 ms |\n|{'---|' * 5}")

        async def holds(rate: float, seconds: float) -> bool:
            account = await load(site.url, pages, real, rate=rate, seconds=seconds)
            p95 = account.percentile(0.95)
            print(
                f"| {rate:g} | {seconds:g} | {account.answered} of {len(account.asked)} "
                f"| {account.percentile(0.5):.1f} | {p95:.1f} |",
                flush=True,
            )
            return account.answered == len(account.asked) and p95 < MOST_MS

        rate = given.rate
        while await holds(rate * STEP, 20):
            rate *= STEP
        while not await holds(rate, given.seconds or 120):
            rate /= STEP
        await close_pages(pages)


async def _real_pages(stack: AsyncExitStack, site: Deployment, count: int) -> list[RealPage]:
    if not count:
        return []
    playwright = await stack.enter_async_context(async_playwright())
    browser = await playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGS))
    stack.push_async_callback(browser.close)
    return [await open_real(browser, site.url) for _ in range(count)]


async def _faults(given: argparse.Namespace) -> None:
    """Break one thing after the other during load."""
    seconds = given.seconds or 40
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = await stack.enter_async_context(deployed(folder, WORKERS))
        real = await _real_pages(stack, site, given.real)
        pages = await open_pages(site.url, given.pages - given.real)
        print(f"| fault | calls | answered | named errors | lost | twice | p95 ms |\n|{'---|' * 7}")
        faults = [each for each in _faults_of(site) if given.only in each[0]]
        for name, fault in faults:
            account = await load(
                *(site.url, pages, real),
                rate=given.rate,
                seconds=seconds,
                meanwhile=fault,
            )
            twice = await executed_twice(pages, real)
            _print_fault(name, account, twice)
            await _all_back(pages)
        await close_pages(pages)
        if given.only:
            print((site.folder / "workers.log").read_text("utf-8")[-3000:])
            print((site.folder / "error.log").read_text("utf-8")[-3000:])


async def _all_back(pages: Sequence[VisitorPage]) -> None:
    """Wait until all pages are connected again."""
    await asyncio.gather(*(asyncio.wait_for(page.connected.wait(), 60) for page in pages))


def _print_fault(name: str, account: Account, twice: Sequence[str]) -> None:
    outcomes = account.outcomes()
    named = {kind: n for kind, n in outcomes.items() if kind not in ("answered", "")}
    shown = ", ".join(f"{kind} {n}" for kind, n in sorted(named.items())) or "–"
    print(
        f"| {name} | {len(account.asked)} | {account.answered} | {shown} | {account.lost} "
        f"| {len(twice)} | {account.percentile(0.95):.0f} |",
        flush=True,
    )


def _faults_of(site: Deployment) -> list[tuple[str, Callable[[], Awaitable[None]]]]:
    first, second = site.workers[0], site.workers[1]
    redis = site.redis
    assert redis

    async def nothing() -> None:
        """Break nothing."""

    async def kill_a_process() -> None:
        await first.kill()
        await asyncio.sleep(2)
        await first.start()

    async def kill_redis() -> None:
        redis.kill()
        await asyncio.sleep(2)
        await asyncio.to_thread(redis.start)

    async def pause_a_process() -> None:
        second.send(signal.SIGSTOP)
        await asyncio.sleep(10)
        second.send(signal.SIGCONT)

    async def pause_redis() -> None:
        redis.pause()
        await asyncio.sleep(10)
        redis.go_on()

    async def restart_all() -> None:
        for worker in site.workers:
            await worker.stop()
            await worker.start()
            await asyncio.sleep(BETWEEN_S)

    return [
        ("none", nothing),
        ("kill -9 of a process", kill_a_process),
        ("kill -9 of Redis", kill_redis),
        ("10 s pause of a process", pause_a_process),
        ("10 s pause of Redis", pause_redis),
        ("rolling restart", restart_all),
    ]


main()
