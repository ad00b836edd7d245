"""Kept programs: what a file may hold, and which goals they are for."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from typing import Any

import pytest

from webagent.errors import InvalidArguments
from webagent.replay.program import LONGEST, Program

DIGEST = "0" * 64
PROGRAM: dict[str, Any] = {
    "version": 1,
    "goal": ["add ", {"$parameter": "count"}, " of ", {"$parameter": "title"}, " for me"],
    "parameters": {
        "count": {"type": "number", "value": 2},
        "title": {"type": "string", "value": "The Hobbit"},
    },
    "secrets": {"•••": "password", "•••2": "pin"},
    "steps": [
        {
            "action": "call_tool",
            "arguments": {"name": "search", "arguments": {"query": {"$parameter": "title"}}},
            "returns": "{ id: string }[]",
        },
        {
            "action": "click",
            "arguments": {"pp_id": {"$element": {"role": "button", "name": "Add"}}},
            "given": {"digest": DIGEST, "page": True, "day": "2027-01-05"},
        },
        {
            "action": "call_tool",
            "arguments": {
                "name": "add",
                "arguments": {
                    "id": {"$result": 0, "path": [0, "id"]},
                    "count": {"$parameter": "count"},
                    "note": {"$literal": {"$parameter": "no parameter"}},
                },
            },
        },
    ],
    "end": {"text": "Done.", "data": [1, None], "given": {"digest": DIGEST}},
}


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """Return the program with another value at a path."""
    data = deepcopy(PROGRAM)
    inner: Any = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return data


def test_a_program_is_written_as_it_was_read() -> None:
    """Nothing is added, and nothing is lost."""
    assert Program.read(json.dumps(PROGRAM)).to_dict() == PROGRAM


@pytest.mark.parametrize(
    ("goal", "values"),
    [
        ("add 2 of The Hobbit for me", {"count": 2, "title": "The Hobbit"}),
        ("add 3.5 of Dune for me", {"count": 3.5, "title": "Dune"}),
        ("add 3 of The Book of Tea for me", None),
        ("add three of Dune for me", None),
        ("add NaN of Dune for me", None),
        ("add true of Dune for me", None),
        ("add 3 of  Dune for me", None),
        ("add 3 of  for me", None),
        ("add 3 for me", None),
        ("add  for me", None),
        ("please add 3 of Dune for me", None),
        ("add 3 of " + "x" * 1001 + " for me", None),
    ],
)
def test_values_in_a_goal(goal: str, values: Any) -> None:
    """Texts have to be the same, and a goal that can be read in two ways is another goal."""
    assert Program.of(PROGRAM).values_in(goal) == values


def test_a_goal_without_parameters_has_to_be_the_same() -> None:
    """A program without parameters is for one goal."""
    data = {**PROGRAM, "goal": ["find it"], "parameters": {}, "steps": []}
    program = Program.of(data)

    assert program.values_in("find it") == {}
    assert program.values_in("find it now") is None


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([], "input should be an object"),
        (changed("version", to=2), "`version`"),
        (changed("more", to=1), "`more`: extra inputs are not permitted"),
        (changed("goal", to=[]), "`goal`"),
        (changed("goal", to=["a", "b"]), "texts and parameters take turns"),
        (changed("goal", to=["add ", {"$parameter": "count"}]), "each parameter has one place"),
        (changed("goal", 1, to={"$parameter": "title"}), "each parameter has one place"),
        (changed("parameters", "count", "value", to="2"), "`parameters.count.value`: it is not a number"),
        (changed("parameters", "count", "value", to=True), "`parameters.count.value"),
        (changed("parameters", "title", "value", to=""), "`parameters.title.value"),
        (changed("secrets", to={"hunter2": "password"}), "`secrets`"),
        (changed("secrets", to={"•••2": "password"}), "`secrets`"),
        (changed("secrets", "•••", to="name"), "`secrets"),
        (changed("steps", 0, "action", to="take_screenshot"), "`steps.0.action`"),
        (changed("steps", 0, "action", to="finish"), "`steps.0.action`"),
        (changed("steps", 0, "arguments", to=[]), "`steps.0.arguments`"),
        (changed("steps", 0, "arguments", "name", to={"$parameter": "x"}), "`$parameter` is not of its form"),
        (changed("steps", 0, "arguments", "name", to={"$parameter": ["x"]}), "`$parameter`"),
        (changed("steps", 0, "arguments", "name", to={"$result": 0}), "`$result` is not of its form"),
        (changed("steps", 2, "arguments", "name", to={"$result": -1}), "`$result`"),
        (changed("steps", 2, "arguments", "name", to={"$result": True}), "`$result`"),
        (changed("steps", 2, "arguments", "name", to={"$result": 0, "path": [1.5]}), "`$result`"),
        (changed("steps", 2, "arguments", "name", to={"$result": 0, "more": 1}), "`$result`"),
        (changed("steps", 1, "arguments", "pp_id", to={"$element": "Add"}), "`$element`"),
        (changed("steps", 1, "arguments", "pp_id", to={"$element": {"role": 1, "name": "x"}}), "`$element`"),
        (
            changed("steps", 1, "arguments", "pp_id", "$element", "name", to={"$result": 7}),
            "`$result`",
        ),
        (changed("steps", to=PROGRAM["steps"] * 40), "`steps`"),
        (changed("steps", 0, "returns", to="x" * 20_001), "`steps.0.returns`"),
        (changed("steps", 1, "given", "digest", to="abc"), "`steps.1.given.digest`"),
        (changed("steps", 1, "given", "day", to="tomorrow"), "`steps.1.given.day"),
        (changed("goal", 0, to=""), "`goal"),
        (changed("end", to=None), "`end`"),
        (changed("end", "data", to={"$result": 3}), "`end.data`: `$result` is not of its form"),
        (changed("end", "text", to="\ud800"), "this is not a program"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_a_program_is_refused(data: Any, told: str) -> None:
    """The error says where, in a sentence, and not with the value."""
    with pytest.raises(InvalidArguments) as caught:
        Program.read(json.dumps(data))

    assert told in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "x" * (LONGEST + 1), '{"a": 1e999}'])
def test_a_text_that_is_not_json_is_refused(text: str) -> None:
    """Too long and too deep texts are not read to their end."""
    with pytest.raises(InvalidArguments):
        Program.read(text)


def test_a_damaged_program_is_refused_or_read() -> None:
    """A thousand programs in which one value is another: each is read, or refused in words."""
    rng = random.Random(7)
    odd = [
        None,
        True,
        -1,
        2**70,
        0.5,
        "",
        "•••",
        "x" * 2000,
        [],
        {},
        [[]],
        {"$result": 0},
        {"$element": {}},
    ]
    refused = 0
    for _ in range(1000):
        data: Any = deepcopy(PROGRAM)
        inner, key = data, rng.choice([*data])
        while isinstance(inner[key], dict | list) and inner[key] and rng.random() < 0.8:
            inner = inner[key]
            key = rng.choice([*inner] if isinstance(inner, dict) else range(len(inner)))
        inner[key] = rng.choice(odd)
        try:
            program = Program.read(json.dumps(data))
        except InvalidArguments:
            refused += 1
        else:
            assert Program.of(program.to_dict()) == program
            program.values_in(program.goal_text)
    assert 500 < refused < 1000
