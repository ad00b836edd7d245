"""A conversation in the words of the chat-completions interface."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

from webagent.llm.chat import Message, Role, ToolDefinition
from webagent.llm.tool_names import ToolNames


def names_of(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> ToolNames:
    """Return the names of all tools that a conversation speaks of."""
    called = (call.name for message in messages for call in message.calls)
    return ToolNames([*(tool.name for tool in tools), *called])


def messages_json(messages: Sequence[Message], names: ToolNames) -> list[dict[str, Any]]:
    """Return messages as they are sent.

    Images that came with the answer to a call follow in a message of the user, behind the answers
    to all calls, since only users can show images.
    """
    found: list[dict[str, Any]] = []
    shown: list[bytes] = []
    for message in messages:
        if message.role is Role.TOOL:
            answer = {"tool_call_id": message.call_id, "content": message.text}
            found.append({"role": "tool", **answer})
            shown.extend(message.images)
            continue
        if shown:
            found.append(_with_images("the images that came with these answers", shown))
            shown = []
        if message.role is Role.ASSISTANT:
            found.append(_assistant(message, names))
        elif message.images:
            found.append(_with_images(message.text, message.images))
        else:
            found.append({"role": message.role.value, "content": message.text})
    if shown:
        found.append(_with_images("the images that came with these answers", shown))
    return found


def tools_json(tools: Sequence[ToolDefinition], names: ToolNames) -> list[dict[str, Any]]:
    """Return tools as they are sent."""
    return [
        {
            "type": "function",
            "function": {
                "name": names.safe(tool.name),
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def _assistant(message: Message, names: ToolNames) -> dict[str, Any]:
    if not message.calls:
        return {"role": "assistant", "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": names.safe(call.name),
                "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
            },
        }
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _with_images(text: str, images: Sequence[bytes]) -> dict[str, Any]:
    words = [{"type": "text", "text": text}] if text else []
    shown = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
    return {"role": "user", "content": [*words, *shown]}


def data_url(image: bytes) -> str:
    """Return a PNG file as an address that holds it."""
    return f"data:image/png;base64,{base64.b64encode(image).decode()}"
