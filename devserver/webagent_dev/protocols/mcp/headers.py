"""What HTTP has to repeat in headers of a message that came without HTTP (2026-07-28)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

Message = dict[str, Any]
MISMATCH = -32020
"""Code of the error that headers and message do not agree."""
_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Methods that name something, which HTTP has in a header too."""
_MARK = "x-mcp-header"
"""Key of a schema that names the header in which an argument is repeated."""
_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


class Mirror:
    """Knows which headers a message needs; of calls, once it has seen a list of the tools."""

    def __init__(self) -> None:
        """Know no tools yet."""
        self._marked: dict[str, dict[tuple[str, ...], str]] = {}

    def learn(self, told: Any) -> None:
        """Take in the answer to `tools/list`."""
        result = told.get("result") if isinstance(told, dict) else None
        tools = result.get("tools") if isinstance(result, dict) else None
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and isinstance(name := tool.get("name"), str):
                self._marked[name] = dict(_marked(tool.get("inputSchema")))

    def headers(self, message: Message) -> dict[str, str] | None:
        """Return the headers of a message, None if its version of the protocol has none of them."""
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        meta = params.get("_meta")
        version = meta.get(_VERSION_KEY) if isinstance(meta, dict) else None
        if not isinstance(version, str):
            return None
        method = str(message.get("method", ""))
        headers = {"mcp-protocol-version": version, "mcp-method": method}
        name = params.get(_NAMED.get(method, ""))
        if not isinstance(name, str):
            return headers
        headers["mcp-name"] = _written(name)
        if method == "tools/call":
            for path, token in self._marked.get(name, {}).items():
                if (value := _rendered(_at(params.get("arguments"), path))) is not None:
                    headers[f"mcp-param-{token}"] = _written(value)
        return headers


def listing_for(call: Message) -> Message:
    """Return the question for the tools in the name of who made a call."""
    meta = call["params"]["_meta"]
    return {"jsonrpc": "2.0", "id": "tools", "method": "tools/list", "params": {"_meta": meta}}


def _marked(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield where marked arguments are, and the name of each one's header."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(inner, dict):
            continue
        here = (*path, name)
        token = inner.get(_MARK)
        if isinstance(token, str) and _TOKEN.fullmatch(token):
            yield here, token
        yield from _marked(inner, here)


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _rendered(value: Any) -> str | None:
    """Return an argument as text, None for what no header holds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else None


def _written(text: str) -> str:
    """Return a text as a header can hold it."""
    if _PLAIN.fullmatch(text) and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode('utf-8', 'replace')).decode()}?="
