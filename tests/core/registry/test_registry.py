import asyncio
from typing import Any

import pytest
import pytest_asyncio

from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent.types import Manifest, Note, Param, Tool


def search(query: str, limit: int | None = None, sort: str = "title") -> dict[str, Any]:
    return {"query": query, "limit": limit, "sort": sort}


def refuse() -> None:
    raise PermissionError("keep out")


SEARCH = Tool(
    name="search",
    params=[
        Param(name="query"),
        Param(name="limit", type="number", required=False),
        Param(name="sort", required=False),
    ],
)
MANIFEST = Manifest(tools=[SEARCH, Tool(name="refuse"), Tool(name="absent"), Tool(name="stuck")])


@pytest.fixture(name="events")
def _events() -> list[dict[str, Any]]:
    return []


@pytest_asyncio.fixture(name="registry")
async def _registry(events: list[dict[str, Any]]) -> ToolRegistry:
    page = FakePage({"search": search, "refuse": refuse, "stuck": asyncio.Event().wait})
    registry = ToolRegistry(page, on_call=events.append)
    await registry.bind(MANIFEST)
    return registry


async def test_records_of_a_call_are_cut_and_the_tool_gets_everything(
    registry: ToolRegistry, events: list[dict[str, Any]]
) -> None:
    """`calls` and the events hold the beginning of a long argument and value, and their length."""
    long = "red " * 1_000_000
    result = await registry.call("search", [long, 5])

    assert result.value["query"] == long
    (query, limit) = result.calls[0].arguments
    assert (query["$type"], query["length"], limit) == ("cut", 4_000_000, 5)
    assert long.startswith(query["value"])
    assert len(str(result.calls)) < 11_000
    assert [len(str(event)) < 60_000 for event in events] == [True, True]
    assert events[0]["arguments"] == [query, 5]
    assert events[1]["value"]["query"]["length"] == 4_000_000


async def test_a_positional_call_returns_the_value(registry: ToolRegistry) -> None:
    """A call hands its arguments over in order and returns what the function returned."""
    result = await registry.call("search", ["red", 5])

    assert result.ok
    assert result.value == {"query": "red", "limit": 5, "sort": "title"}
    assert [call.name for call in result.calls] == ["search"]


async def test_named_arguments_go_to_their_positions(registry: ToolRegistry) -> None:
    """Names are mapped to positions, and nothing is passed after the last one given."""
    result = await registry.invoke("search", {"limit": 5, "query": "red"})

    assert result.calls[0].arguments == ["red", 5]


async def test_a_gap_is_undefined(registry: ToolRegistry) -> None:
    """JavaScript's defaults apply in a gap, because it is undefined and not null."""
    result = await registry.invoke("search", {"sort": "price", "query": "red"})

    assert result.calls[0].arguments == ["red", {"$type": "undefined"}, "price"]


@pytest.mark.parametrize(
    ("arguments", "path", "help_text"),
    [
        ({}, "query", "write `search(query, limit?, sort?)`"),
        ({"query": "a", "page": 2}, "page", "write `search(query, limit?, sort?)`"),
        ({"query": {"$type": "undefined"}}, "query", "write `search(query, limit?, sort?)`"),
    ],
)
async def test_named_arguments_that_do_not_fit_are_refused(
    registry: ToolRegistry, arguments: dict[str, Any], path: str, help_text: str
) -> None:
    """A missing or an unknown argument is named, with the signature to write instead."""
    error = (await registry.invoke("search", arguments)).error

    assert error is not None
    assert (error.kind, error.path, error.help) == ("invalid_arguments", path, help_text)


@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        (["a", "5"], "limit", "limit: expected number, got string"),
        (["a", None], "limit", "limit: expected number, got null"),
        ([{"$type": "date", "value": ""}], "query", "query: expected string, got date"),
        ([1, "2"], "query", "query: expected string, got number"),
    ],
)
async def test_arguments_of_another_type_are_refused(
    registry: ToolRegistry, arguments: list[Any], path: str, message: str
) -> None:
    """An argument must be of its parameter's type; the first that is not is named."""
    result = await registry.call("search", arguments)

    assert result.error is not None
    assert (result.error.kind, result.error.path) == ("invalid_arguments", path)
    assert result.error.message == f"`search` cannot take this: {message}"
    assert result.calls == ()


async def test_a_place_inside_an_argument_is_named() -> None:
    """Named arguments are checked too, shared types are known, and the path goes inside."""
    types = Note(title="Types", text="```ts\ninterface Item { price: number }\n```")
    pay = Tool(name="pay", params=[Param(name="items", type="Item[]")])
    registry = ToolRegistry(FakePage({"pay": len}))
    await registry.bind(Manifest(tools=[pay], notes=[types]))
    good = await registry.invoke("pay", {"items": [{"price": 1}]})
    bad = await registry.invoke("pay", {"items": [{"price": 1}, {"price": "2"}]})

    assert good.value == 1
    assert bad.error is not None
    assert bad.error.path == "items[1].price"
    assert bad.error.help == "`items[1].price` takes `number`"


