"""The agent of a test, at work in the page that the test has open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from webagent.agent import Answer, Budget, Driver, Nobody, Person, Policy, RunResult, ScriptedPerson
from webagent.llm.chat import ToolCall
from webagent.llm.scripted import Scripted, ScriptedModel
from webagent.page.playwright.page import PlaywrightPage
from webagent.page.playwright.sync import run_on_page
from webagent.registry import ToolRegistry
from webagent.types import Manifest
from webagent_dev.testing.asserting import GoalNotReached, shown

if TYPE_CHECKING:
    from playwright.async_api import Page
    from playwright.sync_api import Page as SyncPage


class ModelScript:
    """The replies of the model of a test's agent; without any there is no model.

    The first reply is the plan, which begins with "I will"; then come actions, the last of them
    `finish`.

    Attributes:
        model: The scripted model, with the `conversations` that it received; None without replies.
    """

    def __init__(self) -> None:
        """Start without replies."""
        self.model: ScriptedModel | None = None
        self._calls = 0

    def __call__(self, *replies: Scripted) -> ScriptedModel:
        """Set the replies of the model, and return it.

        Args:
            replies: Texts, results of the methods below, lists of those, or an exception to raise.
        """
        self.model = ScriptedModel(*replies)
        return self.model

    def tool(self, name: str, /, **arguments: Any) -> ToolCall:
        """Return the reply that calls a tool of the page."""
        return self.action("call_tool", name=name, arguments=arguments)

    def code(self, code: str) -> ToolCall:
        """Return the reply that runs a program."""
        return self.action("execute_js", code=code)

    def finish(self, text: str = "done", *, success: bool = True) -> ToolCall:
        """Return the reply that ends the run."""
        return self.action("finish", text=text, success=success)

    def action(self, action: str, /, **arguments: Any) -> ToolCall:
        """Return the reply that asks for any action of the agent (docs/reference/actions.md)."""
        self._calls += 1
        return ToolCall(f"call-{self._calls}", action, arguments)


class PageAgent:
    """Works on goals in a page, with the test's model script, or without any model.

    Attributes:
        events: The events of the last run, as `webagent.run` reports them in the page.
        asked: The questions of the agent in the last run.
    """

    def __init__(
        self, page: SyncPage, manifest: Manifest, origin: str, script: ModelScript
    ) -> None:
        """Work in a page with the tools of a manifest."""
        self.events: list[dict[str, Any]] = []
        self.asked: list[str] = []
        self._page = page
        self._manifest = manifest
        self._origin = origin
        self._script = script

    def run(
        self,
        goal: str,
        *,
        allow: Collection[str] = (),
        allow_writes: bool = False,
        answers: Sequence[bool | str] = (),
        steps: int = 30,
        check: bool = True,
    ) -> RunResult:
        """Work on a goal and return the result: `text`, `data`, `calls`, `error`.

        Args:
            goal: The goal, in words.
            allow: Tools that may write without asking.
            allow_writes: Whether all may.
            answers: The answers of a person to each question, plan and request for approval, in
                order. Without any there is nobody to ask, and what needs approval is refused.
            steps: The limit of steps.
            check: Whether not reaching the goal fails the test.

        Raises:
            GoalNotReached: It was not reached.
        """
        __tracebackhide__ = True
        person: Person = Nobody()
        if answers:
            person = ScriptedPerson(*map(_answer, answers))
        policy = Policy(allow=allow, allow_writes=allow_writes)
        self.events = []

        async def work(page: Page) -> RunResult:
            port = PlaywrightPage(page, origin=self._origin)
            try:
                registry = ToolRegistry(port)
                await registry.bind(self._manifest)
                driver = Driver(
                    port,
                    registry,
                    model=self._script.model,
                    person=person,
                    policy=policy,
                    budget=Budget(steps=steps),
                    on_event=self.events.append,
                )
                return await driver.run(goal)
            finally:
                await port.close()

        result = run_on_page(self._page, work)
        self.asked = [e["request"]["text"] for e in self.events if e["type"] == "asked"]
        if check and not result.ok:
            raise GoalNotReached(result, _steps(self.events))
        return result


def _answer(answer: bool | str) -> Answer:
    return Answer(True, answer) if isinstance(answer, str) else Answer(answer)


def _steps(events: Sequence[dict[str, Any]]) -> list[str]:
    """Return what an agent did, a line for each step."""
    lines = []
    for event in events:
        match event:
            case {"type": "planned", "plan": {"text": text}}:
                lines.append(f"plan: {text}")
            case {"type": "step", "state": "started", "action": action}:
                lines.append(f"{event.get('tool') or action} {shown(event.get('arguments'))}")
            case {"type": "step", "state": "failed", "error": error}:
                lines.append(f"failed with {error['kind']}: {error['message']}")
            case {"type": "asked", "request": {"text": text}}:
                lines.append(f"asked: {text}")
    return lines
