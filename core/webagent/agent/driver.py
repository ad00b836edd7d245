"""The driver: takes a goal, has it planned, and lets step follow step until there is an end."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Literal

from webagent.agent.actions.base import Action
from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.asking import Asking
from webagent.agent.broker import Broker, Cost, MessageBroker
from webagent.agent.budget import Budget
from webagent.agent.builder import Builder, MessageBuilder
from webagent.agent.clock import Clock, SystemClock
from webagent.agent.cost import TokenCost
from webagent.agent.events import Events, Listener
from webagent.agent.files import Files
from webagent.agent.llm_planner import ModelDecider, ModelPlanner
from webagent.agent.loop import Loop
from webagent.agent.mask import Mask, Redacts
from webagent.agent.permissions import Gate
from webagent.agent.person import Nobody, Person
from webagent.agent.placeholder import hidden
from webagent.agent.planner import Decider, Planner
from webagent.agent.policy import Judge, Policy
from webagent.agent.redact import Redactor
from webagent.agent.result import Finish, RunResult, calls_of, failure_of
from webagent.agent.run import Run
from webagent.agent.runner import StepRunner
from webagent.agent.step import ContentHandler, FunctionHandler, StepHandler
from webagent.agent.storage import Keeper
from webagent.agent.store import MemoryStore, Store
from webagent.agent.transcript import Transcript
from webagent.agent.work import Work
from webagent.errors import Cancelled, InternalError, InvalidArguments, ToolError
from webagent.llm.chat import ChatModel
from webagent.llm.errors import ModelError
from webagent.page.bridge import error_of
from webagent.page.port import Isolation, Page
from webagent.registry import ToolRegistry

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
                lambda: registry.manifest, self._files, context_tokens=model.context_tokens
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
