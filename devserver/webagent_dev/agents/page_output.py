"""Values, events and tools of pages, for clients of any protocol."""

from __future__ import annotations

import math
from base64 import b64encode
from datetime import datetime
from typing import Any

from webagent.page.values import decode


def plain(value: Any) -> Any:
    """Return an encoded value as plain JSON data: dates, sets and big numbers in the usual way."""
    return _plain(decode(value))


def well_formed(text: str) -> str:
    r"""Write lone surrogates as `\ud800`: JavaScript strings may hold them, and UTF-8 cannot."""
    return text.encode("utf-8", "backslashreplace").decode()


def event_text(event: dict[str, Any]) -> str:
    """Return an event of the agent in words, empty for an event that people need not see."""
    match event.get("type"):
        case "planned":
            return str(event.get("plan", {}).get("text", ""))
        case "step" if event.get("state") == "started":
            name = event.get("tool") or event.get("action")
            return f"step {event.get('number')}: {name}" + (
                f" – {event['why']}" if event.get("why") else ""
            )
        case "text" if event.get("final"):
            return str(event.get("text", ""))
        case "navigating" if event.get("url"):
            return f"goes to {event['url']}"
    return ""


def tool_list(tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools of a page's registry as messages carry them in `metadata.tools`.

    Components of a page see the same list, and so does a remote agent.
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
            return well_formed(value)
        case list():
            return [_plain(item) for item in value]
        case dict():
            return {well_formed(key): _plain(item) for key, item in value.items()}
        case float():
            return value if math.isfinite(value) else str(value)
        case datetime():
            return value.isoformat().replace("+00:00", "Z")
        case bytes():
            return b64encode(value).decode()
        case _:
            return value
