"""The endpoint at which front ends drive the agent in the page that a visitor has open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from webagent.errors import Cancelled, Denied, InvalidArguments, ToolError
from webagent_site.agui.event_response import EventResponse
from webagent_site.agui.questions import answer_to, awaited_for, interrupt_event
from webagent_site.agui.run_events import Event, RunEvents, is_signed
from webagent_site.agui.run_input import RunInput, read_input
from webagent_site.broker.interrupts import Interrupt, Interrupts
from webagent_site.broker.ledger import Budget, Limit
from webagent_site.broker.page_directory import PageRecord
from webagent_site.config.urls import AGUI_PATH
from webagent_site.errors import BrokerUnavailable
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.request_body import RequestError
from webagent_site.http.visitors import Visitors

if TYPE_CHECKING:
    from webagent_site.pages.visitor_pages import VisitorPages
    from webagent_site.pages.wire import Asked

VISITOR_RUNS = Budget(minute=Limit(requests=20))
"""Requests of one visitor: goals, and answers."""
SITE_RUNS = Budget(minute=Limit(requests=300))
"""Those of all visitors."""
RUN_S = 600.0
"""Limit of one response; and how long a question waits for its answer."""
CALLER = "AG-UI"


@dataclass(frozen=True, slots=True)
class _Work:
    """A call to a page: a new run, or one that goes on with an answer."""

    page: PageRecord
    call_id: str
    arguments: dict[str, Any]
    """As in `wire.Call`."""


class AguiEndpoint:
    """Speaks AG-UI with front ends in the pages of a site."""

    def __init__(
        self,
        check: Callable[[Request], Awaitable[None]],
        visitors: Visitors,
        pages: VisitorPages,
        interrupts: Interrupts,
        asks: Asked,
    ) -> None:
        """Serve the visitors of a site.

        Args:
            check: Checks that a page of the site sends a request, and not too many; raises
                `RequestError`.
            visitors: Knows whose page it is.
            pages: The open ones.
            interrupts: The questions that wait.
            asks: The side that approves changes and answers questions: the front end, as far as the
                page lets it, or the person at the page.
        """
        self._check = check
        self._visitors = visitors
        self._pages = pages
        self._interrupts = interrupts
        self._asks = asks

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route(AGUI_PATH, self.run, methods=["POST"])]

    async def run(self, request: Request) -> Response:
        """Let the agent reach a goal, or go on with an answer; the response is the events."""
        sign = partial(self._visitors.signature, "call")
        try:
            await self._check(request)
            visitor = await self._visitors.visitor(request, request.headers[TOKEN_HEADER])
            given = await read_input(request, lambda call_id: is_signed(call_id, sign))
            events = RunEvents(given.thread, given.run, sign, is_current=given.is_current)
            # As a hash it names no account, and has the form of a key.
            text = f"{len(visitor)}:{visitor}:{given.thread}"
            thread = sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
            work = await self._work(visitor, thread, given)
        except RequestError as error:
            return _refused(error.status, error.kind, str(error), error.headers)
        except BrokerUnavailable as error:
            return _refused(503, "broker_unavailable", str(error), error.headers)
        except ToolError as error:
            # As AG-UI has it, a wrong answer is an error of the run.
            return EventResponse(_failed(events, error))
        return EventResponse(self._follow(work, thread, events))

    async def _work(self, visitor: str, thread: str, given: RunInput) -> _Work:
        """Return what a request asks for; a question is taken by one request alone.

        Raises:
            RequestError: The visitor has no such page open.
            ToolError: The request and the open question of the thread do not fit.
        """
        opened = await self._interrupts.of(thread)
        if not given.resume:
            if opened:
                raise Denied(
                    "the thread waits for an answer",
                    help="send it with `resume`, where it may be cancelled, too",
                )
            page = await self._page(visitor, given.page_id)
            return _Work(page, uuid4().hex, {"goal": given.goal})
        if opened is None or [each.interrupt for each in given.resume] != [opened.id]:
            if all(each.is_cancelled for each in given.resume):
                raise Cancelled("the question is not open any more")
            raise _over()
        answer = answer_to(opened, given.resume[0])
        if answer is None:
            raise InvalidArguments(
                "the answer does not fit the question",
                help="send a `payload` that fits its `responseSchema`",
            )
        page = await self._page(visitor, opened.tab)
        if not await self._interrupts.take(thread, opened):
            raise _over()
        # Together with the claim, because the page checks first whose it is.
        run = {"run_id": opened.run_id, "question": opened.id, "answer": answer}
        return _Work(page, opened.call_id, run)

    async def _page(self, visitor: str, tab: str) -> PageRecord:
        """Return the page in a tab of a visitor, or the one last used."""
        pages = await self._pages.of(visitor)
        page = next((page for page in pages if tab in ("", page.tab)), None)
        if page is None:
            which = "this page open" if pages else "a page open"
            raise RequestError(
                404,
                "no_page",
                f"the visitor does not have {which} that the agent can work in - it works in their own - "
                "wait until the page has loaded",
            )
        return page

    async def _follow(
        self, work: _Work, thread: str, events: RunEvents
    ) -> AsyncGenerator[Event, None]:
        """Make the call, and yield its events until it has ended, or waits for an answer."""
        yield events.started(work.page.tab)
        happened: asyncio.Queue[tuple[str, dict[str, Any]] | None] = asyncio.Queue()
        calling = asyncio.create_task(
            self._pages.call(
                *(work.page, "goal", "", work.arguments),
                timeout_s=RUN_S,
                caller=CALLER,
                asks=self._asks,
                call_id=work.call_id,
                on_event=lambda name, data: happened.put_nowait((name, data)),
            )
        )
        calling.add_done_callback(lambda _: happened.put_nowait(None))
        run_id = str(work.arguments.get("run_id", ""))
        try:
            while event := await happened.get():
                name, data = event
                if name == "agent":
                    run_id = str(data.get("run_id", ""))
                    for each in events.of(data):
                        yield each
                elif name == "question" and (interrupt := self._interrupt(work, run_id, data)):
                    await self._interrupts.put(thread, interrupt)
                    # The page gets no message: its run waits there until somebody has the answer.
                    self._pages.relay.fail(work.call_id, Cancelled("the run waits"))
                    for each in events.interrupted(*interrupt_event(interrupt, data["request"])):
                        yield each
                    return
            result = await calling
            value = result.get("value")
            ended = (
                events.finished(value if isinstance(value, dict) else {})
                if result["ok"]
                else events.failed(result["error"])
            )
        except BrokerUnavailable as error:
            ended = events.failed({"kind": "broker_unavailable", "message": str(error)})
        finally:
            calling.cancel()
            await asyncio.gather(calling, return_exceptions=True)
        for each in ended:
            yield each

    def _interrupt(self, work: _Work, run_id: str, asked: dict[str, Any]) -> Interrupt | None:
        """Return the question of a page; None if no front end answers it, which is a no."""
        awaits = awaited_for(asked["request"]) if self._asks == "caller" and run_id else None
        if awaits:
            ends = time.time() + RUN_S
            return Interrupt(asked["question"], work.call_id, run_id, work.page.tab, awaits, ends)
        self._pages.relay.answer(work.call_id, asked["question"])
        return None


async def _failed(events: RunEvents, error: ToolError) -> AsyncGenerator[Event, None]:
    yield events.started()
    for each in events.failed(error.to_dict()):
        yield each


def _over() -> ToolError:
    return Denied(
        "the question is not open any more",
        help="it was answered, or its time is over; begin anew",
    )


def _refused(status: int, kind: str, message: str, headers: Any) -> Response:
    error = {"kind": kind, "message": message}
    return JSONResponse({"error": error}, status, {"cache-control": "no-store", **headers})
