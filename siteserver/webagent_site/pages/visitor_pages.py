"""The open pages of the visitors of a site: those of this process, and calls to those of all.

A process holds the sockets of its pages. One that makes a call sends letters to the process that holds
the page, and gets the page's answers by letters. A call that may be lost on the way is sent again under
its id, and pages work on an id once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from webagent.errors import InternalError, NoPage, RateLimited, ToolError
from webagent.results import ExecutionResult
from webagent_site.broker.page_directory import (
    Letter,
    PageDirectory,
    PageRecord,
    Sent,
    TooManyPages,
)
from webagent_site.errors import BrokerUnavailable
from webagent_site.pages.connection import Connection, serialize
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import CallListener, Relay, new_id
from webagent_site.pages.wire import (
    Asked,
    Call,
    CallKind,
    Joined,
    PageEvent,
    PageHello,
    PageProgress,
    PageQuestion,
    PageResult,
    parse_call_message,
    parse_page_message,
)

_log = logging.getLogger("webagent_site")

WATCH_S = 0.05
"""How often the processes that work on calls of this one are looked for."""
LOOK_S = 0.5
"""How often pages that are away are looked for; most often a letter reports them before."""
AWAY_S = 10
"""How long a page that has lost its connection may be away."""
GRACE_S = 0.2
"""How long a page of an ended process may take to be at another one before its calls end.

A process that was slow, and not dead, writes its pages again within this time.
"""
MOST_WAITING = 2_000
"""Limit of letters that wait to be sent."""
PUT_PAUSE_S = 0.1
"""Changes of a page within this time are written once."""
_AGAIN_S = 0.3
"""Pause before the broker is asked again after it has not answered."""
_END_S = 2.0
"""How long what is under way may take when the process ends."""
_AT_ONCE = 20
"""Requests to the broker for pages of this process at a time."""
_MOST_ROUTES = 1_000
"""Limit of calls whose callers a page's process remembers."""

Reply = PageResult | PageProgress | PageQuestion | PageEvent


@dataclass(slots=True, eq=False)
class HeldPage:
    """A page whose socket this process has."""

    record: PageRecord
    connection: Connection
    callers: OrderedDict[str, tuple[str, CallKind]] = field(default_factory=OrderedDict)
    """The process that has made a call, and its kind, by the id of the call."""
    is_due: bool = False
    """Whether a change waits to be written."""


class _RemoteLink:
    """The connection to a page of any process: letters to the process that has it."""

    def __init__(self, pages: VisitorPages, record: PageRecord) -> None:
        self.record = record
        self._pages = pages

    def put(self, text: str) -> None:
        """Send a message to the page."""
        letter = {
            "type": "to_page",
            "tab": self.record.tab,
            "document": self.record.document,
            "from": self._pages.process,
            "text": text,
        }
        self._pages.post(self.record.process, letter, tab=self.record.tab)


