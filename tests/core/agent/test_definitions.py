"""The actions of a run that are changed while it is under way, and who is called at its end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.core.agent.stage import READS, Stage, call, finish, tool

from webagent.agent import Action, Context, RunResult
from webagent.agent.actions.base import define
from webagent.agent.actions.read import PAGE_READS
from webagent.errors import UnknownTool
from webagent.llm.scripted import ScriptedModel


class Wave:
    """An action that only returns a word."""

    definition = define("wave", "Wave at the person.", "hand", hand={"type": "string"})

    async def perform(self, arguments: Any, context: Context) -> Any:
        return f"waved with the {arguments['hand']} hand"

    async def intent(self, arguments: Any, context: Context) -> None:
        return None


def offered(model: ScriptedModel) -> list[set[str]]:
    return [{tool.name for tool in tools} for tools in model.tools]


async def test_other_actions_are_offered_from_the_next_step_on(stage: Stage) -> None:
    """`add_definitions` extends, `set_definitions` replaces, also while a run is under way."""
    model = ScriptedModel(
        call("make_plan", plan="I will look around.\n- look"),
        tool("search", query="one"),
        call("wave", hand="left"),
        tool("search", query="two"),
        call("finish", text="I could not search again", success=True),
    )
    done = list[str]()
    driver = stage.driver(model=model, planner=None, decider=None)

    def change(event: dict[str, Any]) -> None:
        if (
            event["type"] == "step"
            and event["state"] == "finished"
            and event["action"] != "make_plan"
        ):
            done.append(event["action"])
            if done == ["call_tool"]:
                driver.add_definitions([Wave()])
            elif done == ["call_tool", "wave"]:
                finishing = next(d for d in driver._actions.definitions() if d.name == "finish")
                driver.set_definitions([Wave(), replace(finishing, description="Say goodbye.")])

    driver.subscribe(change)
    result = await driver.run("go")

    assert result.text == "I could not search again"
    _, first, second, third, fourth = offered(model)
    assert "wave" not in first
    assert second == first | {"wave"}
    # Without `call_tool` and `execute_js` there is no way to the page's tools.
    assert third == fourth == {"wave", "finish"}
    assert model.tools[-1][-1].description == "Say goodbye."
    assert stage.called == [("search", "one")]
    refused = [entry for entry in result.run.done() if entry.error]
    assert [entry.error["kind"] for entry in refused if entry.error] == ["unknown_tool"]


async def test_a_definition_needs_an_action(stage: Stage) -> None:
    """One that the driver does not know is refused, and nothing changes."""
    driver = stage.driver()
    before = driver._actions.definitions()
    for change in (driver.set_definitions, driver.add_definitions):
        with pytest.raises(UnknownTool, match="there is no action `wave` that could be offered"):
            change([PAGE_READS[0], Wave.definition])

    assert driver._actions.definitions() == before
    driver.set_definitions([before[0]])
    driver.add_definitions([before[-1]])
    assert driver._actions.definitions() == [before[0], before[-1]]


async def test_the_end_is_heard_on_the_driver(stage: Stage) -> None:
    """Next to the function of the configuration, until it is taken back."""
    heard: list[tuple[str, bool]] = []

    def listener(name: str) -> Any:
        return lambda run, result: heard.append((name, result.ok))

    async def wait(_: Any, result: RunResult) -> None:
        heard.append(("waited", result.ok))

    driver = stage.driver(
        finish(), finish(), plans=(READS, READS), on_plan_completed=listener("configured")
    )
    take_back = driver.on_plan_completed(listener("added"))
    driver.on_plan_completed(wait)
    await driver.run("go")
    take_back()
    await driver.run("go")

    assert heard == [
        *(("configured", True), ("added", True), ("waited", True)),
        *(("configured", True), ("waited", True)),
    ]


def test_actions_are_actions() -> None:
    """As the type checker sees them."""
    wave: Action = Wave()
    assert wave.definition.name == "wave"
