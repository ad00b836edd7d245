import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.compat.web import META, Answer, manifest, web
from webagent import AgentClient, Manifest, Note, SyncAgentClient, parse
from webagent.errors import InvalidArguments
from webagent.playwright_tools import DrivenPage

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
    """Tools are listed and found by name; an unknown name is a `KeyError`."""
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
    """Text of the site ends neither the comment nor the delimiters around it."""
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
    """An error of the page comes back as an object with `error`."""

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
        with pytest.raises(Exception, match="is not a web address"):
            await agent.detect("nowhere://shop.example/")
        assert agent.manifest is None


async def test_a_manifest_belongs_to_where_it_was_found() -> None:
    """To the origin of the page after redirects, or of the address that was given."""
    with web() as sites:
        sites.site({"/": META.format("/webagents.md"), "/webagents.md": manifest()})
        moved = Answer(status=302, headers={"Location": f"{sites.origin}/"})
        sites.site({"/": moved}, other=True)
        async with AgentClient() as agent:
            await agent.detect(f"{sites.other}/")
            assert agent.origin == sites.origin
            await agent.load(f"{sites.origin}/webagents.md")
            assert agent.origin == sites.origin
            assert agent.manifest is not None
            agent.load_manifest(agent.manifest)
            assert agent.origin is None
            agent.load_manifest(agent.manifest, origin="https://Shop.example:443/tea")
            assert agent.origin == "https://shop.example"


@pytest.mark.parametrize(
    ("shown", "text"),
    [("https://shop.example", "1"), ("https://evil.example", '{"error": "')],
)
async def test_code_runs_on_the_origin_of_the_manifest_only(shown: str, text: str) -> None:
    """Elsewhere the text is an error, and nothing of the code has run."""

    async def evaluate(expression: str) -> Any:
        script = (
            f"globalThis.window = {{ origin: '{shown}' }}; globalThis.location = window; {expression}"
            ".then((v) => console.log(JSON.stringify(v)), (e) => console.log(`!${e.message}`))"
        )
        node = await asyncio.create_subprocess_exec(
            "node", "-e", script, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await node.communicate()
        if output.startswith(b"!"):
            raise ValueError(output.decode()[1:].strip())
        return json.loads(output)

    agent = AgentClient()
    agent.load_manifest(MANIFEST, origin="https://shop.example")

    assert (await agent.execute(Page(evaluate), "return 1")).startswith(text)


async def test_a_call_has_its_arguments_one_way() -> None:
    """In order, or all by name."""
    driven = DrivenPage(Unasked(), "https://shop.example")  # type: ignore[arg-type]

    with pytest.raises(InvalidArguments, match="in order and by name"):
        await driven.call("search", ["x"], {"q": "x"})


class Unasked:
    """A page of Playwright's that nobody asks anything."""

    def on(self, event: str, listener: Callable[..., Any]) -> None:
        """Hear of nothing."""


def test_the_synchronous_client_speaks_for_itself() -> None:
    """It finds manifests while an event loop runs in its thread, and says the same of them."""

    async def within_a_loop(url: str) -> SyncAgentClient:
        client = SyncAgentClient()
        assert client.detect_url(url) == f"{url}webagents.md"
        assert client.detect(url) is client.manifest
        return client

    with web() as sites:
        sites.site({"/": META.format("/webagents.md"), "/webagents.md": manifest()})
        client = asyncio.run(within_a_loop(f"{sites.origin}/"))
        assert client.origin == sites.origin
        assert client.list_tools() == ["search"]
        with pytest.raises(Exception, match="is not a web address"):
            client.detect("nowhere://shop.example/")
        assert client.manifest is None
        client.close()
        with pytest.raises(RuntimeError, match="closed"):
            client.load(f"{sites.origin}/webagents.md")
