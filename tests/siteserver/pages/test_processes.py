"""Processes that share pages on a Redis, while one of them, or Redis, does not answer."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from redis.asyncio import Redis, RedisCluster

from tests.redis_server import NONE, RedisServer, find_redis
from webagent_site.broker import redis_directory
from webagent_site.broker.page_directory import MemoryDirectory, PageRecord
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.errors import BrokerUnavailable
from webagent_site.pages import visitor_pages
from webagent_site.pages.connection import Connection
from webagent_site.pages.visitor_pages import HeldPage, VisitorPages
from webagent_site.pages.wire import PageProgress, PageResult

GOOD = {"ok": True, "value": 1, "logs": [], "calls": [], "duration_ms": 1.0}
ADA = "account ada"


class Process:
    """A process of the site, without sockets."""

    def __init__(self, server: str | Redis | RedisCluster, prefix: str) -> None:
        self.broker = RedisBroker(server, prefix=prefix)
        self.directory = self.broker.pages()
        self.pages = VisitorPages(self.directory, lambda visitor: f"mark of {visitor}")
        self.prefix = f"{{{prefix}:pages}}:"

    async def open(self, document: str = "d1", tab: str = "tab") -> HeldPage:
        """Open a page here."""
        record = PageRecord(tab, document, "", ADA, "https://a.example/", "A", "1", "ready")
        return await self.pages.join(record, Connection())

    async def call(self, **given: Any) -> dict[str, Any]:
        """Call a tool of the visitor's page."""
        page = (await self.pages.of(ADA))[0]
        return await self.pages.call(page, "tool", "look", given, timeout_s=15, caller="test")

    def die(self) -> None:
        """End without a word."""
        self.directory._is_open = False
        for task in self.directory._tasks:
            task.cancel()

    async def close(self) -> None:
        await self.pages.close()
        await self.broker.close()


async def received(held: HeldPage, kind: str) -> dict[str, Any]:
    """Return the next message of a kind to a page."""
    assert isinstance(held.connection, Connection)
    while True:
        message: dict[str, Any] = json.loads(await held.connection.next())
        if message["type"] == kind:
            return message


def answer(process: Process, held: HeldPage, call: dict[str, Any]) -> None:
    """Answer a call in a page."""
    result = {"v": 1, "type": "result", "id": call["id"], "result": GOOD}
    process.pages.forward(held, PageResult(call["id"], GOOD), json.dumps(result))


@pytest.fixture(name="server")
def _server(tmp_path: Path) -> Iterator[RedisServer]:
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path)
    yield server
    server.go_on()
    server.kill()


@pytest_asyncio.fixture(name="two")
async def _two(server: RedisServer) -> AsyncIterator[tuple[Process, Process]]:
    prefix = secrets.token_hex(4)
    two = Process(server.url, prefix), Process(server.url, prefix)
    yield two
    for process in two:
        await process.close()


