"""The tools that a page lists, where a page sends anything."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webagent_site.mcp.page_tools import LONGEST_CALL_S, page_tools
from webagent_site.pages.wire import LONGEST_TIMEOUT_S, PageRegistry, parse_page_message

LOOK: dict[str, Any] = {"name": "look", "effect": "read", "input_schema": {"type": "object"}}


def sent(*tools: object) -> list[dict[str, Any]]:
    """The tools of a message as servers read it."""
    message = {"v": 1, "type": "registry", "state": "ready", "tools": tools}
    read = parse_page_message(json.dumps(message))
    assert isinstance(read, PageRegistry)
    return read.tools


def test_a_tool_is_read_as_the_page_has_sent_it() -> None:
    """With the fields that no server reads."""
    tool = {**LOOK, "title": "Look", "paths": ["/a"], "timeout_s": 5, "params": [{"name": "at"}]}

    assert sent(tool) == [tool]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": 5},
        {"name": ""},
        {"title": 5},
        {"description": [1]},
        {"effect": ["read"]},
        {"origin": 5},
        {"paths": 5},
        {"paths": [5]},
        {"input_schema": "object"},
        {"output_schema": []},
        {"untrusted": "no"},
        {"available": 1},
        {"timeout_s": "abc"},
        {"timeout_s": [1]},
        {"timeout_s": True},
        {"timeout_s": -700},
    ],
)
def test_a_malformed_tool_is_left_out(wrong: dict[str, Any]) -> None:
    """The others stay."""
    assert sent({**LOOK, **wrong}, "look", None, {}, LOOK) == [LOOK]


def test_a_timeout_has_a_limit() -> None:
    """It is waited for in numbers that a clock has."""
    [tool] = page_tools(sent({**LOOK, "timeout_s": 1e308}), ()).values()

    assert tool.timeout_s == LONGEST_TIMEOUT_S + LONGEST_CALL_S


def test_half_of_a_character_is_replaced() -> None:
    """JavaScript cuts emojis in half, and no client reads the half."""
    [tool] = page_tools(
        sent({**LOOK, "title": "Great \ud83d", "description": "\ude00"}), ()
    ).values()
    listed = tool.listed(modern=True)

    assert (listed.title, listed.description) == ("Great \ufffd", "\ufffd")
    assert listed.model_dump_json()
