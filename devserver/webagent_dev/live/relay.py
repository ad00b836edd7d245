"""Calls from outside into open pages: sent, followed, ended."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from webagent.errors import InternalError, PageGone, RateLimited, TooLarge, ToolError, ToolTimeout
from webagent.results import ExecutionResult
from webagent_dev.live.messages import (
    Call,
    CallKind,
    Cancel,
    PageEvent,
    PageProgress,
    PageQuestion,
    PageResult,
    PersonAnswer,
    serialize,
)
from webagent_dev.live.open_pages import OpenPage, OpenPages

MOST_AT_ONCE = 256
"""Calls that one page works on at a time."""
MOST_CHARACTERS = 4 << 20
"""Of one call, as it is sent to the page."""
RETURN_S = 20.0
"""How long a tab in which the agent works may be away: it goes from page to page by itself."""

Hear = Callable[[str, dict[str, Any]], None]
"""Hears what happens in a call: `progress`, `question` or `agent`, and its data."""


@dataclass(slots=True, eq=False)
class _Pending:
    """A call that a page works on."""

    call: Call
    tab: str
    """Id that the pages of its tab bring along."""
    page: OpenPage | None
    """None while the tab goes from one page to the next."""
    hear: Hear | None
    result: asyncio.Future[dict[str, Any]]
    started: float = field(default_factory=time.perf_counter)
    run_id: str | None = None
    """Of the agent's run, once it has begun."""
    returning: asyncio.TimerHandle | None = None


class Relay:
    """Passes calls on to open pages."""

    def __init__(self, pages: OpenPages) -> None:
        """Begin without any."""
        self._pages = pages
        self._pending: dict[str, _Pending] = {}
        self._given_up: dict[str, _Pending] = {}
        """Runs that nobody waits for any more, of tabs that go from one page to the next."""

    async def call(
        self,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        caller: str,
        call_id: str | None = None,
        hear: Hear | None = None,
    ) -> dict[str, Any]:
        """Let a page do something; return the result as data (`ExecutionResult.to_dict`).

        It never raises for what happens to the call. Who stops waiting cancels it.

        Args:
            page_id: Which page; `focused` for the one that the developer looks at.
            kind: What is to be done.
            name: Of a tool.
            arguments: As `webagent_dev.messages.Call` has them.
            timeout_s: How long it may take.
            caller: Who asks, for people.
            call_id: Its own id, if it is needed beforehand.
            hear: Hears what happens meanwhile.
        """
        started = time.perf_counter()
        pending: _Pending | None = None
        try:
            async with asyncio.timeout(timeout_s):
                # Where none is open, one may be opened first.
                page = await self._pages.wanted(page_id)
                pending = self._send(page, kind, name, arguments, timeout_s, caller, call_id, hear)
                # Shielded, so that it still says whether the page has answered.
                return await asyncio.shield(pending.result)
        except ToolError as error:
            return _failed(error, started)
        except TimeoutError:
            if pending is None:
                return _failed(not_open_within(timeout_s), started)
            self._tell_cancel(pending)
            return _failed(
                ToolTimeout(
                    f"{_shown(pending.call)} gave no answer within {timeout_s:g} s",
                    tool=name or None,
                    help="what it started may still happen; look before you call it again",
                ),
                started,
            )
        except asyncio.CancelledError:
            if pending:
                self._tell_cancel(pending)
            raise
        finally:
            if pending:
                self._forget(pending)

    def answer(self, call_id: str, question: str, answer: dict[str, Any]) -> bool:
        """Pass on what the person outside says; return whether the call is still there."""
        pending = self._pending.get(call_id)
        if pending is None or pending.page is None:
            return False
        message = PersonAnswer(id=call_id, question=question, answer=answer)
        pending.page.connection.put(serialize(message))
        return True

    def caller_of(self, page: OpenPage, run_id: str) -> str:
        """Return who asked for a run; empty when it was started in the page."""
        for pending in self._pending.values():
            if pending.page is page and pending.run_id == run_id:
                return pending.call.caller
        return ""

    def take(
        self, message: PageResult | PageProgress | PageQuestion | PageEvent, page: OpenPage
    ) -> None:
        """Take what a page says of a call; a call of another page is none of its business."""
        if isinstance(message, PageEvent):
            self._follow(message, page)
            return
        pending = self._pending.get(message.id)
        if pending is None or pending.page is not page:
            return
        match message:
            case PageResult(result=result):
                if not pending.result.done():
                    pending.result.set_result(_as_result(result, pending))
            case PageProgress(message=text):
                self._hear(pending, "progress", {"message": text})
            case PageQuestion(question=question, request=request):
                self._hear(pending, "question", {"question": question, "request": request})

    def arrived(self, page: OpenPage) -> None:
        """Go on with the run of a tab that has come to its next page."""
        for pending in tuple(self._pending.values()):
            if pending.page is None and pending.tab == page.hello.page_id:
                self._go_on(pending, page)
        for pending in tuple(self._given_up.values()):
            if pending.tab == page.hello.page_id:
                del self._given_up[pending.call.id]
                self._go_on(pending, page)
                self._tell_cancel(pending)

    def gone(self, page: OpenPage) -> None:
        """End the calls of a page that went away; a run may go on in the tab's next page."""
        for pending in tuple(self._pending.values()):
            if pending.page is not page:
                continue
            pending.page = None
            if pending.run_id is None:
                # Nothing that a next page could take up: a call, a program, a run not yet begun.
                self._end(pending, _gone(pending))
                continue
            loop = asyncio.get_running_loop()
            pending.returning = loop.call_later(RETURN_S, self._end, pending, _gone(pending))
            if following := self._pages.following(page):
                self._go_on(pending, following)

    def __len__(self) -> int:
        return len(self._pending)

    def _send(
        self,
        page: OpenPage,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        timeout_s: float,
        caller: str,
        call_id: str | None,
        hear: Hear | None,
    ) -> _Pending:
        at_once = sum(pending.page is page for pending in self._pending.values())
        if at_once >= MOST_AT_ONCE:
            raise RateLimited(
                f"the page works on {at_once} calls already", help="wait until some of them end"
            )
        call = Call(
            id=call_id or new_id(),
            kind=kind,
            name=name,
            arguments=arguments,
            deadline_ms=int(timeout_s * 1000),
            caller=caller,
        )
        text = serialize(call)
        if len(text) > MOST_CHARACTERS:
            raise TooLarge(
                f"the arguments are longer than {MOST_CHARACTERS} characters",
                tool=name or None,
                help="pass less, or a name of what the page can fetch by itself",
            )
        made = _Pending(
            call, page.hello.page_id, page, hear, asyncio.get_running_loop().create_future()
        )
        self._pending[call.id] = made
        page.connection.put(text)
        return made

    def _go_on(self, pending: _Pending, page: OpenPage) -> None:
        """Follow a run into the next page, which takes it up by itself; it learns whom to ask."""
        pending.page = page
        if pending.returning:
            pending.returning.cancel()
        again = Call(
            id=pending.call.id,
            kind="goal",
            name="",
            arguments={"run_id": pending.run_id},
            deadline_ms=pending.call.deadline_ms,
            caller=pending.call.caller,
        )
        page.connection.put(serialize(again))

    def _follow(self, event: PageEvent, page: OpenPage) -> None:
        """Tell who asked for a run what happens in it; its end may come from the tab's next page."""
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
            self._hear(pending, "agent", detail)
            came_back = pending.returning is not None
            if came_back and detail.get("type") == "finished" and not pending.result.done():
                outcome = {key: value for key, value in detail.items() if key != "type"}
                duration_ms = (time.perf_counter() - pending.started) * 1000
                pending.result.set_result(
                    ExecutionResult(outcome, duration_ms=duration_ms).to_dict()
                )

    def _hear(self, pending: _Pending, name: str, data: dict[str, Any]) -> None:
        if pending.hear is not None:
            pending.hear(name, data)

    def _tell_cancel(self, pending: _Pending) -> None:
        if pending.result.done():
            return
        if pending.page is not None:
            pending.page.connection.put(serialize(Cancel(id=pending.call.id)))
            return
        # Nobody can be told yet: the next page of the tab takes the run up, and is told then.
        call_id = pending.call.id
        self._given_up[call_id] = pending
        asyncio.get_running_loop().call_later(RETURN_S, self._given_up.pop, call_id, None)

    def _end(self, pending: _Pending, error: ToolError) -> None:
        if not pending.result.done():
            pending.result.set_result(_failed(error, pending.started))

    def _forget(self, pending: _Pending) -> None:
        self._pending.pop(pending.call.id, None)
        if pending.returning:
            pending.returning.cancel()


