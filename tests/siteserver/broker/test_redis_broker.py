"""A Redis that goes away, and the ways to name one."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster
from redis.asyncio.sentinel import Sentinel

from tests.redis_server import NONE, RedisServer, find_redis
from webagent_site.broker import redis_broker
from webagent_site.broker.broker import MemoryBroker, broker_of
from webagent_site.broker.ledger import Budget, Limit, Refusal, Reservation, Spend, Spender
from webagent_site.broker.redis_broker import RedisBroker, RedisLedger
from webagent_site.errors import ConfigError

SITE = (Spender("", Budget(day=Limit(requests=2))),)
ONE = Spend(1)


@pytest.fixture(name="own_redis")
def _own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path)
    yield server
    server.go_on()
    server.kill()


@pytest_asyncio.fixture(name="ledger")
async def _ledger(own_redis: RedisServer) -> AsyncIterator[RedisLedger]:
    broker = RedisBroker(own_redis.url)
    ledger = broker.ledger("model")
    assert isinstance(ledger, RedisLedger)
    yield ledger
    await broker.close()


def is_unavailable(found: Reservation | Refusal) -> bool:
    return isinstance(found, Refusal) and (found.code, found.status, found.headers) == (
        "broker_unavailable",
        503,
        {"retry-after": "5"},
    )


async def test_nothing_is_spent_without_redis(
    own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Requests are refused until it is back, then they are counted again; the end of one raises nothing."""
    broker = RedisBroker(own_redis.url)
    ledger = broker.ledger("model")
    running = await ledger.reserve(SITE, ONE)
    assert isinstance(running, Reservation)
    own_redis.kill()

    for _ in range(3):
        assert is_unavailable(await ledger.reserve(SITE, ONE))
    await ledger.settle(running, ONE)
    own_redis.start()
    assert isinstance(await ledger.reserve(SITE, ONE), Reservation)
    failures = [message for message in caplog.messages if "does not answer" in message]
    assert 1 <= len(set(failures)) == len(failures) <= 2
    assert caplog.messages[-1] == "the broker answers again"
    await broker.close()


