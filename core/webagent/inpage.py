"""The Python side of `window.webagent`: the one module the page's script imports.

Everything crosses the border as JSON strings: at a megabyte that is 2.5 times cheaper than
converting objects.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from webagent.checks import Report, check
from webagent.codegen import generate_typescript
from webagent.page.pyodide import Bridge, PyodidePage, run_python
from webagent.registry import ExecutionResult, ToolRegistry
from webagent.registry.registry import DEFAULT_TIMEOUT_S
from webagent.registry.values import decode, encode
from webagent.serializer import to_markdown
from webagent.types import Manifest


class InPage:
    """The agent's runtime inside a page: its manifest, its tools, its Python."""

    def __init__(self, bridge: Bridge) -> None:
        """Create a runtime without tools; `load_manifest` brings them."""
        self._bridge = bridge
        self._report: Report = check("")
        self._registry = ToolRegistry(PyodidePage(bridge), on_call=self._announce_call)
        self._namespace: dict[str, Any] = {"page": PageApi(self._registry)}

    def load_manifest(self, text: str, path: str) -> str:
        """Take `text` as the page's manifest; return `{"tools_changed", "findings"}`."""
        self._report = check(text, path=path)
        changed = self._registry.bind(self._manifest)
        return json.dumps(
            {"tools_changed": changed, "findings": self._report.to_dict()["findings"]}
        )

    def manifest(self) -> str:
        """Return the manifest as JSON."""
        return self._manifest.model_dump_json()

    def typescript(self) -> str:
        """Return the declarations that a model writes code against."""
        return generate_typescript(self._manifest)

    def to_markdown(self) -> str:
        """Return the manifest written anew as Markdown."""
        return to_markdown(self._manifest)

    def names(self) -> str:
        """Return the names of all tools as JSON."""
        return json.dumps(self._registry.names())

    async def tools(self) -> str:
        """Return all tools as JSON, each with whether the page has its function now."""
        return json.dumps(await self._registry.describe())

    async def call(self, name: str, arguments: str) -> str:
        """Call a tool with a JSON list of encoded arguments; return the result as JSON."""
        result = await self._registry.call(name, json.loads(arguments))
        return json.dumps(result.to_dict())

    async def invoke(self, name: str, arguments: str) -> str:
        """Call a tool with a JSON object of encoded arguments; return the result as JSON."""
        result = await self._registry.invoke(name, json.loads(arguments))
        return json.dumps(result.to_dict())

    async def python(self, code: str) -> str:
        """Run Python with `page` in its namespace; return the last expression's value as JSON.

        The names it defines stay for the next call, as at a prompt.
        """
        result = await run_python(code, self._namespace)
        return json.dumps(result.to_dict())

    @property
    def _manifest(self) -> Manifest:
        return self._report.manifest

    def _announce_call(self, event: dict[str, Any]) -> None:
        self._bridge.emit("call", json.dumps(event))


class PageApi:
    """The page's tools for Python that runs in the page: `await page.call("search", "red")`."""

    def __init__(self, registry: ToolRegistry) -> None:
        """Offer the tools of `registry` with plain Python values."""
        self._registry = registry

    async def tools(self) -> list[dict[str, Any]]:
        """Return all tools as plain data, each with whether the page has its function now."""
        return await self._registry.describe()

    async def call(
        self, name: str, /, *arguments: Any, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Any:
        """Call a tool with positional arguments and return its value.

        Raises:
            ToolError: The call failed; its `kind` says how.
        """
        encoded = [encode(argument) for argument in arguments]
        return _value(await self._registry.call(name, encoded, timeout_s=timeout_s))

    async def invoke(
        self, name: str, arguments: Mapping[str, Any], *, timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Any:
        """Call a tool with named arguments and return its value.

        Raises:
            ToolError: The call failed; its `kind` says how.
        """
        encoded = {key: encode(argument) for key, argument in arguments.items()}
        return _value(await self._registry.invoke(name, encoded, timeout_s=timeout_s))


def _value(result: ExecutionResult) -> Any:
    if result.error is not None:
        raise result.error
    return decode(result.value)
