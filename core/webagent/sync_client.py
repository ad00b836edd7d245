"""`AgentClient` for synchronous pages of Playwright, as tests use them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from webagent.client import AgentClient, ManifestHolder, as_expression, error_text, value_text
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

    Its methods are documented there.

    Use it as `with SyncAgentClient() as agent:`, or call `close()` at the end.
    """

    def __init__(self, *, timeout: float = 30.0) -> None:
        """Create a client.

        Args:
            timeout: Seconds that a request may take.
        """
        super().__init__()
        self._timeout_s = timeout
        self._closed = False
        self._pages = AgentClient()
        self._last_page: Page | None = None

    def detect(self, page_url: str) -> Manifest | None:
        """Load the manifest of a page; return None, and load nothing, if it has none."""
        return self._in_thread(lambda client: client.detect(page_url), keep=True)

    def detect_url(self, page_url: str) -> str | None:
        """Return the address of the manifest of a page, or None, without loading it."""
        return self._in_thread(lambda client: client.detect_url(page_url))

    def load(self, manifest_url: str) -> Manifest:
        """Load the manifest at an address; it belongs to the origin of that address."""
        return self._in_thread(lambda client: client.load(manifest_url), keep=True)

    def execute(self, page: Page, code: str) -> str:
        """Run code in a page and return the result as text."""
        try:
            return value_text(page.evaluate(as_expression(code, self._origin)))
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
        """Run a program in which `global` holds the tools of a page; the result has its failures."""
        from webagent.page.playwright.sync import run_on_page

        return run_on_page(
            page,
            lambda async_page: self._on(page).run_code(
                async_page, code, isolation=isolation, timeout_s=timeout_s
            ),
        )

    def call(self, page: Page, name: str, /, *arguments: Any, **named: Any) -> ExecutionResult:
        """Call a tool of a page, with its arguments in order or all by name."""
        from webagent.page.playwright.sync import run_on_page

        return run_on_page(
            page, lambda async_page: self._on(page).call(async_page, name, *arguments, **named)
        )

    def tools(self, page: Page) -> list[dict[str, Any]]:
        """Return all tools of a page, each with whether it can be called now."""
        from webagent.page.playwright.sync import run_on_page

        return run_on_page(page, lambda async_page: self._on(page).tools(async_page))

    def drift(self, page: Page) -> Sequence[Finding]:
        """Return the differences between a page and the loaded manifest: functions and results."""
        from webagent.page.playwright.sync import run_on_page

        self._loaded()
        return run_on_page(page, lambda async_page: self._on(page).drift(async_page))

    def close(self) -> None:
        """Close the pages for programs; the manifest stays."""
        from webagent.page.playwright.sync import run_on_page

        self._closed = True
        page, self._last_page = self._last_page, None
        if page is None:
            return
        from playwright.sync_api import Error

        with suppress(Error):
            # If the browser was closed, everything in it is gone already.
            run_on_page(page, lambda async_page: self._pages.close())

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
        """Return the asynchronous client, with the manifest of this one."""
        self._last_page = page
        self._pages._hold(self._manifest, self._origin)
        return self._pages

    def _in_thread(
        self,
        work: Callable[[AgentClient], Coroutine[Any, Any, _Answer]],
        *,
        keep: bool = False,
    ) -> _Answer:
        """Run a method in another thread, since Playwright's event loop may run in this one.

        Args:
            work: The method.
            keep: Whether to use the manifest that it loads.
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