async def test_a_rest_parameter_takes_all_further_arguments() -> None:
    """`...names` takes any number of arguments, by position or as a list under its name."""
    tag = Tool(name="tag", params=[Param(name="id"), Param(name="...names", type="string[]")])
    registry = ToolRegistry(FakePage({"tag": lambda *values: list(values)}))
    await registry.bind(Manifest(tools=[tag]))

    assert (await registry.call("tag", ["1"])).value == ["1"]
    assert (await registry.call("tag", ["1", "a", "b"])).value == ["1", "a", "b"]
    assert (await registry.invoke("tag", {"id": "1", "names": ["a"]})).value == ["1", "a"]
    assert (await registry.invoke("tag", {"id": "1"})).value == ["1"]
    error = (await registry.call("tag", ["1", "a", 2])).error
    assert error is not None
    assert error.path == "names[1]"


async def test_a_type_that_cannot_be_read_refuses_nothing() -> None:
    """A type that nobody can read refuses nothing."""
    odd = Tool(
        name="odd", params=[Param(name="a", type="Foo | typeof x"), Param(name="b", type="any")]
    )
    registry = ToolRegistry(FakePage({"odd": lambda *values: list(values)}))
    await registry.bind(Manifest(tools=[odd]))

    assert (await registry.call("odd", [1, {"$type": "undefined"}])).ok


@pytest.mark.parametrize("arguments", [[], ["a", 1, "b", "extra"]])
async def test_too_few_and_too_many_arguments_are_refused(
    registry: ToolRegistry, arguments: list[Any]
) -> None:
    """A positional call must fit the parameters, and the tool is not called otherwise."""
    result = await registry.call("search", arguments)

    assert result.error is not None
    assert result.error.kind == "invalid_arguments"
    assert result.calls == ()


@pytest.mark.parametrize(
    ("tool", "kind", "message"),
    [
        ("refuse", "threw", "PermissionError: keep out"),
        ("absent", "missing_function", "the page has no function `absent`"),
        ("nothing", "unknown_tool", "there is no tool `nothing`"),
    ],
)
async def test_each_failure_has_its_own_kind(
    registry: ToolRegistry, tool: str, kind: str, message: str
) -> None:
    """A throw, a missing function and an unknown tool are told apart."""
    error = (await registry.call(tool, [])).error

    assert error is not None
    assert (error.kind, error.message, error.tool) == (kind, message, tool)


async def test_a_call_that_takes_too_long_times_out(registry: ToolRegistry) -> None:
    """A tool that never answers ends in a timeout, not in a wait without end."""
    error = (await registry.call("stuck", [], timeout_s=0.01)).error

    assert error is not None
    assert (error.kind, error.message) == ("timeout", "`stuck` gave no answer within 0.01 s")


async def test_an_unknown_tool_is_answered_with_its_neighbour(registry: ToolRegistry) -> None:
    """A misspelt name brings the name that was probably meant."""
    error = (await registry.call("serch", [])).error

    assert error is not None
    assert error.help == "did you mean `search`?"


async def test_every_call_is_announced(
    registry: ToolRegistry, events: list[dict[str, Any]]
) -> None:
    """Listeners hear a start and an end with the same number, also of a call that fails."""
    await registry.call("search", ["red"])
    await registry.call("refuse", [])

    told = [(event["id"], event["name"], event["state"]) for event in events]
    assert told == [
        (1, "search", "started"),
        (1, "search", "finished"),
        (2, "refuse", "started"),
        (2, "refuse", "failed"),
    ]


async def test_the_list_says_what_can_be_called_now(registry: ToolRegistry) -> None:
    """A tool without a function on the page is listed, with the problem named."""
    listed = {binding.name: binding.describe() for binding in registry.list()}

    assert listed["search"]["available"]
    assert listed["search"]["input_schema"] == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "number"},
            "sort": {"type": "string"},
        },
        "required": ["query"],
    }
    assert listed["absent"]["available"] is False
    assert listed["absent"]["problem"] == "the page has no function `absent`"


async def test_binding_says_whether_the_tools_changed(registry: ToolRegistry) -> None:
    """A manifest with the same tools does not change the list; one with others does."""
    same = MANIFEST.model_copy(update={"description": "other words"})

    assert await registry.bind(same) is False
    assert await registry.bind(Manifest(tools=[SEARCH])) is True


async def test_the_first_of_two_tools_with_one_name_is_kept(registry: ToolRegistry) -> None:
    """A duplicate does not replace the tool that the manifest names first."""
    await registry.bind(Manifest(tools=[SEARCH, Tool(name="search", description="second")]))

    assert registry.names() == ["search"]
    assert registry.get("search").tool.description == ""
