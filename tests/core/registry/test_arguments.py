"""Arguments of tools that take one object."""

from typing import Any

import pytest

from webagent.errors import InvalidArguments
from webagent.page.offers import Target
from webagent.registry.binding import Binding, Calling, ToolSource, by_name, prepare
from webagent.types import Param, Tool

BOOK = Tool(
    name="book",
    params=[Param(name="day"), Param(name="party", type="number", required=False)],
)


def bound(tool: Tool = BOOK, source: ToolSource = ToolSource.MODEL_CONTEXT) -> Binding:
    """Return a tool that takes one object."""
    target = Target("form" if source is ToolSource.FORM else "modelContext", tool.name)
    return Binding(tool, target, tool.name, source, Calling.OBJECT)


def test_the_object_is_passed_on() -> None:
    """One object, also a tagged one, is what the tool gets."""
    assert prepare(bound(), [{"day": "monday"}]).arguments == {"day": "monday"}
    tagged = {"$type": "object", "value": {"day": "monday", "$type": "x"}}
    assert prepare(bound(), [tagged]).arguments == {"day": "monday", "$type": "x"}
    assert prepare(bound(), {"day": "monday", "party": 2}).arguments == {
        "day": "monday",
        "party": 2,
    }


def test_no_argument_is_an_empty_object() -> None:
    """A tool without required properties can be called with nothing."""
    assert prepare(bound(Tool(name="now")), []).arguments == {}
    assert prepare(bound(Tool(name="now")), [{"$type": "undefined"}]).arguments == {}


@pytest.mark.parametrize(
    "arguments", [["monday"], [["monday"]], [{"day": "x"}, 2], [{"$type": "date", "value": "x"}]]
)
def test_arguments_in_order_are_refused_with_the_way_to_write_them(arguments: list[Any]) -> None:
    """The error shows the call as it is written."""
    with pytest.raises(InvalidArguments) as caught:
        prepare(bound(), arguments)

    assert caught.value.message == "`book` takes one object that holds its arguments by name"
    assert caught.value.help == "write `book({ day, party? })`"


def test_a_property_of_another_type_is_refused() -> None:
    """The path names the property."""
    with pytest.raises(InvalidArguments) as caught:
        prepare(bound(), [{"day": "monday", "party": "two"}])

    assert caught.value.path == "party"


def test_more_properties_are_for_those_that_may_take_them() -> None:
    """JSON Schema lets a call pass more; a form has a control for each name or none."""
    more = {"day": "monday", "extra": 1}
    assert prepare(bound(), more).arguments == more
    with pytest.raises(InvalidArguments, match="`book` has no parameter `extra`"):
        prepare(bound(source=ToolSource.FORM), more)
    strict = BOOK.model_copy(update={"input_schema": {"additionalProperties": False}})
    with pytest.raises(InvalidArguments, match="`book` has no parameter `extra`"):
        prepare(bound(strict), more)


def test_a_schema_of_the_authors_own_counts_too() -> None:
    """A rule that types cannot express, such as a pattern or a bound, is checked before the page is asked."""
    schema = {
        "type": "object",
        "properties": {"day": {"type": "string", "pattern": "^[a-z]+day$"}},
        "required": ["day"],
    }
    tool = BOOK.model_copy(update={"input_schema": schema})

    assert prepare(bound(tool), {"day": "monday"}).arguments == {"day": "monday"}
    with pytest.raises(InvalidArguments) as caught:
        prepare(bound(tool), {"day": "June"})
    assert caught.value.path == "day"
    assert "^[a-z]+day$" in caught.value.message


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["x", 1, 2], {"shelf": "x", "books": [1, 2]}),
        ([{"$type": "undefined"}, 1], {"books": [1]}),
        (["x"], {"shelf": "x"}),
        ({"shelf": "x", "books": [1]}, {"shelf": "x", "books": [1]}),
    ],
)
def test_arguments_in_order_have_names(arguments: Any, named: dict[str, Any]) -> None:
    """The last parameter may stand for all further ones."""
    tool = Tool(name="put", params=[Param(name="shelf"), Param(name="...books", type="number[]")])

    assert by_name(Binding(tool, Target("function", "put"), "put"), arguments) == named


@pytest.mark.parametrize("arguments", [[], ["monday"], [{"day": "x"}, 2]])
def test_arguments_that_are_not_an_object_have_no_names(arguments: list[Any]) -> None:
    """Where a tool takes one object, also if the call is refused."""
    assert by_name(bound(), arguments) == {}
