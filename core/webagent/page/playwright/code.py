"""Programs run from outside the browser: in a blank page of their own, or in the page itself.

The scripts are those of a page with an agent, so the results are the same. Calls of tools come back
to Python; nothing is exposed to the page.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from webagent.errors import InternalError, Navigated, PageGone, ToolError, ToolTimeout, UnknownTool
from webagent.page.bridge import result_of
from webagent.page.playwright.blank import BlankPage, script_text
from webagent.page.playwright.origin import ORIGIN_GUARD, first_line, refuse_foreign
from webagent.page.port import CallTool, Describe, Isolation
from webagent.results import Call, ExecutionResult

if TYPE_CHECKING:
    from playwright.async_api import JSHandle, Page

_GRACE_S = 60.0
"""Time on top of a program's own, to start it and to report its end. A page that hangs reports
nothing."""
_LONGEST_S = 1_000_000.0
_ENTER = f"(origin) => {{ {ORIGIN_GUARD} %s; return webagentProgram; }}"
_START = "(starter, [code, options]) => starter.start(code, options)"
_DESTROYED = ("Execution context was destroyed", "Cannot find context", "navigat")
"""Errors of Playwright for a document that went away during a request."""


class PlaywrightCode:
    """Runs programs for a page of Playwright's asynchronous interface.

    A program in the sandbox runs in a frame of a blank page, which is kept for the next program.

    Attributes:
        blank: The blank page.
    """

    def __init__(self, page: Page, *, origin: str | None = None) -> None:
        """Run programs in the browser of this page, or in the page.

        Args:
            page: The page; the sandbox has no access to it.
            origin: The only origin on which programs run in the page itself; None for any.
        """
        self.blank = BlankPage(page)
        self._page = page
        self._origin = origin
        self._starter: tuple[Page, JSHandle] | None = None
        self._starting = asyncio.Lock()

    async def run(
        self,
        code: str,
        *,
        tools: Mapping[str, str],
        call: CallTool,
        isolation: Isolation = "sandbox",
        timeout_s: float = 30.0,
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
            describe: Answers `listTools()` and `describeTool(name)`; without it they know names.
        """
        run = _Program(call, describe or _names_of(tools), self._origin)
        options = {"tools": dict(tools), "timeout_ms": min(timeout_s, _LONGEST_S) * 1000}
        enter = self._sandbox if isolation == "sandbox" else self._entered
        try:
            return await run.drive(enter, code, options)
        except ToolError as error:
            if isolation == "sandbox":
                await self.close()
            return ExecutionResult(error=error, calls=tuple(run.calls))

    async def close(self) -> None:
        """Close the blank page; the next program gets a new one."""
        await self.blank.close()

    async def _entered(self) -> JSHandle:
        return await self._page.evaluate_handle(_ENTER % script_text("program.js"), self._origin)

    async def _sandbox(self) -> JSHandle:
        async with self._starting:
            blank = await self.blank.open()
            if self._starter is None or self._starter[0] is not blank:
                starter = await blank.evaluate_handle(_ENTER % script_text("sandbox.js"), None)
                self._starter = blank, starter
            return self._starter[1]


class _Program:
    """One program, from its start to its end."""

    def __init__(self, call: CallTool, describe: Describe, origin: str | None) -> None:
        self.calls: list[Call] = []
        self._call = call
        self._origin = origin
        self._describe = describe
        self._answering: set[asyncio.Task[None]] = set()

    async def drive(
        self, enter: Callable[[], Awaitable[JSHandle]], code: str, options: Mapping[str, Any]
    ) -> ExecutionResult:
        """Run it in a document.

        Args:
            enter: Returns the handle that starts programs there.
            code: The program.
            options: As `DrivenOptions` has them in JavaScript.

        Raises:
            ToolError: The document went away, or is stuck.
        """
        from playwright.async_api import Error

        limit_s = options["timeout_ms"] / 1000 + _GRACE_S
        starting: asyncio.Future[JSHandle] | None = None
        try:
            async with asyncio.timeout(limit_s):
                starter = await enter()
                # Given up while it starts, it has to be stopped all the same.
                starting = asyncio.ensure_future(starter.evaluate_handle(_START, [code, options]))
                return await self._serve(await asyncio.shield(starting))
        except TimeoutError:
            raise ToolTimeout(
                f"the program did not finish within {options['timeout_ms']:g} ms",
                help="the page it ran in does not answer; load it again",
            ) from None
        except Error as error:
            # There is nothing left to stop, and the document does not respond any more.
            starting = None
            refuse_foreign(error, self._origin)
            raise _gone(error) from error
        finally:
            for task in self._answering:
                task.cancel()
            if starting is not None:
                with suppress(Error, TimeoutError):
                    async with asyncio.timeout(1):
                        program = await starting
                        await program.evaluate("(program) => program.stop()")
                        await program.dispose()

    async def _serve(self, program: JSHandle) -> ExecutionResult:
        while True:
            for message in json.loads(await program.evaluate("(program) => program.next()")):
                if message["type"] == "end":
                    return result_of(message["result"])
                task = asyncio.create_task(self._reply(program, message))
                self._answering.add(task)
                task.add_done_callback(self._answering.discard)

    async def _reply(self, program: JSHandle, message: Mapping[str, Any]) -> None:
        from playwright.async_api import Error

        try:
            if message["type"] == "call":
                result = await self._call(message["name"], json.loads(message["args"]))
                self.calls.extend(result.calls)
            else:
                result = await self._describe(message["name"])
        except ToolError as error:
            result = ExecutionResult(error=error)
        except Exception as error:
            fault = InternalError(f"{type(error).__name__}: {error}", tool=message["name"])
            result = ExecutionResult(error=fault)
        # Nobody waits for the answer if the document has gone away.
        with suppress(Error):
            await program.evaluate(
                "(program, [id, result]) => program.answer(id, result)",
                [message["id"], json.dumps(result.to_dict())],
            )


def _names_of(tools: Mapping[str, str]) -> Describe:
    async def describe(name: str | None) -> ExecutionResult:
        if name is None:
            return ExecutionResult([{"name": tool, "description": ""} for tool in tools])
        if name in tools:
            return ExecutionResult(name)
        return ExecutionResult(error=UnknownTool(f"there is no tool `{name}`", tool=name))

    return describe


def _gone(error: Exception) -> ToolError:
    message = first_line(error)
    if any(words in message for words in _DESTROYED):
        return Navigated(
            "the page was left for another while the program ran in it",
            help="look at the page: what the program started may have happened",
        )
    return PageGone(
        f"the page that programs run in went away or does not open - {message}",
        help="see that the browser and the page are open, and run the program again",
    )