class VisitorPages:
    """All open pages of a site."""

    def __init__(self, directory: PageDirectory, mark: Callable[[str], str]) -> None:
        """Share pages with the other processes.

        Args:
            directory: The pages of all processes.
            mark: Returns the mark of a visitor (`Visitors.mark`).
        """
        self._directory = directory
        self._mark = mark
        self.relay = Relay(self)
        self._held: dict[str, HeldPage] = {}
        """Pages of this process, by the tab."""
        self._called: dict[str, OpenPage] = {}
        """Pages that calls of this process are for, by the tab."""
        self._calls: dict[str, int] = {}
        """How many calls are for a tab."""
        self._missing: dict[str, asyncio.TimerHandle] = {}
        """Ends the calls to a page whose socket was lost, by the tab."""
        self._followed: set[str] = set()
        """Tabs whose process has ended, and that are looked for."""
        self._letters: asyncio.Queue[tuple[str, Letter, str]] = asyncio.Queue(MOST_WAITING)
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_open = True
        """Asked in each turn, since a client of Redis may lose a cancellation on its way."""
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._posting: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None

    @property
    def process(self) -> str:
        """Id of this process."""
        return self._directory.process

    # The side of the process that holds a page.

    async def join(self, record: PageRecord, connection: Connection) -> HeldPage:
        """Add a page of this process; the one before it in the tab is replaced.

        Without the broker the others learn of it when that answers again.

        Raises:
            TooManyPages: Its visitor has too many.
        """
        self._start()
        held = HeldPage(replace(record, process=self.process, used=time.time()), connection)
        self._held[record.tab] = held
        await self._publish(held)
        connection.put(serialize(Joined(page_id=record.tab)))
        return held

    def change(self, held: HeldPage, **changed: Any) -> None:
        """Change what is known of a page; written soon."""
        held.record = replace(held.record, **changed)
        if held.is_due or self._held.get(held.record.tab) is not held:
            return
        held.is_due = True

        def write() -> None:
            held.is_due = False
            if self._held.get(held.record.tab) is held:
                self._spawn(self._publish(held))

        asyncio.get_running_loop().call_later(PUT_PAUSE_S, write)

    def holds(self, held: HeldPage) -> bool:
        """Whether calls to the tab reach this page, and not another one with the same secret."""
        return self._held.get(held.record.tab) is held

    def leave(self, held: HeldPage, *, is_closed: bool) -> None:
        """Remove a page of this process.

        Args:
            held: The page.
            is_closed: Whether the page was left; else its connection was lost, and it may come back.
        """
        tab = held.record.tab
        if self._held.get(tab) is not held:
            return
        del self._held[tab]

        async def remove() -> None:
            after_s = 0 if is_closed else AWAY_S
            for process in await self._directory.remove(held.record, after_s):
                letter = {"type": "left", "tab": tab, "document": held.record.document}
                await self._directory.send(process, {**letter, "is_closed": is_closed})

        self._spawn(remove())

    def forward(self, held: HeldPage, reply: Reply, text: str) -> None:
        """Pass a message of a page on to the processes whose calls it is about."""
        if isinstance(reply, PageEvent):
            receivers = {process for process, kind in held.callers.values() if kind == "goal"}
        else:
            caller = held.callers.get(reply.id)
            receivers = {caller[0]} if caller else set()
            if isinstance(reply, PageResult):
                held.callers.pop(reply.id, None)
        letter = {
            "type": "of_page",
            "tab": held.record.tab,
            "document": held.record.document,
            "text": text,
        }
        for process in receivers:
            self.post(process, letter)

    # The side of the process that makes a call.

    async def of(self, visitor: str) -> list[PageRecord]:
        """Return the pages of a visitor in all processes, the one last used first.

        Raises:
            BrokerUnavailable: Nobody knows now.
        """
        self._start()
        return await self._directory.of(visitor)

    async def call(
        self,
        page: PageRecord,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        caller: str,
        asks: Asked = "page",
        on_event: CallListener | None = None,
        call_id: str | None = None,
    ) -> dict[str, Any]:
        """Make a call to a page; return its result as data (`ExecutionResult.to_dict`).

        Errors of the call are results, too. Cancelling the awaiting task cancels the call. The page
        refuses it where the server sees another visitor now.

        Args:
            page: As `of` returns it. A call to one that its tab has left fails.
            kind: Kind of the call.
            name: Of the tool.
            arguments: As in `wire.Call`.
            timeout_s: Limit of the call.
            caller: Name of the caller, for people.
            asks: Who is asked what the call needs.
            on_event: Called with each event of the call.
            call_id: Id of the call, if the caller needs to know it beforehand.
        """
        tab = page.tab
        known = self._called.get(tab)
        is_other = known is None or known.hello.document_id != page.document
        if known and is_other and page.used <= _record(known).used:
            # The tab has left it, and nobody else's calls end because of that.
            return ExecutionResult(error=_not_open()).to_dict()
        self._calls[tab] = self._calls.get(tab, 0) + 1
        if is_other:
            self._arrive(page)
        try:
            return await self.relay.call(
                tab,
                kind,
                name,
                arguments,
                timeout_s=timeout_s,
                caller=caller,
                asks=asks,
                visitor=self._mark(page.visitor),
                call_id=call_id or new_id(),
                on_event=on_event,
            )
        finally:
            self._calls[tab] -= 1
            if not self._calls[tab]:
                del self._calls[tab]
                self._called.pop(tab, None)
                self._cancel_missing_timer(tab)

    def post(self, process: str, letter: Letter, *, tab: str = "") -> None:
        """Send a letter soon, in order; one too many ends its call."""
        self._start()
        try:
            self._letters.put_nowait((process, letter, tab))
        except asyncio.QueueFull:
            self._undelivered(letter, RateLimited("too many calls wait", help="try again later"))

    async def close(self) -> None:
        """Answer the calls of this process, and send nothing more."""
        self.relay.stop()
        for timer in self._missing.values():
            timer.cancel()
        self._is_open = False
        tasks = [*self._tasks, *filter(None, (self._posting, self._watching))]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_END_S)
        await self._directory.close()

    # The port of the relay.

    async def find_or_open(self, page_id: str) -> OpenPage:
        """Return the page that a call is for."""
        page = self._called.get(page_id)
        if page is None:
            raise _not_open()
        return page

    def check_write(self, page_id: str, page: OpenPage, caller: str) -> None:
        """Refuse nothing: each call names its page."""

    def next_in_tab(self, page: OpenPage) -> OpenPage | None:
        """Return the page for which a tab has left another, if it is known already."""
        latest = self._called.get(page.page_id)
        return None if latest is page else latest

    def latest_in_tab(self, tab: str) -> OpenPage | None:
        """Return the latest page of a tab, unless it was lost."""
        return None if tab in self._missing else self._called.get(tab)

    # Letters.

    def _start(self) -> None:
        self._directory.start(self._receive, self._restore)
        if self._posting is None and self._is_open:
            self._posting = asyncio.create_task(self._post_letters())
            self._watching = asyncio.create_task(self._watch())

    async def _post_letters(self) -> None:
        while self._is_open:
            process, letter, tab = await self._letters.get()
            try:
                sent = await self._send(process, letter, tab)
            except Exception:
                _log.exception("a letter to another process could not be sent")
                self._undelivered(letter, InternalError("the call could not be sent to the page"))
                continue
            if sent == "gone" and letter["type"] == "to_page":
                self._spawn(self._look_again([tab], has_arrived=False))
            elif sent == "full":
                error = RateLimited("the page's server is busy", help="try again later")
                self._undelivered(letter, error)

    async def _send(self, process: str, letter: Letter, tab: str) -> Sent:
        """Send a letter, again until the broker answers."""
        while self._is_open:
            try:
                return await self._directory.send(process, letter, tab=tab)
            except BrokerUnavailable:
                await asyncio.sleep(_AGAIN_S)
        return "sent"

    def _undelivered(self, letter: Letter, error: ToolError) -> None:
        message = parse_call_message(letter["text"]) if letter["type"] == "to_page" else None
        if isinstance(message, Call):
            self.relay.fail(message.id, error)

    def _receive(self, letter: Letter) -> None:
        """Handle a letter; what is not one of ours is ignored."""
        tab, document = letter.get("tab"), letter.get("document")
        if not isinstance(tab, str) or not isinstance(document, str):
            return
        match letter:
            case {"type": "to_page", "from": str(caller), "text": str(text)}:
                self._to_page(tab, document, caller, text)
            case {"type": "of_page", "text": str(text)}:
                page = self._called.get(tab)
                message = parse_page_message(text)
                if page and page.hello.document_id == document and isinstance(message, Reply):
                    self.relay.receive(message, page)
            case {"type": "absent"}:
                self._spawn(self._look_again([tab], has_arrived=False))
            case {"type": "arrived"}:
                self._spawn(self._look_again([tab], has_arrived=True))
            case {"type": "left", "is_closed": bool(is_closed)}:
                page = self._called.get(tab)
                if page and page.hello.document_id == document:
                    self._left(page, is_closed=is_closed)

    def _to_page(self, tab: str, document: str, caller: str, text: str) -> None:
        held = self._held.get(tab)
        if held is None or held.record.document != document:
            self.post(caller, {"type": "absent", "tab": tab, "document": document})
            return
        message = parse_call_message(text)
        if message is None:
            return
        if isinstance(message, Call):
            held.callers[message.id] = caller, message.kind
            if len(held.callers) > _MOST_ROUTES:
                held.callers.popitem(last=False)
        held.connection.put(serialize(message))

    async def _look_again(self, tabs: Iterable[str], *, has_arrived: bool) -> None:
        """Find where the pages of tabs are now.

        Args:
            tabs: Of the pages.
            has_arrived: Whether they are there anew; else they are not where they were.
        """
        called = [tab for tab in tabs if tab in self._calls]
        records = {record.tab: record for record in await self._directory.in_tabs(called)}
        gone = await self._directory.gone(record.process for record in records.values())
        for tab in called:
            record, page = records.get(tab), self._called.get(tab)
            if tab not in self._calls:
                continue
            is_same = record and page and _place(page) == (record.process, record.document)
            if record and record.process not in gone and (has_arrived or not is_same):
                self._arrive(record)
            elif page and tab not in self._missing:
                self._left(page, is_closed=False)

    def _arrive(self, record: PageRecord) -> None:
        """Know the page of a tab, and where it is; continue the calls to it."""
        known = self._called.get(record.tab)
        self._cancel_missing_timer(record.tab)
        if known and known.hello.document_id == record.document:
            known.connection = _RemoteLink(self, record)
            self.relay.resend(known)
            return
        hello = PageHello(
            *(record.tab, record.document, record.url, record.title, False, record.version)
        )
        page = OpenPage(record.tab, hello, _RemoteLink(self, record), state=record.state)
        page.tools = record.tools
        self._called[record.tab] = page
        if known:
            self.relay.page_gone(known)
        self.relay.page_arrived(page)

    def _left(self, page: OpenPage, *, is_closed: bool) -> None:
        """A page was left, or lost for now."""
        tab = page.page_id
        self._cancel_missing_timer(tab)
        if is_closed:
            del self._called[tab]
            self.relay.page_gone(page)
            return
        self._missing[tab] = asyncio.get_running_loop().call_later(AWAY_S, self._lost, tab)

    def _lost(self, tab: str) -> None:
        self._missing.pop(tab, None)
        if page := self._called.get(tab):
            self.relay.page_lost(page)
            # Nobody else should wait for it.
            self._spawn(self._forget(_record(page)))

    async def _forget(self, record: PageRecord) -> None:
        await self._directory.remove(record)

    def _cancel_missing_timer(self, tab: str) -> None:
        if timer := self._missing.pop(tab, None):
            timer.cancel()

    async def _watch(self) -> None:
        """Follow pages whose processes have ended, or end the calls to them."""
        looked = 0.0
        while self._is_open:
            await asyncio.sleep(WATCH_S)
            if self._missing and time.monotonic() - looked > LOOK_S:
                # Where Redis has forgotten who makes calls to it, nobody reports that it is back.
                looked = time.monotonic()
                self._spawn(self._look_again(tuple(self._missing), has_arrived=False))
            try:
                await self._follow_ended()
            except BrokerUnavailable:
                continue
            except Exception:
                _log.exception("processes that have ended could not be looked for")
                await asyncio.sleep(_AGAIN_S)

    async def _follow_ended(self) -> None:
        places = {tab: _place(page)[0] for tab, page in self._called.items()}
        gone = await self._directory.gone(set(places.values()) - {self.process})
        for tab, process in places.items():
            # A call to a page that is missing has not been sent.
            if process not in gone or tab in self._missing or tab in self._followed:
                continue
            if gone[process] == "closed":
                # Its pages come back, as after a lost connection.
                if page := self._called.get(tab):
                    self._left(page, is_closed=False)
                continue
            self._followed.add(tab)
            self._spawn(self._follow_or_end(tab), is_urgent=True)

    async def _follow_or_end(self, tab: str) -> None:
        page = self._called.get(tab)
        ends = time.monotonic() + GRACE_S
        try:
            while page and self._called.get(tab) is page:
                for record in await self._directory.in_tabs([tab]):
                    if not await self._directory.gone([record.process]):
                        self._arrive(record)
                        return
                if time.monotonic() > ends:
                    self._lost(tab)
                    return
                await asyncio.sleep(WATCH_S)
        finally:
            self._followed.discard(tab)

    def _restore(self) -> None:
        """Write all pages of this process again, and send its calls again."""
        for held in self._held.values():
            held.record = replace(held.record, process=self.process)
            self._spawn(self._publish(held))
        self._spawn(self._look_again(tuple(self._called), has_arrived=True))

    async def _publish(self, held: HeldPage) -> None:
        """Write a page, and report it to those who make calls to its tab."""
        record = held.record
        try:
            for process in await self._directory.put(record):
                letter = {"type": "arrived", "tab": record.tab, "document": record.document}
                await self._directory.send(process, letter)
        except BrokerUnavailable:
            asyncio.get_running_loop().call_later(_AGAIN_S, self.change, held)
        except TooManyPages:
            self.leave(held, is_closed=True)
            raise

    def _spawn(self, work: Coroutine[Any, Any, None], *, is_urgent: bool = False) -> None:
        """Do something beside; not more than a few at a time ask the broker, but for urgent ones."""

        async def done() -> None:
            async with nullcontext() if is_urgent else self._turns:
                try:
                    await work
                except (BrokerUnavailable, TooManyPages):
                    # It is done again, or its page is.
                    pass
                except Exception:
                    _log.exception("a page of a visitor could not be followed")

        task = asyncio.create_task(done())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _record(page: OpenPage) -> PageRecord:
    """Return what is known of a page in the directory."""
    assert isinstance(page.connection, _RemoteLink)
    return page.connection.record


def _place(page: OpenPage) -> tuple[str, str]:
    """Return the process and the document of a page."""
    record = _record(page)
    return record.process, record.document


def _not_open() -> NoPage:
    return NoPage("the page is not open any more", help="look which pages are open")
