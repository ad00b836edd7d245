"""A page made of Python functions, for tests and experiments without a browser."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from webagent.errors import (
    Cancelled,
    Denied,
    MissingFunction,
    NotCloneable,
    ToolError,
    ToolThrew,
    ToolTimeout,
)
from webagent.page.offers import Arity, Offers, PageTool, Target
from webagent.page.port import Caller, CallTool, Describe, Isolation
from webagent.page.snapshot import Snapshot
from webagent.page.values import decode, encode
from webagent.results import ExecutionResult

Act = Callable[[Mapping[str, Any]], Any]
"""Does an action and returns its result."""

Program = Callable[[str, CallTool], Awaitable[ExecutionResult]]
"""A Python function in place of a program: gets the code, and calls tools."""


class FakePage:
    """A page whose functions and registered tools are Python callables, plain or async.

    Attributes:
        functions: Functions by name; they are passed arguments in order.
        tools: Registered tools; they are passed one dict.
        undeclared: Names that the page reports as undeclared functions.
        address: Path of the page.
        shown: The snapshot of the page; acts may replace it.
        acts: Functions for the types of actions.
        acted: The actions so far.
    """

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]] | None = None,
        tools: Sequence[tuple[PageTool, Callable[..., Any]]] = (),
        *,
        path: str = "/",
        origin: str = "https://shop.example",
        snapshot: Snapshot | None = None,
        acts: Mapping[str, Act] | None = None,
        program: Program | None = None,
    ) -> None:
        """Create a page.

        Args:
            functions: Functions by name.
            tools: Registered tools.
            path: Path of its address.
            origin: Its origin.
            snapshot: What it shows.
            acts: Functions for the types of actions.
            program: Runs in place of programs.
        """
        self.shown = snapshot or Snapshot(url=origin + path)
        self.acts = dict(acts or {})
        self.acted: list[Mapping[str, Any]] = []
        self._program = program
        self.functions = dict(functions or {})
        self.tools = [*tools]
        self.undeclared: tuple[str, ...] = ()
        self.address = path
        self._origin = origin
        self._running: dict[int, asyncio.Task[Any]] = {}

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what this page offers now."""
        return Offers(
            {name: _arity(self.functions[name]) for name in functions if name in self.functions},
            self.undeclared,
            tuple(tool for tool, _ in self.tools),
            self.address,
            self._origin,
        )

    async def path(self) -> str:
        """Return the path of the page's address."""
        return self.address

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
        """Call with decoded arguments; return the encoded value."""
        task = asyncio.ensure_future(self._invoke(target, arguments))
        self._running[call_id] = task
        try:
            done, _ = await asyncio.wait([task], timeout=timeout_s)
            if not done:
                raise ToolTimeout("no answer")
            if task.cancelled():
                raise Cancelled("cancelled")
            return task.result()
        finally:
            task.cancel()
            del self._running[call_id]

    async def cancel(self, call_id: int) -> None:
        """Cancel a running call."""
        if task := self._running.get(call_id):
            task.cancel()

    async def snapshot(self) -> Snapshot:
        """Return the snapshot of this page."""
        return self.shown

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Call the function for the type of an action."""
        self.acted.append(action)
        act = self.acts.get(action["type"])
        if act is None:
            raise Denied(f"this page has no function for actions of type `{action['type']}`")
        return act(action)

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
        """Run the page's Python program instead of the code."""
        if self._program is None:
            raise Denied("this page runs no programs")
        return await self._program(code, call)

    async def _invoke(self, target: Target, arguments: Sequence[Any] | Mapping[str, Any]) -> Any:
        function = self._function(target)
        if function is None:
            raise MissingFunction(f"the page has no function `{target.name}`", tool=target.name)
        try:
            if isinstance(arguments, Mapping):
                value = function(decode(dict(arguments)))
            else:
                value = function(*decode(list(arguments)))
            if inspect.isawaitable(value):
                value = await value
        except ToolError:
            # A function may raise these to act like a page that fails.
            raise
        except Exception as error:
            raise ToolThrew(f"{type(error).__name__}: {error}", tool=target.name) from error
        try:
            return encode(value)
        except ToolError as error:
            raise NotCloneable(error.message, tool=target.name) from error

    def _function(self, target: Target) -> Callable[..., Any] | None:
        if target.kind == "function":
            return self.functions.get(target.name)
        return next((function for tool, function in self.tools if tool.target == target), None)


def _arity(function: Callable[..., Any]) -> Arity:
    try:
        params = inspect.signature(function).parameters.values()
    except ValueError:
        return Arity(0, None)
    kinds = [param.kind for param in params]
    variadic = inspect.Parameter.VAR_POSITIONAL in kinds
    least = sum(param.default is param.empty for param in params) - variadic
    return Arity(least, None if variadic else len(kinds))
