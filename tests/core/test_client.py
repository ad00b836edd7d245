import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from webagent import AgentClient, Manifest, Note, parse

MANIFEST = parse(
    "# Shop\n\nSells shoes.\n\n## Rules\nAsk `*/*` first.\n\n## search\nFind.\n\n"
    "### Params\n- `q` (string, required): What.\n"
)


def loaded() -> AgentClient:
    agent = AgentClient()
    agent.load_manifest(MANIFEST)
    return agent


class Page:
    """A page whose `evaluate` is a function of the test."""

    def __init__(self, answer: Callable[[str], Awaitable[Any]]) -> None:
        self.answer = answer

    async def evaluate(self, expression: str, /) -> Any:
        return await self.answer(expression)


async def run(value: Any) -> str:
    async def answer(expression: str) -> Any:
        return value

    return await loaded().execute(Page(answer), "return 1")


def test_before_anything_is_loaded() -> None:
    """Everything that needs a manifest raises `RuntimeError` without one."""
    agent = AgentClient()

    assert agent.manifest is None
    for use in (agent.list_tools, agent.typescript, agent.context_for_llm, agent.system_prompt):
        with pytest.raises(RuntimeError, match="No manifest loaded"):
            use()
    with pytest.raises(RuntimeError, match="No manifest loaded"):
        agent.get_tool("search")


def test_tools() -> None:
    """Tools are listed and found by name; a name that is none is a `KeyError`."""
    agent = loaded()

    assert agent.manifest is MANIFEST
    assert agent.list_tools() == ["search"]
    assert agent.get_tool("search").description == "Find."
    with pytest.raises(KeyError, match="nothing"):
        agent.get_tool("nothing")


def test_context_has_each_thing_once() -> None:
    """Declarations, description and notes are in the context, none of them twice."""
    context = loaded().context_for_llm()

    for text in ("Find.", "Sells shoes.", "## Rules", "search(q: string)", "@param q - What."):
        assert context.count(text) == 1


def test_types_are_in_the_context_once() -> None:
    """Fences that the declarations hold are left out of the notes; all other text stays."""
    agent = AgentClient()
    text = "Ids are short.\n\n```ts\ntype Id = string\n```\n\n```ts\ntype No = {\n```\n\nSo far."
    agent.load_manifest(Manifest(notes=[Note(title="Types", text=text)]))
    context = agent.context_for_llm()

    assert context.count("type Id = string") == 1
    assert "## Types\nIds are short.\n\n```ts\ntype No = {\n```\n\nSo far." in context
    agent.load_manifest(Manifest(notes=[Note(title="Types", text="```ts\ntype Id = string\n```")]))
    assert "## Types" not in agent.context_for_llm()


def test_notes_cannot_leave_their_comment() -> None:
    """Text of the site ends neither the comment nor the delimiters it stands in."""
    context = loaded().context_for_llm()
    mark = next(line for line in context.split("\n") if line.startswith("-----"))

    assert context.rstrip().endswith(f"{mark}\n*/")
    assert context[context.index("/*\n") :].count("*/") == 1
    assert context.split("\n").count(mark) == 2
    agent = AgentClient()
    agent.load_manifest(Manifest(notes=[Note(title="x", text=mark)]))
    assert agent.context_for_llm().split("\n").count(mark) == 1


def test_context_without_texts_is_the_declarations() -> None:
    """Where the site says nothing else, there is no comment."""
    agent = AgentClient()
    agent.load_manifest(Manifest())

    assert agent.context_for_llm() == "declare const global: {};\n"


def test_system_prompt() -> None:
    """The prompt names site, context and tool, and ends with the task if there is one."""
    agent = loaded()
    prompt = agent.system_prompt(task="Find shoes")

    assert '"Shop"' in prompt
    assert agent.context_for_llm() in prompt
    assert "`execute_js`" in prompt
    assert prompt.endswith("\n\nTask: Find shoes")
    assert "Task:" not in agent.system_prompt()


def test_execute_tool() -> None:
    """The one tool is `execute_js` with one string, `code`, in the shape that is asked for."""
    agent = AgentClient()
    function = agent.execute_tool()["function"]
    schema = function["parameters"]

    assert function["name"] == "execute_js"
    assert schema["required"] == ["code"]
    assert schema["properties"]["code"]["type"] == "string"
    assert agent.execute_tool() == agent.execute_tool(format="openai")
    description = function["description"]
    for format_, key in (
        ("anthropic", "input_schema"),
        ("gemini", "parameters"),
        ("mcp", "inputSchema"),
    ):
        tool = agent.execute_tool(format=format_)  # type: ignore[arg-type]
        assert tool == {"name": "execute_js", "description": description, key: schema}
    with pytest.raises(ValueError, match="`openai`, `anthropic`, `gemini`, `mcp`"):
        agent.execute_tool(format="other")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text"),
    [("a", "a"), (None, "undefined"), ({"a": "ü"}, '{"a": "ü"}'), ([1], "[1]"), (True, "true")],
)
async def test_results_as_text(value: Any, text: str) -> None:
    """A string stays as it is, nothing is `undefined`, the rest is JSON."""
    assert await run(value) == text


async def test_failures_as_text() -> None:
    """What the page throws comes back as an object with `error`."""

    async def throws(expression: str) -> Any:
        raise ValueError("no such page")

    text = await loaded().execute(Page(throws), "return 1")

    assert json.loads(text) == {"error": "no such page"}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("return await Promise.resolve(2) // done", "2"),
        ("return global === globalThis", "true"),
        ("const global = 3; return global", "3"),
        ("const x = 1;", "undefined"),
        ("return 'a'", "a"),
    ],
)
async def test_code_in_node(code: str, text: str) -> None:
    """Code may end in a comment, declare `global` itself and return nothing."""

    async def evaluate(expression: str) -> Any:
        script = f"Promise.resolve({expression}).then(v => console.log(JSON.stringify(v ?? null)))"
        node = await asyncio.create_subprocess_exec(
            "node", "-e", script, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await node.communicate()
        return json.loads(output)

    assert await loaded().execute(Page(evaluate), code) == text


async def test_a_closed_client_says_so() -> None:
    """After `close` the manifest stays, and requests are refused."""
    async with loaded() as agent:
        pass

    assert agent.list_tools() == ["search"]
    with pytest.raises(RuntimeError, match="closed"):
        await agent.load("https://shop.example/webagents.md")


async def test_detect_forgets_the_last_site() -> None:
    """When a page cannot be had, the manifest of the page before is gone."""
    agent = loaded()

    async with agent:
        with pytest.raises(Exception, match="no address on the web"):
            await agent.detect("nowhere://shop.example/")
        assert agent.manifest is None
