"""The files of an audit, from a server that means no good."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from webagent_dev.audit import announced_files
from webagent_dev.audit.announced_files import client_within, fetch_announced
from webagent_dev.publish.preflight.fetch import fetch_site
from webagent_site.errors import UsageError

PAGE = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nShop"
GONE = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
INDEX = "/.well-known/agent-skills/index.json"


@asynccontextmanager
async def served(answer: Callable[[str], str | None]) -> AsyncIterator[str]:
    """Answer each path with what a function returns, None for never; yield the address."""

    async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        text = answer(head.split()[1].decode())
        if text is None:
            await reader.read()
        else:
            writer.write(text.encode("latin-1"))
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(respond, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


@pytest.mark.parametrize(
    "location",
    ["http://xn--/", f"http://{'a' * 300}/", "http://[", "http://shop:x/", "//", "data:,"],
)
async def test_a_redirect_to_nowhere(location: str) -> None:
    """It is said as what it is, whatever its address."""
    async with served(lambda _: f"HTTP/1.1 302 Found\r\nLocation: {location}\r\n\r\n") as url:
        with pytest.raises(UsageError, match="cannot be fetched"):
            await fetch_site(url, None)


async def test_skills_that_never_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them together take the time of one."""
    monkeypatch.setattr(announced_files, "ANSWER_S", 1.0)
    index = json.dumps({"skills": [{"url": f"{number}/SKILL.md"} for number in range(10)]})
    answers = {
        "/": PAGE,
        INDEX: f"HTTP/1.1 200 OK\r\nContent-Length: {len(index)}\r\n\r\n{index}",
    }

    def answer(path: str) -> str | None:
        return None if path.endswith("SKILL.md") else answers.get(path, GONE)

    async with served(answer) as url, client_within(url) as client:
        page = await fetch_site(url, None, client)
        begun = time.monotonic()
        files = await fetch_announced(client, page)

    assert [file.status for file in files.skill_files.values()] == [0] * 10
    assert time.monotonic() - begun < 6
