"""The means of a tool during its call: progress, a signal, and a way to ask whoever called."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp_types import ElicitResult
from playwright.async_api import Browser, BrowserContext, Page

from tests.chromium import find_chromium
from tests.devserver.agents.a2a.client import A2a, message
from tests.devserver.agents.client import connected, text
from tests.e2e.command import in_process
from tests.e2e.conftest import Serve, Watch
from tests.server import Server, hosting
from webagent import AgentClient
from webagent.agent import Answer, Driver, Request
from webagent.discovery import discover
from webagent.page.playwright import PlaywrightPage
from webagent.registry import ToolRegistry

TAILOR = Path(__file__).parents[1] / "sites" / "tailor"

FOUR_TOOLS = """
    async () => {
        const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
        while ((await webagent.tools()).length < 4) await pause();
    }
"""

Tailor = tuple[Server, Page]


@pytest.fixture(name="context", scope="session")
def _context(resting_context: BrowserContext) -> BrowserContext:
    """Programs outside need no Python in the page; a test that needs it waits for it."""
    return resting_context


@pytest_asyncio.fixture(name="tailor", scope="module", loop_scope="session")
async def _tailor(browser: Browser) -> AsyncIterator[Tailor]:
    """A server, and a page whose agent has started, for calls that leave nothing in it."""
    watch = Watch()
    with hosting(TAILOR) as server:
        context = await browser.new_context()
        page = await context.new_page()
        watch.attach(page)
        await page.goto(server.url)
        await page.evaluate("webagent.ready")
        await page.evaluate(FOUR_TOOLS)
        yield server, page
        await context.close()
    watch.check()


@pytest.mark.parametrize("age", ["legacy", "auto"])
@pytest.mark.parametrize(
    ("tool", "garment", "first"),
    [
        ("sewCoat", "coat L", "measures the coat L"),
        ("sewHat", "hat L", "measures the hat L"),
        ("gloves_sew", "gloves L", "measures the hand"),
    ],
)
async def test_a_question_reaches_an_mcp_client(
    tailor: Tailor, age: str, tool: str, garment: str, first: str
) -> None:
    """With the name of the tool, also of a component in a frame; words and an approval come back, and progress arrives."""
    asked: list[str] = []
    heard: list[str | None] = []

    async def ask(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        content = {"text": "red"} if "colour" in params.message else {"yes": True}
        return ElicitResult(action="accept", content=content)

    async def hear(_: float, __: float | None, message: str | None) -> None:
        heard.append(message)

    server, _page = tailor
    async with connected(server, age, elicitation_callback=ask) as client:
        sewn = await client.call_tool(tool, {"size": "L"}, progress_callback=hear)

    own = tool.removeprefix("gloves_")
    assert asked == [
        f"`{own}` asks: Which colour?",
        f'`{own}` asks: Cut the cloth?\n{{\n "tool": "{own}"\n}}',
    ]
    assert json.loads(text(sewn)) == {
        "garment": garment, "colour": "red", "sure": True, "aborted": False,
    }  # fmt: skip
    assert first in heard


async def test_nobody_can_be_asked(tailor: Tailor) -> None:
    """A client without forms, a page's own call, and a function that its page calls itself."""
    server, page = tailor
    async with connected(server) as client:
        sewn = await client.call_tool("sewCoat", {"size": "L"})
    own = await page.evaluate("webagent.call('sewCoat', 'M')")
    direct = await page.evaluate("sewCoat('S')")

    nothing = {"colour": None, "sure": False, "aborted": False}
    assert json.loads(text(sewn)) == {"garment": "coat L", **nothing}
    assert own == {"garment": "coat M", **nothing}
    assert direct == {"garment": "coat S", **nothing}