async def test_calls_end_when_their_process_dies(two: tuple[Process, Process]) -> None:
    """Within a second, with an error that says what may have happened."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    await received(held, "call")
    await asyncio.sleep(1)
    first.die()
    died = time.monotonic()
    result = await calling

    assert time.monotonic() - died < 1.1
    assert result["error"]["kind"] == "page_gone"
    assert "may have happened" in result["error"]["help"]


async def test_a_call_to_a_page_of_a_dead_process_waits_for_its_return(
    two: tuple[Process, Process],
) -> None:
    """It has not been sent, so nothing can have happened."""
    first, second = two
    await first.open()
    await asyncio.sleep(0.3)
    first.die()
    await asyncio.sleep(1)
    calling = asyncio.create_task(second.call())
    await asyncio.sleep(0.5)
    held = await second.open()
    answer(second, held, await received(held, "call"))

    assert (await calling)["ok"]


@pytest.mark.parametrize("is_called_before", [True, False])
async def test_a_process_that_is_restarted_ends_no_call(
    two: tuple[Process, Process], is_called_before: bool
) -> None:
    """It has ended in order, so its pages come back, even if they take seconds."""
    first, second = two
    await first.open()
    for task in first.directory._tasks:
        # Nobody reads its letters any more.
        task.cancel()
    calling = asyncio.create_task(second.call()) if is_called_before else None
    await asyncio.sleep(0.3)
    await first.pages.close()
    calling = calling or asyncio.create_task(second.call())
    await asyncio.sleep(2)
    held = await second.open()
    answer(second, held, await received(held, "call"))

    assert (await calling)["ok"]


async def test_a_page_that_does_not_come_back_ends_its_calls(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process was restarted, and it was left meanwhile."""
    monkeypatch.setattr(visitor_pages, "AWAY_S", 1)
    first, second = two
    await first.open()
    calling = asyncio.create_task(second.call())
    await asyncio.sleep(0.3)
    await first.pages.close()
    async with asyncio.timeout(3):
        result = await calling

    assert result["error"]["kind"] == "page_gone"
    await asyncio.sleep(0.3)
    assert not await second.pages.of(ADA)


async def test_a_page_comes_back_at_another_process(two: tuple[Process, Process]) -> None:
    """The call is sent to it again under its id, and its answer counts."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    before = await received(held, "call")
    first.pages.leave(held, is_closed=False)
    back = await second.open()
    after = await received(back, "call")
    answer(second, back, after)

    assert after == before
    assert (await calling)["ok"]


async def test_the_call_of_a_tool_does_not_follow_a_navigation(
    two: tuple[Process, Process],
) -> None:
    """The next document of the tab gets no call of the one before."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    await received(held, "call")
    first.pages.leave(held, is_closed=True)
    following = await second.open("d2")
    result = await calling

    assert result["error"]["kind"] == "navigated"
    assert isinstance(following.connection, Connection)
    assert following.connection._waiting.qsize() == 1  # `joined` alone


async def test_a_call_to_a_page_that_was_left_ends_no_other_call(
    two: tuple[Process, Process],
) -> None:
    """Its caller has looked before the navigation, and the others after it."""
    first, second = two
    await first.open()
    left = (await second.pages.of(ADA))[0]
    held = await first.open("d2")
    calling = asyncio.create_task(second.call())
    call = await received(held, "call")
    refused = await second.pages.call(left, "tool", "look", {}, timeout_s=15, caller="test")
    answer(first, held, call)

    assert refused["error"]["kind"] == "no_page"
    assert (await calling)["ok"]


async def test_a_caller_may_know_a_navigation_before_its_process() -> None:
    """The letter about it comes after the call, which is for the new page all the same."""
    pages = VisitorPages(MemoryDirectory(), lambda visitor: visitor)
    record = PageRecord("tab", "d1", "", ADA, "https://a.example/", "A", "1", "ready")
    before = await pages.join(record, Connection())

    async def call() -> dict[str, Any]:
        page = (await pages.of(ADA))[0]
        return await pages.call(page, "tool", "look", {}, timeout_s=15, caller="test")

    calling = asyncio.create_task(call())
    await received(before, "call")
    after = await pages.join(replace(record, document="d2"), Connection())
    going_on = asyncio.create_task(call())
    sent = await received(after, "call")
    result = {"v": 1, "type": "result", "id": sent["id"], "result": GOOD}
    pages.forward(after, PageResult(sent["id"], GOOD), json.dumps(result))

    assert (await calling)["error"]["kind"] == "navigated"
    assert (await going_on)["ok"]
    await pages.close()


