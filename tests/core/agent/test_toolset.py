"""The page's tools as a model gets them, and the size of its first prompt."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.core.agent.stage import shown
from tests.goals.goals import tool_sets

from webagent.agent import MessageBuilder, Run, Scene
from webagent.agent.actions.table import default_actions
from webagent.agent.person import Files
from webagent.agent.run import PastCall, PastRun
from webagent.agent.toolset import (
    TOOL_TOKENS,
    Offer,
    declarations,
    definition_tokens,
    offered_tools,
    tokens_in,
    toolset_of,
)
from webagent.llm.chat import Message, ToolDefinition
from webagent.modelcontext import from_model_context
from webagent.page.fakes import FakePage
from webagent.parser import parse
from webagent.registry import ToolRegistry
from webagent.registry.tool_search import search_tools
from webagent.types import Behavior, Manifest, Note, Param, Tool

ROOT = Path(__file__).parents[3]
SHOP = parse((ROOT / "site_template" / "webagents.md").read_text(encoding="utf-8"))
NOW = datetime(2027, 3, 5, 9, 30, tzinfo=UTC)
ACTIONS = [action.definition for action in default_actions()]
HUGE = Tool(
    name="huge",
    description="It does much. " * 15_000,
    params=[Param(name=f"p{n}", type="string", description="x" * 500) for n in range(200)],
    returns="{ " + "a: string; " * 200 + "}",
)


def site(count: int) -> Manifest:
    """Return a manifest with real tools of many sites; sets that are added later change none of them."""
    named: dict[str, Mapping[str, Any]] = {}
    for each in tool_sets("training"):
        for tool in each.tools:
            named.setdefault(tool["name"], tool)
    return Manifest(tools=[from_model_context(tool) for tool in [*named.values()][:count]])


async def first_prompt(
    manifest: Manifest,
    *,
    offer: Offer = "both",
    goal: str = "book two tickets",
    origin: str = "https://shop.example",
    page: str = "Welcome",
    path: str = "/",
    earlier: Sequence[PastRun] = (),
) -> tuple[list[Message], list[ToolDefinition]]:
    """Return the messages and tools of a first step."""
    registry = ToolRegistry(FakePage({tool.name: lambda *_: 1 for tool in manifest.tools}))
    await registry.bind(manifest)
    scene = Scene(shown(page, path=path), registry.list(), NOW, earlier=earlier)
    tools, toolset = offered_tools(
        ACTIONS, manifest, scene.tools, goal, offer=offer, most=TOOL_TOKENS
    )
    builder = MessageBuilder(registry, Files(), context_tokens=128_000)
    return builder.build(Run(goal, origin), scene, tools, toolset), tools


def definition(tool: ToolDefinition) -> str:
    """Return a tool as providers are sent it."""
    sent = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return json.dumps(sent, ensure_ascii=False)


def count_tokens(*texts: str) -> list[int]:
    """Return the tokens of texts in the encoding `o200k_base`."""
    script = ROOT / "tests" / "tokens.mjs"
    done = subprocess.run(
        ["node", script], input=json.dumps(texts), capture_output=True, text=True, check=True
    )
    counted: list[int] = json.loads(done.stdout)
    return counted


@pytest.mark.process
@pytest.mark.parametrize(
    ("manifest", "most"), [(SHOP, 6_000), (site(60), 5_000), (site(200), 6_000)]
)
async def test_tokens_of_the_first_step(manifest: Manifest, most: int) -> None:
    """The first step of a site with 13, 60 and 200 tools stays small, and has every name."""
    messages, tools = await first_prompt(manifest)

    texts = [*(message.text for message in messages), *map(definition, tools)]
    assert sum(count_tokens(*texts)) <= most
    assert all(tool.name in "\n".join(texts) for tool in manifest.tools)


async def test_no_tool_hides_another() -> None:
    """A tool of 200 kB is shortened, and the others are as they are without it."""
    alone = {tool.name: tool for tool in (await first_prompt(SHOP))[1]}
    both = SHOP.model_copy(update={"tools": [HUGE, *SHOP.tools]})
    messages, tools = await first_prompt(both)
    named = {tool.name: tool for tool in tools}

    if "huge" in named:
        assert {name: tool for name, tool in named.items() if name != "huge"} == alone
        assert definition_tokens(named["huge"]) <= 1_500
    else:
        text = "\n".join(message.text for message in messages)
        assert all(f"- {tool.name}" in text for tool in both.tools)
    assert tokens_in("".join(message.text for message in messages)) < 6_000


@pytest.mark.parametrize("offer", ["native", "code", "both"])
async def test_a_huge_tool_is_shortened_however_it_is_offered(offer: Offer) -> None:
    """Its name, its parameters and the beginning of its description stay."""
    manifest = Manifest(tools=[HUGE])
    messages, tools = await first_prompt(manifest, offer=offer)

    text = "\n".join([*(m.text for m in messages), *map(definition, tools)])
    assert "huge" in text
    assert "It does much." in text
    assert "p0" in text
    assert tokens_in(text) < 6_000


async def test_declarations_have_all_that_the_manifest_says() -> None:
    """Description, parameters, defaults, bounds, effect and limits."""
    behavior = Behavior(effect="irreversible", requires_login=True, paths=["/pay"], rate="2/minute")
    tool = Tool(
        name="pay",
        description="Pays an invoice.",
        params=[
            Param(name="euros", type="number", description="The amount."),
            Param(name="note", required=False, default='"thanks"'),
        ],
        returns="Receipt",
        behavior=behavior,
        input_schema={
            "type": "object",
            "properties": {"euros": {"type": "number", "minimum": 1, "maximum": 500}},
        },
    )
    types = Note(title="Types", text="```ts\ntype Receipt = { id: string };\n```")
    manifest = Manifest(tools=[tool], notes=[types])
    registry = ToolRegistry(FakePage({"pay": lambda *_: 1}))
    await registry.bind(manifest)

    text = declarations(manifest, registry.list())

    for words in (
        "Pays an invoice.",
        "It cannot be undone. It works on `/pay`. The visitor has to be signed in. "
        "It may be called 2/minute.",
        "@param euros - The amount. (minimum: 1, maximum: 500)",
        '@param note - (default: "thanks")',
        "type Receipt = { id: string };",
        "pay(euros: number, note?: string): Promise<Receipt>;",
    ):
        assert words in text, words
    messages, tools = await first_prompt(manifest)
    assert "type Receipt = { id: string };" in messages[0].text
    assert "In a program: `global.pay(euros, note?): Promise<Receipt>`." in tools[-1].description
    assert tools[-1].parameters["properties"]["euros"]["maximum"] == 500


async def test_tools_that_the_goal_speaks_of_are_declared() -> None:
    """Of many tools those are declared in full, behind the part that is the same for each goal."""
    manifest = site(200)
    messages, tools = await first_prompt(manifest, goal="buy a ticket to Lyon")

    assert "bookTicket(" in messages[2].text
    assert "bookTicket(" not in messages[0].text
    assert {"call_tool", "search_tools"} <= {tool.name for tool in tools}


def shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at the beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


@pytest.mark.process
@pytest.mark.parametrize("manifest", [SHOP, site(200)])
@pytest.mark.parametrize("offer", ["native", "code", "both"])
async def test_the_static_prefix_is_shared(manifest: Manifest, offer: Offer) -> None:
    """Two goals, two pages and two visitors share tools and rules to the byte."""
    past = PastRun("find x", "found", True, "", (PastCall("search", {"query": "x"}, "y"),))
    prompts = [
        await first_prompt(manifest, offer=offer),
        await first_prompt(manifest, offer=offer, goal="log me out"),
        await first_prompt(manifest, offer=offer, page="A basket", path="/basket"),
        await first_prompt(manifest, offer=offer, earlier=[past]),
    ]
    wholes = [
        "".join([*map(definition, tools), *(m.text for m in messages)])
        for messages, tools in prompts
    ]
    (messages, tools) = prompts[0]
    static = "".join([*map(definition, tools), messages[0].text])

    assert messages[0].stable
    for whole in wholes[1:]:
        assert whole.startswith(static)
    # In tokens, of what a provider could cache of the first prompt without the goal and the page.
    least = min(shared(wholes[0], whole) for whole in wholes[1:])
    tokens = count_tokens(wholes[0][:least], "".join([static, messages[1].text]))
    assert tokens[0] >= 0.9 * tokens[1]


async def test_earlier_runs_are_shown_as_data() -> None:
    """A goal may refer to them; they come after the part that is shared."""
    past = PastRun("find x", "found two", True, "", (PastCall("search", {"query": "x"}, ["a"]),))
    messages, _ = await first_prompt(SHOP, earlier=[past])

    assert messages[2].text.startswith("Earlier goals in this tab")
    assert 'of="earlier"' in messages[2].text
    assert '"answer": "found two"' in messages[2].text


def test_tools_that_only_the_page_has_come_last() -> None:
    """So the beginning is the same on all pages of a site."""
    from webagent.page.offers import Target
    from webagent.registry import Binding
    from webagent.registry.binding import ToolSource

    def bound(name: str, source: ToolSource) -> Binding:
        return Binding(Tool(name=name), Target("function", name), name, source)

    tools = [bound("page", ToolSource.FORM), bound("site", ToolSource.MANIFEST)]
    toolset = toolset_of(Manifest(), tools, "go", offer="both", most=TOOL_TOKENS, taken={"site"})

    assert [tool.name for tool in toolset.native] == ["tool_site", "page"]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("put two copies into my basket", "addToBasket"),
        ("what does delivery to Spain cost", "getDeliveryPrice"),
        ("getUserProfile please", "getUserProfile"),
        ("LIST the CATEGORIES", "listCategories"),
    ],
)
async def test_tools_are_found_by_words(words: str, first: str) -> None:
    """Names count most, then titles, descriptions and parameters."""
    registry = ToolRegistry(FakePage({}))
    await registry.bind(SHOP)

    assert search_tools(registry.list(), words, 3)[0].name == first


async def test_words_that_no_tool_has_find_nothing() -> None:
    """Nothing is returned for the sake of an answer."""
    registry = ToolRegistry(FakePage({}))
    await registry.bind(SHOP)

    assert search_tools(registry.list(), "zymurgy", 3) == []
    assert search_tools(registry.list(), "", 3) == []
    assert search_tools([], "basket", 3) == []


async def test_a_parameter_for_a_file_is_written_as_its_name() -> None:
    """A model reads so in the definition of the tool; other parameters are as they were."""
    params = [Param(name="cv", type="File"), Param(name="note", type="MyFile | string")]
    manifest = Manifest(tools=[Tool(name="apply", params=params)])
    registry = ToolRegistry(FakePage({"apply": lambda cv, note: ""}))
    await registry.bind(manifest)
    offered = registry.list()
    tools, _ = offered_tools(ACTIONS, manifest, offered, "apply", offer="native", most=TOOL_TOKENS)
    (apply,) = [tool for tool in tools if tool.name == "apply"]

    assert "Write a file's name as `cv`; the person gives it." in apply.description
