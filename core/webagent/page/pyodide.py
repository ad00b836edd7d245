"""The page that this Python runs in. The only module that touches JavaScript objects."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from webagent.errors import (
    Cancelled,
    CodeSyntaxError,
    Denied,
    InternalError,
    InvalidArguments,
    MissingFunction,
    NotCloneable,
    NotLoggedIn,
    OriginMismatch,
    PageGone,
    RateLimited,
    TooLarge,
    ToolError,
    ToolThrew,
    ToolTimeout,
    UnknownTool,
)
from webagent.page.offers import Offers, Target
from webagent.registry.results import ExecutionResult, Log
from webagent.registry.values import encode

_ERRORS: dict[str, type[ToolError]] = {
    error.kind: error
    for error in (
        Cancelled,
        Denied,
        InternalError,
        InvalidArguments,
        MissingFunction,
        NotCloneable,
        NotLoggedIn,
        OriginMismatch,
        PageGone,
        RateLimited,
        TooLarge,
        ToolThrew,
        ToolTimeout,
        UnknownTool,
    )
}
"""The failures that the page's side of the bridge reports, by their kind."""


class Bridge(Protocol):
    """The one JavaScript object that Python sees; JSON strings in, JSON strings out."""

    async def offers(self, functions: str) -> str:
        """Return what the page offers (`Offers.read`), with those of a JSON list of functions."""

    def path(self) -> str:
        """Return the path of the page's address."""

    async def invoke(self, target: str, arguments: str, call_id: int, timeout_ms: float) -> str:
        """Call a target; return `{"ok": true, "value"}` or `{"ok": false, "error"}`."""

    def cancel(self, call_id: int) -> None:
        """Give up a running call."""

    def emit(self, event: str, detail: str) -> None:
        """Fire an event at the page's listeners."""


class PyodidePage:
    """The page around this interpreter, seen through its bridge."""

    def __init__(self, bridge: Bridge) -> None:
        """Wrap the bridge that the page's script handed over."""
        self._bridge = bridge

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what the page offers now."""
        return Offers.read(json.loads(await self._bridge.offers(json.dumps(list(functions)))))

    async def path(self) -> str:
        """Return the path of the page's address."""
        return self._bridge.path()

    async def invoke(
        self,
        target: Target,
        arguments: Sequence[Any] | Mapping[str, Any],
        *,
        call_id: int,
        timeout_s: float,
    ) -> Any:
        """Call something on the page's own thread; return its encoded value."""
        try:
            text = await self._bridge.invoke(
                json.dumps(target.to_dict()), json.dumps(arguments), call_id, timeout_s * 1000
            )
        except asyncio.CancelledError:
            self._bridge.cancel(call_id)
            raise
        reply = json.loads(text)
        if reply["ok"]:
            return reply["value"]
        error = reply["error"]
        raise _ERRORS.get(error["kind"], InternalError)(
            error["message"], tool=target.name, path=error.get("path"), help=error.get("help")
        )

    async def cancel(self, call_id: int) -> None:
        """Give up a running call."""
        self._bridge.cancel(call_id)


async def run_python(code: str, namespace: dict[str, Any]) -> ExecutionResult:
    """Run Python in this interpreter; the value is that of its last expression.

    What it prints while it runs is in the result's logs.
    """
    from pyodide.code import eval_code_async

    started = time.perf_counter()
    value: Any = None
    error: ToolError | None = None
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            value = encode(await eval_code_async(code, namespace))
    except SyntaxError as fault:
        error = CodeSyntaxError("".join(traceback.format_exception_only(fault)).strip())
    except ToolError as fault:
        error = fault
    except (Exception, KeyboardInterrupt, SystemExit, asyncio.CancelledError) as fault:
        # Also what would end a program: there is only the page here, and it goes on.
        error = ToolThrew("".join(traceback.format_exception(fault)).strip())
    logs = tuple(Log("log", line) for line in printed.getvalue().splitlines())
    duration_ms = (time.perf_counter() - started) * 1000
    return ExecutionResult(value, error=error, logs=logs, duration_ms=duration_ms)
