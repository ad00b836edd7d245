"""A run and everything that works on it: what the loop, the steps and the actions share."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.permissions import Gate, PersonChannel
from webagent.agent.person import Files
from webagent.agent.redact import Vault
from webagent.agent.run import Done, Entry, PastRun, Plan, Run, Said, Scene
from webagent.agent.storage import RunStorage
from webagent.errors import Cancelled
from webagent.llm.chat import ToolCall
from webagent.page.port import Ask, Isolation, Page
from webagent.registry import ToolRegistry

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable

_MOST_SAME = 2
"""Times the same call may be made while the page does not change. One more ends the run."""

_MOST_REPEATS = 9
"""The same for actions that are repeated with good reason."""

_REPEATED = frozenset(("scroll", "wait"))

_TIMES = {3: "third", 10: "tenth"}

_MOST_FAILURES = 5
"""Failures in a row after which a run ends."""


class LoopGuard:
    """Ends a run that goes round in circles or fails again and again."""

    def __init__(self) -> None:
        self._tried: Counter[tuple[str, int, str]] = Counter()
        self._failures = 0

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
        """
        self._failures = 0 if done.ok else self._failures + 1
        self._check(str((done.error or {}).get("message", "")))

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

    async def save(self) -> None:
        """Save the run as it is now."""
        await self.storage.save(self.run)

    def emit_step(self, **fields: Any) -> None:
        """Send an event about an action of the step under way."""
        self.events.emit("step", number=self.run.spent.steps + 1, **fields)
