"""Calls from outside into open pages: they are sent, followed and ended here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from webagent.errors import (
    InternalError,
    Navigated,
    OriginMismatch,
    PageGone,
    RateLimited,
    ServerStopped,
    TooLarge,
    ToolError,
    ToolTimeout,
)
from webagent.page.values import encode
from webagent.results import ExecutionResult
from webagent.urls import origin_of
from webagent_site.pages.connection import serialize
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.wire import (
    Asked,
    Call,
    CallKind,
    Cancel,
    PageEvent,
    PageProgress,
    PageQuestion,
    PageResult,
    PersonAnswer,
    unanswered,
)

MOST_CALLS = 256
"""Limit of calls that one page works on at a time."""
MOST_CHARACTERS = 4 << 20
"""Limit of one call, as it is sent to the page."""
NEXT_DOCUMENT_S = 5.0
"""How long the document that a form leads to may take to connect."""
_POLL_S = 0.05
START_S = 20.0
"""How long the agent of a page may take to start."""
_REGISTRY_POLLS = 40
"""How often a page that has started is looked at until it has sent its tools."""
_STARTING = ("idle", "starting")
RETURN_S = 20.0
"""How long a tab may be between two pages: an agent at work navigates by itself."""

FOLLOWS_S = 5.0
"""How long a tab may be between two pages; the next one may also connect before the last is gone."""

_T = TypeVar("_T")
CallListener = Callable[[str, dict[str, Any]], None]
"""Called with each event of a call: `progress`, `question` or `agent`, and its data."""


class Pages(Protocol):
    """The open pages that calls may be for."""

    async def find_or_open(self, page_id: str) -> OpenPage:
        """Return the page that a call is for.

        Raises:
            NoPage: There is none, or it is not clear which one is meant.
        """

    def check_write(self, page_id: str, page: OpenPage, caller: str) -> None:
        """Refuse a call that may change another page than its caller means.

        Raises:
            NoPage: The caller has to look first.
        """

    def next_in_tab(self, page: OpenPage) -> OpenPage | None:
        """Return the page for which a tab has left another, if it has connected already."""

    def latest_in_tab(self, tab: str) -> OpenPage | None:
        """Return the latest page of a tab."""


@dataclass(slots=True, eq=False)
class _Pending:
    """A call that a page works on."""

    call: Call
    tab: str
    """Id that the pages of its tab have in common."""
    page: OpenPage | None
    """None while the tab is between two pages."""
    on_event: CallListener | None
    result: asyncio.Future[dict[str, Any]]
    started: float = field(default_factory=time.perf_counter)
    run_id: str | None = None
    """Of the run of the agent, once it has begun."""
    going_to: str = ""
    """Origin that the agent goes to, or may go to with the person's yes; empty if not known."""
    left: dict[str, Any] | None = None
    """The answer of a page that is being left: it cannot know whether another one follows."""
    return_timer: asyncio.TimerHandle | None = None


