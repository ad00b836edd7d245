"""Questions that wait for a front end: in memory, and on a Redis for two processes."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis

from tests.redis_server import RedisServer
from webagent_site.broker.interrupts import Interrupt, Interrupts, MemoryInterrupts
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.errors import BrokerUnavailable


def _interrupt(**changed: Any) -> Interrupt:
    return replace(Interrupt("q", "call", "run", "tab", "yes", time.time() + 60), **changed)


@pytest_asyncio.fixture(name="processes", params=["memory", "redis"])
async def _processes(
    request: pytest.FixtureRequest,
) -> AsyncIterator[tuple[Interrupts, Interrupts]]:
    """Two processes; in memory there is one."""
    if request.param == "memory":
        alone = MemoryInterrupts()
        yield alone, alone
        return
    redis: RedisServer = request.getfixturevalue("redis")
    prefix = secrets.token_hex(4)
    brokers = [RedisBroker(redis.url, prefix=prefix) for _ in range(2)]
    yield brokers[0].interrupts(), brokers[1].interrupts()
    for broker in brokers:
        await broker.close()


async def test_a_question_is_known_everywhere(processes: tuple[Interrupts, Interrupts]) -> None:
    """In its thread alone; the next one replaces it."""
    one, other = processes
    first, second = _interrupt(), _interrupt(id="later")
    await one.put("thread", first)
    assert await other.of("thread") == first
    assert await other.of("another") is None
    await one.put("thread", second)
    assert await other.of("thread") == second
    assert not await other.take("thread", first)
    assert await other.take("thread", second)
    assert await one.of("thread") is None


async def test_a_question_is_taken_once(processes: tuple[Interrupts, Interrupts]) -> None:
    """However many take it at a time."""
    interrupt = _interrupt()
    await processes[0].put("thread", interrupt)
    takers = (processes[at % 2].take("thread", interrupt) for at in range(20))

    assert sum(await asyncio.gather(*takers)) == 1


async def test_a_question_ends_in_time(processes: tuple[Interrupts, Interrupts]) -> None:
    """It is not open then."""
    await processes[0].put("thread", _interrupt(ends=time.time() + 0.2))
    assert await processes[1].of("thread")
    await asyncio.sleep(0.3)

    assert await processes[1].of("thread") is None


@pytest.mark.parametrize(
    "changed",
    [
        {"ends": "soon"},
        {"ends": True},
        {"awaits": "everything"},
        {"awaits": ["yes"]},
        {"tab": None},
        {"more": 1},
    ],
)
async def test_a_value_that_others_have_written_is_not_a_question(
    redis: RedisServer, changed: dict[str, Any]
) -> None:
    """A value of another kind is as if there were none."""
    broker = RedisBroker(redis.url, prefix=secrets.token_hex(4))
    interrupts = broker.interrupts()
    async with Redis.from_url(redis.url) as client:
        key = interrupts._key("thread")  # type: ignore[attr-defined]
        for text in (json.dumps(asdict(_interrupt()) | changed), "{", "[]", "\xff"):
            await client.set(key, text)
            assert await interrupts.of("thread") is None
        await client.set(key, b"\xff")
        with pytest.raises(BrokerUnavailable):
            await interrupts.of("thread")
    await broker.close()
