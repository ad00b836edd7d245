"""Counting a request to a model: in memory, and on a Redis of this machine, next to its `PING`."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path

from redis.asyncio import Redis

from tests.bench.table import table
from tests.redis_server import NONE, RedisServer, find_redis
from webagent_site.broker.broker import MemoryBroker
from webagent_site.broker.ledger import Budget, Ledger, Limit, Reservation, Spend, Spender
from webagent_site.broker.redis_broker import RedisBroker

TITLE = "Counting a request, ms"
ROUNDS = 2_000
VISITORS = 200
"""They take turns, so each has its account."""
AT_ONCE = 20
PLENTY = Limit(10**9, 10**12, Decimal(10**6))
BUDGET = Budget(at_once=1_000, minute=PLENTY, day=PLENTY)
"""Every limit is checked, and none is reached."""
MOST = Spend(1, 900, Decimal("0.0009"))


async def run() -> str:
    """Return a table: a reservation with its settlement, one after the other and at once."""
    path = find_redis()
    if path is None:
        return NONE
    with tempfile.TemporaryDirectory() as folder:
        server = RedisServer(path, Path(folder))
        try:
            return await _measured(server.url)
        finally:
            server.kill()


async def _measured(url: str) -> str:
    broker = RedisBroker(url)
    async with Redis.from_url(url) as client:

        async def ping() -> None:
            await client.ping()

        # In turns, so that a busy moment hits all of them.
        sides = {
            "`PING` of Redis": ping,
            "in memory": _counted(MemoryBroker().ledger("model")),
            "on Redis": _counted(broker.ledger("model")),
        }
        times: dict[str, list[float]] = {name: [] for name in sides}
        for turn in range(ROUNDS + 50):
            for name, act in sides.items():
                began = time.perf_counter()
                await act()
                if turn >= 50:
                    times[name].append((time.perf_counter() - began) * 1000)
        rates = {name: [await _rate(act)] for name, act in sides.items()}
    await broker.close()
    return "\n\n".join(
        [
            table("reserve and settle, ms", times, digits=3),
            table(f"a second, {AT_ONCE} at once", rates),
        ]
    )


def _counted(ledger: Ledger) -> Callable[[], Awaitable[None]]:
    """Return what counts a request of the next visitor."""
    turn = 0

    async def act() -> None:
        nonlocal turn
        turn += 1
        spenders = (Spender("", BUDGET), Spender(f"account {turn % VISITORS}", BUDGET))
        booked = await ledger.reserve(spenders, MOST)
        assert isinstance(booked, Reservation)
        await ledger.settle(booked, MOST)

    return act


async def _rate(act: Callable[[], Awaitable[None]]) -> float:
    async def often() -> None:
        for _ in range(ROUNDS // AT_ONCE):
            await act()

    began = time.perf_counter()
    await asyncio.gather(*(often() for _ in range(AT_ONCE)))
    return ROUNDS / (time.perf_counter() - began)
