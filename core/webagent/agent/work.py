"""Everything that the parts of the loop share while a run is worked on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.files import Files
from webagent.agent.permissions import Gate, PersonChannel
from webagent.agent.run import Done, Entry, Plan, Run, Said, Scene
from webagent.agent.storage import RunStorage
from webagent.errors import Cancelled
from webagent.llm.chat import ToolCall
from webagent.page.port import Isolation, Page
from webagent.registry import ToolRegistry

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable

_MOST_SAME = 2
"""Times the same call is made while the page does not change; the next ends the run."""

_MOST_PATIENT = 9

_PATIENT = frozenset(("scroll", "wait"))
"""Actions that are repeated with good reason."""

_TIMES = {3: "third", 10: "tenth"}

_MOST_FAILURES = 5
"""Failures in a row after which a run ends."""


class LoopGuard:
    """Counts what was tried."""

    def __init__(self) -> None:
        """Start with nothing tried."""
        self._tried: Counter[tuple[str, int, str]] = Counter()
        self._failures = 0

    def try_call(self, call: ToolCall, scene: Scene) -> None:
        """Count a call.

        Raises:
            Cancelled: The same was called on the same state of the page before, too often.
        """
        what = json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)
        key = (scene.snapshot.url, scene.snapshot.revision, what)
        most = _MOST_PATIENT if call.name in _PATIENT else _MOST_SAME
        if self._tried[key] >= most:
            raise Cancelled(
                f"`{call.name}` was to be called with the same arguments for the "
                f"{_TIMES[most + 1]} time, and the page has not changed",
                help="say what is missing, or ask for it in other words",
            )
        self._tried[key] += 1

    def hear(self, done: Done) -> None:
        """Count what came of an action.

        Raises:
            Cancelled: Too many actions in a row have failed.
        """
        self._failures = 0 if done.ok else self._failures + 1
        self.judge(str((done.error or {}).get("message", "")))

    def miss(self) -> None:
        """Count a reply with which nothing can be done.

        Raises:
            Cancelled: Too many in a row were of no use.
        """
        self._failures += 1
        self.judge("there was neither a call nor words")

    def judge(self, last: str) -> None:
        """Refuse to go on after too many failures.

        Raises:
            Cancelled: There were as many as that.
        """
        if self._failures >= _MOST_FAILURES:
            raise Cancelled(
                f"{_MOST_FAILURES} actions in a row have failed, the last with: {last}",
                help="look at what failed, and ask again in other words",
            )


@dataclass(slots=True)
class Work:
    """One run and what works on it."""

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
    isolation: Isolation = "sandbox"
    guard: LoopGuard = field(default_factory=LoopGuard)
    secret: str = ""
    """What stands for the mask: of the goal, or what the person answered last to a question for a
    secret."""
    accept: Callable[[Plan], Awaitable[None]] = field(init=False)
    """Has a plan accepted and takes it; raises Denied. The loop brings it."""

    def note(self, entry: Entry) -> None:
        """Write a line into the transcript."""
        self.run.entries.append(entry)

    def say(self, text: str) -> None:
        """Write down words of the agent, and tell them."""
        self.note(Said("agent", text))
        self.events.emit("text", text=text, final=True)

    async def save(self) -> None:
        """Keep the run as it is now."""
        await self.storage.save(self.run)

    def emit_step(self, **fields: Any) -> None:
        """Tell of an action of the step that is being taken."""
        self.events.emit("step", number=self.run.spent.steps + 1, **fields)
