"""The tools of a page that Playwright drives, and programs that are written against them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from webagent.errors import InvalidArguments, ToolError
from webagent.page.playwright.code import PlaywrightCode
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.port import Isolation
from webagent.page.values import encode
from webagent.registry import Binding, ToolRegistry
from webagent.registry.drift import Drift
from webagent.registry.export import describe_tools
from webagent.results import ExecutionResult, Log
from webagent.types import Manifest

if TYPE_CHECKING:
    from playwright.async_api import Page

    from webagent.diagnostics import Finding


class DrivenPage:
    """One page while it is of one origin, with its registry and the place where its programs run."""

    def __init__(self, page: Page, origin: str) -> None:
        """Take a page; nothing is asked of it yet.

        Args:
            page: The page, wherever it is.
            origin: Where its tools are called; elsewhere each call fails.
        """
        port = PlaywrightPage(page, origin=origin)
        self._registry = ToolRegistry(port, on_result=self._hear)
        self._code = PlaywrightCode(page, origin=origin)
        self._manifest = Manifest()
        self._given: dict[str, tuple[Binding, Any]] = {}

    def take(self, manifest: Manifest) -> None:
        """Use a manifest from now on."""
        if manifest is not self._manifest:
            self._manifest = manifest
            self._given = {}

    async def run(self, code: str, *, isolation: Isolation, timeout_s: float) -> ExecutionResult:
        """Run a program against the tools of the manifest and those of the page.

        Args:
            code: JavaScript or TypeScript.
            isolation: Where it runs.
            timeout_s: Seconds after which it is ended.

        Raises:
            ToolError: The page cannot be asked for its tools.
        """
        await self._registry.bind(self._manifest)
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

    async def call(
        self, name: str, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> ExecutionResult:
        """Call a tool with Python values; the result's value is encoded, as that of a program.

        Args:
            name: The tool.
            arguments: As the tool takes them.
            named: All of them by name, instead.

        Raises:
            ToolError: The page cannot be asked for its tools, or a value cannot be sent to it.
        """
        if named and arguments:
            raise InvalidArguments(
                f"`{name}` was given arguments in order and by name - one call has one way - "
                "write all of them by name, or none",
                tool=name,
            )
        await self._registry.bind(self._manifest)
        if named:
            given = {key: encode(value) for key, value in named.items()}
            return await self._registry.invoke(name, given)
        return await self._registry.call(name, [encode(value) for value in arguments])

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools as plain data.

        Raises:
            ToolError: The page cannot be asked for its tools.
        """
        await self._registry.bind(self._manifest)
        return [binding.describe() for binding in self._registry.list()]

    async def drift(self) -> list[Finding]:
        """Return where the page is not what the manifest says.

        Raises:
            ToolError: The page cannot be asked for its tools.
        """
        from webagent.checks import check
        from webagent.serializer import to_markdown

        await self._registry.bind(self._manifest)
        drift = Drift(check(self._manifest.content or to_markdown(self._manifest)))
        for binding, value in self._given.values():
            drift.check_result(binding, value)
        return drift.findings(self._registry.offers)

    async def close(self) -> None:
        """Close what was opened for programs; the page itself stays."""
        await self._code.close()

    def _hear(self, binding: Binding, value: Any) -> None:
        """Keep what each tool gave last; to judge it takes time, and few ask."""
        self._given[binding.name] = (binding, value)

    async def _describe(self, name: str | None) -> ExecutionResult:
        value: Any = describe_tools(self._manifest, self._registry.list(), name)
        return ExecutionResult(value)


async def resulting(
    work: Callable[[DrivenPage], Awaitable[ExecutionResult]], page: Awaitable[DrivenPage]
) -> ExecutionResult:
    """Return the result of what is done with a page, also where that cannot even begin."""
    try:
        return await work(await page)
    except ToolError as error:
        return ExecutionResult(error=error)
