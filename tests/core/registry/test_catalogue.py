"""How the tools of a page come together in one registry."""

from collections.abc import Mapping
from typing import Any

import pytest

from webagent.page.fakes import FakePage
from webagent.page.offers import Offers, PageTool, Target
from webagent.registry import ToolRegistry
from webagent.registry.catalogue import wrong_path
from webagent.types import Behavior, Manifest, Note, Param, Tool

SCHEMA = {
    "type": "object",
    "properties": {"day": {"type": "string"}, "party": {"type": "number"}},
    "required": ["day"],
}


def offered(name: str, kind: str = "modelContext", **fields: Any) -> PageTool:
    """Return a tool as a page offers it."""
    places = {key: fields.pop(key) for key in ("component", "frame", "origin") if key in fields}
    return PageTool(Target(kind, name, **places), fields.pop("description", name), **fields)  # type: ignore[arg-type]


def echo(arguments: dict[str, Any]) -> dict[str, Any]:
    return arguments


async def registry_of(manifest: Manifest, page: FakePage) -> ToolRegistry:
    """Return a registry that has looked at a page."""
    registry = ToolRegistry(page)
    await registry.bind(manifest)
    return registry


async def test_tools_are_listed_source_by_source_and_frame_by_frame() -> None:
    """First the manifest, then scripts, forms and components, each in the order of frames."""
    page = FakePage(
        {"search": print},
        [
            (offered("cart", "component", component="shop", frame=1), echo),
            (offered("contact", "form"), echo),
            (offered("far", frame=2), echo),
            (offered("near"), echo),
        ],
    )
    registry = await registry_of(Manifest(tools=[Tool(name="search")]), page)

    assert registry.names() == ["search", "near", "far", "contact", "shop_cart"]
    assert [b.source.value for b in registry.list()] == [
        "manifest",
        "modelContext",
        "modelContext",
        "form",
        "component",
    ]


async def test_names_that_collide_are_qualified_by_their_source() -> None:
    """The first keeps the bare name; later ones get their source, then a number."""
    tools = [(offered("search", frame=frame), echo) for frame in (None, 1, 2)]
    page = FakePage({"search": print}, [*tools, (offered("search", "form"), echo)])
    registry = await registry_of(Manifest(tools=[Tool(name="search")]), page)

    assert registry.names() == [
        "search",
        "modelContext_search",
        "modelContext_search_2",
        "modelContext_search_3",
        "form_search",
    ]


async def test_a_tool_of_the_manifest_may_be_one_that_the_page_registered() -> None:
    """Without a function of its name it calls the registered tool, with one object."""
    tool = Tool(name="book", params=[Param(name="day"), Param(name="party", required=False)])
    page = FakePage({}, [(offered("book", input_schema=SCHEMA), echo)])
    registry = await registry_of(Manifest(tools=[tool]), page)

    assert registry.names() == ["book"]
    assert (await registry.call("book", ["monday"])).value == {"day": "monday"}
    assert (await registry.invoke("book", {"day": "monday", "party": 2})).value == {
        "day": "monday",
        "party": 2,
    }


async def test_it_takes_what_the_page_says_now() -> None:
    """The hours that are free are in no manifest; parameters of other names are another tool's."""
    tool = Tool(name="book", params=[Param(name="day")])
    day = {"type": "string", "enum": ["monday", "friday"]}
    free = {"type": "object", "properties": {"day": day}, "required": ["day"]}
    page = FakePage({}, [(offered("book", input_schema=free), echo)])
    registry = await registry_of(Manifest(tools=[tool]), page)

    refused = await registry.call("book", ["sunday"])
    assert "monday" in str(refused.error)
    assert (await registry.call("book", ["friday"])).value == {"day": "friday"}

    page = FakePage({}, [(offered("book", input_schema={**free, "required": []}), echo)])
    tool = Tool(name="book", params=[Param(name="date")])
    registry = await registry_of(Manifest(tools=[tool]), page)
    assert (await registry.call("book", ["sunday"])).value == {"date": "sunday"}


async def test_no_frame_of_another_origin_takes_the_place_of_the_pages_own() -> None:
    """It neither stands in for what the manifest declares, nor takes the bare name of a form."""
    ads = {"frame": 1, "origin": "https://ads.example"}
    page = FakePage(
        {},
        [
            (offered("checkout", **ads), echo),
            (offered("contact", **ads), echo),
            (offered("contact", "form"), echo),
        ],
    )
    registry = await registry_of(Manifest(tools=[Tool(name="checkout")]), page)

    assert [(b.name, b.source.value, b.origin) for b in registry.list()] == [
        ("checkout", "manifest", "https://shop.example"),
        ("contact", "form", "https://shop.example"),
        ("modelContext_checkout", "modelContext", "https://ads.example"),
        ("modelContext_contact", "modelContext", "https://ads.example"),
    ]
    assert registry.get("checkout").problem == "the page has no function `checkout`"


def test_other_origins_cannot_push_out_what_is_the_pages_own() -> None:
    """Of more tools than are read, those of the page come first."""
    foreign = [{"kind": "modelContext", "name": f"a{n}", "origin": "x"} for n in range(10_001)]
    data = {**answer(None), "tools": [*foreign, {"kind": "form", "name": "mine", "origin": "o"}]}

    assert Offers.read(data).tools[0].target.name == "mine"


