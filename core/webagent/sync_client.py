"""`AgentClient` for pages of Playwright's synchronous interface, as tests have them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from webagent.client import AgentClient, ManifestHolder, as_text, error_text, wrapped
from webagent.types import Manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Page

    from webagent.diagnostics import Finding
    from webagent.page.port import Isolation
    from webagent.results import ExecutionResult

__all__ = ["SyncAgentClient"]

_Answer = TypeVar("_Answer")


class SyncAgentClient(ManifestHolder):
    """Holds the manifest of one site; `AgentClient` for programs without `await`.

    What its methods do, take, give and raise is said there.

    Use it as `with SyncAgentClient() as agent:`, or call `close()` in the end.
    """

    def __init__(self, *, timeout: float = 30.0) -> None:
        """Make a client.

        Args:
            timeout: Seconds that a request may take.
        """
        super().__init__()
        self._timeout_s = timeout
        self._closed = False
        self._pages = AgentClient()
        self._last_page: Page | None = None

    def detect(self, page_url: str) -> Manifest | None:
        """Load the manifest of a page; None, and nothing loaded, if it has none."""
        return self._asked(lambda client: client.detect(page_url), keep=True)

    def detect_url(self, page_url: str) -> str | None:
        """Return the address of the manifest of a page, None if it has none; loads nothing."""
        return self._asked(lambda client: client.detect_url(page_url))

    def load(self, manifest_url: str) -> Manifest:
        """Load the manifest at an address; it belongs to the origin of that."""
        return self._asked(lambda client: client.load(manifest_url), keep=True)

    def execute(self, page: Page, code: str) -> str:
        """Run code in a page and return the result as text."""
        try:
            return as_text(page.evaluate(wrapped(code, self._origin)))
        except Exception as error:
            return error_text(error)

    def run_code(
        self,
        page: Page,
        code: str,
        *,
        isolation: Isolation = "sandbox",
        timeout_s: float = 30.0,
    ) -> ExecutionResult:
        """Run a program in which `global` holds the tools of a page; never raises for what it does."""
        from webagent.page.playwright.sync import waited_for

        return waited_for(
            page,
            lambda seen: self._on(page).run_code(
                seen, code, isolation=isolation, timeout_s=timeout_s
            ),
        )

    def call(self, page: Page, name: str, /, *arguments: Any, **named: Any) -> ExecutionResult:
        """Call a tool of a page, with its arguments in order or all by name; never raises for it."""
        from webagent.page.playwright.sync import waited_for

        return waited_for(page, lambda seen: self._on(page).call(seen, name, *arguments, **named))

    def tools(self, page: Page) -> list[dict[str, Any]]:
        """Return all tools of a page, each with whether it can be called now."""
        from webagent.page.playwright.sync import waited_for

        return waited_for(page, lambda seen: self._on(page).tools(seen))

    def drift(self, page: Page) -> Sequence[Finding]:
        """Return where a page is not what the loaded manifest says: functions, and what calls gave."""
        from webagent.page.playwright.sync import waited_for

        self._loaded()
        return waited_for(page, lambda seen: self._on(page).drift(seen))

    def close(self) -> None:
        """Close what was opened for programs; the manifest stays."""
        from webagent.page.playwright.sync import waited_for

        self._closed = True
        page, self._last_page = self._last_page, None
        if page is None:
            return
        from playwright.sync_api import Error

        with suppress(Error):
            # With the browser everything in it has gone already.
            waited_for(page, lambda seen: self._pages.close())

    def __enter__(self) -> SyncAgentClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _on(self, page: Page) -> AgentClient:
        """Return what drives pages, with the manifest of this client."""
        self._last_page = page
        self._pages._hold(self._manifest, self._origin)
        return self._pages

    def _asked(
        self,
        work: Callable[[AgentClient], Coroutine[Any, Any, _Answer]],
        *,
        keep: bool = False,
    ) -> _Answer:
        """Do what sends requests, in a thread: Playwright's event loop may run in this one.

        Args:
            work: It.
            keep: Whether the manifest that is loaded there is this client's from now on.
        """
        if self._closed:
            raise RuntimeError("the client is closed - make a new SyncAgentClient")
        if keep:
            self._hold(None, None)

        async def whole() -> tuple[_Answer, Manifest | None, str | None]:
            async with AgentClient(timeout=self._timeout_s) as client:
                return await work(client), client.manifest, client.origin

        with ThreadPoolExecutor(1) as thread:
            answer, manifest, origin = thread.submit(asyncio.run, whole()).result()
        if keep:
            self._hold(manifest, origin)
        return answer
