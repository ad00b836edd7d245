"""The call of a tool in a message: a data part `{"tool", "arguments"}`."""

from __future__ import annotations

import json
from typing import Any

from webagent_site.http.a2a.requests import SendMessageRequest, invalid_field


def read_work(request: SendMessageRequest) -> tuple[tuple[str, dict[str, Any]] | None, str]:
    """Return the tool call of a message, or its goal in words."""
    texts = []
    for part in request.parts:
        data = part.get("data")
        if isinstance(data, dict) and isinstance(data.get("tool"), str):
            arguments = data.get("arguments")
            return (data["tool"], arguments if isinstance(arguments, dict) else {}), ""
        texts.append(part["text"] if "text" in part else json.dumps(data, ensure_ascii=False))
    return None, "\n".join(filter(None, (text.strip() for text in texts)))


def check_calls(request: SendMessageRequest) -> None:
    """Raise for data that looks like a tool call and is not one, and for several calls."""
    calls = 0
    for at, part in enumerate(request.parts):
        data, path = part.get("data"), f"params.message.parts[{at}].data"
        if not isinstance(data, dict) or "tool" not in data:
            if "data" in part and not any("text" in other for other in request.parts):
                raise invalid_field(path, 'an object {"tool": "its name", "arguments": {}}')
            continue
        calls += 1
        if not isinstance(data["tool"], str) or not data["tool"]:
            raise invalid_field(f"{path}.tool", "the name of a tool")
        if not isinstance(data.get("arguments", {}), dict):
            raise invalid_field(f"{path}.arguments", "an object")
        if more := data.keys() - {"tool", "arguments"}:
            raise invalid_field(
                f"{path}.{min(more)}", "absent: a call has `tool` and `arguments` alone"
            )
        if calls > 1:
            raise invalid_field(path, "absent: one message calls one tool")