class Relay:
    """Passes calls on to open pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._pending: dict[str, _Pending] = {}
        self._abandoned: dict[str, _Pending] = {}
        """Cancelled runs in tabs that are between two pages."""
        self._stopped = asyncio.Event()

    async def call(
        self,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        caller: str,
        asks: Asked = "caller",
        visitor: str = "",
        call_id: str | None = None,
        on_event: CallListener | None = None,
    ) -> dict[str, Any]:
        """Make a call to a page; return its result as data (`ExecutionResult.to_dict`).

        Errors of the call are results, too. Cancelling the awaiting task cancels the call.

        Args:
            page_id: Which page; `focused` for the one that the developer looks at.
            kind: Kind of the call.
            name: Of the tool.
            arguments: As in `wire.Call`.
            timeout_s: Limit of the call.
            caller: Name of the caller, for people.
            asks: Who is asked what the call needs.
            visitor: As in `wire.Call`.
            call_id: Id of the call, if the caller needs to know it beforehand.
            on_event: Called with each event of the call.
        """
        started = time.perf_counter()
        pending: _Pending | None = None
        try:
            async with asyncio.timeout(timeout_s):
                # If no page is open, one may be opened first.
                await self.until_stopped(self._pages.find_or_open(page_id))
                # Again, because it may have left since: a page that has left answers nothing, and
                # between this line and the sending nothing else happens.
                page = await self._pages.find_or_open(page_id)
                if is_write(page, kind, name):
                    self._pages.check_write(page_id, page, caller)
                call = Call(
                    id=call_id or new_id(),
                    kind=kind,
                    name=name,
                    arguments=arguments,
                    deadline_ms=int(timeout_s * 1000),
                    caller=caller,
                    asks=asks,
                    visitor=visitor,
                )
                pending = self._send(page, call, on_event)
                # Shielded, because `_send_cancel` checks whether the page has answered.
                result = await asyncio.shield(pending.result)
            return await self._of_next_document(page, pending, result)
        except ToolError as error:
            return _failed(error, started)
        except TimeoutError:
            if pending is None:
                return _failed(not_open_in_time(timeout_s), started)
            if pending.left:
                return self._outcome_of_leaving(pending)
            self._send_cancel(pending)
            return _failed(
                ToolTimeout(
                    f"{_described(pending.call)} gave no answer within {timeout_s:g} s",
                    tool=name or None,
                    help="what it started may still happen; look before you call it again",
                ),
                started,
            )
        except asyncio.CancelledError:
            if pending:
                self._send_cancel(pending)
            raise
        finally:
            if pending:
                self._forget(pending)

    async def started_page(self, page_id: str, caller: str) -> OpenPage:
        """Return the page that a call is for, once its agent has started: it lists its tools then.

        A page that another one of its tab replaces meanwhile is not returned.

        Args:
            page_id: Which page; `focused` for the one that the developer looks at.
            caller: Name of the caller, for people.

        Raises:
            NoPage: There is none, or it is not clear which one is meant.
        """
        page = await self._pages.find_or_open(page_id)
        end = time.perf_counter() + START_S
        while page.state in _STARTING and time.perf_counter() < end:
            await self.call(page.page_id, "snapshot", "", {}, timeout_s=START_S, caller=caller)
            # The page sends its registry right after the snapshot.
            for _ in range(_REGISTRY_POLLS):
                if page.state not in _STARTING:
                    break
                await asyncio.sleep(_POLL_S)
            following = await self._pages.find_or_open(page_id)
            if following is page:
                break
            page = following
        return page

    async def _of_next_document(
        self, page: OpenPage, pending: _Pending, result: dict[str, Any]
    ) -> dict[str, Any]:
        """Return the JSON-LD of the document that a form has led to as the result of its call."""
        call = pending.call
        if result["ok"] or result["error"]["kind"] != "navigated" or not _is_form(page, call):
            return result
        end = time.perf_counter() + NEXT_DOCUMENT_S
        while (following := self._pages.latest_in_tab(pending.tab)) in (None, page):
            if time.perf_counter() > end:
                return result
            await asyncio.sleep(_POLL_S)
        assert following is not None
        read = await self.call(
            following.page_id,
            "act",
            "",
            {"action": {"type": "linked_data"}},
            timeout_s=NEXT_DOCUMENT_S,
            caller=call.caller,
        )
        if not read["ok"]:
            return result
        # As the platform has it, the result is null where the document has none.
        outcome = {key: data for key, data in result.items() if key != "error"}
        return {**outcome, "ok": True, "value": encode(read["value"]) or None}

    async def until_stopped(self, working: Coroutine[Any, Any, _T]) -> _T:
        """Return what a coroutine returns; it is cancelled when the server is stopped.

        Raises:
            ServerStopped: The server was stopped first.
        """
        work = asyncio.ensure_future(working)
        stopping = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((work, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise _server_stopped("the call")
            return work.result()
        finally:
            for task in (work, stopping):
                task.cancel()
            await asyncio.gather(work, stopping, return_exceptions=True)

    def stop(self) -> bool:
        """Answer all calls, also later ones, because the server ends; return whether there were any."""
        self._stopped.set()
        for pending in tuple(self._pending.values()):
            self._send_cancel(pending)
            self._end(pending, _server_stopped(_described(pending.call), pending.call.name))
        return bool(self._pending)

    def answer(self, call_id: str, question: str, answer: dict[str, Any] | None = None) -> bool:
        """Pass on the answer of a person outside; return whether the call still waits for it.

        Args:
            call_id: Id of the call.
            question: Id of the question.
            answer: As in `wire.PersonAnswer`; None where nobody can be asked.
        """
        pending = self._pending.get(call_id)
        if pending is None or pending.page is None:
            return False
        given = unanswered() if answer is None else answer
        message = PersonAnswer(id=call_id, question=question, answer=given)
        pending.page.connection.put(serialize(message))
        return True

    def caller_of(self, page: OpenPage, run_id: str) -> str:
        """Return the caller of a run; empty if it was started in the page."""
        for pending in self._pending.values():
            if pending.page is page and pending.run_id == run_id:
                return pending.call.caller
        return ""

    def receive(
        self, message: PageResult | PageProgress | PageQuestion | PageEvent, page: OpenPage
    ) -> None:
        """Handle a message of a page about one of its own calls."""
        if isinstance(message, PageEvent):
            self._follow(message, page)
            return
        pending = self._pending.get(message.id)
        if pending is None or pending.page is not page:
            return
        match message:
            case PageResult(result=result):
                answer = _as_result(result, pending)
                if pending.call.kind != "goal" and _is_navigated(answer) and not pending.left:
                    self._leave(pending, answer)
                elif not pending.result.done():
                    pending.result.set_result(answer)
            case PageProgress(message=text):
                self._notify(pending, "progress", {"message": text})
            case PageQuestion(question=question) if pending.on_event is None:
                self.answer(message.id, question)
            case PageQuestion(question=question, request=request):
                self._notify(pending, "question", {"question": question, "request": request})

    def page_arrived(self, page: OpenPage) -> None:
        """Continue the run of a tab that has reached its next page; end the calls to the last one."""
        for pending in tuple(self._pending.values()):
            if pending.left and pending.tab == page.hello.page_id:
                self._answer_left(pending)
            elif pending.page is None and pending.tab == page.hello.page_id:
                self._continue(pending, page)
        for pending in tuple(self._abandoned.values()):
            if pending.tab == page.hello.page_id:
                del self._abandoned[pending.call.id]
                self._continue(pending, page)
                self._send_cancel(pending)

    def resend(self, page: OpenPage) -> None:
        """Send the calls of a page again, because nobody knows what has reached it.

        A page works on each call once, by its id.
        """
        for pending in tuple(self._pending.values()):
            if pending.page is page and not pending.result.done():
                page.connection.put(serialize(pending.call))

    def fail(self, call_id: str, error: ToolError) -> None:
        """End a call with an error, if it runs."""
        if pending := self._pending.get(call_id):
            self._end(pending, error)

    def page_lost(self, page: OpenPage) -> None:
        """End the calls of a page that nobody can reach any more."""
        for pending in tuple(self._pending.values()):
            if pending.page is page:
                self._end(pending, _page_gone(pending))

    def page_gone(self, page: OpenPage) -> None:
        """End the calls of a page that went away; a run may continue in the next page of the tab."""
        for pending in tuple(self._pending.values()):
            if pending.page is not page or pending.left:
                continue
            # The next page cannot continue a tool call, a program or a run that has not begun.
            if pending.run_id is None:
                # A call that crosses the page's leaving cannot be answered by it.
                self._leave(pending, _failed(_navigated(pending), pending.started))
                continue
            pending.page = None
            if error := _gone_elsewhere(pending, page):
                self._end(pending, error)
                continue
            loop = asyncio.get_running_loop()
            pending.return_timer = loop.call_later(
                RETURN_S, self._end, pending, _page_gone(pending)
            )
            if following := self._pages.next_in_tab(page):
                self._continue(pending, following)

    def __len__(self) -> int:
        return len(self._pending)

    def _send(self, page: OpenPage, call: Call, on_event: CallListener | None) -> _Pending:
        at_once = sum(pending.page is page for pending in self._pending.values())
        if at_once >= MOST_CALLS:
            raise RateLimited(
                f"the page works on {at_once} calls already", help="wait until some of them end"
            )
        text = serialize(call)
        if len(text) > MOST_CHARACTERS:
            raise TooLarge(
                f"the arguments are longer than {MOST_CHARACTERS} characters",
                tool=call.name or None,
                help="pass less, or a name of what the page can fetch by itself",
            )
        pending = _Pending(
            call, page.hello.page_id, page, on_event, asyncio.get_running_loop().create_future()
        )
        if call.kind == "goal":
            pending.run_id = call.arguments.get("run_id")
        self._pending[call.id] = pending
        page.connection.put(text)
        return pending

    def _continue(self, pending: _Pending, page: OpenPage) -> None:
        """Follow a run into the next page, which continues it and sends its events to us."""
        pending.page = page
        if pending.return_timer:
            pending.return_timer.cancel()
        again = replace(pending.call, arguments={"run_id": pending.run_id})
        page.connection.put(serialize(again))

    def _follow(self, event: PageEvent, page: OpenPage) -> None:
        """Pass on an event of a run; the last one may come from the next page of the tab."""
        if event.name != "agent":
            return
        detail = event.detail
        run_id = detail.get("run_id")
        for pending in tuple(self._pending.values()):
            if pending.page is not page or pending.call.kind != "goal":
                continue
            if pending.run_id is None and isinstance(run_id, str):
                pending.run_id = run_id
            if run_id != pending.run_id:
                continue
            self._notify(pending, "agent", detail)
            pending.going_to = _destination(detail, pending.going_to)
            has_moved = pending.return_timer is not None
            if has_moved and detail.get("type") == "finished" and not pending.result.done():
                outcome = {key: value for key, value in detail.items() if key != "type"}
                duration_ms = (time.perf_counter() - pending.started) * 1000
                pending.result.set_result(
                    ExecutionResult(outcome, duration_ms=duration_ms).to_dict()
                )

    def _leave(self, pending: _Pending, answer: dict[str, Any]) -> None:
        """Keep the answer of a page that is being left until its tab has another, or is closed."""
        pending.left = answer
        if pending.page and self._pages.next_in_tab(pending.page):
            self._answer_left(pending)
            return
        loop = asyncio.get_running_loop()
        pending.return_timer = loop.call_later(FOLLOWS_S, self._answer_left, pending)

    def _answer_left(self, pending: _Pending) -> None:
        if not pending.result.done():
            pending.result.set_result(self._outcome_of_leaving(pending))

    def _outcome_of_leaving(self, pending: _Pending) -> dict[str, Any]:
        """Return the answer of a page that was left, or that it is gone if its tab is."""
        if pending.left and self._pages.latest_in_tab(pending.tab):
            return pending.left
        return _failed(_page_gone(pending), pending.started)

    def _notify(self, pending: _Pending, name: str, data: dict[str, Any]) -> None:
        if pending.on_event is not None:
            pending.on_event(name, data)

    def _send_cancel(self, pending: _Pending) -> None:
        if pending.result.done():
            return
        if pending.page is not None:
            pending.page.connection.put(serialize(Cancel(id=pending.call.id)))
            return
        # There is no page to send it to; the next page of the tab gets it once it continues the run.
        call_id = pending.call.id
        self._abandoned[call_id] = pending
        asyncio.get_running_loop().call_later(RETURN_S, self._abandoned.pop, call_id, None)

    def _end(self, pending: _Pending, error: ToolError) -> None:
        if not pending.result.done():
            pending.result.set_result(_failed(error, pending.started))

    def _forget(self, pending: _Pending) -> None:
        self._pending.pop(pending.call.id, None)
        if pending.return_timer:
            pending.return_timer.cancel()


def is_write(page: OpenPage, kind: CallKind, name: str) -> bool:
    """Whether a call may change something: every one that is not known to read alone."""
    if kind == "tool":
        tool = next((tool for tool in page.tools if tool.get("name") == name), {})
        return tool.get("effect") != "read"
    return kind not in ("snapshot", "prompt")


def new_id() -> str:
    """Return an id for a call that cannot be guessed."""
    return secrets.token_urlsafe(12)


def not_open_in_time(timeout_s: float) -> ToolTimeout:
    """Return the error for a page that was not opened within the limit of a call."""
    return ToolTimeout(
        f"no page was open within {timeout_s:g} s",
        help="one is being opened; try again in a while",
    )


def _page_gone(pending: _Pending) -> ToolError:
    return PageGone(
        f"the page went away before {_described(pending.call)} answered",
        tool=pending.call.name or None,
        help="what it started may have happened; look before you call it again",
    )


def _navigated(pending: _Pending) -> ToolError:
    return Navigated(
        f"the page was left before {_described(pending.call)} answered",
        tool=pending.call.name or None,
        help="what it started may have happened; look before you call it again",
    )


def _destination(event: dict[str, Any], before: str) -> str:
    """Return the origin that a run goes to after one of its events.

    The last event of a page that is left may be lost, so the question whether it may go counts.
    """
    match event:
        case {"type": "navigating", "url": str(url)}:
            return origin_of(url)
        case {"type": "asked", "request": {"details": {"to": str(to)}}}:
            return origin_of(to)
        case {"type": "answered", "yes": False} | {"type": "step", "state": "finished" | "failed"}:
            return ""
    return before


def _gone_elsewhere(pending: _Pending, page: OpenPage) -> ToolError | None:
    """Return the error of a run that has gone to another origin; None if it has not."""
    here = origin_of(page.hello.url)
    if pending.going_to in ("", here):
        return None
    return OriginMismatch(
        f"the agent has gone to `{pending.going_to}`, and this run belongs to `{here}`",
        help="start a run of its own there",
    )


def _is_navigated(answer: dict[str, Any]) -> bool:
    return not answer["ok"] and answer["error"]["kind"] == "navigated"


def _server_stopped(what: str, tool: str = "") -> ServerStopped:
    return ServerStopped(
        f"the server was stopped before {what} answered",
        tool=tool or None,
        help="what it started may have happened; start the server, and look before you call it again",
    )


def _described(call: Call) -> str:
    if call.kind == "tool":
        return f"`{call.name}`"
    return {"code": "the program", "snapshot": "the page", "act": "the page"}.get(
        call.kind, "the agent"
    )


def _failed(error: ToolError, started: float) -> dict[str, Any]:
    return ExecutionResult(
        error=error, duration_ms=(time.perf_counter() - started) * 1000
    ).to_dict()


def _is_form(page: OpenPage, call: Call) -> bool:
    tools = (tool for tool in page.tools if call.kind == "tool" and tool.get("name") == call.name)
    return any(tool.get("source") == "form" for tool in tools)


def _as_result(data: dict[str, Any], pending: _Pending) -> dict[str, Any]:
    """Return the result that a page has sent; a malformed one is an error of the page."""
    error = data.get("error")
    is_valid = (data.get("ok") is True and "value" in data) or (
        data.get("ok") is False
        and isinstance(error, dict)
        and isinstance(error.get("kind"), str)
        and isinstance(error.get("message"), str)
    )
    if not is_valid:
        malformed = InternalError("the page answered with something that is not a result")
        return _failed(malformed, pending.started)
    lists = {
        name: data[name] if isinstance(data.get(name), list) else [] for name in ("logs", "calls")
    }
    duration_ms = data.get("duration_ms")
    if not isinstance(duration_ms, int | float) or isinstance(duration_ms, bool):
        duration_ms = round((time.perf_counter() - pending.started) * 1000, 3)
    outcome = {"value": data["value"]} if data["ok"] else {"error": error}
    return {"ok": data["ok"], **outcome, **lists, "duration_ms": duration_ms}
