"""Keeps the pages of a headless browser on their origins, and with them what tasks have typed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

from webagent.errors import OriginMismatch
from webagent.urls import origin_of
from webagent_dev.browser.chromium import launch_browser
from webagent_dev.browser.egress_proxy import EgressProxy

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, CDPSession, Page

    from webagent_dev.config.saved_sessions import SavedSession

Typed = Literal["data", "secret"]

NO_WAY_AROUND = tuple(
    f"--{switch}=disable_non_proxied_udp"
    for switch in ("webrtc-ip-handling-policy", "force-webrtc-ip-handling-policy")
)
"""Chromium's switch, with and without a window of its own: WebRTC goes through the proxy or nowhere."""

_BLOCKED, _ABORTED = "BlockedByClient", "Aborted"
"""Errors of Chromium; the first shows an error page, the second leaves the page as it is."""
_FIXED = """Object.defineProperty(window, "webagentTyping", {
  value: window.webagentTyping, writable: false, configurable: false });"""
"""No script of the page can put another function in its place."""
_SAFE_METHODS = ("GET", "HEAD")


def typed_by(action: Mapping[str, Any]) -> Typed | None:
    """Return what an action types into the page; None if it types nothing."""
    match action.get("type"):
        case "search" | "press_key" | "upload":
            return "data"
        case "enter_data":
            entries = action.get("form_data")
            known = entries if isinstance(entries, list) else []
            secret = any(isinstance(entry, Mapping) and entry.get("secret") for entry in known)
            return "secret" if secret else "data"
    return None


