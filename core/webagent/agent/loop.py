"""The loop of a run: plan, have the plan accepted, then step after step."""

from __future__ import annotations

import asyncio
from typing import Literal

from webagent.agent.budget import Budget
from webagent.agent.plan import Plan, Verdict
from webagent.agent.planner import Planner
from webagent.agent.replanning import elsewhere, surprise
from webagent.agent.result import Finish, spent_dict
from webagent.agent.run import Done, Said
from webagent.agent.runner import StepRunner
from webagent.agent.scene import Scene
from webagent.agent.step import navigated
from webagent.agent.work import Work
from webagent.errors import Denied, OriginMismatch
from webagent.origins import origin_of

_MOST_REJECTIONS = 3
"""Times that a rejected plan goes back."""
_MOST_REVISIONS = 3
"""Times that a plan is revised since the page was not as it took it to be."""
_MOVING = frozenset(("goto_url", "click", "click_link", "enter_data", "search", "scroll", "wait"))
"""Actions after which another page may well be there."""

_REPEATED = frozenset(
    [
        "make_plan",
        "read_file",
        "find_code",
        "navigation_outline",
        "section_outline",
        "form_details",
        "table_details",
        "get_summary",
        "take_screenshot",
        "communicate",
        "finish",
    ]
)
"""Actions that do nothing to the page: one that was under way is simply decided on again."""


class Loop:
    """Works on one run."""

    def __init__(
        self,
        work: Work,
        planner: Planner,
        runner: StepRunner,
        budget: Budget,
        accept: Literal["ask", "caller"],
    ) -> None:
        """Create the loop of one run."""
        self._work = work
        self._planner = planner
        self._runner = runner
        self._budget = budget
        self._accept: Literal["ask", "caller"] = accept
        self._counted = (work.clock.seconds(), work.asking.waited_s)
        self._revisions = 0
        work.accept = self._take

    async def work(self, model: str | None) -> Finish:
        """Return what ended the run.

        Args:
            model: Name of the model, if there is one.

        Raises:
            ToolError: The run cannot go on.
            ModelError: The model gave no reply.
        """
        work, run = self._work, self._work.run
        resumed = run.resumed > 0
        work.events.tell("started", goal=run.goal, resumed=resumed, model=model)
        try:
            scene = await self._runner.observe(work)
            if not run.origin:
                run.origin = work.registry.offers.origin or origin_of(scene.snapshot.url)
            self._stay(scene)
            reason = self._settle_pending(scene)
            await work.save()
            if run.plan is None:
                await self._settle(await self._planner.plan(run, scene), scene, revised=False)
            elif reason:
                await self._revise(scene, reason)
            return await self._steps(scene)
        finally:
            self._count_time()

    async def _steps(self, scene: Scene) -> Finish:
        work, run = self._work, self._work.run
        task = asyncio.current_task()
        while True:
            self._count_time()
            if problem := self._budget.problem(run.spent):
                raise problem
            if task is not None and task.cancelling():
                raise asyncio.CancelledError
            result = await self._runner.step(work, scene)
            run.spent.steps += 1
            self._count_time()
            work.events.tell("spent", **spent_dict(run.spent))
            if result.finish is not None:
                return result.finish
            if result.problem is not None:
                raise result.problem
            await work.save()
            before, scene = scene, await self._runner.observe(work)
            self._stay(scene)
            reason = surprise(run, before, scene, result.done)
            if reason and self._revisions < _MOST_REVISIONS:
                self._revisions += 1
                await self._revise(scene, reason)

    def _stay(self, scene: Scene) -> None:
        """Refuse to act on another origin than the run began on.

        Raises:
            OriginMismatch: The page is of another.
        """
        origin = self._work.run.origin
        now = origin_of(scene.snapshot.url) or self._work.registry.offers.origin
        if origin and now and now != origin:
            raise OriginMismatch(
                f"the page is on `{now}` now, and this run belongs to `{origin}`",
                help="start a run of its own there",
            )

    def _settle_pending(self, scene: Scene) -> str | None:
        """Write down what came of the action that was under way when the last page was left.

        Return why the plan does not hold any more, if the page is not the one asked for.
        """
        work, run = self._work, self._work.run
        call = run.pending
        if call is None:
            return None
        run.pending = None
        if call.name in _REPEATED:
            return None
        url = scene.snapshot.url
        done = Done(call, url, error=navigated(call).to_dict())
        outcome: dict[str, object] = {"state": "failed", "error": done.error}
        if call.name in _MOVING:
            done = Done(call, url, {"navigated": True, "url": url})
            outcome = {"state": "finished", "value": done.value}
        work.note(done)
        tool = {"tool": str(call.arguments.get("name"))} if call.name == "call_tool" else {}
        given = call.arguments.get("arguments", {}) if tool else call.arguments
        told = {"id": call.id, "action": call.name, "arguments": given, "why": ""}
        work.tell_step(**told, **tool, effect="unknown", **outcome)
        return elsewhere(call, f"{run.origin}/", scene)

    async def _settle(self, plan: Plan, scene: Scene, *, revised: bool) -> None:
        """Have a plan accepted; one that is rejected goes back with the reason.

        Raises:
            Denied: None was accepted.
        """
        run = self._work.run
        for left in reversed(range(_MOST_REJECTIONS + 1)):
            verdict = await self._shown(plan, revised)
            if verdict.accepted:
                return
            reason = verdict.reason or "no reason was given"
            self._work.note(Said("person", f"not this plan: {reason}"))
            if not left:
                break
            run.plan, revised = plan, True
            plan = await self._planner.revise(run, scene, reason)
            if plan == run.plan:
                break
        raise Denied(f"the plan was not accepted - {reason}", help="ask for what is to be done")

    async def _revise(self, scene: Scene, reason: str) -> None:
        """Have another plan made since the page is not as the last one took it to be."""
        run = self._work.run
        self._work.note(Said("driver", f"the plan may not hold any more: {reason}"))
        plan = await self._planner.revise(run, scene, reason)
        if plan != run.plan:
            await self._settle(plan, scene, revised=True)

    async def _take(self, plan: Plan) -> None:
        """Take a plan that the agent made on the way.

        Raises:
            Denied: It was not accepted.
        """
        verdict = await self._shown(plan, True)
        if not verdict.accepted:
            said = verdict.reason or "no reason was given"
            raise Denied(f"the plan was not accepted - {said}", help="make another, or ask")

    async def _shown(self, plan: Plan, revised: bool) -> Verdict:
        """Show a plan and return whether it is accepted; if so, it is the run's."""
        work, run = self._work, self._work.run
        work.events.tell("planned", plan=plan.to_dict(), revised=revised)
        verdict = await self._judged(plan)
        if verdict.accepted:
            run.plan = plan
            work.events.tell("accepted", by=verdict.by)
            await work.save()
        else:
            work.events.tell("rejected", by=verdict.by, reason=verdict.reason)
        return verdict

    async def _judged(self, plan: Plan) -> Verdict:
        if self._accept == "caller":
            return Verdict(True, "caller")
        return await self._work.gate.accept(plan, self._work.run)

    def _count_time(self) -> None:
        """Add what has passed to what was spent; the person's own time is not counted."""
        work = self._work
        since, waited = self._counted
        now, waits = work.clock.seconds(), work.asking.waited_s
        work.run.spent.seconds += max(0.0, (now - since) - (waits - waited))
        self._counted = (now, waits)
