"""The live channel: one WebSocket for each page, which receives every save over it."""

from __future__ import annotations

import asyncio
import re
import secrets
from typing import Protocol

from starlette.websockets import WebSocket, WebSocketDisconnect

from webagent_dev import __version__
from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.live.messages import Hello, Reload, ServerMessage, current_findings
from webagent_dev.live.open_pages import OpenPages
from webagent_dev.live.timeline import Timeline
from webagent_dev.site.state import Site
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.sentences import sentence
from webagent_site.pages.connection import PAGE_MESSAGE_BYTES, Connection, serialize
from webagent_site.pages.open_page import OpenPage
from webagent_site.pages.relay import Relay
from webagent_site.pages.wire import (
    PageDrift,
    PageError,
    PageEvent,
    PageHello,
    PageLog,
    PageProgress,
    PageQuestion,
    PageRegistry,
    PageResult,
    parse_page_message,
)

_REMEMBERED_TABS = 256
LONGEST_CALLER = 100
"""Characters of the name of a caller, as pages send it."""
_NUMBER = re.compile(r"[0-9]{1,15}")


class PageListener(Protocol):
    """Receives the reports of pages that have introduced themselves."""

    def error(self, error: PageError) -> None:
        """Receive the failure of a page's runtime."""

    def drift(self, drift: PageDrift) -> None:
        """Receive the differences between a page and the manifest."""

    def registry(self, registry: PageRegistry) -> None:
        """Receive the tools that a page offers."""

    def log(self, log: PageLog) -> None:
        """Receive a line of a page's log, or an uncaught error."""

    def event(self, event: PageEvent) -> None:
        """Receive an event of `window.webagent`."""


class Live:
    """The endpoint `/__webagent__/live`."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        hub: Hub,
        pages: OpenPages,
        relay: Relay,
        timeline: Timeline,
        listener: PageListener,
        *,
        build: str,
        ending: asyncio.Event,
    ) -> None:
        """Serve the pages of one site.

        Args:
            config: Has the token of pages.
            site: The state of its manifest.
            hub: Broadcasts to all pages.
            pages: The open ones.
            relay: Makes calls to them.
            timeline: Where events of pages are kept.
            listener: Receives the reports of pages, too.
            build: Build of the page bundle that is served, empty when there is none.
            ending: Set when the server begins to end.
        """
        self._ending = ending
        self._pages = pages
        self._relay = relay
        self._timeline = timeline
        self._config = config
        self._site = site
        self._hub = hub
        self._build = build
        self._reloaded_tabs: dict[str, None] = {}
        self._listener = listener

    async def endpoint(self, websocket: WebSocket) -> None:
        """Serve one page until it leaves; without the token it gets no connection."""
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
            # Missed broadcasts come first: after the greeting the page assumes that it has seen everything.
            for message in self._missed(websocket):
                connection.put(serialize(message))
            connection.put(serialize(hello))
            connection.put(serialize(current_findings(self._site)))
            await run_until_first_done(
                self._receive(websocket, connection),
                self._send(websocket, connection),
                connection.lost(),
                expected=WebSocketDisconnect,
            )
        finally:
            self._hub.leave(connection)
            page = self._pages.leave(connection)
            # When the server ends, its calls end with it, and not because a page went away.
            if page and not self._ending.is_set():
                self._relay.page_gone(page)

    def _missed(self, websocket: WebSocket) -> list[ServerMessage]:
        """Return the broadcasts since the page was sent, or since it was last connected."""
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
            # The connection was closed meanwhile, by the page or because of a message that is too long.
            return

    async def _receive(self, websocket: WebSocket, connection: Connection) -> None:
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if text and len(text) <= PAGE_MESSAGE_BYTES:
                self._handle(text, connection)

    def _handle(self, text: str, connection: Connection) -> None:
        message = parse_page_message(text)
        if isinstance(message, PageHello):
            self._register(message, connection)
            return
        page = self._pages.by_connection(connection)
        if page is None:
            # Not from our script, which introduces itself first.
            return
        match message:
            case PageRegistry() as registry:
                self._pages.set_registry(registry, connection)
                self._listener.registry(registry)
            case PageResult() | PageProgress() | PageQuestion() as reply:
                self._relay.receive(reply, page)
            case PageEvent() as event:
                self._record(event, page)
                self._listener.event(event)
            case PageLog() as log:
                detail = {
                    "level": log.level,
                    "text": log.text,
                    "place": log.place,
                    "count": log.count,
                }
                self._timeline.add("log", page.page_id, detail)
                self._listener.log(log)
            case PageError() as error:
                detail = {"phase": error.phase, "message": error.message}
                self._timeline.add("error", page.page_id, detail)
                self._listener.error(error)
            case PageDrift() as drift:
                self._pages.set_drift(drift, connection)
                self._listener.drift(drift)
            case None:
                # From a newer version of the page, or not from our script; nothing depends on it.
                return

    def _register(self, hello: PageHello, connection: Connection) -> None:
        """Register a page; it has to reload if it runs the scripts of another version."""
        known = self._pages.by_connection(connection)
        page = self._pages.register(hello, connection)
        if known is None:
            self._relay.page_arrived(page)
        if hello.version == __version__ or page.hello.page_id in self._reloaded_tabs:
            return
        self._reloaded_tabs[page.hello.page_id] = None
        if len(self._reloaded_tabs) > _REMEMBERED_TABS:
            del self._reloaded_tabs[next(iter(self._reloaded_tabs))]
        reason = f"the page runs webagent {page.hello.version}, the server is {__version__}"
        connection.put(serialize(Reload(reason=reason, path=None)))

    def _record(self, event: PageEvent, page: OpenPage) -> None:
        """Add an event to the timeline, and pass it on to its caller."""
        self._relay.receive(event, page)
        detail = event.detail
        if event.name == "call":
            key = f"{page.hello.document_id}:{detail.get('id')}"
            caller = str(detail.get("caller", ""))[:LONGEST_CALLER]
            self._timeline.add("call", page.page_id, detail, key=key, caller=caller)
        elif event.name == "agent":
            run_id = str(detail.get("run_id"))
            caller = self._relay.caller_of(page, run_id)
            self._timeline.add("agent", page.page_id, detail, key=run_id, caller=caller)
