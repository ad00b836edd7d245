"""What of a reply is taken: no longer than anybody means, nothing that only a terminal obeys."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from dataclasses import replace

from webagent.llm.arguments import id_unlike
from webagent.llm.chat import Reply, ToolCall

LONGEST_WORDS = 50_000
"""Characters of what is said at once."""
LONGEST_ARGUMENTS = 1_000_000
"""Characters of the arguments of one call, as JSON."""
_LONGEST_NAME = 200

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def plain(text: str) -> str:
    """Return words without control characters, and without what turns the order of others round."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))


def bounded(reply: Reply, taken: Container[str]) -> Reply:
    """Return a reply with words and calls as they can be told and kept.

    A call whose arguments are too long has none, and a fault that says so; ids that were given
    before are replaced.

    Args:
        reply: As it was given.
        taken: Ids of earlier calls.
    """
    text = plain(reply.text)
    if len(text) > LONGEST_WORDS:
        text = f"{text[:LONGEST_WORDS]}… (cut: {len(text) - LONGEST_WORDS} more characters)"
    calls: list[ToolCall] = []
    given: set[str] = set()
    for call in reply.calls:
        number = id_unlike(given, call.id if call.id not in taken else "")
        given.add(number)
        calls.append(_bounded(replace(call, id=number)))
    return replace(reply, text=text, calls=tuple(calls))


def _bounded(call: ToolCall) -> ToolCall:
    name = plain(call.name)[:_LONGEST_NAME]
    length = len(json.dumps(dict(call.arguments), default=str))
    if length <= LONGEST_ARGUMENTS:
        return replace(call, name=name)
    fault = f"they have {length} characters, and {LONGEST_ARGUMENTS} at most are taken"
    return replace(call, name=name, arguments={}, fault=fault)
