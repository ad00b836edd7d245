"""The limits of requests to the models, for each visitor and for the site: in memory and on Redis."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Coroutine, Iterator, Sequence
from decimal import Decimal
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis as SyncRedis

from tests.redis_server import RedisServer
from webagent_site.broker.broker import Broker, MemoryBroker
from webagent_site.broker.ledger import Budget, Ledger, Limit, Refusal, Reservation, Spend, Spender
from webagent_site.broker.redis_broker import RedisBroker

FREE = Budget()
ONE = Spend(1)
T = TypeVar("T")


class Counting:
    """A ledger and the loop that it works in."""

    def __init__(self, broker: Broker) -> None:
        self._runner = asyncio.Runner()
        self.broker = broker
        self.ledger: Ledger = broker.ledger("model")

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def reserve(self, *spenders: Spender, spend: Spend = ONE) -> Reservation | Refusal:
        return self.run(self.ledger.reserve(spenders, spend))

    def reserved(self, *spenders: Spender, spend: Spend = ONE) -> Reservation:
        found = self.reserve(*spenders, spend=spend)
        assert isinstance(found, Reservation)
        return found

    def refused(self, *spenders: Spender, spend: Spend = ONE) -> Refusal:
        found = self.reserve(*spenders, spend=spend)
        assert isinstance(found, Refusal)
        return found

    def settle(self, reservation: Reservation, spent: Spend = ONE) -> None:
        self.run(self.ledger.settle(reservation, spent))

    def close(self) -> None:
        self.run(self.broker.close())
        self._runner.close()


@pytest.fixture(name="counting", params=["memory", "redis"])
def _counting(request: pytest.FixtureRequest) -> Iterator[Counting]:
    counting = Counting(
        MemoryBroker()
        if request.param == "memory"
        else RedisBroker(request.getfixturevalue("redis").url, prefix=secrets.token_hex(4))
    )
    yield counting
    counting.close()


def test_only_some_requests_run_at_once(counting: Counting) -> None:
    """One more waits until one has ended."""
    site = Spender("", Budget(at_once=2))
    first = counting.reserved(site)
    counting.reserved(site)

    refusal = counting.refused(site)
    assert (refusal.retry_after_s, refusal.status) == (1, 429)
    assert "2 requests are running already" in refusal.message
    counting.settle(first)
    counting.reserved(site)


@pytest.mark.parametrize(
    ("limit", "spend", "said"),
    [
        (
            Limit(requests=2),
            Spend(1),
            "2 requests were used within a minute - you may use 2 requests",
        ),
        (
            Limit(tokens=100),
            Spend(1, 50),
            "100 tokens were used within a minute - you may use 100 tokens",
        ),
        (
            Limit(usd=Decimal("0.02")),
            Spend(1, 0, Decimal("0.01")),
            "$0.02 were used within a minute",
        ),
    ],
    ids=["requests", "tokens", "money"],
)
def test_a_minute_has_a_limit(counting: Counting, limit: Limit, spend: Spend, said: str) -> None:
    """The refusal says what was used, and how long to wait."""
    visitor = Spender("ann", Budget(minute=limit))
    for _ in range(2):
        counting.settle(counting.reserved(visitor, spend=spend), spend)
    refusal = counting.refused(visitor, spend=spend)

    assert said in refusal.message
    assert refusal.code == "rate_limit_exceeded"
    assert refusal.retry_after_s is not None
    assert 55 <= refusal.retry_after_s <= 66
    counting.reserved(Spender("bob", visitor.budget), spend=spend)


@pytest.mark.parametrize("period", ["day", "ever"])
def test_money_has_a_limit(counting: Counting, period: str) -> None:
    """Waiting for minutes does not help; a part of a cent counts."""
    site = Spender("", Budget(**{period: Limit(usd=Decimal(2))}))
    cost = Spend(1, 0, Decimal("1.999999999"))
    counting.settle(counting.reserved(site, spend=cost), cost)
    refusal = counting.refused(site, spend=Spend(1, 0, Decimal("0.000000002")))

    assert (refusal.code, refusal.retry_after_s) == ("insufficient_quota", None)
    counting.reserved(site, spend=Spend(1, 0, Decimal("0.000000001")))


def test_a_reservation_is_replaced_by_what_was_spent(counting: Counting) -> None:
    """A request that cost less gives the rest back."""
    site = Spender("", Budget(day=Limit(tokens=100)))
    first = counting.reserved(site, spend=Spend(1, 90))
    counting.refused(site, spend=Spend(1, 20))
    counting.settle(first, Spend(1, 10))

    counting.refused(site, spend=Spend(1, 91))
    counting.reserved(site, spend=Spend(1, 90))


def test_a_refusal_books_nothing_for_anybody(counting: Counting) -> None:
    """The site's budget is not touched by a visitor who is over the own one."""
    site, budget = Spender("", Budget(day=Limit(requests=2))), Budget(day=Limit(requests=1))
    counting.settle(counting.reserved(site, Spender("ann", budget)))
    for _ in range(3):
        counting.refused(site, Spender("ann", budget))

    counting.reserved(site, Spender("bob", budget))
    counting.refused(site, Spender("eve", budget))


