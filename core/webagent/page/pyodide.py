"""The page that this Python runs in. The only module that touches JavaScript objects."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import time
import traceback
from collections.abc import Collection
from typing import Any, Protocol

from webagent.errors import (
    CodeSyntaxError,
    InternalError,
    MissingFunction,
    NotCloneable,
    TooLarge,
    ToolError,
    ToolThrew,
)
from webagent.registry.results import ExecutionResult, Log
from webagent.registry.values import encode

_ERRORS: dict[str, type[ToolError]] = {
    error.kind: error
    for error in (InternalError, MissingFunction, NotCloneable, ToolThrew, TooLarge)
}
"""The failures that the page's side of the bridge reports, by their kind."""


class Bridge(Protocol):
    """The one JavaScript object that Python sees; JSON strings in, JSON strings out."""

    def functions(self, names: str) -> str:
        """Return those of a JSON list of names that are functions on `globalThis`."""

    async def invoke(self, name: str, arguments: str) -> str:
        """Call `globalThis[name]`; return `{"ok": true, "value"}` or `{"ok": false, "error"}`."""

    def emit(self, event: str, detail: str) -> None:
        """Fire an event at the page's listeners."""


class PyodidePage:
    """The page around this interpreter, seen through its bridge."""

    def __init__(self, bridge: Bridge) -> None:
        """Wrap the bridge that the page's script handed over."""
        self._bridge = bridge

    async def functions(self, names: Collection[str]) -> set[str]:
        """Return those of `names` that are functions of the page now."""
        return set(json.loads(self._bridge.functions(json.dumps(list(names)))))

    async def invoke(self, name: str, arguments: list[Any]) -> Any:
        """Call the page's function on the page's own thread; return its encoded value."""
        reply = json.loads(await self._bridge.invoke(name, json.dumps(arguments)))
        if reply["ok"]:
            return reply["value"]
        error = reply["error"]
        raise _ERRORS.get(error["kind"], InternalError)(
            error["message"], tool=name, path=error.get("path"), help=error.get("help")
        )


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
