"""The sentences of a manifest, with the values of a call."""

from __future__ import annotations

from typing import Any

import pytest

from webagent.registry.sentences import labels, names, sentence, titles
from webagent.types import Param

DUNE = {"id": "dune", "title": "Dune", "price": 12.5, "stock": 1, "author": {"name": "F. Herbert"}}
EMMA = {"id": "emma", "title": "Emma", "price": 7, "stock": 3}
FOUND = {"books": [DUNE, EMMA]}


@pytest.mark.parametrize(
    ("template", "arguments", "results", "expected"),
    [
        ("Add {title} for {price}?", {"bookId": "dune"}, [None, FOUND], "Add Dune for 12.5?"),
        ("Add {title}?", {"bookId": "emma", "count": 1}, [None, FOUND], "Add Emma?"),
        ("By {author.name}?", {"bookId": "dune"}, [None, FOUND], "By F. Herbert?"),
        ("Add {count} of {bookId}?", {"bookId": "dune", "count": 2}, [None], "Add 2 of dune?"),
        ("{items} in it.", {"bookId": "dune"}, [{"items": 3}, FOUND], "3 in it."),
        (
            "{title}?",
            {"bookId": "emma", "stock": 1},
            [None, {"items": [DUNE, EMMA]}],
            "Emma?",
        ),
        ("{title} is in.", {"bookId": "emma"}, [{"items": [EMMA]}], "Emma is in."),
        ("{title}?", {"title": "Mine", "id": "dune"}, [None, FOUND], "Mine?"),
        ("{title}?", {"bookId": "dune"}, [None, {**DUNE, "title": "New"}, FOUND], "New?"),
        ("Really?", {}, [None], "Really?"),
        ("{title}?", {"title": "a\n  b"}, [None], "a b?"),
        ("{title}?", {"title": "x" * 200}, [None], "x" * 80 + "…?"),
        ("{title}?", {"title": "{price}", "price": 1}, [None], "{price}?"),
    ],
)
def test_values_are_filled_in(
    template: str, arguments: dict[str, Any], results: list[Any], expected: str
) -> None:
    """They come from the result, the arguments, and the thing that an argument names."""
    assert sentence(template, arguments, results) == expected


@pytest.mark.parametrize(
    ("template", "arguments", "results"),
    [
        ("", {"title": "Dune"}, [None]),
        ("Add {title}?", {"bookId": "gone"}, [None, FOUND]),
        ("Add {title}?", {"count": 1}, [None, FOUND]),
        ("Add {title}?", {"flag": True}, [None, {"id": 1, "title": "One"}]),
        ("Add {title}?", {"count": 1}, [None, {"id": 1, "title": "One"}]),
        ("Add {title}?", {"stock": 1}, [None, FOUND]),
        ("Add {title}?", {"title": ["a"]}, [None]),
        ("Add {title}?", {"title": ""}, [None]),
        ("Add {title.name}?", {"title": "a"}, [None]),
    ],
)
def test_a_sentence_without_all_of_its_values_is_not_shown(
    template: str, arguments: dict[str, Any], results: list[Any]
) -> None:
    """A number that is equal by chance names nothing."""
    assert sentence(template, arguments, results) == ""


def test_results_of_any_size_and_depth_are_read() -> None:
    """The search ends after a number of values, and does not depend on the depth."""
    deep: Any = DUNE
    for _ in range(5_000):
        deep = [deep]
    assert sentence("{title}?", {"bookId": "dune"}, [None, deep]) == "Dune?"
    assert sentence("{title}?", {"bookId": "x"}, [None, [{}] * 200_000]) == ""


@pytest.mark.parametrize(
    ("name", "description", "label"),
    [
        ("bookId", "The `id` of the book.", "Book"),
        ("id", "The `id` of the book.", "Id"),
        ("max_price", "", "Max price"),
        ("to", "Where it goes.", "Where it goes"),
        ("quantity", "Copies the basket shall hold, a whole number from 0.", "Quantity"),
        ("...words", "", "Words"),
        ("_", "", "_"),
    ],
)
def test_a_parameter_has_a_label(name: str, description: str, label: str) -> None:
    """A short description is one; else it is made of the words of the name."""
    found = labels([Param(name=name, description=description)])
    assert found == {name.removeprefix("..."): label}


def test_an_id_has_the_name_of_its_thing() -> None:
    """A value that is its own name, and a number that is equal by chance, have none."""
    arguments = {"bookId": "dune", "count": 1, "title": "Emma", "other": "gone"}
    assert names(arguments, [None, FOUND]) == {"bookId": "Dune"}
    assert names({"when": "x"}, [None, {"paid": "x", "title": "Dune"}]) == {}


def test_titles_of_members_are_in_a_schema_at_any_depth() -> None:
    """The first one counts; what is not a text is not a title."""
    book = {"properties": {"price": {"title": "Price"}, "stock": {"title": [3]}, "id": True}}
    schema = {"type": "object", "properties": {"books": {"items": book, "title": "Books found"}}}
    assert titles(schema) == {"books": "Books found", "price": "Price"}
    assert titles(None) == {}