async def test_a_question_reaches_an_a2a_client(tailor: Tailor) -> None:
    """The task needs input, and goes on with it."""
    server, _page = tailor
    async with A2a(server) as client:
        task = await client.send({"data": {"tool": "sewHat", "arguments": {"size": "L"}}})
        assert task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert task["status"]["message"]["parts"][0]["text"] == "`sewHat` asks: Which colour?"
        task = await client.send("red", taskId=task["id"])
        assert task["status"]["message"]["parts"][0]["text"] == "`sewHat` asks: Cut the cloth?"
        task = await client.send("no", taskId=task["id"])

    (artifact,) = task["artifacts"]
    assert artifact["parts"][0]["data"]["colour"] == "red"
    assert artifact["parts"][0]["data"]["sure"] is False


@pytest.mark.parametrize(("binding", "version"), [("rpc", "1.0"), ("rest", "1.0"), ("rpc", "0.3")])
async def test_a_stream_has_each_event_once(tailor: Tailor, binding: str, version: str) -> None:
    """Of a task that reports and asks: as it is sent, answered, and subscribed to again."""
    server, _page = tailor
    older = version == "0.3"
    sending, following = (
        ("message/stream", "tasks/resubscribe")
        if older
        else ("SendStreamingMessage", "SubscribeToTask")
    )

    def sent(*parts: Any, **more: Any) -> dict[str, Any]:
        params = message(*parts, **more)
        return {"message": {**params["message"], "role": "user"}} if older else params

    async with A2a(server, binding) as client:
        if older:
            del client.http.headers["a2a-version"]
        call = {"data": {"tool": "sewHat", "arguments": {"size": "L"}}}
        first = [event async for event in client.stream(sending, **sent(call))]
        task = first[0] if older else first[0]["task"]
        subscribed: list[Any] = []

        async def subscribe(begun: asyncio.Event) -> None:
            async for event in client.stream(following, id=task["id"]):
                subscribed.append(event)
                begun.set()

        begun = asyncio.Event()
        subscribing = asyncio.ensure_future(subscribe(begun))
        await begun.wait()
        second = [event async for event in client.stream(sending, **sent("red", taskId=task["id"]))]
        third = [event async for event in client.stream(sending, **sent("yes", taskId=task["id"]))]
        await subscribing

    for events in (first, second, third, subscribed):
        told = [json.dumps(event, sort_keys=True) for event in events]
        assert len(set(told)) == len(told) > 1
        assert ["task" in event or event.get("kind") == "task" for event in events] == [
            True,
            *[False] * (len(events) - 1),
        ]
    words = json.dumps(first)
    assert words.count("measures the hat L") == words.count("calls `sewHat`") == 1


async def test_a_cancel_reaches_the_function(serve: Serve, page: Page) -> None:
    """An MCP client that gives up aborts the signal."""
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    async with connected(server) as client:
        calling = asyncio.create_task(client.call_tool("waitForCloth", {}))
        await page.wait_for_function("globalThis.waiting")
        calling.cancel()
        await page.wait_for_function("globalThis.cancelled")


class Customer:
    """Answers what tools ask.

    Attributes:
        asked: What was asked.
    """

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        """Return a colour, or a yes."""
        self.asked.append(request)
        return Answer(True, "" if request.kind == "approval" else "red")


SEWN = {"colour": "red", "sure": True, "aborted": False}


@pytest.mark.conformance
@pytest.mark.parametrize(("tool", "garment"), [("sewCoat", "coat L"), ("sewHat", "hat L")])
async def test_a_question_reaches_a_program_with_playwright(
    serve: Serve, page: Page, tool: str, garment: str
) -> None:
    """`AgentClient` has a person and hears of calls; programs of a model's ask them too."""
    await page.goto(serve(TAILOR).url)
    await page.wait_for_function("document.modelContext")
    customer, heard = Customer(), list[dict[str, Any]]()
    async with AgentClient(person=customer, on_call=heard.append) as client:
        await client.detect(page.url)
        called = await client.call(page, tool, size="L")
        given = "'L'" if tool == "sewCoat" else "{size: 'L'}"
        ran = await client.run_code(page, f"return global.{tool}({given})")
    async with AgentClient() as alone:
        await alone.detect(page.url)
        unanswered = await alone.call(page, tool, size="L")

    assert called.value == ran.value == {"garment": garment, **SEWN}
    assert unanswered.value == {"garment": garment, "colour": None, "sure": False, "aborted": False}
    texts = [f"`{tool}` asks: Which colour?", f"`{tool}` asks: Cut the cloth?"]
    assert [request.text for request in customer.asked] == texts * 2
    assert [request.kind for request in customer.asked] == ["question", "approval"] * 2
    assert customer.asked[0].details == {"tool": tool}
    states = [event["state"] for event in heard]
    assert states == ["started", "progress", "finished"] * 2
    assert heard[1]["message"] == f"measures the {garment}"


