"""A page behind a bridge of JSON strings, whether Python runs in the page or outside."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from webagent.errors import InternalError, ToolError
from webagent.page.offers import Offers, Target
from webagent.page.port import Caller, CallTool, Describe, Isolation
from webagent.page.snapshot import Snapshot
from webagent.results import Call, ExecutionResult, Log

_ERRORS: dict[str, type[ToolError]] = {error.kind: error for error in ToolError.__subclasses__()}
"""The errors that the page's script reports, by their kind."""

_LONG_CHARS = 20_000

CallByText = Callable[[str, str], Awaitable[str]]
"""Takes a tool's name and its encoded arguments as JSON; returns the whole result as JSON."""


class Bridge(Protocol):
    """The page's script: JSON strings in, JSON strings out.

    `invoke`, `act` and `run_code` return `{"ok": true, "value"}` or `{"ok": false, "error"}`.
    """

    async def offers(self, functions: str) -> str:
        """Return what the page offers (`Offers.read`); `functions` is a JSON list of names."""

    async def path(self) -> str:
        """Return the path of the page's address."""

    async def invoke(
        self, target: str, arguments: str, call_id: int, timeout_ms: float, for_program: bool
    ) -> str:
        """Call a target."""

    async def cancel(self, call_id: int) -> None:
        """Cancel a running call."""

    async def snapshot(self) -> str:
        """Return what the page shows (`Snapshot.read`)."""

    async def act(self, action: str) -> str:
        """Do or read something as a person would."""

    async def run_code(self, code: str, options: str, call: CallByText) -> str:
        """Run a program; the options are `{"number", "tools", "isolation", "timeout_ms"}`."""

    async def end_code(self, number: int) -> None:
        """End a program by its number; one that has ended is ignored."""


class BridgedPage:
    """The `Page` port over a bridge."""

    def __init__(self, bridge: Bridge) -> None:
        """Connect to a page through its bridge."""
        self._bridge = bridge
        self._programs = itertools.count(1)

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what the page offers now."""
        return Offers.read(json.loads(await self._bridge.offers(json.dumps(list(functions)))))

    async def path(self) -> str:
        """Return the path of the page's address."""
        return await self._bridge.path()

    async def invoke(
        self,
        target: Target,
        arguments: Sequence[Any] | Mapping[str, Any],
        *,
        call_id: int,
        timeout_s: float,
        for_program: bool = False,
        caller: Caller | None = None,
    ) -> Any:
        """Call something in the page, whose script knows the caller; return its encoded value."""
        try:
            given = json.dumps(arguments)
            await breathe(given)
            text = await self._bridge.invoke(
                json.dumps(target.to_dict()),
                given,
                call_id,
                timeout_s * 1000,
                for_program,
            )
        except asyncio.CancelledError:
            await self._bridge.cancel(call_id)
            raise
        reply = json.loads(text)
        await breathe(text)
        return _value(reply, target.name)

    async def cancel(self, call_id: int) -> None:
        """Cancel a running call."""
        await self._bridge.cancel(call_id)

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""
        return Snapshot.read(json.loads(await self._bridge.snapshot()))

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return the result."""
        return _value(json.loads(await self._bridge.act(json.dumps(dict(action)))))

    async def run_code(
        self,
        code: str,
        *,
        tools: Mapping[str, str],
        call: CallTool,
        isolation: Isolation,
        timeout_s: float,
        describe: Describe | None = None,
    ) -> ExecutionResult:
        """Run a program in which `global` holds tools; calls that outlive it are cancelled."""
        answering: set[asyncio.Future[ExecutionResult]] = set()

        async def call_by_text(name: str, arguments: str) -> str:
            given = json.loads(arguments)
            await breathe(arguments)
            answer = asyncio.ensure_future(call(name, given))
            answering.add(answer)
            answer.add_done_callback(answering.discard)
            return json.dumps((await answer).to_dict())

        number = next(self._programs)
        options = {
            "number": number,
            "tools": dict(tools),
            "isolation": isolation,
            "timeout_ms": timeout_s * 1000,
        }
        try:
            text = await self._bridge.run_code(code, json.dumps(options), call_by_text)
        except asyncio.CancelledError:
            await self._bridge.end_code(number)
            raise
        finally:
            for answer in answering:
                answer.cancel()
        return result_of(json.loads(text))


async def breathe(text: str) -> None:
    """Let others have a turn between two steps over a long text, where all share one thread."""
    if len(text) > _LONG_CHARS:
        await asyncio.sleep(0)


def result_of(data: Mapping[str, Any]) -> ExecutionResult:
    """Return the result of a program from the page's data."""
    error = None if data["ok"] else error_of(data["error"])
    return ExecutionResult(
        data.get("value"),
        error=error,
        logs=tuple(Log(log["level"], log["text"]) for log in data["logs"]),
        calls=tuple(
            Call(call.get("id", 0), call["name"], call["source"], call["arguments"])
            for call in data["calls"]
        ),
        duration_ms=data["duration_ms"],
    )


def error_of(data: Mapping[str, Any], tool: str | None = None) -> ToolError:
    """Return an error from the page's data."""
    return _ERRORS.get(data["kind"], InternalError)(
        data["message"],
        tool=tool or data.get("tool"),
        path=data.get("path"),
        help=data.get("help"),
    )


def _value(reply: Mapping[str, Any], tool: str | None = None) -> Any:
    if reply["ok"]:
        return reply["value"]
    raise error_of(reply["error"], tool)
