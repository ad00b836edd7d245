"""The driver: takes a goal, has it planned, and lets step follow step until there is an end."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Literal

from webagent.agent.actions.base import Action
from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.broker import Broker, Cost, MessageBroker
from webagent.agent.clock import Clock, SystemClock
from webagent.agent.cost import Budget, TokenCost
from webagent.agent.events import Events, Listener
from webagent.agent.files import Files
from webagent.agent.llm_planner import ModelDecider, ModelPlanner
from webagent.agent.permissions import Asking, Gate, Judge, Policy
from webagent.agent.person import Nobody, Person
from webagent.agent.planner import Decider, Planner
from webagent.agent.prompting import Builder, MessageBuilder
from webagent.agent.redact import Redactor, hidden
from webagent.agent.replanning import elsewhere, surprise
from webagent.agent.run import (
    Done,
    Finish,
    Plan,
    Run,
    RunResult,
    Said,
    Scene,
    Verdict,
    calls_of,
    failure_of,
    spent_dict,
)
from webagent.agent.step import ContentHandler, FunctionHandler, StepHandler, StepRunner, navigated
from webagent.agent.storage import Keeper, MemoryStore, Store
from webagent.agent.transcript import Transcript
from webagent.agent.work import Work
from webagent.errors import (
    Cancelled,
    Denied,
    InternalError,
    InvalidArguments,
    OriginMismatch,
    ToolError,
)
from webagent.llm.chat import ChatModel
from webagent.llm.errors import ModelError
from webagent.page.bridge import error_of
from webagent.page.port import Isolation, Page
from webagent.registry import ToolRegistry
from webagent.registry.secrets import Mask, Redacts
from webagent.urls import origin_of

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


OnPlanCompleted = Callable[[Run, RunResult], Awaitable[None] | None]
"""Hears of the end of every run, whatever it was."""

_LONGEST_GOAL = 100_000


class Driver:
    """Works on goals, one at a time; every part of it can be replaced.

    Attributes:
        runner: Takes the steps; handlers are registered there.
    """

    def __init__(
        self,
        page: Page,
        registry: ToolRegistry,
        *,
        model: ChatModel | None = None,
        planner: Planner | None = None,
        decider: Decider | None = None,
        person: Person | None = None,
        policy: Judge | None = None,
        allowed: Collection[str] = (),
        budget: Budget | None = None,
        store: Store | None = None,
        actions: Sequence[Action] | None = None,
        handlers: Sequence[StepHandler] | None = None,
        builder: Builder | None = None,
        broker: Broker | None = None,
        redactor: Redacts | None = None,
        cost: Callable[[str], Cost] = TokenCost,
        clock: Clock | None = None,
        isolation: Isolation = "sandbox",
        accept: Literal["ask", "caller"] = "ask",
        on_event: Listener | None = None,
        on_plan_completed: OnPlanCompleted | None = None,
    ) -> None:
        """Create a driver.

        Args:
            page: What is seen and acted on.
            registry: The page's tools.
            model: Plans and decides; without one, what is said does, by its words. One that has
                an attribute `takes_page_tools` that is true is offered them beside the actions.
            planner: Plans instead.
            decider: Decides what comes next instead.
            person: Is asked; nobody if left out, so that what needs a yes is refused.
            policy: Says what runs, what is asked for, and what is refused.
            allowed: Keys of what the person has allowed for the session already.
            budget: The most that a run may use up.
            store: Keeps a run while the page is left.
            actions: What can be done, instead of `default_actions()`.
            handlers: What is done with replies.
            builder: Makes what the model is sent.
            broker: Sends it.
            redactor: Hides what no model and no log needs to know.
            cost: Gives the prices of a model by its name.
            clock: Tells the time.
            isolation: Where programs run.
            accept: `caller` when plans are accepted by who calls; actions are asked for all the same.
            on_event: Hears every event.
            on_plan_completed: Hears of the end of every run.
        """
        self._page = page
        self._registry = registry
        self._model = model
        self._person = person or Nobody()
        self._policy = policy or Policy()
        self._budget = budget or Budget()
        self._clock = clock or SystemClock()
        self._isolation: Isolation = isolation
        self._accept = accept
        self._on_plan_completed = on_plan_completed
        self._mask = Mask(registry.secrets, redactor or Redactor())
        self._events = Events(self._mask)
        if on_event is not None:
            self._events.subscribe(on_event)
        self._files = Files()
        self._keeper = Keeper(store or MemoryStore(), registry.secrets.mask)
        self._actions = ActionTable(default_actions() if actions is None else actions)
        if model is not None:
            sender = broker or MessageBroker(
                model, mask=self._mask, cost=cost, clock=self._clock, events=self._events
            )
            written = builder or MessageBuilder(
                registry, self._files, context_tokens=model.context_tokens
            )
            planner = planner or ModelPlanner(written, sender)
            decider = decider or ModelDecider(
                written,
                sender,
                self._actions.definitions,
                direct=getattr(model, "takes_page_tools", False),
            )
        if planner is None or decider is None:
            from webagent.agent.deterministic import DeterministicPlanner

            modelless = DeterministicPlanner()
            planner, decider = planner or modelless, decider or modelless
        self._planner = planner
        steps = (FunctionHandler(), ContentHandler()) if handlers is None else handlers
        self.runner = StepRunner(decider, steps)
        self._task: asyncio.Task[Finish] | None = None
        self._run: Run | None = None
        self._stopped: str | None = None
        self._abandoned = False
        self._allowed = [*allowed]
        self._resumed = False

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._task is not None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Let a listener hear every event; return what ends that."""
        return self._events.subscribe(listener)

    def register_action(self, action: Action, id: str | None = None) -> None:  # noqa: A002
        """Let agents take an action, instead of one of the same name.

        Args:
            action: What to do.
            id: What to call it, if not as its definition does.
        """
        self._actions.register(action, id)

    def remove_action(self, id: str) -> None:  # noqa: A002
        """Let agents take an action no longer.

        Raises:
            UnknownTool: There is none of that name.
        """
        self._actions.remove(id)

    def transcript(self) -> Transcript | None:
        """Return what was said and done in the run under way, or in the last."""
        return Transcript(self._run, self._mask) if self._run else None

    async def run(self, goal: str) -> RunResult:
        """Work on a goal until it is reached, given up, or too much was used up.

        Raises:
            InvalidArguments: The goal is empty, or longer than anybody means.
            RuntimeError: Another run is under way.
        """
        self._refuse_second()
        if not goal.strip():
            raise InvalidArguments("the goal is empty", help="say what to do, in words")
        if len(goal) > _LONGEST_GOAL:
            raise InvalidArguments(
                f"the goal has {len(goal)} characters, {_LONGEST_GOAL} at most are read",
                help="give long texts as a file, and say what to do with it",
            )
        self._stopped, self._abandoned = None, False
        run = Run(goal.strip(), "", started=self._clock.now().timestamp())
        run.allowed = [*self._allowed]
        self._files.forget_pictures()
        return await self._supervise(run)

    async def resume(self) -> RunResult | None:
        """Go on with the run that was under way when the last page was left, if there is one.

        It does so once: a driver belongs to one page.

        Raises:
            RuntimeError: A run is under way.
        """
        self._refuse_second()
        if self._resumed:
            return None
        self._resumed = True
        self._stopped, self._abandoned = None, False
        await self._registry.refresh()
        origin = self._registry.offers.origin
        run = await self._keeper.take_up(origin, self._clock.now().timestamp())
        if run is None or self._abandoned:
            return None
        self._refuse_second()
        return await self._supervise(run)

    def stop(self, reason: str = "stopped") -> None:
        """End the run under way, or about to be taken up, and the action that is being taken."""
        if self._stopped is None:
            self._stopped = reason
            if self._task is not None:
                self._task.cancel()

    def abandon(self) -> None:
        """Drop the run under way without a word, since the page is being left.

        It stays in the store, and goes on in the next page; `run` ends as if it was cancelled.
        """
        self._abandoned = True
        if self._task is not None:
            self._events.mute()
            self._task.cancel()

    def _refuse_second(self) -> None:
        if self._task is not None:
            goal = self._run.goal if self._run else ""
            raise RuntimeError(
                f"a run is under way, for `{goal[:80]}` - wait for its end, or `stop()` it first"
            )

    async def _supervise(self, run: Run) -> RunResult:
        """Have a run worked on in a task of its own, which `stop` can end."""
        self._run = run
        self._events.begin(run)
        asking = Asking(self._person, self._events, self._clock)
        work = Work(
            run,
            self._page,
            self._registry,
            self._actions,
            Gate(self._policy, asking),
            asking,
            self._events,
            self._files,
            self._keeper,
            self._clock,
            self._isolation,
        )
        work.secret = hidden(run.goal, self._mask.text(run.goal))
        loop = Loop(work, self._planner, self.runner, self._budget, self._accept)
        self._task = asyncio.ensure_future(loop.work(self._model.name if self._model else None))
        if self._stopped is not None:
            self._task.cancel()
        try:
            finish = await self._task
        except asyncio.CancelledError:
            if self._abandoned:
                self._task, self._abandoned = None, False
                raise
            reason = self._stopped
            error = Cancelled("the run was " + (f"stopped: {reason}" if reason else "given up"))
            # Whoever stops a run knows; there are no last words.
            result = await self._end(work, Finish("", False), error)
            if reason is None:
                raise
            return result
        except (ModelError, ToolError) as error:
            fault = failure_of(error) if isinstance(error, ModelError) else error
            return await self._end(work, Finish(fault.message, False), fault)
        except BaseException as error:
            fault = InternalError(f"the agent broke - {type(error).__name__}: {error}")
            await self._end(work, Finish(fault.message, False), fault)
            raise
        return await self._end(work, finish, _failure(finish, run))

    async def _end(self, work: Work, finish: Finish, error: ToolError | None) -> RunResult:
        """Do what is done at the end of every run, whatever it was."""
        run = work.run
        run.pending = None
        self._allowed = [*run.allowed]
        sources = {binding.name: binding.source.value for binding in self._registry.list()}
        result = RunResult(
            error is None,
            finish.text,
            run,
            finish.data,
            error,
            self._files.pictures,
            calls_of(run, sources),
        )
        try:
            await self._keeper.clear()
            if self._on_plan_completed is not None:
                told = self._on_plan_completed(run, result)
                if inspect.isawaitable(told):
                    await told
        finally:
            self._task, self._stopped = None, None
            outcome = {} if finish.data is None else {"data": finish.data}
            outcome |= {} if error is None else {"error": error.to_dict()}
            self._events.tell("finished", ok=result.ok, text=result.text, **outcome)
        return result


def _failure(finish: Finish, run: Run) -> ToolError | None:
    """Return why an agent that gave up did: its last action's failure, or its own words."""
    if finish.success:
        return None
    taken = [done for done in run.done() if done.call.name != "finish"]
    if taken and taken[-1].error is not None:
        return error_of(taken[-1].error)
    return Cancelled(finish.text or "the agent gave up")
