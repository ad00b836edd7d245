"""A page that Playwright drives, for agents outside the browser.

Playwright is not a dependency of this package: a program that has one of its pages has installed it.
"""

from __future__ import annotations

import asyncio
import base64
import json
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from webagent.errors import Denied, InternalError, Navigated, PageGone, ToolError
from webagent.page.bridge import BridgedPage, CallByText
from webagent.page.offers import Target
from webagent.page.playwright.blank import script_text
from webagent.page.playwright.code import PlaywrightCode
from webagent.page.playwright.origin import ORIGIN_GUARD, first_line, refuse_foreign
from webagent.page.port import Caller, CallTool, Describe, Isolation
from webagent.page.snapshot import Snapshot
from webagent.results import ExecutionResult

if TYPE_CHECKING:
    from playwright.async_api import ElementHandle, FloatRect, JSHandle, Page

_ARRIVAL_S = 15.0
"""How long the next document may take to load."""
_PICTURE_S = 5.0
_MARKED_PART: FloatRect = {"x": 0, "y": 0, "width": 4096, "height": 10_000}
"""As much of a page as the page's own pictures have."""
_LONGEST_SIDE = 32_767
"""Pixels of a picture that can be drawn on."""
_ADD_MARKS = "(given) => {{ {}; return webagentMarks.addMarks(...given); }}"
_LONGEST_QUESTION = 2000
"""Characters of a tool's question that a person is shown."""
_DESTROYED = ("Execution context was destroyed", "Cannot find context", "was detached", "navigat")
"""Errors of Playwright for a document that went away during a request."""
_NAVIGATING = frozenset(
    (
        "click",
        "click_link",
        "enter_data",
        "hover",
        "drag",
        "press_key",
        "answer_dialog",
        "upload",
        "search",
        "goto_url",
    )
)
"""Actions that may leave the page. All others can be repeated on the next one."""

_Answer = TypeVar("_Answer")


