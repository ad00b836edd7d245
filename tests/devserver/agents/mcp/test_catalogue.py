"""The catalogue of many and of long tools: nothing leaves whole that is too long, and nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import Tool

from tests.devserver.agents.client import AGES, OWN, connected, text
from tests.page_client import ClientPage, good
from tests.server import Server
from webagent.agent.toolset import tokens_in
from webagent.errors import InvalidArguments
from webagent_dev.agents.mcp.own_tools import OWN_TOOLS
from webagent_site.mcp.catalogue import (
    LONGEST_PART,
    MOST_FOUND,
    PAGE_TOKENS,
    TOOL_TOKENS,
    Catalogue,
    described,
)
from webagent_site.mcp.page_tools import page_tools

pytestmark = pytest.mark.usefixtures("nothing_left")

OURS = [*OWN_TOOLS.values()]
FINDERS = ["find_page_tools", "describe_page_tool"]


def offered(name: str, description: str = "Do it.", **fields: Any) -> dict[str, Any]:
    """Return a tool as a page offers it."""
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    tool = {"name": name, "description": description, "source": "manifest", "effect": "read"}
    return {
        "origin": "http://shop.test",
        "input_schema": schema,
        "available": True,
        **tool,
        **fields,
    }


MANY = [offered(f"tool{number}", f"Return the shelf {number}. " * 12) for number in range(200)]
LONG = offered("long", "A very long story. " * 10_000 + "It ends with a zebra.")
WIDE = offered(
    "wide",
    input_schema={
        "type": "object",
        "required": ["field7"],
        "properties": {
            f"field{n}": {"type": "string", "description": "x" * 1_000} for n in range(200)
        },
    },
    output_schema={"type": "object", "description": "y" * 100_000},
)


def tokens(tool: Tool) -> int:
    return tokens_in(tool.model_dump_json(by_alias=True, exclude_none=True))


async def all_pages(client: Client) -> list[list[Tool]]:
    """Return the pages of the list."""
    pages = [await client.list_tools()]
    while cursor := pages[-1].next_cursor:
        pages.append(await client.list_tools(cursor=cursor))
    return [page.tools for page in pages]


@pytest.mark.parametrize("age", AGES)
async def test_many_tools_come_in_pages(server: Server, age: str) -> None:
    """Each page keeps to the budget, each tool is on one of them, and ours are on the first."""
    async with ClientPage(server, tools=MANY), connected(server, age) as client:
        pages = await all_pages(client)

    assert len(pages) > 2
    assert all(sum(map(tokens, page)) <= PAGE_TOKENS for page in pages)
    first = [tool.name for tool in pages[0]]
    assert first[-len(OWN) - 2 :] == [*OWN, *FINDERS]
    listed = [*first[: -len(OWN) - 2], *(tool.name for page in pages[1:] for tool in page)]
    assert listed == [tool["name"] for tool in MANY]


@pytest.mark.parametrize("age", AGES)
async def test_a_tool_of_a_later_page_is_found_and_called(server: Server, age: str) -> None:
    """By words, from the first page on; a call needs no further list."""
    tools = [*MANY, offered("giftWrap", "Wrap a parcel as a present.")]
    page = ClientPage(server, tools=tools, answer=lambda call: good(call["name"]))
    async with page, connected(server, age) as client:
        first = await client.list_tools()
        assert "giftWrap" not in [tool.name for tool in first.tools]
        found = await client.call_tool("find_page_tools", {"query": "wrapping for presents"})
        assert found.structured_content
        assert [tool["name"] for tool in found.structured_content["tools"]] == ["giftWrap"]
        assert found.structured_content["tools"][0]["inputSchema"]["properties"]
        assert text(await client.call_tool("giftWrap", {})) == "giftWrap"
        many = await client.call_tool("find_page_tools", {"query": "shelf"})
        nothing = await client.call_tool("find_page_tools", {"query": "zebra"})

    assert len((many.structured_content or {})["tools"]) == MOST_FOUND
    assert nothing.structured_content == {"tools": []}


@pytest.mark.parametrize("age", AGES)
async def test_a_long_tool_never_leaves_whole(server: Server, age: str) -> None:
    """The list has its beginning with a note, and the whole is read in parts; others are as they are."""
    tools = [LONG, WIDE, offered("short")]
    page = ClientPage(
        server,
        tools=tools,
        answer=lambda call: good({"text": f"called {call['name']}"}),
    )
    async with page, connected(server, age) as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        parts, offset = [], 0
        while offset is not None:
            answer = await client.call_tool(
                "describe_page_tool", {"name": "long", "offset": offset}
            )
            part = answer.structured_content or {}
            parts.append(part["text"])
            offset = part["next_offset"]
        state = await client.call_tool("page_state", {})
        called = await client.call_tool("wide", {"field7": "x"})

    assert all(tokens(tool) <= TOOL_TOKENS + 50 for tool in listed.values())
    assert "(Cut: `describe_page_tool` returns all of it" in (listed["long"].description or "")
    assert max(map(len, parts)) <= LONGEST_PART
    assert "".join(parts).startswith(LONG["description"])
    assert len("".join(parts)) == part["characters"]
    assert listed["short"].description == "Do it."
    properties = listed["wide"].input_schema.get("properties") or {}
    assert listed["wide"].input_schema["type"] == "object"
    assert all(set(inner) <= {"type"} for inner in properties.values())
    assert "called wide" in text(called)
    assert len(text(state)) < 2_000


@pytest.mark.parametrize("age", AGES)
async def test_an_odd_schema_leaves_the_list_as_it_is(server: Server, age: str) -> None:
    """A page may register any schema. The list leaves out its invalid parts, and has all tools."""
    odd: dict[str, Any] = {
        "text": {"type": "string"},
        "union": {"type": ["object", "null"]},
        "listed": {"type": "object", "properties": [1]},
        "numbered": {"type": "object", "properties": {"one": 5, "two": {"type": "string"}}},
        "required": {"type": "object", "required": "one"},
        "nothing": {"type": "object", "properties": None, "required": None, "$schema": 7},
    }
    tools = [offered(name, input_schema=schema) for name, schema in odd.items()]
    async with (
        ClientPage(server, tools=[*tools, offered("last")]),
        connected(server, age) as client,
    ):
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert set(listed) == {*odd, "last", *OWN}
    assert all(tool.input_schema["type"] == "object" for tool in listed.values())
    numbered = listed["numbered"].input_schema["properties"]
    assert numbered == {"one": {}, "two": {"type": "string"}}


async def test_a_search_reads_what_the_list_leaves_out(server: Server) -> None:
    """The end of a long description is in no list, and finds its tool all the same."""
    short = offered("short", "A story. " * 400 + "It ends with a zebra.")
    async with ClientPage(server, tools=[short]), connected(server) as client:
        found = await client.call_tool("find_page_tools", {"query": "zebras"})

    assert [tool["name"] for tool in (found.structured_content or {})["tools"]] == ["short"]


@pytest.mark.parametrize("cursor", ["", "1", "0" * 16 + "-1", "x" * 10_000, "0-0", "☃"])
async def test_a_cursor_of_something_else_is_refused(server: Server, cursor: str) -> None:
    """The error says that the list has to begin anew."""
    async with ClientPage(server, tools=MANY), connected(server) as client:
        with pytest.raises(MCPError, match="the cursor leads nowhere"):
            await client.list_tools(cursor=cursor)


def test_a_cursor_is_of_one_list() -> None:
    """If the tools change between two pages, no tool is left out unnoticed."""
    before = Catalogue(page_tools(MANY, ()), OURS, modern=True)
    cursor = before.page(None)[1]
    assert before.page(cursor)[0]
    after = Catalogue(page_tools([offered("new"), *MANY], ()), OURS, modern=True)
    with pytest.raises(MCPError):
        after.page(cursor)
    assert Catalogue(page_tools(MANY, ()), OURS, modern=True).page(cursor) == before.page(cursor)


def test_the_finders_are_listed_only_where_they_are_of_use() -> None:
    """A short list has everything, so that there is nothing to find or to read."""
    short = Catalogue(page_tools([offered("short")], ()), OURS, modern=True).page(None)
    assert [tool.name for tool in short[0]] == ["short", *OWN]
    assert short[1] is None
    cut = Catalogue(page_tools([LONG], ()), OURS, modern=True).page(None)
    assert [tool.name for tool in cut[0]] == ["long", *OWN, *FINDERS]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": 3},
        {"properties": {"a": 3, "b": {"type": ["string"], "x" * 90_000: 1}}, "required": 7},
        {"properties": {"x" * 90_000: {}}},
        {"$defs": {"A": {"description": "x" * 90_000}}, "properties": {"a": {"$ref": "#/$defs/A"}}},
        {"anyOf": [{"type": "object"}] * 20_000},
    ],
)
def test_odd_schemas_are_cut_too(schema: Any) -> None:
    """A page may declare anything; the list keeps to its budget, and the schema is one of an object."""
    tools = page_tools([offered("odd", input_schema=schema, title="t" * 90_000)], ())
    (tool, *_), _ = Catalogue(tools, OURS, modern=False).page(None)

    assert tokens(tool) <= TOOL_TOKENS + 50
    assert tool.input_schema["type"] == "object"
    assert described(tools["odd"], 10**9)["text"] == ""


def test_a_pattern_of_a_page_does_not_hold_up_the_server() -> None:
    """An expression that tries every way to split a text would take longer than the universe."""
    schema = {"type": "object", "properties": {"id": {"type": "string", "pattern": "^(a+)+$"}}}
    tool = page_tools([offered("odd", input_schema=schema, output_schema=schema)], ())["odd"]

    with pytest.raises(InvalidArguments):
        tool.check_arguments({"id": "a" * 60 + "!"})
    assert tool.output_error({"id": "a" * 60 + "!"})
    tool.check_arguments({"id": "a" * 60})


@pytest.mark.parametrize("schema", [{"anyOf": [{"type": "object"}] * 20_000}, {"type": "tree"}])
def test_an_output_schema_that_clients_cannot_take_is_left_out(schema: Any) -> None:
    """A client that compiles schemas would refuse the whole list because of it."""
    tool = page_tools([offered("odd", output_schema=schema)], ())["odd"]

    assert tool.listed(modern=True).output_schema is None
    assert tool.output_error({}) is None


async def test_an_unknown_name_is_answered_with_the_nearest(server: Server) -> None:
    """And not with two hundred names."""
    async with ClientPage(server, tools=MANY), connected(server) as client:
        answer = await client.call_tool("call_page_tool", {"name": "tool1999"})

    assert answer.is_error
    assert "name one of tool199" in text(answer)
    assert "search the 200 tools with `find_page_tools`" in text(answer)
    assert len(text(answer)) < 400
