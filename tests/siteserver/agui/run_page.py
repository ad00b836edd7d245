"""A page of a visitor that works on goals, without a browser: it keeps to the live channel's rules for runs."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from tests.front_end import FrontEnd
from tests.visitor_page import VisitorPage, good

Script = Callable[["RunPage", str], Awaitable[dict[str, Any]]]
"""Works on a goal; returns the outcome of the run."""

CANCELLED = {"kind": "cancelled", "message": "the run was stopped"}


class RunPage(VisitorPage):
    """An open page whose agent does what a script says."""

    def __init__(self, url: str, script: Script, **options: Any) -> None:
        super().__init__(url, **options)
        self._script = script
        self.calls: list[dict[str, Any]] = []
        """The goals, and the claims of runs, as they came."""
        self._questions: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._call_id = ""
        self._running: asyncio.Task[None] | None = None

    def _take(self, message: dict[str, Any]) -> None:
        match message:
            case {"type": "call", "kind": "goal", "arguments": {"run_id": _} as given}:
                self.calls.append(message)
                if question := self._questions.pop(given.get("question", ""), None):
                    question.set_result(given["answer"])
            case {"type": "call", "kind": "goal"}:
                self.calls.append(message)
                self._call_id = message["id"]
                self._running = asyncio.create_task(self._perform(message["arguments"]["goal"]))
                self._working[message["id"]] = self._running
            case {"type": "answer"}:
                if question := self._questions.pop(message["question"], None):
                    question.set_result(message["answer"])
            case {"type": "cancel"}:
                self.cancelled.add(message["id"])
                if self._running:
                    self._running.cancel()
            case _:
                super()._take(message)

    async def _perform(self, goal: str) -> None:
        self._run_id = uuid.uuid4().hex
        await self.event("started", goal=goal, resumed=False, model=None)
        outcome = await self._script(self, goal)
        await self.event("finished", **outcome)
        result = good({"run_id": self._run_id, **outcome})
        await self.say({"type": "result", "id": self._call_id, "result": result})

    async def event(self, kind: str, **fields: Any) -> None:
        """Report an event of the run."""
        detail = {"run_id": self._run_id, "type": kind, **fields}
        await self.say({"type": "event", "name": "agent", "detail": detail})

    async def step(self, step: str, tool: str, state: str, **more: Any) -> None:
        """Report a step that calls a tool."""
        about = {"id": step, "action": "call_tool", "tool": tool, "arguments": {"word": "sea"}}
        await self.event("step", **about, state=state, **more)

    async def ask(self, kind: str, text: str, **details: Any) -> dict[str, Any]:
        """Ask the caller, and return the answer."""
        question = uuid.uuid4().hex
        request = {"kind": kind, "text": text, "details": details}
        await self.event("asked", id=question, request=request)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._questions[question] = answer
        asked = {"id": self._call_id, "question": question, "request": request}
        await self.say({"type": "question", **asked})
        return await answer


def front_end(page: VisitorPage, **options: str) -> FrontEnd:
    """Return a front end in a page."""
    return FrontEnd(page.url, page._cookie(), str(page._token), **options)