async def test_a_question_reaches_the_person_of_a_driver(serve: Serve, page: Page) -> None:
    """As an event of the run, and as a request to its person."""
    await page.goto(serve(TAILOR).url)
    customer, events = Customer(), list[dict[str, Any]]()
    driven = PlaywrightPage(page)
    registry = ToolRegistry(driven)
    manifest = await discover(page.url)
    assert manifest is not None
    await registry.bind(manifest)
    driver = Driver(driven, registry, person=customer, on_event=events.append)
    result = await driver.run('sew a coat with size "L"')
    await driven.close()

    assert result.ok, result.text
    assert result.run.done()[0].value == {"garment": "coat L", **SEWN}
    texts = [request.text for request in customer.asked]
    assert texts == ["`sewCoat` asks: Which colour?", "`sewCoat` asks: Cut the cloth?"]
    asked = [event["request"]["kind"] for event in events if event["type"] == "asked"]
    assert asked == ["question", "approval"]


ASKS_ON = """async (answer) => {
  globalThis.sewCoat = async () => {
    const { ask } = webagent.context();
    for (let n = 0; n < 300; n++) await ask(`Which colour? ${n}`, { kind: "plan" }).catch(() => {});
    await new Promise(() => {});
  };
  const asked = [], told = [];
  const approve = async ({ kind, text }) => {
    if (!text.includes("Which colour?")) return true;
    asked.push(kind);
    return answer;
  };
  const onEvent = ({ type, request }) => type === "asked" && told.push(request.text);
  const { ok, error } = await webagent.run('sew a coat with size "L"', { approve, onEvent });
  return { ok, message: error.message, asked, told: told.filter((text) => text.includes("colour")) };
}"""


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("answer", "times", "message"),
    [
        ({"yes": False}, 3, "the person said no to `sewCoat` three times"),
        ({"yes": False, "stop": True}, 1, "the person stopped the run"),
    ],
)
async def test_a_tool_that_asks_again_and_again_ends_its_run(
    serve: Serve, page: Page, answer: dict[str, bool], times: int, message: str
) -> None:
    """In the page itself, though the tool catches every error and never ends."""
    await page.goto(serve(TAILOR).url)
    await page.evaluate("webagent.ready")
    outcome = await page.evaluate(ASKS_ON, answer)

    told = [f"`sewCoat` asks: Which colour? {number}" for number in range(times)]
    asked = ["question"] * times
    assert outcome == {"ok": False, "message": message, "asked": asked, "told": told}


async def test_a_call_from_outside_asks_thrice(tailor: Tailor) -> None:
    """After three refusals during a call, its tool asks nobody any more, also in parallel."""
    server, page = tailor
    await page.evaluate(
        """globalThis.sewnBefore = sewCoat;
        globalThis.sewCoat = async () => {
          const { ask } = webagent.context();
          const answers = await Promise.all([...Array(20)].map((_, n) => ask(`Colour ${n}?`)));
          return answers.filter((answer) => answer === null).length;
        };"""
    )
    asked: list[str] = []

    async def refuse(_: Any, params: Any) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="decline")

    async with connected(server, "legacy", elicitation_callback=refuse) as client:
        sewn = await client.call_tool("sewCoat", {"size": "L"})
    await page.evaluate("globalThis.sewCoat = sewnBefore")

    assert asked == [f"`sewCoat` asks: Colour {number}?" for number in range(3)]
    assert text(sewn) == "20"


