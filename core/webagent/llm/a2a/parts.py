"""Parts of A2A messages: words, calls of a remote agent, and their results.

A2A itself does not define calls. Agents use the convention of Google's ADK: a data part
`{"id", "name", "args"}` with `"type": "function_call"` in its metadata, and a result
`{"id", "name", "response"}` with `function_response`. The key in the metadata may have a prefix
(`adk_type`, `kagent_type`). The formats of the models' own APIs are understood too.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from webagent.llm.chat import ToolDefinition, image_type

Version = Literal["0.3", "1.0"]
"""Version of the protocol: 1.0 has other names for methods, and parts without `kind`."""

_CALLS = frozenset({"function_call", "tool_call", "tool-call", "tool_use"})
_RESULTS = frozenset({"function_response", "tool_response", "tool-result", "tool_result"})
_WRAPPED = ("function_call", "functionCall", "tool_call", "toolCall", "function")
"""Keys of objects that hold the call itself."""
_ARGUMENTS = ("args", "arguments", "input", "parameters")


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call in a part."""

    id: str
    name: str
    written: Any
    """Its arguments: an object or its JSON."""


def text_part(text: str, version: Version) -> dict[str, Any]:
    """Return words as a part."""
    return {"kind": "text", "text": text} if version == "0.3" else {"text": text}


def image_part(image: bytes, version: Version) -> dict[str, Any]:
    """Return an image as a part."""
    data = base64.b64encode(image).decode()
    if version == "0.3":
        return {"kind": "file", "file": {"bytes": data, "mimeType": image_type(image)}}
    return {"raw": data, "mediaType": image_type(image)}


def result_part(number: str, name: str, text: str, version: Version) -> dict[str, Any]:
    """Return the result of a call as a part."""
    kind = {"kind": "data"} if version == "0.3" else {}
    return {
        **kind,
        "data": {"id": number, "name": name, "response": {"result": text}},
        "metadata": {"type": "function_response", "adk_type": "function_response"},
    }


def tools_metadata(tools: Sequence[ToolDefinition]) -> list[dict[str, Any]]:
    """Return tools for `metadata.tools` of a message."""
    return [
        {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.parameters)}
        for tool in tools
    ]


def words(parts: Any) -> str:
    """Return the words in parts, without the agent's thoughts."""
    texts = (
        part["text"]
        for part in _mappings(parts)
        if isinstance(part.get("text"), str)
        and not any(key.endswith("thought") and value for key, value in _metadata(part).items())
    )
    return "\n".join(texts)


def calls(parts: Any) -> Iterator[FoundCall]:
    """Yield the calls in parts."""
    for part, data in _data(parts):
        if _kind(part) in _RESULTS or "response" in data:
            continue
        several = data.get("tool_calls")
        for one in several if isinstance(several, list) else [data]:
            found = _call(one, marked=_kind(part) in _CALLS) if isinstance(one, Mapping) else None
            if found is not None:
                yield found


def result_ids(parts: Any) -> Iterator[str]:
    """Yield the ids of calls whose results are in parts; the agent made these calls itself."""
    for part, data in _data(parts):
        if (_kind(part) in _RESULTS or "response" in data) and isinstance(data.get("id"), str):
            yield data["id"]


def _call(data: Mapping[str, Any], *, marked: bool) -> FoundCall | None:
    number = data.get("id")
    for key in _WRAPPED:
        inner = data.get(key)
        if isinstance(inner, Mapping):
            data, marked = inner, True
            break
    name = data.get("name")
    written = [data[argument] for argument in _ARGUMENTS if argument in data]
    if not isinstance(name, str) or not name or not (marked or written):
        return None
    number = number or data.get("id")
    return FoundCall(number if isinstance(number, str) else "", name, written[0] if written else {})


def _data(parts: Any) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for part in _mappings(parts):
        data = part.get("data")
        if isinstance(data, Mapping):
            yield part, data


def _kind(part: Mapping[str, Any]) -> str:
    for key, value in _metadata(part).items():
        if (key == "type" or key.endswith("_type")) and isinstance(value, str):
            return value
    return ""


def _metadata(part: Mapping[str, Any]) -> Mapping[str, Any]:
    found = part.get("metadata")
    return found if isinstance(found, Mapping) else {}


def _mappings(parts: Any) -> Iterator[Mapping[str, Any]]:
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, Mapping):
            yield part
