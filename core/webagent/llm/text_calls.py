"""Tool calls as JSON in the text of a reply, for models without tool calls of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from webagent.json_text import read_json
from webagent.llm.chat import Message, ToolCall, ToolDefinition, read_call, unique_id
from webagent.llm.errors import UnreadableAnswer

MOST_CALLS = 8
"""Calls of one reply."""

_BEGINNING = re.compile(r'\s*\{\s*"text"\s*:\s*"')
_WHOLE_CHARS = re.compile(r'(?:[^"\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*+')


def constraint(tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """Return the JSON Schema of a reply: first its words, then its calls."""
    calls = [
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": [tool.name]},
                "arguments": dict(tool.parameters),
            },
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for tool in tools
    ]
    return {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "calls": {"type": "array", "items": {"anyOf": calls}, "maxItems": MOST_CALLS},
        },
        "required": ["text", "calls"],
        "additionalProperties": False,
    }


def instructions(tools: Sequence[ToolDefinition]) -> str:
    """Return the instructions for the model: the format of replies, and the tools."""
    listed = "\n".join(
        json.dumps(
            {"name": t.name, "description": t.description, "parameters": dict(t.parameters)},
            ensure_ascii=False,
        )
        for t in tools
    )
    return (
        'Answer with one JSON object: {"text": "what you say", "calls": [{"name": "a tool", '
        '"arguments": {}}]}. Leave `calls` empty if you need no tool. The result of each call '
        f"comes in the next message. The tools, one in each line:\n{listed}"
    )


def reply_json(message: Message) -> str:
    """Return a message of the assistant in the format of its replies."""
    calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in message.calls]
    return json.dumps({"text": message.text, "calls": calls}, ensure_ascii=False)


def parse_reply(text: str) -> tuple[str, tuple[ToolCall, ...]]:
    """Return the words and calls of a reply.

    Raises:
        UnreadableAnswer: It is not in the format of replies.
    """
    try:
        data = read_json(text)
    except ValueError as error:
        raise UnreadableAnswer(f"the model's reply is not JSON - {error}") from error
    if not isinstance(data, dict):
        raise UnreadableAnswer("the model's reply is not a JSON object")
    words, calls = data.get("text"), data.get("calls")
    found = tuple(
        read_call(unique_id(()), call["name"], call.get("arguments"))
        for call in (calls if isinstance(calls, list) else [])
        if isinstance(call, dict) and isinstance(call.get("name"), str)
    )
    return (words if isinstance(words, str) else ""), found[:MOST_CALLS]


class ReplyText:
    """Extracts the words from the JSON of a reply as it comes."""

    def __init__(self) -> None:
        self._left = ""
        self._begun = self._ended = False

    def feed(self, piece: str) -> str:
        """Return the words that this piece completes."""
        if self._ended:
            return ""
        self._left += piece
        if not self._begun:
            match = _BEGINNING.match(self._left)
            if match is None:
                return ""
            self._begun = True
            self._left = self._left[match.end() :]
        match = _WHOLE_CHARS.match(self._left)
        whole = match[0] if match else ""
        self._ended = self._left[len(whole) :].startswith('"')
        try:
            words = str(json.loads(f'"{whole}"', strict=False))
        except ValueError:
            self._ended = True
            return ""
        if not self._ended and words[-1:] and "\ud800" <= words[-1] <= "\udbff":
            # Half of a surrogate pair, written as two escapes; the other half is still to come.
            words, whole = words[:-1], whole[:-6]
        self._left = self._left[len(whole) :]
        return words
