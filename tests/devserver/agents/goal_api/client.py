"""A client of the goal API, and a page with scripted answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx

from tests.page_client import PLAIN, ClientPage, good, owner_token
from tests.server import Server
from webagent_site.config.folders import state_path

Event = tuple[str, dict[str, Any]]
"""Its id and its data."""


def client_of(server: Server, **headers: str) -> httpx.AsyncClient:
    """Return a client with the owner's token."""
    return httpx.AsyncClient(
        base_url=server.url,
        verify=PLAIN,
        headers={"authorization": f"Bearer {owner_token(server)}", **headers},
        timeout=60,
    )


@asynccontextmanager
async def events_of(
    client: httpx.AsyncClient, method: str, path: str, **given: Any
) -> AsyncIterator[AsyncIterator[Event]]:
    """Read a stream of events; each has an id, a name and a line of JSON."""
    async with client.stream(method, path, **given) as answer:
        assert answer.status_code == 200, await answer.aread()
        assert answer.headers["content-type"].startswith("text/event-stream")

        async def read() -> AsyncIterator[Event]:
            frame: list[str] = []
            async for line in answer.aiter_lines():
                if line:
                    frame.append(line)
                    continue
                if not frame[0].startswith(":"):
                    number, name, data = frame
                    assert name == "event: status"
                    yield number.removeprefix("id: "), json.loads(data.removeprefix("data: "))
                frame.clear()

        yield read()


async def done(server: Server, goal: str, **params: Any) -> dict[str, Any]:
    """Run a task; check all its events and return the last."""
    task = {"goal": goal, "params": params}
    async with (
        client_of(server) as client,
        events_of(client, "POST", "/a2a/tasks", json=task) as events,
    ):
        received = [event async for event in events]
    statuses = [data["status"] for _, data in received]
    assert statuses[:-1] == ["working"] * (len(received) - 1)
    assert statuses[-1] in ("completed", "failed")
    assert len({data["id"] for _, data in received}) == 1
    assert [number for number, _ in received] == [
        f"{received[0][1]['id']}:{n}" for n, _ in enumerate(received, 1)
    ]
    steps = received[-1][1]["steps"]
    assert all(data["steps"] == steps[: len(data["steps"])] for _, data in received)
    assert all(before != after for (_, before), (_, after) in pairwise(received))
    assert all(set(data) == {"id", "status", "steps"} for _, data in received[:-1])
    assert set(received[-1][1]) - {"id", "status", "steps"} == (
        {"result"} if statuses[-1] == "completed" else {"error"}
    )
    assert all(step["description"] and step["action"] and step["detail"] for step in steps)
    return received[-1][1]


async def asked_for(page: ClientPage, kind: str) -> None:
    """Wait until a page has received an action of this kind."""
    async with asyncio.timeout(20), page._news:
        while not any(
            message["type"] == "call" and message["arguments"]["action"]["type"] == kind
            for message in page.heard
        ):
            await page._news.wait()


def described(event: dict[str, Any]) -> list[str]:
    """Return the descriptions of the steps of a task."""
    return [step["description"] for step in event["steps"]]


@dataclass
class Shown:
    """The content of a test's page, and the actions that it received."""

    acts: list[dict[str, Any]]
    replies: dict[str, Any]

    def __call__(self, call: dict[str, Any]) -> Any:
        """Answer a call."""
        action = call["arguments"]["action"]
        self.acts.append(action)
        reply = self.replies.get(action["type"], {"did": "it", "navigates": False, "changed": {}})
        reply = reply(action) if callable(reply) else reply
        return None if reply is None else good(reply) if "ok" not in reply else reply

    def kinds(self) -> list[str]:
        """Return the kinds of its actions, without summaries and snapshots."""
        looks = ("summary", "snapshot", "wait")
        return [act["type"] for act in self.acts if act["type"] not in looks]


def showing(server: Server, *, kind: str = "page", **replies: Any) -> tuple[ClientPage, Shown]:
    """Return a page, and the actions that it received.

    Args:
        server: The server of the page.
        kind: The kind of page that `summary` reports.
        replies: The answer to each type of action, or a function that returns it; None for no answer.
    """
    snapshot = {"url": f"{server.url}/", "title": "Shop", "elements": [{"id": 1}], "text": "Shop"}
    shown = Shown(
        [],
        {
            "summary": {"page_type": kind, "actions": []},
            "snapshot": snapshot,
            "content": {"text": "# Shop", "truncated": False},
            **replies,
        },
    )
    return ClientPage(server, answer=shown), shown


def kept_by(server: Server) -> Path:
    """Return the file in which a server keeps tasks."""
    return state_path(Path(server.root).resolve(), ".tasks.sqlite")
