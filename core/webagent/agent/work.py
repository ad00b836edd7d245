"""A run and everything that works on it: what the loop, the steps and the actions share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.permissions import Gate, PersonChannel
from webagent.agent.person import Files
from webagent.agent.redact import Vault
from webagent.agent.run import Done, Entry, Finish, PastRun, Plan, Run, Said, Scene
from webagent.agent.storage import RunStorage
from webagent.errors import Cancelled, InvalidResult, ToolError
from webagent.llm.chat import ToolCall
from webagent.page.port import Ask, Isolation, Page
from webagent.registry import ToolRegistry

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable
    from webagent.agent.answer import AnswerSchema

_MOST_SAME = 2
"""Times the same call may be made while the page does not change. One more ends the run."""

_MOST_REPEATS = 9
"""The same for actions that are repeated with good reason."""

_REPEATED = frozenset(("scroll", "wait"))

_TIMES = {3: "third", 10: "tenth"}

_MOST_FAILURES = 5
"""Failures in a row after which a run ends."""


_MOST_MISFITS = 3
"""Answers with data that the caller does not want after which a run ends."""


class LoopGuard:
    """Ends a run that goes round in circles or fails again and again.

    Attributes:
        given_up: Why no further answer is taken; None while one is.
    """

    def __init__(self) -> None:
        self._tried: Counter[tuple[str, int, str]] = Counter()
        self._failures = 0
        self._misfits = 0
        self.given_up: ToolError | None = None

    def try_call(self, call: ToolCall, scene: Scene) -> None:
        """Count a call.

        Raises:
            Cancelled: The same call was made too often on the same state of the page.
        """
        what = json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)
        key = (scene.snapshot.url, scene.snapshot.revision, what)
        most = _MOST_REPEATS if call.name in _REPEATED else _MOST_SAME
        if self._tried[key] >= most:
            raise Cancelled(
                f"`{call.name}` was to be called with the same arguments for the "
                f"{_TIMES[most + 1]} time, and the page has not changed",
                help="say what is missing, or ask for it in other words",
            )
        self._tried[key] += 1

    def count(self, done: Done) -> None:
        """Count the outcome of an action.

        Raises:
            Cancelled: Too many actions in a row have failed.
            InvalidResult: Too many answers had data that the caller does not want.
        """
        self._failures = 0 if done.ok else self._failures + 1
        if self.given_up is not None:
            raise self.given_up
        self._check(str((done.error or {}).get("message", "")))

    def count_misfit(self, error: InvalidResult, *, last: bool) -> None:
        """Count an answer with data that the caller does not want.

        Args:
            error: What is wrong with them.
            last: Whether another answer would be the same, as without a model.
        """
        self._misfits += 1
        if last:
            help_ = "let a model decide, or write a schema for what the tools return"
        else:
            help_ = "ask for data that the site has, or write a schema that allows less"
        if last or self._misfits >= _MOST_MISFITS:
            self.given_up = InvalidResult(error.message, path=error.path, help=help_)

    def count_empty_reply(self) -> None:
        """Count a reply without words and calls.

        Raises:
            Cancelled: Too many replies or actions in a row were of no use.
        """
        self._failures += 1
        self._check("there was neither a call nor words")

    def _check(self, last: str) -> None:
        if self._failures >= _MOST_FAILURES:
            raise Cancelled(
                f"{_MOST_FAILURES} actions in a row have failed, the last with: {last}",
                help="look at what failed, and ask again in other words",
            )


@dataclass(slots=True)
class Work:
    """One run and the parts that work on it."""

    run: Run
    page: Page
    registry: ToolRegistry
    actions: ActionTable
    gate: Gate
    person: PersonChannel
    events: Events
    files: Files
    storage: RunStorage
    clock: Clock
    vault: Vault
    isolation: Isolation = "sandbox"
    earlier: Sequence[PastRun] = ()
    """The runs before this one."""
    guard: LoopGuard = field(default_factory=LoopGuard)
    answer: AnswerSchema | None = None
    """The shape of the data that the caller wants; None if any will do."""
    by_model: bool = False
    """Whether a model decides, which can be corrected."""
    accept: Callable[[Plan], Awaitable[None]] = field(init=False)
    """Has a plan accepted and makes it the run's, or raises Denied. The loop sets it."""

    def asker(self, tool: str) -> Ask:
        """Return a function that has the questions of a tool answered by the person."""

        async def ask(question: dict[str, Any]) -> dict[str, Any]:
            answer = await self.gate.answer_tool(tool, question, self.run)
            return {"yes": answer.yes, "text": answer.text}

        return ask

    def note(self, entry: Entry) -> None:
        """Add an entry to the transcript."""
        self.run.entries.append(entry)

    def say(self, text: str) -> None:
        """Add words of the agent to the transcript, and send them as an event."""
        self.note(Said("agent", text))
        self.events.emit("text", text=text, final=True)

    def check_finish(self, finish: Finish) -> Finish:
        """Return the end of the run, if it may end so.

        Raises:
            InvalidResult: The data are not what the caller wants.
        """
        if self.answer is None:
            return finish
        if not finish.success:
            return replace(finish, data=None)
        try:
            self.answer.check(finish.data)
        except InvalidResult as error:
            self.guard.count_misfit(error, last=not self.by_model)
            raise
        return finish

    async def save(self) -> None:
        """Save the run as it is now."""
        await self.storage.save(self.run)

    def emit_step(self, **fields: Any) -> None:
        """Send an event about an action of the step under way."""
        self.events.emit("step", number=self.run.spent.steps + 1, **fields)
