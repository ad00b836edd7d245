"""The tools of the page that a test has open, to be called like functions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from webagent.checks import Report, check
from webagent.codegen.types_section import shared_types
from webagent.errors import OriginMismatch, ToolError
from webagent.page.values import decode
from webagent.results import ExecutionResult
from webagent.schema import Mismatch, check_schema, result_mismatches
from webagent.serializer import to_markdown
from webagent.sync_client import SyncAgentClient
from webagent_dev.testing.asserting import ProgramFailed, ResultMismatch, ToolCallFailed, written

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from webagent.page.port import Isolation

_LATE_S = 5.0
"""How long a tool may take to be there, after the page was loaded."""
_LOOK_MS = 50


class PageTools:
    """The tools of a page: `tools.searchBooks("harbour")` calls one and gives its value.

    The result of a call is compared with its declared type. `tools["name"]` is the same for
    names that are not identifiers, or that this class has itself.

    Attributes:
        made: The calls so far, each in words, for the report of a failure.
    """

    def __init__(self, page: Page, client: SyncAgentClient) -> None:
        """Call tools of a page with a client that has its manifest."""
        self.made: list[str] = []
        self._page = page
        self._client = client
        self._there: set[tuple[str, str]] = set()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return the tool of that name, as a function of its arguments."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """Return the tool of that name, as a function of its arguments.

        The function raises `ToolCallFailed`, or `ResultMismatch` for a value of another type than
        is declared.
        """

        def tool(*arguments: Any, **named: Any) -> Any:
            __tracebackhide__ = True
            return self._value(name, arguments, named)

        return tool

    @property
    def names(self) -> list[str]:
        """The names of all tools that can be called on this page now."""
        return [tool["name"] for tool in self.listed() if tool["available"]]

    def listed(self) -> list[dict[str, Any]]:
        """Return all tools as plain data, as `webagent.tools()` does in the page."""
        return self._client.tools(self._page)

    def result(self, name: str, /, *arguments: Any, **named: Any) -> ExecutionResult:
        """Call a tool and return its result, whatever that is: nothing is raised, nothing compared."""
        self._await(name)
        result = self._client.call(self._page, name, *arguments, **named)
        how = "ok" if result.error is None else result.error.kind
        call = written(name, named or arguments)
        self.made.append(f"{call} → {how}, {result.duration_ms:.0f} ms")
        return result

    def fails(
        self, name: str, /, *arguments: Any, kind: str | None = None, **named: Any
    ) -> ToolError:
        """Call a tool that must fail, and return how it did.

        Args:
            name: The tool.
            arguments: As it takes them.
            kind: How it must fail, such as `threw` or `not_logged_in`; None for any way.
            named: By the names of its parameters.

        Raises:
            AssertionError: It did not fail, or in another way.
        """
        __tracebackhide__ = True
        result = self.result(name, *arguments, **named)
        call = written(name, named or arguments)
        if result.error is None:
            given = written("", [decode(result.value)])[1:-1]
            raise AssertionError(f"`{call}` should have failed, and gave {given}")
        if kind is not None and result.error.kind != kind:
            raise ToolCallFailed(call, result.error, declared=f"(expected to fail with `{kind}`)")
        return result.error

    def run(self, code: str, *, isolation: Isolation = "sandbox", timeout_s: float = 30.0) -> Any:
        """Run a program against the tools and return its value.

        Args:
            code: JavaScript or TypeScript, in which `global` has the tools.
            isolation: `sandbox`: where it can do nothing but call tools; `page`: in the page itself.
            timeout_s: Seconds after which it is ended.

        Raises:
            ProgramFailed: It failed.
        """
        __tracebackhide__ = True
        result = self._client.run_code(self._page, code, isolation=isolation, timeout_s=timeout_s)
        self.made += [f"{written(c.name, c.arguments)} (of a program)" for c in result.calls]
        if result.error is not None:
            raise ProgramFailed(code, result)
        return decode(result.value)

    def assert_as_declared(self) -> None:
        """Fail where the page is not what its manifest says: missing functions, their parameters.

        Earlier results are judged too.

        Raises:
            AssertionError: It is not; every place is named.
        """
        __tracebackhide__ = True
        for tool in self._report.manifest.tools:
            if not tool.behavior.paths:
                self._await(tool.name)
        found = [one for one in self._client.drift(self._page) if one.severity.value != "info"]
        if found:
            lines = (f"\n  {self._line(one.span.start)}: {one.message}" for one in found)
            raise AssertionError(f"the page is not what its manifest says:{''.join(lines)}")

    def _value(self, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        __tracebackhide__ = True
        result = self.result(name, *arguments, **named)
        call = written(name, named or arguments)
        if result.error is not None:
            raise ToolCallFailed(call, result.error, declared=self._declared(name))
        if found := self._mismatches(name, result.value):
            value = decode(result.value)
            raise ResultMismatch(call, value, found, self._declared(name))
        return decode(result.value)

    def _await(self, name: str) -> None:
        """Wait for a tool whose script comes late; one that is missing even then fails in its call."""
        if (self._page.url, name) in self._there:
            return
        end = time.monotonic() + _LATE_S
        while time.monotonic() < end:
            try:
                if name in self.names:
                    self._there.add((self._page.url, name))
                    return
            except OriginMismatch:
                return
            except ToolError:
                # The page is on its way to another.
                pass
            self._page.wait_for_timeout(_LOOK_MS)

    def _mismatches(self, name: str, value: Any) -> list[Mismatch]:
        tool = self._report.manifest.get_tool(name)
        if tool is not None:
            types = shared_types(self._report.manifest)
            return result_mismatches(tool, value, types=types).mismatches
        listed = next((one for one in self.listed() if one["name"] == name), {})
        schema = listed.get("output_schema")
        return check_schema(value, schema) if schema else []

    def _declared(self, name: str) -> str:
        """Return what is declared of a tool, and where."""
        for tool, place in zip(self._report.manifest.tools, self._report.tools, strict=True):
            if tool.name == name:
                params = (f"{p.name}{'' if p.required else '?'}: {p.type}" for p in tool.params)
                returns = " ".join(tool.returns.split()) or "unknown"
                line = self._line(place.name.start)
                return f"{name}({', '.join(params)}): Promise<{returns}>\n{line}"
        return ""

    def _line(self, offset: int) -> str:
        source = self._report.source
        return f"{source.path}:{source.position(offset).line}"

    @cached_property
    def _report(self) -> Report:
        manifest = self._client.manifest
        if manifest is None:
            return check("")
        return check(manifest.content or to_markdown(manifest))
