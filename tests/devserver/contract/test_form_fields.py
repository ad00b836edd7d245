"""Forms with other fields than the manifest declares."""

from __future__ import annotations

from typing import Any

import pytest

from tests.devserver.contract.kit import World, failed, line, manifest, proof, prove, tool
from webagent.page.offers import PageTool, Target
from webagent.registry import Binding
from webagent.types import Param, Tool
from webagent_dev.contract.form_fields import missing_fields
from webagent_dev.contract.harness import EmptyFields

KIND = '- `kind` ("" | "music" | "sport", optional): Which.'
TEXT = manifest(
    tool("events", f"- `month` (string, optional): When.\n{KIND}", "string[]", "", "effect: write")
)


def form(*choices: str, name: str = "kind") -> World:
    """Return a site with a form of a text and a choice."""
    schema = {
        "type": "object",
        "properties": {
            "month": {"type": "string", "format": "^[0-9]{4}-[0-9]{2}$"},
            name: {"type": "string", "enum": [*choices]},
        },
    }
    events = PageTool(Target("form", "events"), "Events.", "", schema)
    return World(lambda _: {}, tools=[(events, lambda given: [])])


async def test_a_form_with_all_that_is_declared_passes() -> None:
    """It may have more, and refuse texts of another form."""
    report = await prove(TEXT, form("", "music", "sport", "market"))

    assert failed(report) == []


@pytest.mark.parametrize(
    ("page", "what"),
    [
        (form("", "music", "sports"), 'declares "sport" for `kind`'),
        (form("", "music", "sport", name="type"), "declares a field `kind`"),
    ],
)
async def test_a_field_or_choice_that_a_form_lacks_fails_at_its_parameter(
    page: World, what: str
) -> None:
    """Though the form is not called, as it writes."""
    found = proof(await prove(TEXT, page), "arguments")

    assert what in found.message
    assert found.place is not None
    assert found.place.line == line(TEXT, "- `kind`")


BOOK = manifest(
    tool("book", "- `day` (string, required): When.\n- `people` (number, optional): How many.")
)


def booking(*needed: str, spare: str = "", attended: bool = False) -> World:
    """Return a site with a form of three fields, of which these are empty."""
    fields = {"day": {"type": "string"}, "people": {"type": "number"}, "name": {"type": "string"}}
    schema = {"type": "object", "properties": fields}
    book = PageTool(Target("form", "book"), "Books.", "", schema, attended=attended)
    world = World(lambda _: {}, tools=[(book, lambda given: 1)])
    world.harness.empty = EmptyFields(frozenset(needed), frozenset(spare.split()))
    return world


@pytest.mark.parametrize(
    ("needed", "what", "at"),
    [
        ("people", "`people` of `book` may be left out, as it is declared", "- `people`"),
        ("name", "not sent without its field `name`", "## book"),
    ],
)
async def test_a_field_that_the_form_needs_and_the_manifest_does_not_fails(
    needed: str, what: str, at: str
) -> None:
    """An agent leaves it out, and the browser refuses the call."""
    found = proof(await prove(BOOK, booking("day", needed)), "arguments")

    assert what in found.message
    assert found.place is not None
    assert found.place.line == line(BOOK, at)


@pytest.mark.parametrize(
    ("page", "what", "at"),
    [
        (booking(spare="day people"), "`day` of `book` is required in the manifest", "- `day`"),
        (booking("people", attended=True), "`people` of `book` is required in the form", "- `pe"),
    ],
)
async def test_a_field_that_one_of_both_requires_is_noted(page: World, what: str, at: str) -> None:
    """No call that the manifest allows fails by it: one that a person sends may be completed."""
    report = await prove(BOOK, page)
    (remark,) = proof(report, "exists").remarks

    assert failed(report) == []
    assert remark.startswith(what)
    assert remark.endswith(f"(line {line(BOOK, at)})")


async def test_a_field_that_both_need_is_no_difference() -> None:
    """And neither is one that neither needs."""
    report = await prove(BOOK, booking("day", spare="people"))

    assert failed(report) == []
    assert proof(report, "exists").remarks == ()


async def test_choices_that_come_late_are_waited_for() -> None:
    """Such as those that a page fetches."""
    page = form("")
    opened = page.open

    def filling(pending_events: Any) -> Any:
        made = opened(pending_events)
        offers = made.offers
        looks = 0

        async def later(functions: Any) -> Any:
            nonlocal looks
            looks += 1
            if looks > 3:
                made.tools = [*form("", "music", "sport").open([]).tools]
            return await offers(functions)

        made.offers = later  # type: ignore[method-assign]
        return made

    page.harness._make = filling

    assert failed(await prove(TEXT, page, late_s=5.0)) == []


@pytest.mark.parametrize(
    ("type_", "field", "is_there"),
    [
        ("1 | 2", {"type": "string", "enum": ["1", "2"]}, True),
        ("true", {"type": "string", "enum": ["true"]}, True),
        ('"a" | null', {"type": "string", "enum": ["a"]}, True),
        ('Array<"a" | "b">', {"type": "array", "items": {"enum": ["a", "b"]}}, True),
        ('Array<"a" | "b">', {"type": "array", "items": {"enum": ["a"]}}, False),
        ('"a" | 1', {"type": "string", "enum": ["a"]}, False),
        ("string", {"enum": ["a"]}, True),
        ('"a"', "no schema", True),
        ('"a"', {"enum": 3}, True),
        ('"a"', {"type": "string", "pattern": "("}, True),
    ],
)
def test_choices_are_compared_as_controls_have_them(type_: str, field: Any, is_there: bool) -> None:
    """A number is the text of an option; a schema that nobody can read refuses nothing."""
    binding = Binding(
        Tool(name="a", params=[Param(name="p", type=type_)]), Target("form", "a"), "a"
    )

    assert (not [*missing_fields(binding, {"properties": {"p": field}})]) == is_there


def test_a_form_of_a_broken_schema_lacks_every_field() -> None:
    """It has none to fill in."""
    binding = Binding(Tool(name="a", params=[Param(name="p")]), Target("form", "a"), "a")

    assert [*missing_fields(binding, {"properties": 3})] == [(0, "a field `p`")]
