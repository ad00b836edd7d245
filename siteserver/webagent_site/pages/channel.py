"""The live channel of a site: one WebSocket for each page that others than its visitor may use."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.websockets import WebSocket, WebSocketDisconnect

from webagent_site.broker.page_directory import PageRecord, TooManyPages
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.request_body import RequestError
from webagent_site.http.sentences import sentence
from webagent_site.http.visitors import Visitors
from webagent_site.pages.connection import PAGE_MESSAGE_BYTES, Connection
from webagent_site.pages.visitor_pages import HeldPage, Reply, VisitorPages
from webagent_site.pages.wire import PageHello, PageRegistry, PageToken, parse_page_message
from webagent_site.text import whole

PROTOCOL = "webagent.1"
"""The only version of the wire; pages offer those that they speak as protocols of the WebSocket."""
TOKEN_S = 10.0
"""How long a page may take to send its token."""
FIRST_BYTES = 4_096
"""Limit of the first message."""
REGISTRY_BYTES = 1 << 20
"""Limit of the tools of a page."""
LONGEST_SECRET = 200
_LONGEST_TEXT = 2_000
_LONGEST_NAME = 64
_STATES = ("idle", "starting", "ready", "failed")

REFUSED = 4403
"""Close code for a page that has no valid token; it gets a new one before it connects again."""
TOO_MANY = 4429
"""Close code for a visitor with too many open pages."""
_LEFT = (1000, 1001)
"""Close codes of a browser whose page was left."""


class PageChannel:
    """Answers at `/__webagent__/pages`."""

    def __init__(self, visitors: Visitors, pages: VisitorPages) -> None:
        """Serve the pages of a site's visitors.

        Args:
            visitors: Checks the tokens of pages.
            pages: The open ones.
        """
        self._visitors = visitors
        self._pages = pages

    async def endpoint(self, websocket: WebSocket) -> None:
        """Serve one page until it leaves."""
        if PROTOCOL not in websocket.scope.get("subprotocols", ()):
            await websocket.send_denial_response(
                sentence(f"the page does not speak `{PROTOCOL}` - reload the page", 400)
            )
            return
        await websocket.accept(PROTOCOL)
        try:
            async with asyncio.timeout(TOKEN_S):
                visitor, tab = await self._visitor(websocket)
        except TimeoutError:
            await websocket.close(REFUSED, "no token came")
            return
        except RequestError as error:
            await websocket.close(REFUSED, _reason(str(error)))
            return
        except WebSocketDisconnect:
            return
        session = _PageSession(self._pages, visitor, tab)
        code = 0

        async def receive() -> None:
            nonlocal code
            while True:
                message = await websocket.receive()
                if message["type"] == "websocket.disconnect":
                    code = message.get("code", 0)
                    return
                text = message.get("text")
                if text and len(text) <= PAGE_MESSAGE_BYTES:
                    await session.handle(text)

        async def send() -> None:
            try:
                while True:
                    await websocket.send_text(await session.connection.next())
            except (WebSocketDisconnect, RuntimeError):
                # The page has closed the connection meanwhile.
                return

        try:
            await run_until_first_done(
                receive(), send(), session.connection.lost(), expected=WebSocketDisconnect
            )
        except TooManyPages:
            await websocket.close(TOO_MANY, "this visitor has too many open pages")
        finally:
            session.end(is_closed=code in _LEFT)

    async def _visitor(self, websocket: WebSocket) -> tuple[str, str]:
        """Return the visitor and the tab of a page, by its first message.

        Raises:
            RequestError: It is not a page of this site, or its token is not valid.
        """
        # For functions of the site that take requests.
        request = Request({**websocket.scope, "type": "http", "method": "GET"})
        received = await websocket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1005))
        text = received.get("text") or ""
        message = parse_page_message(text) if len(text) <= FIRST_BYTES else None
        if not isinstance(message, PageToken) or not 16 <= len(message.secret) <= LONGEST_SECRET:
            raise RequestError(403, "invalid_page_token", "the first message is not a token")
        visitor = await self._visitors.visitor(request, message.token)
        return visitor, self._visitors.tab(visitor, message.secret)


class _PageSession:
    """The messages of one page, from its greeting to its end."""

    def __init__(self, pages: VisitorPages, visitor: str, tab: str) -> None:
        self.connection = Connection()
        self._pages = pages
        self._visitor = visitor
        self._tab = tab
        self._held: HeldPage | None = None

    async def handle(self, text: str) -> None:
        """Handle a message; the first is the greeting, and what is malformed is ignored.

        Raises:
            TooManyPages: The visitor has too many.
        """
        message = parse_page_message(text)
        held = self._held
        if isinstance(message, PageHello):
            await self._greet(_checked(message))
        elif held is None:
            return
        elif isinstance(message, PageRegistry):
            if message.state in _STATES and len(text) <= REGISTRY_BYTES:
                self._pages.change(held, state=message.state, tools=message.tools)
        elif isinstance(message, Reply):
            self._pages.forward(held, message, text)

    async def _greet(self, hello: PageHello) -> None:
        held = self._held
        said: dict[str, Any] = {
            "url": hello.url,
            "title": hello.title,
            **({"used": time.time()} if hello.focused else {}),
        }
        if held is None:
            self._held = await self._pages.join(self._record(hello), self.connection)
        elif self._pages.holds(held):
            self._pages.change(held, **said)
        elif hello.focused:
            # A copy of a tab has its secret, too: calls go to the one in front.
            self._held = await self._pages.join(replace(held.record, **said), self.connection)

    def _record(self, hello: PageHello) -> PageRecord:
        return PageRecord(
            self._tab,
            hello.document_id,
            "",
            self._visitor,
            hello.url,
            hello.title,
            hello.version,
            "idle",
        )

    def end(self, *, is_closed: bool) -> None:
        """Remove the page."""
        if self._held:
            self._pages.leave(self._held, is_closed=is_closed)


def _checked(hello: PageHello) -> PageHello:
    """Return a greeting whose texts are short and whole, without an address that is not one."""
    url = hello.url[:_LONGEST_TEXT]
    try:
        urlsplit(url)
    except ValueError:
        url = ""
    return replace(
        hello,
        document_id=whole(hello.document_id[:_LONGEST_NAME]),
        url=whole(url),
        title=whole(hello.title[:_LONGEST_TEXT]),
        version=whole(hello.version[:_LONGEST_NAME]),
    )


def _reason(text: str) -> str:
    """Return the reason of a close; the protocol allows 123 bytes."""
    return text.encode()[:120].decode(errors="ignore")