async def test_a_program_outside_of_runs_asks_thrice(serve: Serve, page: Page) -> None:
    """Though each of its calls asks once."""
    await page.goto(serve(TAILOR).url)
    await page.evaluate(
        "globalThis.sewCoat = async () => await webagent.context().ask('Which colour?')"
    )
    asked: list[Request] = []

    class Stranger:
        async def ask(self, request: Request) -> Answer:
            asked.append(request)
            return Answer(False)

    async with AgentClient(person=Stranger()) as client:
        await client.detect(page.url)
        ran = await client.run_code(
            page,
            "const all = []; for (let n = 0; n < 20; n++) all.push(await global.sewCoat('L')); "
            "return all.filter((each) => each === null).length",
        )

    assert (ran.value, len(asked)) == (20, 3)


async def test_a_hostile_page_asks_no_more_than_a_question(serve: Serve, page: Page) -> None:
    """It has the words, but neither the kind of a plan nor grants."""
    await page.goto(serve(TAILOR).url)
    await page.evaluate(
        """globalThis.sewCoat = async () => {
          const { ask, progress } = webagent.context();
          progress({ toString: () => "x".repeat(5000) });
          const file = await ask("a".repeat(5000), { kind: "file" });
          const plan = await ask({ toString: () => "plan?" }, { kind: "plan", grants: [1] });
          return [typeof file, typeof plan];
        }"""
    )
    customer, heard = Customer(), list[dict[str, Any]]()
    async with AgentClient(person=customer, on_call=heard.append) as client:
        await client.detect(page.url)
        called = await client.call(page, "sewCoat", size="L")

    assert called.value == ["string", "string"]
    assert {request.kind for request in customer.asked} == {"question"}
    assert all(request.details == {"tool": "sewCoat"} for request in customer.asked)
    assert len(customer.asked[0].text) < 1100
    assert len(heard[1]["message"]) == 1000


@pytest.mark.conformance
async def test_a_call_that_runs_reports_that_it_does(serve: Serve, page: Page) -> None:
    """Every five seconds, to a client of MCP and to a program with Playwright."""
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    beat = "`waitForCloth` runs for 5 s"
    by_mcp, by_playwright = asyncio.Event(), asyncio.Event()

    async def hear(_: float, __: float | None, message: str | None) -> None:
        if message == beat:
            by_mcp.set()

    def on_call(event: dict[str, Any]) -> None:
        if event.get("message") == beat:
            by_playwright.set()

    async with connected(server) as mcp, AgentClient(on_call=on_call) as client:
        await client.detect(page.url)
        calls = [
            asyncio.ensure_future(mcp.call_tool("waitForCloth", {}, progress_callback=hear)),
            asyncio.ensure_future(client.call(page, "waitForCloth")),
        ]
        async with asyncio.timeout(15):
            await by_mcp.wait()
            await by_playwright.wait()
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("open_page", [True, pytest.param(False, marks=pytest.mark.conformance)])
async def test_the_person_at_the_terminal_is_asked(
    serve: Serve, page: Page, open_page: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an open page as in a fresh one; without a terminal there is no answer."""
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))
    server = serve(TAILOR)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    where = () if open_page else ("--headless",)
    typed = ("call", "sewCoat", "size=L", "--site", server.url, *where)
    asked = await at_terminal(*typed, answers=["red", "y"])
    code, unasked, _ = await in_process(*typed)

    assert "`sewCoat` asks: Which colour?" in asked
    assert "`sewCoat` asks: Cut the cloth?" in asked
    assert json.loads(asked[asked.index("{") :]) == {"garment": "coat L", **SEWN}
    assert code == 0
    nothing = {"colour": None, "sure": False, "aborted": False}
    assert json.loads(unasked) == {"garment": "coat L", **nothing}


async def at_terminal(*arguments: str | Path, answers: list[str]) -> str:
    """Run a command at a terminal where a person types these lines; return what it writes."""
    person, terminal = os.openpty()
    try:
        os.write(person, "".join(f"{answer}\n" for answer in answers).encode())
        command = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "webagent_dev", *map(str, arguments)),
            stdin=terminal,
            stdout=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            out, _ = await command.communicate()
    finally:
        os.close(person)
        os.close(terminal)
    assert command.returncode == 0, out
    return out.decode()
