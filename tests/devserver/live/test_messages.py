"""The wire, held against the examples that the page's side reads too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from webagent_dev.live.messages import Reload, ServerMessage
from webagent_site.pages.connection import WIRE_VERSION, serialize
from webagent_site.pages.wire import PageEvent, PageMessage, SiteMessage, parse_page_message

EXAMPLES = json.loads(
    (Path(__file__).parents[2] / "cases" / "messages.json").read_text(encoding="utf-8")
)
SERVER: dict[str, type[ServerMessage | SiteMessage]] = {
    kind.type: kind for kind in get_args(ServerMessage | SiteMessage)
}
PAGE = {kind.type for kind in get_args(PageMessage)}


def of(direction: str) -> list[dict[str, Any]]:
    return [example["message"] for example in EXAMPLES if example["direction"] == direction]


@pytest.mark.parametrize("example", of("server"), ids=lambda e: e["type"])
def test_every_server_message_has_the_shape_of_its_example(example: dict[str, Any]) -> None:
    """The fields of a message are those of the example, no more and no fewer."""
    fields = {name: value for name, value in example.items() if name not in ("v", "type")}
    message = SERVER[example["type"]](**fields)

    assert json.loads(serialize(message)) == example


def test_every_message_has_an_example() -> None:
    """The examples cover both unions."""
    assert {example["type"] for example in of("server")} == set(SERVER)
    assert {example["type"] for example in of("page")} == PAGE


@pytest.mark.parametrize("example", of("page"), ids=lambda e: e["type"])
def test_page_messages_are_read_as_they_were_sent(example: dict[str, Any]) -> None:
    """Every field arrives."""
    message = parse_page_message(json.dumps(example))

    assert message is not None
    assert {name: getattr(message, name) for name in example if name != "v"} == {
        name: value for name, value in example.items() if name != "v"
    }


@pytest.mark.parametrize("example", of("page"), ids=lambda e: e["type"])
def test_a_field_that_is_missing_or_of_another_type_makes_a_message_invalid(
    example: dict[str, Any],
) -> None:
    """Nothing is guessed."""
    for name, right in example.items():
        without = {key: value for key, value in example.items() if key != name}
        other = [] if isinstance(right, dict) else {"?": 1}
        for wrong in (without, {**example, name: other}, {**example, name: None}):
            assert parse_page_message(json.dumps(wrong)) is None


def test_a_field_of_a_newer_page_is_passed_over() -> None:
    """An addition does not break the old server."""
    newer = {**of("page")[-1], "more": 1}

    assert isinstance(parse_page_message(json.dumps(newer)), PageEvent)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "3",
        '"error"',
        '{"v": 1}',
        '{"v": true, "type": "error", "phase": "a", "message": "b"}',
        '{"v": 2, "type": "error", "phase": "a", "message": "b"}',
        '{"v": 1, "type": "nothing"}',
        '{"v": 1, "type": ["error"]}',
        '{"v": 1, "type": "css", "path": "/"}',
        "[" * 60_000,
        "9" * 60_000,
    ],
)
def test_anything_else_is_ignored(text: str) -> None:
    """Reading never raises, for any text from the socket."""
    assert parse_page_message(text) is None


def test_messages_are_ascii() -> None:
    """A file name with a lone surrogate does not break the frame."""
    text = serialize(Reload(reason="`\udcff` ö", path=None))

    assert text.isascii()
    assert json.loads(text)["v"] == WIRE_VERSION
