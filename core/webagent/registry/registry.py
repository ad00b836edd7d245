"""The page's tools and the one way to call them.

Arguments and values are encoded here (`webagent.registry.values`): what JavaScript sent reaches
JavaScript again unchanged.
"""

from __future__ import annotations

import asyncio
import difflib
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webagent.codegen.shared import shared_types
from webagent.errors import MissingFunction, ToolError, ToolTimeout, UnknownTool
from webagent.page.port import Page
from webagent.registry.binding import Binding
from webagent.registry.results import Call, ExecutionResult
from webagent.types import Manifest

CallListener = Callable[[dict[str, Any]], None]
"""Hears each call twice: `{"id", "name", "source", "state": "started", …}`, then finished or failed."""

DEFAULT_TIMEOUT_S = 30.0


class ToolRegistry:
    """All bindings of a page; calls go through here whichever door they come in by."""

    def __init__(self, page: Page, *, on_call: CallListener | None = None) -> None:
        """Create an empty registry over `page`; `on_call` hears every call start and end."""
        self._page = page
        self._on_call = on_call
        self._bindings: dict[str, Binding] = {}
        self._numbers = itertools.count(1)

    def bind(self, manifest: Manifest) -> bool:
        """Replace all tools by those of `manifest`; say whether the list of tools changed.

        The first of two tools with one name is kept, as `Manifest.get_tool` does.
        """
        before = self._bindings
        self._bindings = {}
        types = shared_types(manifest)
        for tool in manifest.tools:
            self._bindings.setdefault(tool.name, Binding(tool, types=types))
        return before != self._bindings

    def names(self) -> list[str]:
        """Return the names of all tools, in the order of the manifest."""
        return list(self._bindings)

    async def describe(self) -> list[dict[str, Any]]:
        """Return all tools as plain data, each with whether the page has its function now."""
        present = await self._page.functions(self.names())
        return [
            binding.describe(
                available=name in present,
                problem=None if name in present else _no_function(name),
            )
            for name, binding in self._bindings.items()
        ]

    async def call(
        self, name: str, arguments: Sequence[Any], *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> ExecutionResult:
        """Call a tool with positional arguments and wait at most `timeout_s` seconds."""
        return await self._run(name, lambda b: b.positional(arguments), timeout_s)

    async def invoke(
        self, name: str, arguments: Mapping[str, Any], *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> ExecutionResult:
        """Call a tool with named arguments and wait at most `timeout_s` seconds."""
        return await self._run(name, lambda b: b.from_named(arguments), timeout_s)

    async def _run(
        self, name: str, bound: Callable[[Binding], list[Any]], timeout_s: float
    ) -> ExecutionResult:
        started = time.perf_counter()
        call = None
        try:
            binding = self._find(name)
            arguments = bound(binding)
            call = Call(next(self._numbers), name, binding.source.value, arguments)
            self._report(call, "started", arguments=arguments)
            value = await self._invoke(name, arguments, timeout_s)
            result = ExecutionResult(value, calls=(call,), duration_ms=_ms_since(started))
        except ToolError as error:
            result = ExecutionResult(
                error=error,
                calls=(call,) if call else (),
                duration_ms=_ms_since(started),
            )
        if call:
            self._report_end(call, result)
        return result

    async def _invoke(self, name: str, arguments: list[Any], timeout_s: float) -> Any:
        try:
            async with asyncio.timeout(timeout_s):
                return await self._page.invoke(name, arguments)
        except TimeoutError:
            raise ToolTimeout(
                f"`{name}` gave no answer within {timeout_s:g} s",
                tool=name,
                help="what it started may still happen; look before you call it again",
            ) from None
        except MissingFunction as error:
            raise MissingFunction(
                error.message, tool=name, help=f"define `global.{name} = …` in the page's script"
            ) from None

    def _find(self, name: str) -> Binding:
        if binding := self._bindings.get(name):
            return binding
        near = difflib.get_close_matches(name, self._bindings, n=3)
        if near:
            hint = "did you mean " + " or ".join(f"`{other}`" for other in near)
        elif self._bindings:
            hint = "the page declares " + ", ".join(f"`{other}`" for other in self.names()[:20])
        else:
            hint = "the page declares no tools"
        raise UnknownTool(f"there is no tool `{name}`", tool=name, help=hint)

    def _report(self, call: Call, state: str, **fields: Any) -> None:
        if self._on_call:
            self._on_call(
                {
                    "id": call.id,
                    "name": call.name,
                    "source": call.source,
                    "state": state,
                    **fields,
                }
            )

    def _report_end(self, call: Call, result: ExecutionResult) -> None:
        duration_ms = round(result.duration_ms, 3)
        if result.error is None:
            self._report(call, "finished", value=result.value, duration_ms=duration_ms)
        else:
            self._report(call, "failed", error=result.error.to_dict(), duration_ms=duration_ms)


def _no_function(name: str) -> str:
    return f"the page has no function `{name}`"


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