async def test_a_redis_that_loses_everything_loses_no_call(
    two: tuple[Process, Process], server: RedisServer
) -> None:
    """Pages are written again, and calls sent again."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    call = await received(held, "call")
    server.kill()
    await asyncio.sleep(0.5)
    await asyncio.to_thread(server.start)
    assert await received(held, "call") == call
    answer(first, held, call)

    assert (await calling)["ok"]
    assert [page.tab for page in await second.pages.of(ADA)] == ["tab"]


async def test_pages_that_redis_has_lost_do_not_seem_to_be_closed(
    two: tuple[Process, Process], server: RedisServer
) -> None:
    """From the first answer of the new Redis on, they are there or nobody knows."""
    first, second = two
    await first.open()
    await second.pages.of(ADA)
    server.kill()
    await asyncio.to_thread(server.start)
    async with asyncio.timeout(10):
        while True:
            try:
                pages = await second.pages.of(ADA)
                break
            except BrokerUnavailable:
                await asyncio.sleep(0.001)

    assert [page.tab for page in pages] == ["tab"]


async def test_without_redis_nobody_knows_pages(
    two: tuple[Process, Process], server: RedisServer
) -> None:
    """And it does not seem as if there were none."""
    first, second = two
    await first.open()
    server.pause()
    with pytest.raises(BrokerUnavailable):
        await second.pages.of(ADA)
    server.go_on()
    async with asyncio.timeout(5):
        while True:
            try:
                pages = await second.pages.of(ADA)
                break
            except BrokerUnavailable:
                await asyncio.sleep(0.1)

    assert [page.tab for page in pages] == ["tab"]


async def test_many_requests_at_once_wait_for_a_connection(two: tuple[Process, Process]) -> None:
    """As when the pages of a process come back at the others."""
    first, second = two
    await first.open()
    found = await asyncio.gather(*(second.pages.of(ADA) for _ in range(400)))

    assert all(len(pages) == 1 for pages in found)


async def test_a_process_that_was_held_for_dead_takes_another_id(
    two: tuple[Process, Process], server: RedisServer
) -> None:
    """It writes its pages again; their calls go on."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    call = await received(held, "call")
    before = first.pages.process
    async with Redis.from_url(server.url) as client:
        await client.delete(f"{first.prefix}alive:{before}")
    await received(held, "call")
    answer(first, held, call)

    assert (await calling)["ok"]
    assert first.pages.process != before


