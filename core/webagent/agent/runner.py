"""One step of a run: look, have it decided what comes next, have that done."""

from __future__ import annotations

from collections.abc import Sequence

from webagent.agent.bounds import bounded
from webagent.agent.planner import Decider
from webagent.agent.scene import Scene
from webagent.agent.step import StepHandler, StepResult
from webagent.agent.work import Work
from webagent.errors import InternalError, Navigated

_ARRIVAL_S = 10.0
_LOOK_S = 0.25


class StepRunner:
    """Takes single steps; whether there is a next one is not its business."""

    def __init__(self, decider: Decider, handlers: Sequence[StepHandler]) -> None:
        """Create a runner.

        Args:
            decider: Says what comes next.
            handlers: Do it; the first that takes a reply gets it.
        """
        self._decider = decider
        self._handlers = [*handlers]

    def register_handler(self, handler: StepHandler) -> None:
        """Let a handler have its say before all others."""
        self._handlers.insert(0, handler)

    def clear_handlers(self) -> None:
        """Drop all handlers."""
        self._handlers.clear()

    async def observe(self, work: Work) -> Scene:
        """Return what there is now; a page that is just being left is waited for.

        Raises:
            Navigated: The page is left again and again.
        """
        registry, clock = work.registry, work.clock
        deadline = clock.seconds() + _ARRIVAL_S
        while True:
            try:
                await registry.refresh()
                snapshot = await work.page.snapshot()
                break
            except Navigated:
                if clock.seconds() >= deadline:
                    raise
                await clock.sleep(_LOOK_S)
        return Scene(snapshot, registry.list(), work.clock.now(), registry.manifest.name)

    async def step(self, work: Work, scene: Scene) -> StepResult:
        """Take one step and return what it came to.

        Raises:
            ModelError: The model gave no reply.
        """
        taken = {done.call.id for done in work.run.done()}
        reply = bounded(await self._decider.next(work.run, scene), taken)
        for handler in self._handlers:
            if handler.takes(reply):
                return await handler.handle(reply, work, scene)
        problem = InternalError(
            "no handler takes the reply", help="register one with `register_handler`"
        )
        return StepResult(reply, problem=problem)