class PlaywrightPage(BridgedPage):
    """The `Page` port over a page of Playwright's asynchronous interface.

    The page's own scripts and policy stay as they are. Our script is brought into each document
    with the first request to it.
    """

    def __init__(
        self,
        page: Page,
        *,
        origins: Sequence[str] = (),
        origin: str | None = None,
        person: bool = False,
        hide: Callable[[str], str] | None = None,
    ) -> None:
        """Connect to a page that is open on a document.

        Args:
            page: The page.
            origins: Origins of frames whose tools are offered.
            origin: The only origin whose documents are used, `null` for documents without one; None
                for any.
            person: Whether a person sees the page and can send forms. Without one, a form that an
                agent must not send is pending once it is filled in.
            hide: Returns what the page says, a JSON text, without what nobody may see of it.
        """
        self._bridge: _PlaywrightBridge = _PlaywrightBridge(page, origins, origin, person, hide)
        super().__init__(self._bridge)
        self._page = page
        self._code = PlaywrightCode(page, origin=origin)

    @property
    def page(self) -> Page:
        """The page as Playwright has it."""
        return self._page

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
        """Call something in the page; a form that leads to another document gives its JSON-LD."""
        invoke = super().invoke
        try:
            async with self._bridge.heard(call_id, caller):
                return await invoke(
                    target, arguments, call_id=call_id, timeout_s=timeout_s, for_program=for_program
                )
        except Navigated:
            if target.kind != "form":
                raise
            await self._arrive()
            # As the platform has it, the result is null where the document has none.
            return await self.act({"type": "linked_data"}) or None

    async def snapshot(self) -> Snapshot:
        """Return what the page shows now."""
        return await self._on_next_page_too(super().snapshot)

    async def act(self, action: Mapping[str, Any]) -> Any:
        """Do or read something as a person would, and return the result."""
        kind = action.get("type")
        act = super().act
        if kind == "screenshot":
            await self._on_next_page_too(lambda: act(action))
            whole = not {"selector", "pp_id"} & action.keys()
            return await self._picture(whole=whole, marks=action.get("marks") is True)
        if kind not in _NAVIGATING:
            return await self._on_next_page_too(lambda: act(action))
        arrivals = self._bridge.arrivals
        try:
            reply = await act(action)
        except Navigated:
            reply = {"did": f"`{kind}`", "navigates": True}
        if isinstance(reply, dict) and reply.get("navigates"):
            with suppress(TimeoutError):
                # A download leaves the page as it is, so nothing arrives.
                async with asyncio.timeout(_ARRIVAL_S):
                    await self._bridge.arrival(arrivals)
            await self._arrive()
            reply["url"] = self._page.url
        return reply

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
        """Run a program, in the sandbox of a blank page or in this page."""
        return await self._code.run(
            code,
            tools=tools,
            call=call,
            isolation=isolation,
            timeout_s=timeout_s,
            describe=describe,
        )

    async def close(self) -> None:
        """Close what was opened for programs and marks; the page itself stays."""
        await self._code.close()

    async def _on_next_page_too(self, request: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Make a request, and once more on the next page if this one was being left."""
        try:
            return await request()
        except Navigated:
            await self._arrive()
            return await request()

    async def _arrive(self) -> None:
        await self._page.wait_for_load_state("domcontentloaded", timeout=_ARRIVAL_S * 1000)

    async def _picture(self, *, whole: bool, marks: bool) -> dict[str, Any]:
        """Take a picture of the element that the page's script has found, or of the whole page.

        The marks are drawn in a blank page. A picture has what the site's own scripts may not read,
        such as images of other origins, so it does not get into the page; and an overlay on the
        page would be seen by its observers and by the person.
        """
        from playwright.async_api import Error

        try:
            target = None if whole else await self._bridge.pictured_element()
            async with self._bridge.closed_parts_covered():
                data = await (
                    self._page.screenshot(full_page=True, clip=_MARKED_PART if marks else None)
                    if target is None
                    else target.screenshot(timeout=_PICTURE_S * 1000)
                )
                places = await self._bridge.marks() if marks else None
            picture = base64.b64encode(data).decode()
            width, height = struct.unpack(">II", data[16:24])
            if places is None:
                return {"data": picture, "width": width, "height": height}
            if max(width, height) > _LONGEST_SIDE:
                raise Denied(
                    f"a picture of {width} by {height} pixels is too large for marks",
                    help="take one of a smaller part",
                )
            return await self._marked(picture, places)
        except Error as error:
            raise Denied(
                f"no picture can be taken - {first_line(error)}", help="read the page instead"
            ) from None

    async def _marked(self, picture: str, places: str) -> dict[str, Any]:
        """Return a picture with marks at places that the page's script has found."""
        script = _ADD_MARKS.format(script_text("marks.js"))
        blank = await self._code.blank.open()
        marked: dict[str, Any] = await blank.evaluate(script, [picture, places])
        return marked


class _PlaywrightBridge:
    """The bridge in the document that the page shows."""

    def __init__(
        self,
        page: Page,
        origins: Sequence[str],
        origin: str | None,
        person: bool,
        hide: Callable[[str], str] | None,
    ) -> None:
        self._page = page
        self._hide = hide or str
        self._person = person
        self._origins = [*origins]
        self._origin = origin
        self._entered: JSHandle | None = None
        self._may_have_gone = False
        self.arrivals = 0
        """How often the page's address has changed."""
        self._arrived = asyncio.Event()
        page.on("framenavigated", self._note_arrival)

    async def pictured_element(self) -> ElementHandle | None:
        """Return the element of the last request for a picture."""
        bridge = await self._bridge_here()
        return (await bridge.evaluate_handle("(bridge) => bridge.aimed()")).as_element()

    async def marks(self) -> str:
        """Return where the elements of that picture are, as the script that marks them takes it."""
        bridge = await self._bridge_here()
        return str(await bridge.evaluate("(bridge) => bridge.marks()"))

    @asynccontextmanager
    async def closed_parts_covered(self) -> AsyncIterator[None]:
        """Hide the parts of the page that the site closed to agents."""
        bridge = await self._bridge_here()
        await bridge.evaluate("(bridge) => bridge.cover()")
        try:
            yield
        finally:
            await bridge.evaluate("(bridge) => bridge.uncover()")

    @asynccontextmanager
    async def heard(self, call_id: int, caller: Caller | None) -> AsyncIterator[None]:
        """Pass on the messages of a call and the questions of its tool to the caller."""
        if caller is None:
            yield
            return
        await self._ask("listen", call_id)
        listening = asyncio.ensure_future(self._listen(call_id, caller))
        try:
            yield
        finally:
            listening.cancel()

    async def _listen(self, call_id: int, caller: Caller) -> None:
        # The call itself says that its page went away.
        with suppress(ToolError):
            async with asyncio.TaskGroup() as answering:
                while news := json.loads(await self._ask("news", call_id)):
                    for item in news:
                        if "message" in item:
                            caller.progress(str(item["message"]))
                        else:
                            answering.create_task(self._answer(item, caller))

    async def _answer(self, item: Mapping[str, Any], caller: Caller) -> None:
        """Have a question of a tool answered; the page may have written anything into it."""
        given: Mapping[str, Any] = {}
        asked = item["request"]
        kind = "approval" if asked["kind"] == "approval" else "question"
        details = {"tool": str(asked["details"]["tool"])[:_LONGEST_QUESTION]}
        text = str(asked["text"])[:_LONGEST_QUESTION]
        if caller.ask is not None:
            # Without an answer the page would wait for ever.
            with suppress(ToolError):
                given = await caller.ask({"kind": kind, "text": text, "details": details})
        answer = {"yes": given.get("yes") is True, "text": str(given.get("text") or "")}
        with suppress(ToolError):
            await self._ask("answer", item["question"], json.dumps(answer))

    async def arrival(self, since: int) -> None:
        """Wait until there are more arrivals than `since`."""
        while self.arrivals <= since:
            self._arrived.clear()
            await self._arrived.wait()

    async def offers(self, functions: str) -> str:
        return await self._ask("offers", functions)

    async def path(self) -> str:
        return await self._ask("path")

    async def invoke(
        self, target: str, arguments: str, call_id: int, timeout_ms: float, for_program: bool
    ) -> str:
        return await self._ask("invoke", target, arguments, call_id, timeout_ms, for_program)

    async def cancel(self, call_id: int) -> None:
        await self._ask("cancel", call_id)

    async def snapshot(self) -> str:
        return await self._ask("snapshot")

    async def act(self, action: str) -> str:
        return await self._ask("act", action)

    async def run_code(self, code: str, options: str, call: CallByText) -> str:
        raise InternalError("programs do not run through this bridge")

    async def end_code(self, number: int) -> None:
        raise InternalError("programs do not run through this bridge")

    def _note_arrival(self, frame: Any) -> None:
        if frame.parent_frame is None:
            # It may be the same document at another address, which still has our script.
            self._may_have_gone = True
            self.arrivals += 1
            self._arrived.set()

    async def _bridge_here(self) -> JSHandle:
        from playwright.async_api import Error

        if self._may_have_gone and self._entered is not None:
            self._may_have_gone = False
            try:
                await self._entered.evaluate("() => {}")
            except Error:
                self._entered = None
        if self._entered is None:
            script = (
                f"([origins, origin, person]) => {{ {ORIGIN_GUARD} {script_text('outside.js')}; "
                "return webagentOutside.enter(origins, person); }"
            )
            given = [self._origins, self._origin, self._person]
            self._entered = await self._page.evaluate_handle(script, given)
        return self._entered

    async def _ask(self, method: str, *arguments: Any) -> str:
        from playwright.async_api import Error

        try:
            bridge = await self._bridge_here()
            answer = await bridge.evaluate(
                "(bridge, [method, given]) => bridge[method](...given)", [method, [*arguments]]
            )
            return self._hide(str(answer))
        except Error as error:
            self._entered = None
            if self._page.is_closed():
                raise PageGone("the page was closed") from error
            refuse_foreign(error, self._origin)
            if any(words in error.message for words in _DESTROYED):
                raise Navigated(
                    "the page was left for another before the answer came",
                    help="look at the page: what was started may have happened",
                ) from error
            raise PageGone(f"the page cannot be asked - {first_line(error)}") from error
