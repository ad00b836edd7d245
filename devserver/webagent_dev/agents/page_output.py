"""What pages say, for programs and people outside, whatever protocol they speak."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import datetime
from typing import Any

from webagent.page.values import decode


def plain(value: Any) -> Any:
    """Return an encoded value as JSON has it: dates, sets and big numbers in the usual way."""
    return _plain(decode(value))


def whole(text: str) -> str:
    """Replace halves of characters, which strings of JavaScript may hold and nothing can send."""
    return text.encode("utf-8", "replace").decode()


def in_words(event: dict[str, Any]) -> str:
    """Return what an event of the agent says to a person, empty for what needs no telling."""
    match event.get("type"):
        case "planned":
            return str(event.get("plan", {}).get("text", ""))
        case "step" if event.get("state") == "started":
            what = event.get("tool") or event.get("action")
            return f"step {event.get('number')}: {what}" + (
                f" – {event['why']}" if event.get("why") else ""
            )
        case "text" if event.get("final"):
            return str(event.get("text", ""))
        case "navigating" if event.get("url"):
            return f"goes to {event['url']}"
    return ""


def tool_list(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools of a page's registry as messages carry them in `metadata.tools`.

    The same list that components of a page see, and that a remote agent is told of.
    """
    return [
        {
            "name": tool["name"],
            **({"component": tool["component"]} if tool.get("component") else {}),
            "description": tool.get("description") or "",
            "inputSchema": tool.get("input_schema") or {"type": "object", "properties": {}},
        }
        for tool in tools
        if isinstance(tool, dict) and isinstance(tool.get("name"), str)
    ]


def _plain(value: Any) -> Any:
    match value:
        case str():
            return whole(value)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {whole(key): _plain(item) for key, item in value.items()}
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case bytes():
            return b64encode(value).decode()
        case _:
            return value
