"""The exports of a registry: for a model, and for the site to publish."""

import pytest
from tests.core.registry.test_catalogue import SCHEMA, echo, offered, registry_of
from tests.tsc import compile_errors

from webagent.page.fakes import FakePage
from webagent.parser import parse
from webagent.registry import ToolRegistry
from webagent.registry.export import manifest_to_publish, model_context_tools, typescript
from webagent.serializer import to_markdown
from webagent.types import Behavior, Manifest, Param, Tool

SEARCH = Tool(name="search", description="Find.", params=[Param(name="query")], returns="string[]")
DESCRIBED = {
    "type": "object",
    "properties": {
        "day": {"type": "string", "description": "The day, not */ a night"},
        "party size": {"type": "integer", "minimum": 1},
    },
    "required": ["day"],
}


async def shop() -> tuple[Manifest, ToolRegistry]:
    """Return a manifest and the registry of a page that offers more than it."""
    manifest = Manifest(name="Shop", tools=[SEARCH])
    page = FakePage(
        {"search": lambda query: [query]},
        [
            (offered("book", description="Book.", input_schema=DESCRIBED), echo),
            (offered("reset"), echo),
            (offered("search", "form", input_schema=SCHEMA), echo),
            (offered("add", "component", component="cart", input_schema=SCHEMA), echo),
            (offered("ad", frame=1, origin="https://ads.example"), echo),
        ],
    )
    return manifest, await registry_of(manifest, page)


@pytest.mark.process
async def test_all_tools_are_declared_as_they_are_called() -> None:
    """Functions take arguments in order, all else one object whose properties are described."""
    manifest, registry = await shop()

    text = typescript(manifest, registry.list())

    assert text == (
        "declare const global: {\n"
        "  /** Find. */\n"
        "  search(query: string): Promise<string[]>;\n"
        "  /** Book. */\n"
        '  book(input: { /** The day, not *\\/ a night */ day: string; "party size"?: number }): '
        "Promise<any>;\n"
        "  /** reset */\n"
        "  reset(input?: Record<string, unknown>): Promise<any>;\n"
        "  /** search */\n"
        "  form_search(input: { day: string; party?: number }): Promise<any>;\n"
        "  /** add */\n"
        "  cart_add(input: { day: string; party?: number }): Promise<any>;\n"
        "  /** ad */\n"
        "  ad(input?: Record<string, unknown>): Promise<any>;\n"
        "};\n"
    )
    assert compile_errors({"shop": text}) == {}


async def test_the_manifest_to_publish_has_the_sites_own_tools() -> None:
    """A tool of another origin, or one with another name only here, is left out."""
    manifest, registry = await shop()

    text = to_markdown(
        manifest_to_publish(manifest, registry.list(), origin="https://shop.example")
    )

    assert parse(text).tool_names == ["search", "book", "reset", "cart_add"]
    assert parse(text).get_tool("book") == manifest_to_publish(
        manifest, registry.list(), origin="https://shop.example"
    ).get_tool("book")


async def test_a_published_tool_is_bound_to_what_it_came_from() -> None:
    """A page with the published manifest calls the registered tools by it."""
    manifest, registry = await shop()
    text = to_markdown(
        manifest_to_publish(manifest, registry.list(), origin="https://shop.example")
    )
    await registry.bind(parse(text))

    assert (await registry.call("book", ["monday", 3])).value == {"day": "monday", "party size": 3}
    assert (await registry.call("cart_add", ["monday"])).value == {"day": "monday"}


async def test_functions_are_exposed_as_the_platform_takes_them() -> None:
    """Names fit its rule, nothing lacks a description, and what is registered stays as it is."""
    tools = [SEARCH, Tool(name="größe", behavior=Behavior(effect="read")), Tool(name="gone")]
    page = FakePage({"search": print, "größe": print}, [(offered("book"), echo)])
    registry = await registry_of(Manifest(tools=tools), page)

    assert model_context_tools(registry.list()) == [
        {
            "name": "search",
            "tool": {
                "name": "search",
                "description": "Find.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
                "outputSchema": {"type": "array", "items": {"type": "string"}},
            },
        },
        {
            "name": "größe",
            "tool": {
                "name": "gr__e",
                "description": "größe",
                "inputSchema": {"type": "object", "properties": {}},
                "annotations": {"readOnlyHint": True},
            },
        },
    ]
