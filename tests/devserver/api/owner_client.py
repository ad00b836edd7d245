"""How tests send requests to the owner's interface, and read its errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

PAGE_POSTS = ("call", "execute", "prompt", "run")


GIVEN: dict[str, dict[str, Any]] = {
    "call": {"name": "search", "arguments": {"query": "x"}},
    "execute": {"code": "1 + 1"},
    "prompt": {"goal": "buy"},
    "run": {"goal": "buy"},
}


async def nothing_left(client: httpx.AsyncClient) -> None:
    """Wait until the server has forgotten the pages of the test."""
    async with asyncio.timeout(20):
        while (await client.get("state")).json()["pages"]:
            pass


def refused(answer: httpx.Response, status: int, kind: str) -> str:
    """Return the sentence of an error, which says what, why and what to do."""
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"error"}
    error = answer.json()["error"]
    assert error["kind"] == kind
    message: str = error["message"]
    assert "help" in error or message.count(" - ") == 2
    assert answer.headers["cache-control"] == "no-store"
    return f"{message} - {error['help']}" if "help" in error else message


@asynccontextmanager
async def streamed(
    client: httpx.AsyncClient, method: str, path: str, **given: Any
) -> AsyncIterator[AsyncIterator[tuple[str, Any]]]:
    """Read a stream of events as name and data."""
    async with client.stream(method, path, **given) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")

        async def events() -> AsyncIterator[tuple[str, Any]]:
            name = ""
            async for line in answer.aiter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))

        yield events()


async def until(events: AsyncIterator[tuple[str, Any]], name: str) -> Any:
    """Return the data of the next event of a name."""
    async with asyncio.timeout(60):
        async for found, data in events:
            if found == name:
                return data
    raise AssertionError(f"the stream ended without `{name}`")
