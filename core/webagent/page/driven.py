"""The tools of a page that Playwright drives, and programs that are written against them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webagent.errors import ToolError
from webagent.page.playwright import PlaywrightPage
from webagent.page.playwright_code import PlaywrightCode
from webagent.page.port import Isolation
from webagent.registry import ToolRegistry
from webagent.registry.declarations import described
from webagent.results import ExecutionResult, Log
from webagent.types import Manifest

if TYPE_CHECKING:
    from playwright.async_api import Page


class DrivenPage:
    """One page, with its registry and the place where its programs run."""

    def __init__(self, page: Page) -> None:
        """Take a page; nothing is asked of it yet."""
        self._registry = ToolRegistry(PlaywrightPage(page))
        self._code = PlaywrightCode(page)
        self._manifest = Manifest()

    async def run(
        self, code: str, manifest: Manifest, *, isolation: Isolation, timeout_s: float
    ) -> ExecutionResult:
        """Run a program against the tools of a manifest and those of the page.

        Args:
            code: JavaScript or TypeScript.
            manifest: The site's.
            isolation: Where it runs.
            timeout_s: Seconds after which it is ended.
        """
        try:
            self._manifest = manifest
            await self._registry.bind(manifest)
        except ToolError as error:
            return ExecutionResult(error=error)
        result = await self._code.run(
            code,
            tools={b.name: b.source.value for b in self._registry.list()},
            call=self._registry.call,
            isolation=isolation,
            timeout_s=timeout_s,
            describe=self._describe,
        )
        texts = self._registry.secrets.mask([log.text for log in result.logs])
        logs = [Log(log.level, text) for log, text in zip(result.logs, texts, strict=True)]
        return replace(result, logs=tuple(logs))

    async def close(self) -> None:
        """Close what was opened for programs; the page itself stays."""
        await self._code.close()

    async def _describe(self, name: str | None) -> ExecutionResult:
        value: Any = described(self._manifest, self._registry.list(), name)
        return ExecutionResult(value)