async def test_a_redis_that_hangs_holds_nobody_up(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request is refused within seconds; the counts are still there afterwards."""
    monkeypatch.setattr("webagent_site.broker.redis_broker._RENEW_S", 0.1)
    broker = RedisBroker(own_redis.url)
    ledger = broker.ledger("model")
    await ledger.reserve(SITE, ONE)
    own_redis.pause()
    async with asyncio.timeout(10):
        assert is_unavailable(await ledger.reserve(SITE, ONE))
    own_redis.go_on()

    # The refused request may have reached it all the same; it is taken back.
    await asyncio.sleep(0.3)
    assert isinstance(await ledger.reserve(SITE, ONE), Reservation)
    refused = await ledger.reserve(SITE, ONE)
    assert isinstance(refused, Refusal)
    assert refused.code == "insufficient_quota"
    await broker.close()


async def test_requests_that_end_during_a_long_outage_are_forgotten(
    own_redis: RedisServer, ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their leases have ended, and nobody renews them once Redis is back."""
    monkeypatch.setattr(redis_broker, "LEASE_S", 0.1)
    monkeypatch.setattr(redis_broker, "_RENEW_S", 0.02)
    booked = await ledger.reserve(SITE, ONE)
    assert isinstance(booked, Reservation)
    own_redis.kill()
    await ledger.settle(booked, ONE)

    assert ledger._tending
    await asyncio.wait_for(ledger._tending, 5)
    assert not ledger._running


async def test_leases_are_renewed_after_an_unexpected_error(
    ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its request runs on, and keeps its place."""
    monkeypatch.setattr(redis_broker, "_RENEW_S", 0.02)
    is_renewed, faults = asyncio.Event(), [RuntimeError("a fault of a client")]

    async def fail_at_first(*_: Any, **__: Any) -> None:
        if faults:
            raise faults.pop()
        is_renewed.set()

    monkeypatch.setattr(ledger._client, "expire", fail_at_first)
    await ledger.reserve(SITE, ONE)

    await asyncio.wait_for(is_renewed.wait(), 5)


@pytest.mark.parametrize("script", ["_reserve", "_settle"])
async def test_a_cancelled_request_to_redis_is_settled(
    ledger: RedisLedger, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """Redis has counted it, or may not have: its highest cost does not stay booked."""
    monkeypatch.setattr(redis_broker, "_RENEW_S", 0.02)
    run_script, is_run = getattr(ledger, script), asyncio.Event()

    async def run_forever(**given: Any) -> None:
        if script == "_reserve":
            await run_script(**given)
        is_run.set()
        await asyncio.Event().wait()

    async def spend_nothing() -> None:
        booked = await ledger.reserve(SITE, Spend(2))
        assert isinstance(booked, Reservation)
        await ledger.settle(booked, Spend())

    with monkeypatch.context() as patch:
        patch.setattr(ledger, script, run_forever)
        spending = asyncio.create_task(spend_nothing())
        await is_run.wait()
        spending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await spending

    assert ledger._tending
    await asyncio.wait_for(ledger._tending, 5)
    assert isinstance(await ledger.reserve(SITE, Spend(2)), Reservation)


async def test_foreign_values_on_redis_permit_nothing(own_redis: RedisServer) -> None:
    """Keys of another kind, and texts in place of numbers."""
    broker = RedisBroker(own_redis.url, prefix="shop")
    ledger = broker.ledger("model")
    await ledger.reserve(SITE, ONE)
    async with Redis.from_url(own_redis.url, decode_responses=True) as client:
        (day,) = [key async for key in client.scan_iter("*:day")]
        for field, value in (("x", "1"), ("7777777777:9", "1"), ("7777777777:1", "many")):
            await client.hset(day, field, value)
            assert is_unavailable(await ledger.reserve(SITE, ONE)), field
            await client.hdel(day, field)
        await client.set(day, "text")
        assert is_unavailable(await ledger.reserve(SITE, ONE))
    await broker.close()


async def test_a_cluster_is_a_broker(tmp_path: Path) -> None:
    """All keys of a script are on one shard."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path, ["--cluster-enabled", "yes"])
    try:
        async with Redis.from_url(server.url) as client:
            await client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
            async with asyncio.timeout(10):
                while (await client.execute_command("CLUSTER INFO"))["cluster_state"] != "ok":  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        async with RedisCluster(host="127.0.0.1", port=server.port) as cluster:
            broker = broker_of(cluster)
            ledger = broker.ledger("model")
            spenders = (*SITE, Spender("ann", Budget(day=Limit(requests=1))))
            booked = await ledger.reserve(spenders, ONE)
            assert isinstance(booked, Reservation)
            await ledger.settle(booked, ONE)
            refused = await ledger.reserve(spenders, ONE)
            assert isinstance(refused, Refusal)
            assert refused.code == "insufficient_quota"
            await broker.close()
            assert await cluster.ping()
    finally:
        server.kill()


async def test_sentinel_is_a_broker(own_redis: RedisServer, tmp_path: Path) -> None:
    """It knows which server is the master."""
    (tmp_path / "sentinel.conf").write_text(f"sentinel monitor shop 127.0.0.1 {own_redis.port} 1\n")
    path = find_redis()
    assert path is not None
    watcher = RedisServer(path, tmp_path, config=tmp_path / "sentinel.conf")
    try:
        sentinel = Sentinel([("127.0.0.1", watcher.port)])
        async with sentinel.master_for("shop") as client:
            broker = broker_of(client)
            assert isinstance(await broker.ledger("model").reserve(SITE, ONE), Reservation)
            await broker.close()
        for each in sentinel.sentinels:
            await each.aclose()
    finally:
        watcher.kill()


def test_a_site_of_one_process_needs_none() -> None:
    assert isinstance(broker_of(None), MemoryBroker)
    mine = MemoryBroker()
    assert broker_of(mine) is mine


def test_an_address_of_something_else_is_refused() -> None:
    """The message shows no password."""
    with pytest.raises(ConfigError, match="is not the address of a Redis") as refused:
        broker_of("postgres://shop:secret@db.example/1")

    assert "secret" not in str(refused.value)
    assert "redis://127.0.0.1:6379/0" in str(refused.value)


def test_the_message_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "webagent_site.broker.redis_broker", raising=False)
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)

    with pytest.raises(ConfigError, match=r"webagent-site\[redis\]"):
        broker_of("redis://127.0.0.1:6379/0")
