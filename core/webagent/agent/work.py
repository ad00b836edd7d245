"""Everything that the parts of the loop share while a run is worked on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from webagent.agent.asking import Asking
from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.files import Files
from webagent.agent.guard import Guard
from webagent.agent.permissions import Gate
from webagent.agent.plan import Plan
from webagent.agent.run import Entry, Run, Said
from webagent.agent.storage import Keeper
from webagent.page.port import Isolation, Page
from webagent.registry import Binding, ToolRegistry

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable


@dataclass(slots=True)
class Work:
    """One run and what works on it."""

    run: Run
    page: Page
    registry: ToolRegistry
    actions: ActionTable
    gate: Gate
    asking: Asking
    events: Events
    files: Files
    keeper: Keeper
    clock: Clock
    isolation: Isolation = "sandbox"
    guard: Guard = field(default_factory=Guard)
    judged: dict[str, Binding] = field(default_factory=dict)
    """The tools that calls were judged by, by the id of the call."""
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
        self.events.tell("text", text=text, final=True)

    async def save(self) -> None:
        """Keep the run as it is now."""
        await self.keeper.save(self.run)

    def tell_step(self, **fields: Any) -> None:
        """Tell of an action of the step that is being taken."""
        self.events.tell("step", number=self.run.spent.steps + 1, **fields)
