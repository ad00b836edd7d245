"""Runs in a page: what the page brings to them, and what becomes of them when it comes and goes."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from tests.core.agent.stage import Stage, call, finish, tool

from webagent.agent import default_actions
from webagent.agent import session as module
from webagent.agent.session import Session
from webagent.errors import Denied, ToolError
from webagent.llm.chat import Message, Reply, ToolDefinition
from webagent.llm.errors import Overloaded

GOAL = "add dune to my basket"
ORDER = "place my order"
DEFAULTS = {
    action.definition.name: action.definition
    for action in default_actions()
    if action.definition.name not in ("call_tool", "search_tools")
}
NATIVE = ["tool_search", "addToBasket", "placeOrder", "mystery", "away", "login"]


class Bridge:
    """The page's side of runs.

    Attributes:
        asked: What the person was asked for, plans apart.
        kept: The run that the tab keeps.
        recent: What its last runs were about.
        planned: Called before the plan is accepted.
    """

    def __init__(self, kept: str = "", answer: dict[str, Any] | None = None) -> None:
        self.asked: list[dict[str, Any]] = []
        self.kept = kept
        self.recent = ""
        self.language: dict[str, Any] = {"language": "en"}
        self._answer = answer or {"yes": True}
        self.loading = asyncio.Event()
        self.load_now = asyncio.Event()
        self.load_now.set()
        self.planned: Callable[[], Awaitable[None]] | None = None

    async def ask(self, request: str) -> str:
        data = json.loads(request)
        if data["kind"] == "plan":
            if self.planned:
                await self.planned()
            return '{"yes": true}'
        self.asked.append(data)
        return json.dumps(self._answer)

    async def load(self) -> str:
        self.loading.set()
        await self.load_now.wait()
        return self.kept

    async def save(self, text: str) -> str:
        self.kept = text
        return ""

    async def clear(self) -> None:
        self.kept = ""

    async def speech(self) -> str:
        return json.dumps(self.language)

    async def recall(self) -> str:
        return self.recent

    async def remember(self, text: str) -> str:
        self.recent = text
        return ""


class Model:
    """Plans nothing much, calls the tool that the goal is about, and is done."""

    name = "simple"
    context_tokens = 100_000

    async def reply(
        self, messages: Sequence[Message], tools: Sequence[ToolDefinition], *, on_text: Any = None
    ) -> Reply:
        said = str(messages)
        results = [message for message in messages if message.role == "tool"]
        if not results:
            name = "placeOrder" if ORDER in said else "addToBasket"
            return Reply(calls=(call("make_plan", plan=f"I will do it\n- `{name}`\n- `mystery`"),))
        if len(results) > 1:
            return Reply(calls=(finish(),))
        wanted = tool("placeOrder") if ORDER in said else tool("addToBasket", bookId="dune")
        return Reply(calls=(wanted,))


@pytest.fixture(name="model", autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages that name no model have that one."""
    known = module.page_models

    async def models(options: Any, bridge: Any) -> Any:
        return await known(options, bridge) if options else (Model(), None)

    monkeypatch.setattr(module, "page_models", models)


@pytest.fixture(name="offered")
def _offered(monkeypatch: pytest.MonkeyPatch) -> list[list[ToolDefinition]]:
    """Return what the model was offered, by request."""
    offered: list[list[ToolDefinition]] = []
    reply = Model.reply

    async def recorded(self: Model, messages: Any, tools: Any, **further: Any) -> Reply:
        offered.append(tools)
        return await reply(self, messages, tools, **further)

    monkeypatch.setattr(Model, "reply", recorded)
    return offered


class Heard(list[dict[str, Any]]):
    """Events of a session."""

    def __call__(self, event: str) -> None:
        self.append(json.loads(event))

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self]


def session_of(stage: Stage, heard: Heard) -> Session:
    return Session(stage.page, stage.registry, heard)


def options(**given: Any) -> str:
    return json.dumps({"model": None, "budget": {}, **given})