@pytest.mark.parametrize(
    "keys", [["ann"] * 50, ["address 192.0.2.0/24"] * 50], ids=["account", "address"]
)
def test_fifty_at_once_spend_at_most_the_limit(counting: Counting, keys: list[str]) -> None:
    """One account in 50 tabs, and 50 who drop their cookies, each as one spender."""
    most = Spend(1, 0, Decimal("0.3"))
    budget = Budget(day=Limit(usd=Decimal(2)))

    async def all_at_once() -> list[Reservation | Refusal]:
        ledger = counting.ledger
        return await asyncio.gather(
            *(ledger.reserve((Spender("", FREE), Spender(key, budget)), most) for key in keys)
        )

    found = counting.run(all_at_once())

    assert sum(isinstance(one, Reservation) for one in found) == 6


LIMITS = st.builds(
    Budget,
    at_once=st.sampled_from([None, 3]),
    minute=st.builds(Limit, requests=st.sampled_from([None, 5])),
    day=st.builds(
        Limit, tokens=st.sampled_from([None, 900]), usd=st.sampled_from([None, Decimal("0.7")])
    ),
)
SPENDS = st.builds(
    Spend, st.just(1), st.integers(0, 400), st.decimals(0, "0.3", places=9, allow_nan=False)
)
STEPS = st.lists(st.tuples(st.sampled_from(["ann", "bob"]), SPENDS, st.integers(0, 3)), max_size=30)


