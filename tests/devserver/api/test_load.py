"""Fifty pages and hundreds of calls at a time: each is answered, and nothing remains."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest

from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage, echo, good, owner, silent
from tests.server import Server, serving
from webagent_site.pages.relay import MOST_CALLS

PAGES = 50
AT_ONCE = 200
CALLS = 2_000


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = tmp_path_factory.mktemp("load")
    (root / "index.html").write_bytes(INDEX)
    with serving(root) as server:
        yield server


async def call(client: httpx.AsyncClient, page_id: str, number: int) -> dict[str, Any]:
    given = {"name": "search", "arguments": {"number": number}}
    answer = await client.post(f"pages/{page_id}/call", json=given)
    assert answer.status_code == 200
    result: dict[str, Any] = answer.json()
    return result


async def test_fifty_pages_work_on_two_hundred_calls_at_a_time(server: Server) -> None:
    """All run before the first is answered; each gets its own answer, in any order."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(owner(server))
        pages = [
            ClientPage(server, f"tab{number}", answer=silent, greets=False)
            for number in range(PAGES)
        ]
        for page in pages:
            await stack.enter_async_context(page)
            await page.introduce()
        async with asyncio.timeout(20):
            while len((await client.get("state")).json()["pages"]) < PAGES:
                pass
        asking = [
            asyncio.ensure_future(call(client, f"tab{number % PAGES}", number))
            for number in range(AT_ONCE)
        ]
        for page in pages:
            await page.told("call", AT_ONCE // PAGES)
        assert not any(task.done() for task in asking)
        for page in reversed(pages):
            for message in reversed([m for m in page.heard if m["type"] == "call"]):
                await page.say("result", id=message["id"], result=echo(message))
        results = await asyncio.gather(*asking)

    assert [result["value"] for result in results] == [{"number": n} for n in range(AT_ONCE)]


@pytest.mark.conformance
@pytest.mark.timeout(400)
async def test_memory_does_not_grow(server: Server) -> None:
    """Over thousands of calls: answered, cancelled and timed out; none is left running."""
    async with owner(server) as client, ClientPage(server) as page:

        async def many(count: int) -> None:
            for start in range(0, count, 50):
                answers = await asyncio.gather(
                    *(call(client, "tab", number) for number in range(start, start + 50))
                )
                assert all(answer["ok"] for answer in answers)
            page.heard.clear()

        await many(CALLS // 4)
        before = server.peak_bytes()
        await many(CALLS)
        grown = server.peak_bytes() - before

        page.answer = silent
        asking = [
            asyncio.ensure_future(call(client, "tab", number)) for number in range(MOST_CALLS)
        ]
        await page.told("call", MOST_CALLS)
        refused = await call(client, "tab", -1)
        for message in [m for m in page.heard if m["type"] == "call"]:
            await page.say("result", id=message["id"], result=good("late"))
        answers = await asyncio.gather(*asking)

    # Had any of the calls before been left behind, one of these would have been refused.
    assert {answer["value"] for answer in answers} == {"late"}
    assert refused["error"]["kind"] == "rate_limited"
    assert grown < 8 << 20