async def left_behind(stage: Stage, *withheld: str) -> str:
    """Return what a page leaves in the store that is left in the middle of a run.

    Args:
        stage: The page.
        withheld: Actions that the run is not offered.
    """
    bridge, session = Bridge(), session_of(stage, Heard())
    adding = asyncio.Event()

    async def add(bookId: str, count: int = 1) -> None:  # noqa: N803
        adding.set()
        await asyncio.Event().wait()

    if withheld:
        names = [action.definition.name for action in default_actions()]
        offered = json.dumps([{"name": name} for name in names if name not in withheld])
        bridge.planned = lambda: session.set_definitions(offered)
    stage.page.functions["addToBasket"] = add
    running = asyncio.ensure_future(session.run(GOAL, options(), bridge))
    await adding.wait()
    session.abandon()
    await asyncio.wait([running])
    stage.page.functions["addToBasket"] = lambda bookId, count=1: "added"  # noqa: N803
    return bridge.kept


async def test_a_permission_for_the_session_needs_no_other_yes(stage: Stage) -> None:
    """The page says by its key what was allowed in earlier runs."""
    bridge = Bridge(answer={"yes": True, "session": True})
    session = session_of(stage, Heard())
    await session.run(GOAL, options(), bridge)
    key = bridge.asked[0]["details"]["key"]

    result = json.loads(await session.run(GOAL, options(allowed=[key]), bridge))

    assert result["ok"], result
    assert len(bridge.asked) == 1