@given(site=LIMITS, visitor=LIMITS, steps=STEPS)
def test_redis_decides_as_memory_does(
    redis: RedisServer, site: Budget, visitor: Budget, steps: Sequence[tuple[str, Spend, int]]
) -> None:
    """In any order of reservations and settlements, with the same words."""
    memory = Counting(MemoryBroker())
    shared = Counting(RedisBroker(redis.url, prefix=secrets.token_hex(4)))
    running: list[tuple[Reservation, Reservation]] = []
    for key, spend, settled in steps:
        spenders = (Spender("", site), Spender(key, visitor))
        here, there = (each.reserve(*spenders, spend=spend) for each in (memory, shared))
        if isinstance(here, Refusal):
            assert isinstance(there, Refusal)
            assert without_waiting(there) == without_waiting(here)
        else:
            assert isinstance(there, Reservation)
            running.append((here, there))
        for mine, theirs in running[:settled]:
            spent = Spend(1, spend.tokens // 2, spend.usd / 2)
            memory.settle(mine, spent)
            shared.settle(theirs, spent)
        del running[:settled]
    memory.close()
    shared.close()


def without_waiting(refusal: Refusal) -> tuple[str, str]:
    """The seconds differ by when the bucket of five began."""
    return refusal.message.rpartition(" - wait ")[0] or refusal.message, refusal.code


def test_processes_count_together(redis: RedisServer) -> None:
    """Each with connections of its own; another prefix is another site."""
    prefix, site = secrets.token_hex(4), Spender("", Budget(day=Limit(requests=3), at_once=2))
    one, two, other = (
        Counting(RedisBroker(redis.url, prefix=each)) for each in (prefix, prefix, f"{prefix}-b")
    )
    first = one.reserved(site)
    two.reserved(site)

    assert "2 requests are running" in one.refused(site).message
    one.settle(first)
    one.reserved(site)
    assert "2 requests are running" in two.refused(site).message
    other.reserved(site)
    for each in (one, two, other):
        each.close()


def test_a_second_settlement_changes_nothing(redis: RedisServer) -> None:
    """A client that got no answer asks again."""
    counting = Counting(RedisBroker(redis.url, prefix=secrets.token_hex(4)))
    site = Spender("", Budget(day=Limit(tokens=100)))
    booked = counting.reserved(site, spend=Spend(1, 90))
    for _ in range(3):
        counting.settle(booked, Spend(1, 50))

    counting.refused(site, spend=Spend(1, 51))
    counting.reserved(site, spend=Spend(1, 50))
    counting.close()


def test_a_process_that_dies_does_not_keep_its_place(redis: RedisServer) -> None:
    """Its requests run for a lease; what they may have cost stays booked."""
    prefix, site = secrets.token_hex(4), Spender("", Budget(at_once=1, day=Limit(tokens=100)))
    dead, living = (Counting(RedisBroker(redis.url, prefix=prefix)) for _ in range(2))
    dead.reserved(site, spend=Spend(1, 90))
    dead.close()
    living.refused(site)
    pass_time(redis, prefix, 16)

    living.refused(site, spend=Spend(1, 20))
    living.reserved(site, spend=Spend(1, 10))
    living.close()


def test_a_request_that_runs_for_long_keeps_its_place(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process renews the lease."""
    monkeypatch.setattr("webagent_site.broker.redis_broker._RENEW_S", 0.05)
    prefix, site = secrets.token_hex(4), Spender("", Budget(at_once=1))
    counting = Counting(RedisBroker(redis.url, prefix=prefix))
    counting.reserved(site)
    pass_time(redis, prefix, 10)
    counting.run(asyncio.sleep(0.3))
    pass_time(redis, prefix, 10)

    counting.refused(site)
    counting.close()


def test_minutes_and_days_end(redis: RedisServer) -> None:
    """Nothing is left on Redis then."""
    prefix = secrets.token_hex(4)
    counting = Counting(RedisBroker(redis.url, prefix=prefix))
    site = Spender("", Budget(minute=Limit(requests=1), day=Limit(requests=2)))
    counting.settle(counting.reserved(site))
    counting.refused(site)
    pass_time(redis, prefix, 66)
    counting.settle(counting.reserved(site))
    pass_time(redis, prefix, 66)
    assert counting.refused(site).code == "insufficient_quota"
    pass_time(redis, prefix, 25 * 3600)

    counting.reserved(site)
    with SyncRedis.from_url(redis.url) as client:
        keys = [key.decode() for key in client.scan_iter(f"*{prefix}*")]
        assert keys
        assert all(0 < client.ttl(key) <= 90_000 for key in keys)
    counting.close()


def pass_time(redis: RedisServer, prefix: str, seconds: int) -> None:
    """Make all that is counted older, by whole buckets."""
    with SyncRedis.from_url(redis.url, decode_responses=True) as client:
        for key in client.scan_iter(f"*{prefix}*"):
            kind = key.rpartition(":")[2]
            if kind == "running":
                client.zadd(
                    key,
                    {id_: at - seconds for id_, at in client.zrange(key, 0, -1, withscores=True)},
                )
                continue
            bucket_s = {"minute": 5, "day": 3600}[kind]
            numbers = client.hgetall(key)
            client.hdel(key, *numbers)
            for field, value in numbers.items():
                bucket, _, number = field.partition(":")
                client.hset(key, f"{int(bucket) - seconds // bucket_s}:{number}", value)


def test_no_account_is_named_on_redis(redis: RedisServer) -> None:
    """Keys are hashes."""
    prefix = secrets.token_hex(4)
    counting = Counting(RedisBroker(redis.url, prefix=prefix))
    counting.reserved(Spender("account ann@shop.example", Budget(day=Limit(requests=3))))
    counting.close()

    with SyncRedis.from_url(redis.url) as client:
        keys = list(client.scan_iter(f"*{prefix}*"))
    assert len(keys) == 3
    assert not [key for key in keys if b"ann" in key]
