"""Questions with a schema of the answer, from the form to the values."""

from __future__ import annotations

from typing import Any

import pytest
from tests.core.agent.actions.shop import take
from tests.core.agent.stage import Stage, answers, call, finish

from webagent.agent import Answer
from webagent.agent.actions.talk import answer_form

SCHEMA = {
    "type": "object",
    "title": "When do you come?",
    "properties": {
        "time": {"oneOf": [{"const": "2026-11-24T10:00"}, {"const": "2026-11-24T11:30"}]},
        "guests": {"type": "integer", "minimum": 1, "maximum": 4},
    },
    "required": ["time"],
}


def asking(schema: Any, question: str = "When do you come, at 10:00 or 11:30?") -> Any:
    return call("communicate", summary="", question=question, schema=schema)


async def test_an_answer_has_its_values(shop: Stage) -> None:
    """The exact values come back, with the words in which the person saw them."""
    given = Answer(True, "Tuesday at ten; 2", data={"time": "2026-11-24T10:00", "guests": 2})

    done, asked = await take(shop, asking(SCHEMA), given)

    assert asked[0].details["schema"] == SCHEMA
    assert done.value == {
        "answer": "Tuesday at ten; 2", "data": {"time": "2026-11-24T10:00", "guests": 2},
    }  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        {"time": "2026-11-24T12:00"},
        {"time": "2026-11-24T10:00", "guests": 9},
        {"time": "2026-11-24T10:00", "guests": "2"},
        {"guests": 2},
    ],
)
async def test_values_that_do_not_fit_are_not_taken(shop: Stage, data: Any) -> None:
    """A script of the page that answers cannot bring in what was not offered; words remain."""
    done, _ = await take(shop, asking(SCHEMA), Answer(True, "at noon", data=data))

    assert done.value == {"answer": "at noon"}


async def test_only_what_was_asked_for_is_taken(shop: Stage) -> None:
    """Further values are dropped, and without words the values are the words."""
    data = {"time": "2026-11-24T10:00", "admin": True}

    done, _ = await take(shop, asking(SCHEMA), Answer(True, data=data))

    assert done.value == {"answer": "2026-11-24T10:00", "data": {"time": "2026-11-24T10:00"}}


async def test_a_question_without_a_schema_takes_no_values(shop: Stage) -> None:
    """They mean nothing there."""
    plain = call("communicate", summary="", question="Which one?")

    done, _ = await take(shop, plain, Answer(True, "this", data={"a": 1}))

    assert done.value == {"answer": "this"}


@pytest.mark.parametrize(
    ("schema", "question"),
    [
        ({"type": "object", "properties": {"a": {"title": "Your password"}}}, "What is it?"),
        ({"type": "object", "properties": {"pin": {"type": "string"}}}, "What is it?"),
        (SCHEMA, "What is your password?"),
    ],
)
async def test_a_secret_has_no_form(shop: Stage, schema: Any, question: str) -> None:
    """It is asked for alone, in a field that hides it, and only its placeholder is seen."""
    person = answers(Answer(True, "ropewalk14", data={"a": "ropewalk14"}))

    await shop.driver(asking(schema, question), finish(), person=person).run("go")

    assert person.asked[0].details == {"summary": "", "secret": True}
    assert "ropewalk14" not in str(shop.events)


async def test_a_credential_in_a_text_field_becomes_a_placeholder(shop: Stage) -> None:
    """The words of each field are searched for secrets; choices are not."""
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    given = Answer(True, "see the note", data={"note": "my password is ropewalk14"})
    person = answers(given)

    result = await shop.driver(asking(schema, "Anything else?"), finish(), person=person).run("go")

    assert result.run.done()[0].value["data"] == {"note": "my password is •••"}
    assert "ropewalk14" not in str(shop.events)


@pytest.mark.parametrize(
    "schema",
    [
        None,
        "text",
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
        {"type": "object", "properties": {"a": {"enum": [{}]}}},
        {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}]}}},
        {"type": "object", "properties": {f"p{n}": {} for n in range(13)}},
    ],
)
def test_other_schemas_are_asked_for_in_words(schema: Any) -> None:
    """Lists, objects and too many fields have none."""
    assert answer_form(schema) is None


def test_a_form_keeps_only_what_it_shows() -> None:
    """Words are short and printable; choices are there once; other keywords are dropped."""
    form = answer_form({
        "type": "object",
        "title": "Which\u202e one?",
        "$ref": "https://elsewhere.example/schema",
        "properties": {
            "a": {"type": "string", "enum": ["x", "x", "y"], "pattern": "(a+)+$"},
            "b": {"type": "number", "title": "t" * 900, "minimum": "0", "maximum": True},
            "c": {"enum": [f"{n}" for n in range(51)]},
        },
        "required": "a",
    })  # fmt: skip

    assert form == {
        "type": "object",
        "title": "Which one?",
        "properties": {
            "a": {"oneOf": [{"const": "x"}, {"const": "y"}]},
            "b": {"type": "number", "title": "t" * 200},
            "c": {"type": "string"},
        },
        "required": [],
    }
