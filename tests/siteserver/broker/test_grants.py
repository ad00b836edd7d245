"""The grants of visitors to their assistants: in memory and on Redis."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tests.redis_server import NONE, RedisServer, find_redis
from webagent_site.broker.broker import Broker, MemoryBroker
from webagent_site.broker.grants import AssistantCall, Grant, GrantStore, MemoryGrants
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.errors import BrokerUnavailable

Processes = Callable[[], GrantStore]
"""Returns the store as another process has it."""


def grant(name: str = "one", **fields: object) -> Grant:
    now = time.time()
    made = Grant(
        id=name,
        visitor="account ada",
        client_id="https://client.example/id.json",
        client_name="Client",
        redirect_uri="https://client.example/back",
        resource="https://shop.example/mcp",
        challenge="c" * 43,
        made_s=now,
        ends_s=now + 60,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.fixture(name="processes", params=["memory", "redis"])
async def _processes(request: pytest.FixtureRequest) -> AsyncIterator[Processes]:
    brokers: list[Broker] = []
    if request.param == "memory":
        store = MemoryBroker().grants()
        yield lambda: store
        return
    url, prefix = request.getfixturevalue("redis").url, secrets.token_hex(4)

    def another() -> GrantStore:
        brokers.append(RedisBroker(url, prefix=prefix))
        return brokers[-1].grants()

    yield another
    for broker in brokers:
        await broker.close()


async def test_a_grant_is_found_as_it_was_kept(processes: Processes) -> None:
    """With every field, by each process."""
    kept = grant(tools=("buy", "näher"), calls=(AssistantCall("buy", 1.5, "ok"),))
    await processes().add(kept)

    assert await processes().find("one") == kept
    assert await processes().find("two") is None


async def test_visitors_have_grants_of_their_own(processes: Processes) -> None:
    """The oldest first, and none of others."""
    store = processes()
    await store.add(grant("later", made_s=2.0))
    await store.add(grant("sooner", made_s=1.0))
    await store.add(grant("other", visitor="session s"))

    assert [each.id for each in await processes().of_visitor("account ada")] == ["sooner", "later"]
    assert await processes().of_visitor("account ad") == []


async def test_a_removed_grant_is_gone_everywhere(processes: Processes) -> None:
    """It cannot come back by a change that began before."""
    store, other = processes(), processes()
    await store.add(grant())
    await other.remove("one")
    await other.remove("one")

    assert await store.find("one") is None
    assert await store.change("one", lambda each: replace(each, tools=("buy",))) is None
    assert await store.of_visitor("account ada") == []


async def test_no_change_is_lost(processes: Processes) -> None:
    """Many at a time, of two processes."""
    stores = [processes(), processes()]
    await stores[0].add(grant())
    await asyncio.gather(
        *(
            stores[number % 2].change(
                "one", lambda each, n=number: replace(each, tools=(*each.tools, str(n)))
            )
            for number in range(20)
        )
    )

    found = await stores[0].find("one")
    assert found
    assert sorted(map(int, found.tools)) == [*range(20)]


async def test_a_change_may_leave_a_grant(processes: Processes) -> None:
    """Only one of many takes a code."""
    store = processes()
    await store.add(grant(code="digest"))

    def take(each: Grant) -> Grant | None:
        return replace(each, code="") if each.code else None

    taken = await asyncio.gather(*(store.change("one", take) for _ in range(8)))
    assert sum(each is not None for each in taken) == 1


async def test_a_grant_ends_by_itself(processes: Processes) -> None:
    """Then it is nowhere."""
    store = processes()
    await store.add(grant(ends_s=time.time() + 0.2))
    await asyncio.sleep(0.3)

    assert await store.find("one") is None
    assert await store.of_visitor("account ada") == []
    assert await store.change("one", lambda each: each) is None


async def test_memory_is_bounded() -> None:
    """A full store refuses the next; those that have ended make room."""
    now = [100.0]
    store = MemoryGrants(most=2, clock=lambda: now[0])
    await store.add(grant("a", ends_s=200.0))
    await store.add(grant("b", ends_s=150.0))
    with pytest.raises(BrokerUnavailable, match="try again later"):
        await store.add(grant("c", ends_s=200.0))

    now[0] = 160.0
    await store.add(grant("c", ends_s=200.0))
    assert [each.id for each in await store.of_visitor("account ada")] == ["a", "c"]


@pytest.mark.parametrize(
    "written", [b"{}", b"\xff", b'{"id": 1}', b"[]", b'{"id":"one","visitor":"account ada"}']
)
async def test_a_foreign_value_is_not_a_grant(redis: RedisServer, written: bytes) -> None:
    """A request that would need it is refused."""
    prefix = secrets.token_hex(4)
    broker, client = RedisBroker(redis.url, prefix=prefix), Redis.from_url(redis.url)
    await client.set(f"{{{prefix}:assistants}}:grant:one", written)

    with pytest.raises(BrokerUnavailable):
        await broker.grants().find("one")
    await client.aclose()
    await broker.close()


async def test_credentials_and_accounts_are_in_no_key(redis: RedisServer) -> None:
    """A key has the id of a grant, or a digest of the visitor."""
    prefix = secrets.token_hex(4)
    broker, client = RedisBroker(redis.url, prefix=prefix), Redis.from_url(redis.url)
    await broker.grants().add(grant())
    keys = sorted([key.decode() async for key in client.scan_iter(f"*{prefix}*")])
    await client.aclose()
    await broker.close()

    assert keys[0] == f"{{{prefix}:assistants}}:grant:one"
    assert len(keys) == 2
    assert "ada" not in keys[1]


async def test_without_redis_nothing_is_granted(tmp_path: Path) -> None:
    """Each method says that nobody knows."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path)
    broker = RedisBroker(server.url)
    store = broker.grants()
    await store.add(grant())
    server.kill()

    for asked in (
        lambda: store.add(grant("two")),
        lambda: store.find("one"),
        lambda: store.change("one", lambda each: each),
        lambda: store.remove("one"),
        lambda: store.of_visitor("account ada"),
    ):
        with pytest.raises(BrokerUnavailable):
            await asked()
    await broker.close()