async def test_a_component_replaces_a_function_under_its_composed_name() -> None:
    """`shop_cart` of the manifest is the tool `cart` of the component `shop`."""
    page = FakePage({}, [(offered("cart", "component", component="shop"), echo)])
    registry = await registry_of(Manifest(tools=[Tool(name="shop_cart")]), page)

    assert [(b.name, b.source.value) for b in registry.list()] == [("shop_cart", "manifest")]


async def test_a_function_that_comes_late_is_found_by_the_call() -> None:
    """A tool that was missing at the last refresh is looked for again before a call fails."""
    page = FakePage({})
    registry = await registry_of(Manifest(tools=[Tool(name="late")]), page)
    assert registry.get("late").problem == "the page has no function `late`"

    page.functions["late"] = lambda: 1

    assert (await registry.call("late", [])).value == 1


async def test_a_tool_that_is_registered_late_is_found_by_the_call() -> None:
    """A call by a name that nobody knows yet looks at the page first."""
    page = FakePage({})
    registry = await registry_of(Manifest(), page)
    page.tools.append((offered("late"), echo))

    assert (await registry.call("late", [{"a": 1}])).value == {"a": 1}


async def test_a_listed_tool_says_everything_about_itself() -> None:
    """Annotations become one notion of effect; empty things are left out."""
    hints = {"readOnlyHint": True, "untrustedContentHint": True}
    tool = offered("book", title="Book", input_schema=SCHEMA, annotations=hints, frame=3)
    registry = await registry_of(Manifest(), FakePage({}, [(tool, echo)]))

    listed = registry.get("book").describe()

    assert listed == {
        "name": "book",
        "title": "Book",
        "description": "book",
        "source": "modelContext",
        "origin": "https://shop.example",
        "frame": 3,
        "calling": "object",
        "params": [
            {"name": "day", "type": "string", "description": "", "required": True},
            {"name": "party", "type": "number", "description": "", "required": False},
        ],
        "input_schema": SCHEMA,
        "returns": "",
        "effect": "read",
        "untrusted": True,
        "available": True,
    }


async def test_the_declared_behavior_is_listed() -> None:
    """Login, paths, rate and timeout are there for whoever decides about a call."""
    behavior = Behavior(
        effect="write", requires_login=True, paths=["/shop/*"], rate="2/minute", timeout_s=5
    )
    page = FakePage({"pay": print}, path="/about")
    registry = await registry_of(Manifest(tools=[Tool(name="pay", behavior=behavior)]), page)

    listed = registry.get("pay").describe()

    assert (
        listed.items()
        >= {
            "effect": "write",
            "login": True,
            "rate": "2/minute",
            "timeout_s": 5.0,
            "available": False,
            "problem": "`pay` works on `/shop/*`, and the page is at `/about`",
        }.items()
    )


async def test_looking_again_says_whether_anything_changed() -> None:
    """The same offers do not change the list; another description does."""
    page = FakePage({}, [(offered("a"), echo)])
    registry = await registry_of(Manifest(), page)

    assert await registry.refresh() is False
    page.tools[0] = (offered("a", description="other words"), echo)
    assert await registry.refresh() is True


async def test_shared_types_are_known_to_the_binding() -> None:
    """An argument is checked against a type that the manifest declares."""
    note = Note(title="Types", text="```ts\ntype Size = 'S' | 'M'\n```")
    tool = Tool(name="fit", params=[Param(name="size", type="Size")])
    registry = await registry_of(
        Manifest(tools=[tool], notes=[note]), FakePage({"fit": lambda size: size})
    )

    assert (await registry.call("fit", ["S"])).ok
    assert not (await registry.call("fit", ["XL"])).ok


@pytest.mark.parametrize(
    ("path", "fits"),
    [("/shop", True), ("/shop/", True), ("/shop/a/b", True), ("/shopping", False), ("/[x]", True)],
)
def test_paths_are_patterns_with_stars(path: str, fits: bool) -> None:
    """`/shop/*` is the folder and all below it; brackets mean themselves."""
    assert (wrong_path("t", ["/shop/*", "/[x]"], path) is None) is fits


@pytest.mark.parametrize(
    "entry",
    [
        None,
        {"kind": "function", "name": "x"},
        {"kind": "form", "name": ""},
        {"kind": "form", "name": 5},
        {"kind": "form", "name": "x", "description": "d" * 200_000},
        {"kind": "component", "name": "x", "component": 7},
        {"kind": "form", "name": "x", "frame": "0"},
    ],
)
def test_an_offer_of_another_shape_is_left_out(entry: Any) -> None:
    """For any data of a frame, the registry reads tools or nothing."""
    assert Offers.read(answer(entry)).tools == ()


def test_a_broken_schema_is_left_out_of_an_offer() -> None:
    """The tool stays; a schema that is a list, or nested without end, does not."""
    deep: Any = {}
    for _ in range(500):
        deep = {"properties": {"a": deep}}
    for schema in ([], "text", deep):
        (tool,) = Offers.read(answer({"kind": "form", "name": "x", "inputSchema": schema})).tools
        assert tool.input_schema is None


def answer(entry: Any) -> Mapping[str, Any]:
    """Return what a page with one tool answers."""
    return {"functions": {}, "undeclared": [], "tools": [entry], "path": "/", "origin": "o"}