def new_id() -> str:
    """Return an id for a call, which nobody can guess."""
    return secrets.token_urlsafe(12)


def not_open_within(timeout_s: float) -> ToolTimeout:
    """Return what is told when a page is not opened in the time that a caller has."""
    return ToolTimeout(
        f"no page was open within {timeout_s:g} s",
        help="one is being opened; ask again in a while",
    )


def _gone(pending: _Pending) -> ToolError:
    return PageGone(
        f"the page went away before {_shown(pending.call)} answered",
        tool=pending.call.name or None,
        help="what it started may have happened; look before you call it again",
    )


def _shown(call: Call) -> str:
    if call.kind == "tool":
        return f"`{call.name}`"
    return {"code": "the program", "snapshot": "the page", "act": "the page"}.get(
        call.kind, "the agent"
    )


def _failed(error: ToolError, started: float) -> dict[str, Any]:
    return ExecutionResult(
        error=error, duration_ms=(time.perf_counter() - started) * 1000
    ).to_dict()


def _as_result(data: dict[str, Any], pending: _Pending) -> dict[str, Any]:
    """Return what a page says as a result; what has not its shape is a fault of the page."""
    error = data.get("error")
    right = (data.get("ok") is True and "value" in data) or (
        data.get("ok") is False
        and isinstance(error, dict)
        and isinstance(error.get("kind"), str)
        and isinstance(error.get("message"), str)
    )
    if not right:
        wrong = InternalError("the page answered with something that is no result")
        return _failed(wrong, pending.started)
    lists = {
        name: data[name] if isinstance(data.get(name), list) else [] for name in ("logs", "calls")
    }
    duration_ms = data.get("duration_ms")
    if not isinstance(duration_ms, int | float) or isinstance(duration_ms, bool):
        duration_ms = round((time.perf_counter() - pending.started) * 1000, 3)
    outcome = {"value": data["value"]} if data["ok"] else {"error": error}
    return {"ok": data["ok"], **outcome, **lists, "duration_ms": duration_ms}
