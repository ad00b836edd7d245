"""The tools of a page that Playwright drives, and programs that call them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from webagent.errors import InvalidArguments, ToolError
from webagent.page.playwright.code import PlaywrightCode
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.port import Ask, Isolation
from webagent.page.values import encode
from webagent.registry import Binding, ToolRegistry
from webagent.registry.drift import Drift
from webagent.registry.export import describe_tools
from webagent.registry.limits import asker_of_program
from webagent.registry.registry import CallListener
from webagent.results import ExecutionResult, Log
from webagent.types import Manifest

if TYPE_CHECKING:
    from playwright.async_api import Page

    from webagent.diagnostics import Finding


class DrivenPage:
    """A page on one origin, with its registry and the sandbox for its programs."""

    def __init__(
        self,
        page: Page,
        origin: str,
        *,
        on_call: CallListener | None = None,
        ask: Ask | None = None,
    ) -> None:
        """Connect to a page, without a request to it yet.

        Args:
            page: The page.
            origin: The only origin on which its tools are called; on others each call fails.
            on_call: Receives the events of calls.
            ask: Answers the questions of tools.
        """
        port = PlaywrightPage(page, origin=origin)
        self._registry = ToolRegistry(port, on_call=on_call, on_result=self._keep_result)
        self._ask = ask
        self._code = PlaywrightCode(page, origin=origin)
        self._manifest = Manifest()
        self._results: dict[str, tuple[Binding, Any]] = {}

    def use(self, manifest: Manifest) -> None:
        """Use a manifest from now on."""
        if manifest is not self._manifest:
            self._manifest = manifest
            self._results = {}

    async def run(self, code: str, *, isolation: Isolation, timeout_s: float) -> ExecutionResult:
        """Run a program against the tools of the manifest and those of the page.

        Args:
            code: JavaScript or TypeScript.
            isolation: Where it runs.
            timeout_s: Seconds after which it is ended.

        Raises:
            ToolError: The page cannot list its tools.
        """
        await self._registry.bind(self._manifest)
        ask = asker_of_program(self._ask) if self._ask else None
        result = await self._code.run(
            code,
            tools={b.name: b.source.value for b in self._registry.list()},
            call=partial(self._registry.call, for_program=True, ask=ask),
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
            name: Name of the tool.
            arguments: Arguments in the order of its parameters.
            named: All arguments by name, instead.

        Raises:
            ToolError: The page cannot list its tools, or a value cannot be sent to it.
        """
        if named and arguments:
            raise InvalidArguments(
                f"`{name}` was given arguments in order and by name - one call has one way - "
                "write all of them by name, or none",
                tool=name,
            )
        await self._registry.bind(self._manifest)
        if named:
            encoded = {key: encode(value) for key, value in named.items()}
            return await self._registry.invoke(name, encoded, ask=self._ask)
        encoded_list = [encode(value) for value in arguments]
        return await self._registry.call(name, encoded_list, ask=self._ask)

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools as plain data.

        Raises:
            ToolError: The page cannot list its tools.
        """
        await self._registry.bind(self._manifest)
        return [binding.describe() for binding in self._registry.list()]

    async def drift(self) -> list[Finding]:
        """Return the differences between the page and the manifest.

        Raises:
            ToolError: The page cannot list its tools.
        """
        from webagent.parser import read
        from webagent.serializer import to_markdown

        await self._registry.bind(self._manifest)
        reading = read(self._manifest.content or to_markdown(self._manifest))
        drift = Drift(reading.manifest, reading.tools)
        for binding, value in self._results.values():
            drift.check_result(binding, value)
        return drift.findings(self._registry.offers)

    async def close(self) -> None:
        """Close the sandbox for programs; the page itself stays open."""
        await self._code.close()

    def _keep_result(self, binding: Binding, value: Any) -> None:
        """Keep the last value of each tool; it is checked only when `drift` is called."""
        self._results[binding.name] = (binding, value)

    async def _describe(self, name: str | None) -> ExecutionResult:
        value: Any = describe_tools(self._manifest, self._registry.list(), name)
        return ExecutionResult(value)


async def result_on(
    work: Callable[[DrivenPage], Awaitable[ExecutionResult]], page: Awaitable[DrivenPage]
) -> ExecutionResult:
    """Return the result of some work on a page, with an error if the page cannot be used."""
    try:
        return await work(await page)
    except ToolError as error:
        return ExecutionResult(error=error)