async def test_a_model_that_is_down_is_left_alone_for_a_minute(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each goal of the page has a driver of its own; another model is asked all the same."""
    asked: list[str] = []

    class Down(Model):
        async def reply(self, *given: Any, **further: Any) -> Reply:
            asked.append(self.name)
            # So long that nobody waits.
            raise Overloaded("down", retry_after_s=600.0)

    async def models(options: Any, bridge: Any) -> Any:
        down = Down()
        down.name = options["name"]
        return down, None

    monkeypatch.setattr(module, "page_models", models)
    heard = Heard()
    session = session_of(stage, heard)
    for name in ("one", "one", "two"):
        await session.run(GOAL, options(model={"name": name}), Bridge())

    assert asked == ["one", "two"]
    assert heard.kinds.count("switched") == 3


async def test_requests_are_in_the_language_of_the_page(stage: Stage) -> None:
    """A text of the site's own comes first; the words of the manifest stay as they are."""
    bridge = Bridge()
    own = {"reason_write": "das kommt in den Korb"}
    bridge.language = {"language": "de-CH", "texts": own | {"no_such_text": "x", "yes": 1}}
    result = json.loads(await session_of(stage, Heard()).run(GOAL, options(), bridge))
    assert result["ok"]
    (asked,) = bridge.asked
    assert asked["text"].startswith("Darf ich `")
    assert asked["text"].endswith("` ausführen? Das kommt in den Korb.")
    assert asked["details"]["grants"][0]["text"] == "`addToBasket` ausführen"


async def test_a_yes_holds_no_longer_than_the_page_says(stage: Stage) -> None:
    """A run without permissions asks again."""
    bridge = Bridge(answer={"yes": True, "session": True})
    session = session_of(stage, Heard())
    await session.run(GOAL, options(), bridge)
    await session.run(GOAL, options(), bridge)

    assert len(bridge.asked) == 2


async def test_an_irreversible_action_is_never_allowed_for_the_session(stage: Stage) -> None:
    """A page that claims so is not believed, and no key is given out."""
    bridge = Bridge()
    await session_of(stage, Heard()).run(ORDER, options(allowed=["placeOrder"]), bridge)

    assert [request["details"]["tool"] for request in bridge.asked] == ["placeOrder"]
    assert "key" not in bridge.asked[0]["details"]


async def test_a_page_changes_what_its_run_is_offered(
    stage: Stage, offered: list[list[ToolDefinition]]
) -> None:
    """From the next step on, in its own words; what it leaves out stays as the action has it."""
    bridge, session = Bridge(), session_of(stage, Heard())
    adding: list[asyncio.Future[None]] = []

    def add(bookId: str, count: int = 1) -> str:  # noqa: N803
        more = json.dumps([{"name": "scroll"}])
        adding.append(asyncio.ensure_future(session.add_definitions(more)))
        return "added"

    stage.page.functions["addToBasket"] = add
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    ending = {"name": "finish", "description": "Say goodbye.", "parameters": parameters}
    others = json.dumps([{"name": "call_tool"}, ending])
    bridge.planned = lambda: session.set_definitions(others)
    result = json.loads(await session.run(GOAL, options(), bridge))
    await asyncio.gather(*adding)

    assert result["ok"], result
    _, first, last = offered
    tools = ["search", *NATIVE[1:]]
    assert [each.name for each in first] == ["finish", *tools]
    assert [each.name for each in last] == ["finish", "scroll", *tools]
    assert (first[0].description, first[0].parameters) == ("Say goodbye.", parameters)


async def test_a_withheld_action_stays_away_on_the_next_page(
    stage: Stage, offered: list[list[ToolDefinition]]
) -> None:
    """The change is kept with the run."""
    kept = await left_behind(stage, "execute_js")
    offered.clear()
    result = json.loads(await session_of(stage, Heard()).resume(Bridge(kept)))

    assert result["ok"], result
    left = [name for name in DEFAULTS if name != "execute_js"]
    assert [each.name for each in offered[0]] == [*left, *NATIVE]


@pytest.mark.parametrize(
    ("definitions", "message"),
    [
        (None, "definitions: null is no definition of an action"),
        ({"name": "finish"}, r'definitions: \{"name": "finish"\} is no'),
        ([5], r"definitions\[0\]: 5 is no"),
        ([{"name": "finish"}, {"name": 5}], r"definitions\[1\]: "),
        ([{"name": "finish", "description": 5}], r"definitions\[0\].description: 5 is"),
        ([{"name": "finish", "parameters": []}], r"definitions\[0\].parameters: \[\] is"),
        ([{"name": "finish", "parameters": {"properties": 5}}], r"definitions\[0\].parameters"),
        ([{"name": "finish", "parameters": {"required": "text"}}], r"definitions\[0\].parameters"),
        (
            [{"name": "dance", "description": "d", "parameters": {}}],
            "None: there is no action `dance`",
        ),
    ],
)
async def test_a_wrong_definition_changes_nothing(
    stage: Stage, offered: list[list[ToolDefinition]], definitions: Any, message: str
) -> None:
    """The error names the place."""
    bridge, session = Bridge(), session_of(stage, Heard())

    async def change() -> None:
        with pytest.raises(ToolError) as refused:
            await session.set_definitions(json.dumps(definitions))
        assert re.match(message, f"{refused.value.path}: {refused.value.message}")

    bridge.planned = change
    result = json.loads(await session.run(GOAL, options(), bridge))

    assert result["ok"], result
    assert [each.name for each in offered[1]] == [*DEFAULTS, *NATIVE]


async def test_a_run_that_is_over_is_offered_nothing(stage: Stage) -> None:
    """Nor one that never began."""
    session = session_of(stage, Heard())
    for _ in range(2):
        with pytest.raises(Denied, match="the run is over"):
            await session.add_definitions('[{"name": "finish"}]')
        await session.run(GOAL, options(), Bridge())


async def test_a_second_run_is_refused(stage: Stage) -> None:
    """Neither a run nor one that is taken up begins beside another."""
    kept = await left_behind(stage)
    bridge, session = Bridge(kept), session_of(stage, Heard())
    bridge.load_now.clear()
    resuming = asyncio.ensure_future(session.resume(bridge))
    await bridge.loading.wait()
    bridge.load_now.set()
    again = asyncio.ensure_future(session.resume(bridge))
    outcomes = await asyncio.gather(resuming, again, return_exceptions=True)

    assert isinstance(outcomes[0], str)
    assert json.loads(outcomes[0])["run_id"]
    assert isinstance(outcomes[1], RuntimeError)


async def test_a_page_that_is_left_while_it_takes_a_run_up_does_not_go_on(stage: Stage) -> None:
    """Back from the browser's cache, only what is taken up anew goes on."""
    kept = await left_behind(stage)
    heard = Heard()
    bridge, session = Bridge(kept), session_of(stage, heard)
    refreshing, go = asyncio.Event(), asyncio.Event()
    refresh = stage.registry.refresh

    async def slow() -> bool:
        refreshing.set()
        await go.wait()
        return await refresh()

    stage.registry.refresh = slow  # type: ignore[method-assign]
    resuming = asyncio.ensure_future(session.resume(bridge))
    await refreshing.wait()
    session.abandon()
    go.set()

    assert await resuming == "null"
    assert heard == []
    assert json.loads(await session.resume(bridge))["run_id"]
    assert heard.kinds.count("started") == 1


async def test_a_run_can_be_stopped_while_it_is_taken_up(stage: Stage) -> None:
    """Its last event is sent, and it is removed."""
    kept = await left_behind(stage)
    heard = Heard()
    bridge, session = Bridge(kept), session_of(stage, heard)
    refresh = stage.registry.refresh

    async def stopping() -> bool:
        session.stop("it was stopped")
        return await refresh()

    stage.registry.refresh = stopping  # type: ignore[method-assign]
    result = json.loads(await session.resume(bridge))

    assert (result["ok"], result["error"]["kind"]) == (False, "cancelled")
    assert heard.kinds == ["finished"]
    assert bridge.kept == ""


async def test_a_run_can_be_stopped_while_its_model_is_prepared(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A download of gigabytes is given up, and nothing begins."""
    preparing = asyncio.Event()

    async def download(options: Any, bridge: Any) -> None:
        preparing.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(module, "page_models", download)
    heard = Heard()
    session = session_of(stage, heard)
    running = asyncio.ensure_future(session.run(GOAL, options(), Bridge()))
    await preparing.wait()
    session.stop("it was stopped")

    assert await running == "null"
    assert heard == []


@pytest.mark.parametrize(
    "kept",
    [
        "{", "[]", '"x"', "{}", '{"options": 5}', '{"options": null}', '{"options": {}}',
        '{"options": {"budget": 7}, "run": "{}"}', '{"options": {}, "run": {}}',
    ],
)  # fmt: skip
async def test_a_broken_stored_run_is_removed(stage: Stage, kept: str) -> None:
    """A page's own scripts may write what they like under the key of the run."""
    bridge = Bridge(kept)

    assert await session_of(stage, Heard()).resume(bridge) == "null"
    assert bridge.kept == ""


async def test_a_provider_that_is_not_known_says_which_are(stage: Stage) -> None:
    """The next run is none the worse for it."""
    session = session_of(stage, Heard())
    refused = json.loads(await session.run(GOAL, options(model={"kind": "oracle"}), Bridge()))

    assert "`oracle` is not a provider of models" in refused["error"]["message"]
    assert json.loads(await session.run(GOAL, options(), Bridge()))["ok"]


@pytest.mark.parametrize(
    ("goal", "more", "path"),
    [
        ("", {}, None),
        (GOAL, {"schema": {"type": "objct"}}, "schema"),
        (GOAL, {"budget": 7}, "budget"),
        (GOAL, {"budget": {"step": 3}}, "budget.step"),
        (GOAL, {"budget": {"steps": "3"}}, "budget.steps"),
        (GOAL, {"budget": {"seconds": True}}, "budget.seconds"),
    ],
)
async def test_a_wrong_goal_schema_or_budget_is_an_error_of_its_kind(
    stage: Stage, goal: str, more: dict[str, Any], path: str | None
) -> None:
    """The page reads which of goal, schema and budget is wrong, and keeps no run."""
    bridge = Bridge(kept="x")
    result = json.loads(await session_of(stage, Heard()).run(goal, options(**more), bridge))

    assert (result["ok"], result["error"]["kind"]) == (False, "invalid_arguments")
    assert result["error"].get("path") == path
    assert bridge.kept == ""


async def test_a_budget_is_given_in_numbers(stage: Stage) -> None:
    """None stands for the default of a limit."""
    limits = {"steps": 1, "tokens": None, "seconds": 2.5, "usd": 0.1}
    session = session_of(stage, Heard())
    result = json.loads(await session.run(GOAL, options(budget=limits), Bridge()))

    assert "budget of 1 steps is used up" in result["error"]["message"]


async def test_a_schema_is_for_the_data_of_a_run(stage: Stage) -> None:
    """It is kept with the run and not with the options."""
    session, bridge = session_of(stage, Heard()), Bridge()
    kept: list[str] = []
    stage.page.functions["addToBasket"] = lambda bookId, count=1: kept.append(bridge.kept)  # noqa: N803

    result = json.loads(await session.run(GOAL, options(schema={"type": "object"}), bridge))

    assert result["error"]["kind"] == "invalid_result"
    stored = json.loads(kept[0])
    assert "schema" not in stored["options"]
    assert json.loads(stored["run"])["schema"] == {"type": "object"}


UNDO = {"tool": "addToBasket", "arguments": {"bookId": "the-hobbit"}}


async def test_a_run_of_one_call_asks_for_it_and_makes_it(stage: Stage) -> None:
    """No model and no planner has a say; the person is shown the arguments and where they are from."""
    bridge, heard = Bridge(), Heard()
    session = session_of(stage, heard)
    stage.page.functions["addToBasket"] = lambda bookId, count=1: stage.search("x")  # noqa: N803
    await session.run(GOAL, options(), bridge)
    bridge.asked.clear()
    heard.clear()

    result = json.loads(await session.run("Undo: add it", options(call=UNDO), bridge))

    assert result["ok"], result
    (asked,) = bridge.asked
    assert asked["details"]["arguments"] == {"bookId": "the-hobbit"}
    assert asked["details"]["origins"] == {
        "bookId": {"from": "result", "of": "addToBasket", "title": "Add to basket"}
    }
    assert asked["details"]["names"] == {"bookId": "The Hobbit"}
    steps = [(event["tool"], event["state"]) for event in heard if event.get("tool")]
    assert steps == [("addToBasket", "started"), ("addToBasket", "finished")]
    assert not {"planned", "sent"} & {*heard.kinds}


async def test_a_no_to_the_one_call_ends_the_run(stage: Stage) -> None:
    """Nothing is called, and nothing else is tried."""
    bridge = Bridge(answer={"yes": False})
    session = session_of(stage, Heard())

    result = json.loads(await session.run("Undo", options(call=UNDO), bridge))

    assert not result["ok"]
    assert "did not allow" in result["error"]["message"]
    assert stage.called == []


@pytest.mark.parametrize("known", [{"tool": "gone"}, {"tool": "registered"}])
async def test_the_one_call_is_of_a_tool_of_this_site(stage: Stage, known: dict[str, Any]) -> None:
    """A tool that the manifest does not name is not called, whoever has registered it."""
    bridge = Bridge()
    result = json.loads(await session_of(stage, Heard()).run("x", options(call=known), bridge))

    assert (result["ok"], result["error"]["kind"]) == (False, "not_reached")
    assert bridge.asked == []


@pytest.mark.parametrize("known", [1, {}, {"tool": 1}, {"tool": "search", "arguments": []}])
async def test_data_that_are_not_a_call_are_refused(stage: Stage, known: Any) -> None:
    """The error says how to write one."""
    session, bridge = session_of(stage, Heard()), Bridge()

    result = json.loads(await session.run("x", options(call=known), bridge))

    assert result["error"]["path"] == "call"