@pytest.mark.parametrize("command", ["xread", "pexpire", "mget"])
async def test_an_unexpected_error_ends_no_loop(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Letters are received, and leases renewed, after it as before."""
    first, second = two
    held = await first.open()
    calling = asyncio.create_task(second.call())
    call = await received(held, "call")
    run, faults = getattr(Redis, command), [RuntimeError("a fault of a client")] * 4

    async def fail_at_first(*args: Any, **given: Any) -> Any:
        if faults:
            raise faults.pop()
        return await run(*args, **given)

    monkeypatch.setattr(Redis, command, fail_at_first)
    async with asyncio.timeout(5):
        while faults:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    answer(first, held, call)

    assert (await calling)["ok"]


async def test_a_listener_that_fails_keeps_no_letter_back(two: tuple[Process, Process]) -> None:
    """The answer of its call comes all the same."""
    first, second = two
    held = await first.open()
    page = (await second.pages.of(ADA))[0]
    calling = asyncio.create_task(
        second.pages.call(
            *(page, "tool", "look", {}),
            timeout_s=3,
            caller="test",
            on_event=lambda name, data: data["of another form"],
        )
    )
    call = await received(held, "call")
    progress = {"v": 1, "type": "progress", "id": call["id"], "message": "half"}
    first.pages.forward(held, PageProgress(call["id"], "half"), json.dumps(progress))
    answer(first, held, call)

    assert (await calling)["ok"]


async def test_too_many_letters_wait(
    two: tuple[Process, Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call ends with an error instead of filling Redis."""
    first, second = two
    await first.open()
    monkeypatch.setattr(redis_directory, "MOST_BYTES", 10)

    result = await second.call()

    assert result["error"]["kind"] == "rate_limited"


@pytest.mark.parametrize(
    "letter",
    [
        "",
        "[]",
        "{",
        "[" * 400,
        '{"type": "to_page"}',
        '{"type": "to_page", "tab": "tab", "document": "d1", "from": 1, "text": "{}"}',
        '{"type": "to_page", "tab": "tab", "document": "d0", "from": "\\ud800", "text": "{}"}',
        '{"type": "left", "tab": "tab", "document": "d1", "is_closed": "yes"}',
        json.dumps({"type": "to_page", "tab": "tab", "document": "d1", "from": "x", "text": "{"}),
        json.dumps(
            {
                "type": "to_page",
                "tab": "tab",
                "document": "d1",
                "from": "x",
                "text": json.dumps(
                    {"v": 1, "type": "call", "id": "1", "kind": "other", "name": "", "arguments": {},
                     "deadline_ms": 1, "caller": "", "asks": "page", "visitor": ""}
                ),
            }
        ),
        json.dumps(
            {
                "type": "to_page",
                "tab": "tab",
                "document": "d1",
                "from": "x",
                "text": '{"v": 1, "type": "reload", "reason": "", "path": null}',
            }
        ),
    ],
)  # fmt: skip
async def test_foreign_letters_are_ignored(
    two: tuple[Process, Process], server: RedisServer, letter: str
) -> None:
    """Nothing of them reaches a page, and calls go on."""
    first, second = two
    held = await first.open()
    async with Redis.from_url(server.url) as client:
        await client.xadd(f"{first.prefix}letters:{first.pages.process}", {"letter": letter})
    calling = asyncio.create_task(second.call())
    call = await received(held, "call")
    answer(first, held, call)

    assert call["name"] == "look"
    assert (await calling)["ok"]


@pytest.mark.parametrize(
    "page",
    ["", "[]", "{}", '{"tab": "tab"}', '{"tab": "other", "used": 1}', "\x00", '{"tab": "tab", "used": true}'],
)  # fmt: skip
async def test_foreign_records_are_no_pages(
    two: tuple[Process, Process], server: RedisServer, page: str
) -> None:
    """Somebody else writes to our keys."""
    first, second = two
    await first.open()
    async with Redis.from_url(server.url) as client:
        await client.set(f"{first.prefix}page:tab", page)

    assert await second.pages.of(ADA) == []


async def test_code_that_holds_up_the_loop_is_no_death(two: tuple[Process, Process]) -> None:
    """A process lives for the others while a function of the site takes long."""
    first, second = two
    await first.open()
    before = first.pages.process
    await asyncio.sleep(0.3)
    time.sleep(1.5)  # noqa: ASYNC251 - as such a function does
    await asyncio.sleep(0.3)

    assert first.pages.process == before
    assert [page.process for page in await second.pages.of(ADA)] == [before]


@pytest.mark.parametrize("kind", ["cluster", "undecoded"])
async def test_clients_that_a_site_has_made(kind: str, tmp_path: Path) -> None:
    """A cluster has all keys of a script on one shard; a client may leave texts as bytes."""
    path = find_redis()
    if path is None:
        pytest.skip(NONE)
    server = RedisServer(path, tmp_path, ["--cluster-enabled", "yes"] * (kind == "cluster"))
    clients: list[Redis | RedisCluster] = []
    try:
        if kind == "cluster":
            async with Redis.from_url(server.url) as client:
                await client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 16383)
                async with asyncio.timeout(10):
                    while (await client.execute_command("CLUSTER INFO"))["cluster_state"] != "ok":  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
        for _ in range(2):
            clients.append(
                RedisCluster(host="127.0.0.1", port=server.port)
                if kind == "cluster"
                else Redis.from_url(server.url)
            )
        first, second = (Process(client, "shop") for client in clients)
        held = await first.open()
        calling = asyncio.create_task(second.call())
        answer(first, held, await received(held, "call"))

        assert (await calling)["ok"]
        first.pages.leave(held, is_closed=True)
        await asyncio.sleep(0.3)
        assert await second.pages.of(ADA) == []
        await first.close()
        await second.close()
    finally:
        for client in clients:
            await client.aclose()
        server.kill()
