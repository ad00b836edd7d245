"""A front end in a visitor's page: it sends goals and answers, and reads events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from tests.visitor_page import PLAIN
from webagent_site.config.urls import AGUI_PATH

Event = dict[str, Any]


class FrontEnd:
    """One thread of a front end."""

    def __init__(
        self, url: str, cookie: str, token: str, *, thread: str = "thread-1", address: str = ""
    ) -> None:
        """Name a page.

        Args:
            url: Its origin.
            cookie: Cookies of its visitor.
            token: Its token.
            thread: Of the front end.
            address: Where the process is that is asked, if not at the origin.
        """
        self.thread = thread
        self.address = address or url
        self.headers = {
            "origin": url,
            "host": urlsplit(url).netloc,
            "sec-fetch-site": "same-origin",
            "cookie": cookie,
            "x-webagent-token": token,
        }

    def body(self, goal: str = "Find the sea", **changed: Any) -> dict[str, Any]:
        """Return a request as `HttpAgent` sends it."""
        return {
            "threadId": self.thread,
            "runId": "run-1",
            "protocolVersion": "1.0",
            "tools": [],
            "context": [],
            "forwardedProps": {},
            "state": {},
            "messages": [{"id": "m1", "role": "user", "content": goal}],
            **changed,
        }

    @asynccontextmanager
    async def sent(self, body: dict[str, Any] | bytes) -> AsyncIterator[httpx.Response]:
        """Send a request, and read its response in the context."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", **self.headers}
        async with (
            httpx.AsyncClient(verify=PLAIN, timeout=30) as client,
            client.stream(
                "POST", f"{self.address}{AGUI_PATH}", content=content, headers=headers
            ) as answer,
        ):
            yield answer

    async def run(self, goal: str = "Find the sea", **changed: Any) -> list[Event]:
        """Return the events of a run."""
        async with self.sent(self.body(goal, **changed)) as answer:
            assert answer.status_code == 200, await answer.aread()
            return [event async for event in events_of(answer)]

    async def resume(self, interrupt: str, payload: Any, status: str = "resolved") -> list[Event]:
        """Answer a question, and return the events after it."""
        entry = {"interruptId": interrupt, "status": status}
        return await self.run(resume=[{**entry, "payload": payload}])

    async def refused(self, body: dict[str, Any] | bytes) -> tuple[int, str]:
        """Return status and kind of an error."""
        async with self.sent(body) as answer:
            error = json.loads(await answer.aread())["error"]
            assert error["message"]
            return answer.status_code, error["kind"]


async def events_of(answer: httpx.Response) -> AsyncIterator[Event]:
    """Yield the events of a stream."""
    async for line in answer.aiter_lines():
        if line.startswith("data: "):
            yield json.loads(line.removeprefix("data: "))


def types(events: list[Event]) -> list[str]:
    """Return the types of events."""
    return [event["type"] for event in events]


def interrupt_in(events: list[Event]) -> Event:
    """Return the question with which a stream ends."""
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    found: Event = interrupt
    return found
