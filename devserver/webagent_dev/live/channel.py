"""The live channel: one WebSocket for each page, over which it hears of every save."""

from __future__ import annotations

import asyncio
import re
import secrets

from starlette.websockets import WebSocket, WebSocketDisconnect

from webagent_dev import __version__
from webagent_dev.config.model import ServeConfig
from webagent_dev.http.first_done import until_first
from webagent_dev.http.pages import sentence
from webagent_dev.live.hub import Connection, Hub
from webagent_dev.live.messages import (
    PAGE_MESSAGE_BYTES,
    Hello,
    PageDrift,
    PageError,
    PageEvent,
    PageHello,
    PageLog,
    PageProgress,
    PageQuestion,
    PageRegistry,
    PageResult,
    Reload,
    ServerMessage,
    parse_page_message,
    serialize,
)
from webagent_dev.live.open_pages import OpenPage, OpenPages
from webagent_dev.live.page_console import DriftReport, OfferReport, PageLogReport
from webagent_dev.live.relay import Relay
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, printable

_REMEMBERED_TABS = 256
LONGEST_CALLER = 100
"""Characters of who asks, as pages say it."""
_NUMBER = re.compile(r"[0-9]{1,15}")


class Live:
    """Answers at `/__webagent__/live`."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        hub: Hub,
        console: Console,
        pages: OpenPages,
        relay: Relay,
        timeline: Timeline,
        *,
        build: str,
        ending: asyncio.Event,
    ) -> None:
        self._ending = ending
        self._pages = pages
        self._relay = relay
        self._timeline = timeline
        self._config = config
        self._site = site
        self._hub = hub
        self._console = console
        self._build = build
        self._told_to_reload: dict[str, None] = {}
        self._last_error = ""
        self._drift = DriftReport(console)
        self._offers = OfferReport(console, site)
        self._log = PageLogReport(console) if config.forward_console else None

    async def endpoint(self, websocket: WebSocket) -> None:
        """Talk to one page until it leaves; without the token it gets no connection at all."""
        if not self._has_token(websocket):
            await websocket.send_denial_response(
                sentence(
                    "the live channel opens only with the token that is in the page - "
                    "the server may have been restarted since - reload the page",
                    403,
                )
            )
            return
        await websocket.accept()
        await self._site.checked.wait()
        connection = self._hub.join()
        try:
            state = self._site.state
            hello = Hello(
                version=__version__,
                build=self._build,
                manifest_path=state.manifest_path,
                seq=self._hub.seq,
            )
            # First what was missed: only the greeting tells the page that it has now seen all.
            for message in self._missed(websocket):
                connection.put(serialize(message))
            connection.put(serialize(hello))
            connection.put(serialize(self._site.findings_message()))
            await until_first(
                self._receive(websocket, connection),
                self._send(websocket, connection),
                connection.lost(),
                expected=WebSocketDisconnect,
            )
        finally:
            self._hub.leave(connection)
            page = self._pages.leave(connection)
            # Calls end with the server then, and not for a reason that is none.
            if page and not self._ending.is_set():
                self._relay.gone(page)

    def _missed(self, websocket: WebSocket) -> list[ServerMessage]:
        """Return what happened since the page was made, or since it was last connected."""
        seen = websocket.query_params.get("seen", "")
        return self._hub.missed(int(seen)) if _NUMBER.fullmatch(seen) else []

    def _has_token(self, websocket: WebSocket) -> bool:
        tokens = websocket.query_params.getlist("token")
        expected = self._config.page_token.encode()
        return len(tokens) == 1 and secrets.compare_digest(
            tokens[0].encode("utf-8", "replace"), expected
        )

    async def _send(self, websocket: WebSocket, connection: Connection) -> None:
        try:
            while True:
                await websocket.send_text(await connection.next())
        except (WebSocketDisconnect, RuntimeError):
            # The channel was closed below us, by the page or for a message that was too long.
            return

    async def _receive(self, websocket: WebSocket, connection: Connection) -> None:
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text and len(text) <= PAGE_MESSAGE_BYTES:
                self._take(text, connection)

    def _take(self, text: str, connection: Connection) -> None:
        message = parse_page_message(text)
        if isinstance(message, PageHello):
            self._greet(message, connection)
            return
        page = self._pages.of(connection)
        if page is None:
            # Not from our script, which says first who it is.
            return
        match message:
            case PageRegistry() as registry:
                self._pages.offer(registry, connection)
                self._offers.hear(registry)
            case PageResult() | PageProgress() | PageQuestion() as told:
                self._relay.take(told, page)
            case PageEvent() as event:
                self._hear(event, page)
                if self._log:
                    self._log.event(event)
            case PageLog() as log:
                detail = {
                    "level": log.level,
                    "text": log.text,
                    "place": log.place,
                    "count": log.count,
                }
                self._timeline.add("log", page.page_id, detail)
                if self._log:
                    self._log.log(log)
            case PageError() as error:
                detail = {"phase": error.phase, "message": error.message}
                self._timeline.add("error", page.page_id, detail)
                shown = f"{printable(error.phase)}: {printable(error.message)}"
                # A page that fails on every reload says it once.
                if shown != self._last_error:
                    self._last_error = shown
                    self._console.labelled("page", shown, "red")
            case PageDrift() as drift:
                self._drift.show(drift)
            case None:
                # Of a newer version of the wire, or not from our script; nothing depends on it.
                return

    def _greet(self, hello: PageHello, connection: Connection) -> None:
        """Take in a page; one that still runs the scripts of another version gets the current ones."""
        known = self._pages.of(connection)
        page = self._pages.greet(hello, connection)
        if known is None:
            self._relay.arrived(page)
        if hello.version == __version__ or page.hello.page_id in self._told_to_reload:
            return
        self._told_to_reload[page.hello.page_id] = None
        if len(self._told_to_reload) > _REMEMBERED_TABS:
            del self._told_to_reload[next(iter(self._told_to_reload))]
        reason = f"the page runs webagent {page.hello.version}, the server is {__version__}"
        connection.put(serialize(Reload(reason=reason, path=None)))

    def _hear(self, event: PageEvent, page: OpenPage) -> None:
        """Keep what happened, and tell who waits for it."""
        self._relay.take(event, page)
        detail = event.detail
        if event.name == "call":
            key = f"{page.hello.document_id}:{detail.get('id')}"
            caller = str(detail.get("caller", ""))[:LONGEST_CALLER]
            self._timeline.add("call", page.page_id, detail, key=key, caller=caller)
        elif event.name == "agent":
            run_id = str(detail.get("run_id"))
            caller = self._relay.caller_of(page, run_id)
            self._timeline.add("agent", page.page_id, detail, key=run_id, caller=caller)