class OriginFence:
    """The origins that the pages of one browser profile may reach.

    Documents: only pages of the allowed origins are shown, in the page and in those that it opens.
    Frames show any, but no form is submitted to another origin in one.

    Connections: they go anywhere, until something is typed. Then they go to the origin of the page
    and to the allowed ones, and after a secret only to the origin of the page, until it is left.
    After a secret, the pages that follow reach the allowed origins alone until the task ends.
    """

    def __init__(
        self, allowed: tuple[str, ...], egress: EgressProxy, *, stays: bool = False
    ) -> None:
        """Keep one profile.

        Args:
            allowed: The origins that its pages may show.
            egress: The profile's proxy.
            stays: Whether a page that is kept from an address stays; else it shows an error.
        """
        self.stays = stays
        self._allowed = allowed
        self._egress = egress
        self._home = ""
        self._typed: Typed | None = None
        self._in_task = False
        self._after_secret = False
        self._kept_from: list[str] = []
        self._blocked = asyncio.Event()
        self.blocked_url = ""
        """The last address that the page was kept from; empty once it shows another."""

    def allows(self, url: str) -> bool:
        """Whether a page may show an address."""
        return origin_of(url) in self._allowed

    @contextmanager
    def task(self) -> Iterator[None]:
        """Treat what happens in the block as one task."""
        self._in_task = True
        self._blocked.clear()
        self._kept_from.clear()
        self._egress.refused.clear()
        try:
            yield
        finally:
            self._in_task = self._after_secret = False
            self._restrict()

    def close_for(self, typed: Typed, page_url: str) -> None:
        """Restrict connections: something is about to be typed into a page."""
        self._home = origin_of(page_url)
        if self._typed != "secret":
            self._typed = typed
        self._after_secret = self._after_secret or (self._in_task and typed == "secret")
        self._restrict()

    def left(self) -> None:
        """Loosen the restriction: the page shows another document."""
        self._typed = None
        self._restrict()

    @contextmanager
    def around(self, action: Mapping[str, Any], page_url: str) -> Iterator[None]:
        """Close the fence for an action, if it types.

        Raises:
            OriginMismatch: The page has led to another origin with it, and was kept from there.
        """
        typed = typed_by(action)
        if typed is None:
            yield
            return
        self.close_for(typed, page_url)
        self._blocked.clear()
        try:
            yield
        finally:
            if self._blocked.is_set():
                raise self.refusal(page_url)

    def with_allowed(self, action: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an action of a task with the origins that it may send data to."""
        return {**action, "allow_origin": [*self._allowed]} if typed_by(action) else action

    async def until_blocked(self) -> None:
        """Wait until the page is kept from an address."""
        await self._blocked.wait()

    def refusal(self, page_url: str) -> OriginMismatch:
        """Return the error for the last address that a page was kept from."""
        origin = origin_of(self.blocked_url) or self.blocked_url[:200]
        return OriginMismatch(
            f"the page of `{origin_of(page_url)}` has led to `{origin}`, which is another site: "
            "nothing was sent there",
            help=f"start the server with `--allow-origin {origin}` to go there too",
        )

    def note(self) -> str:
        """Return which requests of the task's pages were refused; empty if none was."""
        refused = dict.fromkeys((*self._kept_from, *self._egress.refused))
        if not refused:
            return ""
        names = ", ".join(f"`{name}`" for name in refused)
        return (
            f"pages of `{self._home}` were kept from {names}, which are other origins - "
            "`--allow-origin` allows them, but with no secret typed"
        )

    def block(self, url: str, *, in_page: bool) -> None:
        """Note a document that was blocked: in the page itself, or in one that it has opened."""
        if in_page:
            self.blocked_url = url
            self._blocked.set()
        else:
            self._kept_from.append(origin_of(url) or url[:200])

    def failure(self, url: str) -> str:
        """Return why the host of an address could not be reached, as Chromium names it."""
        return self._egress.failure(url)

    async def end(self) -> None:
        """End all connections: the profile is gone."""
        await self._egress.close()

    def _restrict(self) -> None:
        if self._typed == "secret":
            self._egress.restrict((self._home,))
        elif self._typed or self._after_secret:
            self._egress.restrict((self._home, *self._allowed))
        else:
            self._egress.restrict(None)


class DocumentFilter:
    """Judges all documents that a browser requests, by its own protocol.

    At the level of the browser, Chromium stops each request before it is sent: redirects too, and
    those of windows that a page has just opened. (Playwright's routes see only the first address of
    a chain of redirects.)
    """

    def __init__(self, session: CDPSession) -> None:
        """Judge the documents of a browser.

        Args:
            session: Of the browser itself.
        """
        self._session = session
        self._fences: dict[str, OriginFence] = {}
        """By the protocol's id of the profile."""
        self._pages: dict[str, tuple[str, bool]] = {}
        """The profile of each page, by the id of its outermost frame; and whether a page opened it."""

    @classmethod
    async def of(cls, browser: Browser) -> DocumentFilter:
        """Begin with a browser."""
        session = await browser.new_browser_cdp_session()
        documents = cls(session)
        session.on("Target.targetCreated", documents._add)
        session.on("Target.targetDestroyed", documents._remove)
        session.on("Fetch.requestPaused", documents._check)
        await session.send("Target.setDiscoverTargets", {"discover": True})
        kinds = [{"resourceType": "Document"}, {"resourceType": "Ping"}]
        await session.send("Fetch.enable", {"patterns": kinds})
        return documents

    async def keep(self, page: Page, fence: OriginFence) -> None:
        """Put a fence around the profile of a page that is still blank.

        An agent inside of the page calls `webagentTyping` before it types. Other scripts may call it
        too, which closes the fence and nothing else.
        """
        session = await page.context.new_cdp_session(page)
        info = await session.send("Target.getTargetInfo")
        self._add(info)
        profile = str(info["targetInfo"]["browserContextId"])
        self._fences[profile] = fence

        async def ended(_: BrowserContext) -> None:
            self._fences.pop(profile, None)
            await fence.end()

        page.context.on("close", ended)

        def navigated(event: dict[str, Any]) -> None:
            if "parentId" not in event["frame"]:
                fence.left()

        def announced(source: Mapping[str, Any], typed: object) -> None:
            if source["page"] == page:
                fence.close_for("secret" if typed == "secret" else "data", page.url)

        await page.expose_binding("webagentTyping", announced)
        await page.add_init_script(_FIXED)
        session.on("Page.frameNavigated", navigated)
        await session.send("Page.enable")

    def _add(self, event: dict[str, Any]) -> None:
        info = event["targetInfo"]
        if info["type"] == "page":
            opened = bool(info.get("openerFrameId") or info.get("openerId"))
            self._pages[info["targetId"]] = info.get("browserContextId", ""), opened

    def _remove(self, event: dict[str, Any]) -> None:
        self._pages.pop(event["targetId"], None)

    async def _check(self, event: dict[str, Any]) -> None:
        from playwright.async_api import Error

        request = {"requestId": event["requestId"]}
        # The page may close meanwhile.
        with suppress(Error):
            if reason := self._blocks(event):
                await self._session.send("Fetch.failRequest", {**request, "errorReason": reason})
            else:
                await self._session.send("Fetch.continueRequest", request)

    def _blocks(self, event: Mapping[str, Any]) -> str:
        """Return the error with which a request is to fail; empty if it is allowed."""
        url, method = str(event["request"]["url"]), event["request"]["method"]
        profile, is_opened = self._pages.get(event["frameId"], (None, False))
        if event["resourceType"] == "Ping":
            # No page waits for an answer to one, and it may be sent after the page was left.
            return "" if self._allowed_anywhere(url) else _BLOCKED
        if profile is None:
            # A frame; the protocol does not say of which profile.
            return "" if method in _SAFE_METHODS or self._allowed_anywhere(url) else _BLOCKED
        fence = self._fences.get(profile)
        if fence is None:
            return ""
        if fence.allows(url):
            if not is_opened:
                fence.blocked_url = ""
            return ""
        fence.block(url, in_page=not is_opened)
        return _ABORTED if fence.stays else _BLOCKED

    def _allowed_anywhere(self, url: str) -> bool:
        return any(fence.allows(url) for fence in self._fences.values())


@asynccontextmanager
async def fenced_page(origin: str, session: SavedSession | None = None) -> AsyncIterator[Page]:
    """Open an empty page that shows documents of one origin only, in a browser of its own.

    Args:
        origin: The origin.
        session: What the profile has from the beginning.

    Raises:
        NoBrowser: Playwright or a browser is missing.
    """
    async with launch_browser(*NO_WAY_AROUND) as browser:
        egress = EgressProxy((origin,))
        context = await browser.new_context(
            proxy={"server": await egress.start()},
            storage_state=session.storage_state if session else None,
        )
        page = await context.new_page()
        documents = await DocumentFilter.of(browser)
        await documents.keep(page, OriginFence((origin,), egress))
        yield page
