"""The port through which the core sees a web page.

Every method is asynchronous and every message is plain data, so that the page may be in the
same thread, in another worker, or behind a browser driver.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from webagent.page.offers import Offers, Target
from webagent.page.snapshot import Snapshot
from webagent.results import ExecutionResult

CallTool = Callable[[str, list[Any]], Awaitable[ExecutionResult]]
"""Makes a call of a program: takes the tool's name and the encoded arguments in order."""

Describe = Callable[[str | None], Awaitable[ExecutionResult]]
"""Describes a tool to a program, or with None lists all tools."""

Isolation = Literal["sandbox", "page"]
"""Where a program runs: in a sandbox where it can only call tools, or in the page itself."""


Ask = Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]
"""Answers the question of a tool, `{"kind", "text", "details"}`, with `{"yes", "text"}`."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool, for pages outside of this process. A page with Python in it knows its own."""

    progress: Callable[[str], None]
    """Hears how far the call is."""
    ask: Ask | None = None
    """None where nobody can be asked."""


class Page(Protocol):
    """A web page with tools in it."""

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what the page offers now.

        Args:
            functions: Names of the functions to look for.
        """

    async def path(self) -> str:
        """Return the path of the page's address: `/shop/cart`."""

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
        """Call something in the page and return its encoded value.

        Cancelling the awaiting task cancels the call, as `cancel` does.

        Args:
            target: What to call.
            arguments: Encoded: in order for a function, one object for all others.
            call_id: Number of the call, with which the page may report progress.
            timeout_s: Seconds to wait.
            for_program: Whether the value is for a program, for which there is a lower limit.
            caller: Hears of the call meanwhile; a page with Python in it knows its own.

        Raises:
            ToolTimeout: No answer came in time.
            Cancelled: The call was cancelled.
            MissingFunction: The page has no such function, or no longer such a tool.
            ToolThrew: It threw, or its promise was rejected.
            NotCloneable: Its result cannot be copied.
            TooLarge: Its result is larger than the limit.
            Denied: The browser does not allow the call.
            PageGone: The frame that had the tool went away.
        """

    async def cancel(self, call_id: int) -> None:
        """Cancel a running call: it ends at once, and the tool's abort signal fires."""

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return the result.

        Args:
            action: `{"type": "click", "pp_id": 12}`; the types are in docs/reference/actions.md.

        Raises:
            InvalidArguments: There is no such element, or it does not take this action.
            Denied: The page, or its policy, does not allow it.
            ToolTimeout: It did not finish in time.
        """

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
        """Run a program in which `global` holds tools; its failures are in the result.

        Cancelling the awaiting task ends the program and the calls that it waits for.

        Args:
            code: JavaScript or TypeScript.
            tools: The source of each tool by its name.
            call: Makes the calls of the program.
            isolation: Where it runs.
            timeout_s: Seconds after which it is ended.
            describe: Answers `listTools()` and `describeTool(name)` if the page's own agent does
                not.
        """
