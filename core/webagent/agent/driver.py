"""The driver: has a goal planned, takes step after step, and replans where the page is not as planned.

`Driver` is what programs call. `Loop` works on one run, from its first look at the page to its end.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from webagent.agent.actions.base import ERROR_PAGES, Action
from webagent.agent.actions.call_tool import intent_of
from webagent.agent.actions.table import ActionTable, default_actions
from webagent.agent.answer import AnswerSchema
from webagent.agent.broker import OF_THE_REQUEST, MessageBroker, ModelDecider
from webagent.agent.clock import SystemClock
from webagent.agent.config import AgentConfig, OnPlanCompleted, unknown_option
from webagent.agent.events import Events, Listener
from webagent.agent.grants import Grant, grant_of
from webagent.agent.permissions import Gate, Intent, Policy
from webagent.agent.person import Files, GivenFile, Nobody, PersonChannel
from webagent.agent.planner import Decider, Planner
from webagent.agent.prompting import MessageBuilder
from webagent.agent.redact import Redactor, Vault
from webagent.agent.run import (
    Budget,
    Finish,
    Plan,
    Run,
    RunResult,
    Said,
    Scene,
    Verdict,
    calls_of,
    changes,
    past_of,
    spent_dict,
    tool_error_of,
)
from webagent.agent.step import (
    ContentHandler,
    FunctionHandler,
    StepRunner,
    replan_reason,
    settle_pending,
)
from webagent.agent.storage import MemoryStore, RecentRuns, RunStorage
from webagent.agent.toolset import room_for_tools
from webagent.agent.transcript import Transcript
from webagent.agent.work import LoopGuard, Work
from webagent.errors import (
    Cancelled,
    Denied,
    InternalError,
    InvalidArguments,
    InvalidResult,
    NotReached,
    OriginMismatch,
    ToolError,
)
from webagent.llm.chat import ToolDefinition
from webagent.llm.errors import ModelError, QuotaExhausted, RateLimited
from webagent.page.bridge import error_of
from webagent.page.port import Page
from webagent.registry import ToolRegistry
from webagent.registry.secrets import MASK, Mask
from webagent.speech import say, speaking
from webagent.urls import origin_of

if TYPE_CHECKING:
    from webagent.agent.deterministic.planner import DeterministicPlanner

_LONGEST_GOAL = 100_000

_MOST_REJECTIONS = 3
"""Plans that the person may reject. One more ends the run."""

_MOST_REVISIONS = 3
"""Times that a plan is revised because the page was not as planned."""


_SAME = "Nothing that it shows has changed."

PlanCheck = Callable[[Run, Scene], str | None]
"""Returns why the planner's plan does not hold, besides what `replan_reason` finds."""


class Driver:
    """Works on goals, one at a time.

    Attributes:
        runner: Takes the steps; handlers are registered there.
    """

    def __init__(
        self,
        page: Page,
        registry: ToolRegistry,
        config: AgentConfig | None = None,
        **options: Any,
    ) -> None:
        """Create a driver.

        Args:
            page: The page to look at and act on.
            registry: The page's tools.
            config: The parts of the agent.
            options: Fields of `AgentConfig`, each instead of the one in `config`.

        Raises:
            TypeError: `AgentConfig` has no field of that name, or `fallback` has no `model`.
        """
        config = _with_options(config or AgentConfig(), options)
        self._page = page
        self._registry = registry
        self._config = config
        self._person = config.person or Nobody()
        self._policy = config.policy or Policy()
        self._budget = config.budget or Budget()
        self._clock = config.clock or SystemClock()
        self._mask = Mask(registry.secrets, config.redactor or Redactor())
        self._events = Events(self._mask)
        if config.on_event is not None:
            self._events.subscribe(config.on_event)
        self._completed = [config.on_plan_completed] if config.on_plan_completed else []
        self._files = Files()
        self._storage = RunStorage(config.store or MemoryStore(), registry.secrets.mask_record)
        self._recent = RecentRuns(config.recent or MemoryStore(), registry.secrets.mask_record)
        self._actions = ActionTable(default_actions() if config.actions is None else config.actions)
        self._plan_check: PlanCheck = lambda run, scene: None
        self._planner, decider = self._planner_and_decider()
        handlers = config.handlers
        self.runner = StepRunner(
            decider, (FunctionHandler(), ContentHandler()) if handlers is None else handlers
        )
        self._task: asyncio.Task[Finish] | None = None
        self._run: Run | None = None
        self._answer: AnswerSchema | None = None
        self._channel: PersonChannel | None = None
        self._stopped: str | None = None
        self._abandoned = False
        self._allowed = [*(config.allowed or ())]
        self._resumed = False

    def _planner_and_decider(self) -> tuple[Planner | None, Decider]:
        """Return the planner for the first step, if there is one, and the decider."""
        config, model, fallback = self._config, self._config.model, self._config.fallback
        planner, decider = config.planner, config.decider
        if model is None and fallback is not None:
            raise TypeError("`fallback` is a second model, and there is no `model` - pass both")
        if model is not None and decider is None:
            broker = config.broker or MessageBroker(
                model,
                fallback,
                mask=self._mask,
                cost=config.cost,
                fallback_cost=config.fallback_cost,
                clock=self._clock,
                events=self._events,
                outage=config.outage,
            )
            window = min(each.context_tokens for each in (model, fallback) if each is not None)
            builder = config.builder or MessageBuilder(
                self._registry, self._files, context_tokens=window
            )
            decider = ModelDecider(
                builder,
                broker,
                self._registry,
                self._offered,
                offer=config.offer,
                tool_tokens=room_for_tools(config.tool_tokens, window),
            )
        goes_on = decider is not None
        if decider is None or (planner is None and model is None):
            modelless = _modelless()
            planner, decider = planner or modelless, decider or modelless
        self._by_model = isinstance(decider, ModelDecider)
        if config.programs is not None:
            mask = self._registry.secrets.mask_record
            replay = config.programs.replay(planner, decider, mask, goes_on=goes_on)
            self._completed.append(replay.keep)
            self._plan_check = replay.problem
            planner, decider = replay, replay
        return planner, decider

    def _offered(self) -> list[ToolDefinition]:
        """Return the definitions for a model: `finish` has the caller's schema."""
        definitions, answer = self._actions.definitions(), self._answer
        if answer is None:
            return definitions
        return [answer.in_finish(each) if each.name == "finish" else each for each in definitions]

    @classmethod
    @asynccontextmanager
    async def start(
        cls, url: str, *, headed: bool = False, **options: Any
    ) -> AsyncIterator[Driver]:
        """Open an address in a browser of its own, which ends with the block of `async with`.

        Args:
            url: The address; tools are those of its manifest and of the page.
            headed: Whether the browser has a window.
            options: Fields of `AgentConfig`.

        Raises:
            TypeError: `AgentConfig` has no field of that name.
            NoPage: The page cannot be opened.
        """
        # Imported late: agents in a page, and those of an open page, start no browser.
        from webagent.page.playwright.browser import open_in_browser
        from webagent.parser import parse

        config = _with_options(AgentConfig(), options)
        async with open_in_browser(url, headed=headed) as (page, text):
            registry = ToolRegistry(page)
            await registry.bind(parse(text))
            driver = cls(page, registry, config)
            try:
                yield driver
            finally:
                driver.stop("the browser is closed")

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._task is not None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Send every event to a listener; return the function that ends this."""
        return self._events.subscribe(listener)

    def register_action(self, action: Action, id: str | None = None) -> None:  # noqa: A002
        """Let the agent take an action, instead of one of the same name.

        Args:
            action: What to do.
            id: Its name, if not the one in its definition.
        """
        self._actions.register(action, id)

    def remove_action(self, id: str) -> None:  # noqa: A002
        """Remove an action.

        Raises:
            UnknownTool: There is no action of that name.
        """
        self._actions.remove(id)

    @property
    def definitions(self) -> list[ToolDefinition]:
        """The definitions of the actions that are offered now."""
        return self._actions.definitions()

    def set_definitions(self, definitions: Sequence[Action | ToolDefinition]) -> None:
        """Offer these actions and no others, from the next step on, also of the run under way.

        Args:
            definitions: Actions, or definitions of actions that the driver knows by their names.

        Raises:
            UnknownTool: There is no action for a definition; nothing is changed.
        """
        self._actions.replace(definitions)

    def add_definitions(self, definitions: Sequence[Action | ToolDefinition]) -> None:
        """Offer these actions too, from the next step on; one of the same name is replaced.

        Args:
            definitions: As of `set_definitions`.

        Raises:
            UnknownTool: There is no action for a definition; nothing is changed.
        """
        self._actions.extend(definitions)

    def on_plan_completed(self, listener: OnPlanCompleted) -> Callable[[], None]:
        """Call a function at the end of every run; return the function that ends this."""
        self._completed.append(listener)
        return lambda: self._completed.remove(listener)

    def transcript(self) -> Transcript | None:
        """Return the transcript of the run under way, or of the last one."""
        return Transcript(self._run, self._mask) if self._run else None

    def file(self, run_id: str, name: str) -> GivenFile | None:
        """Return a screenshot, or a file of a tool, of the run under way or of the last one."""
        return self._files.find_picture(name) if self._run and self._run.id == run_id else None

    async def run(
        self, goal: str, *, schema: Mapping[str, Any] | type[BaseModel] | None = None
    ) -> RunResult:
        """Work on a goal until it is reached, given up, or the budget is used up.

        Args:
            goal: The goal in words.
            schema: The shape of the data that are wanted, as a JSON Schema or a pydantic model. The
                run fails with `InvalidResult` if the agent does not give such data.

        Raises:
            InvalidArguments: The goal is empty, or longer than anybody means; or the schema is not one.
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
        answer = None if schema is None else AnswerSchema(schema)
        self._stopped, self._abandoned = None, False
        run = Run("", "", started=self._clock.now().timestamp())
        run.schema = None if answer is None else answer.schema
        vault = Vault(self._registry.secrets, run.secrets)
        # From here on nothing has the goal as it was written.
        run.goal = vault.take(goal.strip())
        run.allowed = [*self._allowed]
        self._files.forget_pictures()
        return await self._supervise(run, vault, answer)

    async def resume(self) -> RunResult | None:
        """Go on with the run that was under way on the page before this one, if there is one.

        A driver belongs to one page, so it does this once.

        Raises:
            InvalidArguments: The stored run has a schema that is not one.
            RuntimeError: A run is under way.
        """
        self._refuse_second()
        if self._resumed:
            return None
        self._resumed = True
        self._stopped, self._abandoned = None, False
        await self._registry.refresh()
        origin = self._registry.offers.origin
        run = await self._storage.restore(origin, self._clock.now().timestamp())
        if run is None or self._abandoned:
            return None
        self._refuse_second()
        if self._config.allowed is not None:
            run.allowed = [*self._allowed]
        answer = None if run.schema is None else AnswerSchema(run.schema)
        return await self._supervise(run, Vault(self._registry.secrets, run.secrets), answer)

    def allowed(self) -> list[Grant]:
        """Return what the person has allowed for the session, the oldest first."""
        return [grant_of(key) for key in (self._run.allowed if self._run else self._allowed)]

    def revoke(self, key: str) -> bool:
        """Take back what the person has allowed; return whether it was allowed."""
        was = False
        for keys in (self._allowed, *([self._run.allowed] if self._run else [])):
            if key in keys:
                keys.remove(key)
                was = True
        return was

    def stop(self, reason: str = "stopped") -> None:
        """End the run under way, or about to be resumed, and the action that is being taken."""
        if self._stopped is None:
            self._stopped = reason
            if self._task is not None:
                self._task.cancel()

    def pause(self) -> None:
        """Let the person take over the page: no further step begins until `go_on`."""
        if self._channel is not None:
            self._channel.pause()

    def go_on(self) -> None:
        """Let a paused run go on, with the changes of the person on the page."""
        if self._channel is not None:
            self._channel.go_on()

    def abandon(self) -> None:
        """Drop the run under way without an event, because the browser leaves the page.

        It stays in the store and goes on in the next page. `run` ends as if it was cancelled.
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

    async def _supervise(self, run: Run, vault: Vault, answer: AnswerSchema | None) -> RunResult:
        """Work on a run in a task of its own, which `stop` can end."""
        config = self._config
        self._run, self._answer = run, answer
        self._events.begin(run)
        person = self._channel = PersonChannel(self._person, self._events, self._clock, vault)
        modelless = _modelless() if run.modelless else None
        work = Work(
            run,
            self._page,
            self._registry,
            self._actions,
            Gate(self._policy, person, config.speech),
            person,
            self._events,
            self._files,
            self._storage,
            self._clock,
            vault,
            config.isolation,
            answer=answer,
            by_model=self._by_model and modelless is None,
            modelless=modelless,
        )
        loop = Loop(
            work,
            modelless or self._planner,
            self.runner,
            self._recent,
            self._budget,
            config.accept,
            self._plan_check,
            goes_on=config.goes_on and self._by_model,
        )
        model = config.fallback if run.switched and config.fallback else config.model
        if modelless is not None:
            model = None
        with speaking(config.speech) if config.speech else nullcontext():
            # A task keeps the language in which it was made.
            self._task = asyncio.ensure_future(loop.work(model.name if model else None))
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
            # A person who stops a run knows why, so there are no last words.
            result = await self._end(work, Finish("", False), error)
            if reason is None:
                raise
            return result
        except (ModelError, ToolError) as error:
            fault = tool_error_of(error) if isinstance(error, ModelError) else error
            return await self._end(work, Finish(fault.message, False), fault)
        except BaseException as error:
            fault = InternalError(f"the agent broke - {type(error).__name__}: {error}")
            await self._end(work, Finish(fault.message, False), fault)
            raise
        return await self._end(work, finish, _failure(finish, run))

    async def _end(self, work: Work, finish: Finish, error: ToolError | None) -> RunResult:
        """Do what every run ends with, whatever its outcome."""
        run = work.run
        run.pending = None
        self._allowed = [*run.allowed]
        sources = {binding.name: binding.source.value for binding in self._registry.list()}
        mask = self._registry.secrets
        data = value = mask.mask_record({"data": finish.data})["data"]
        if work.answer is not None and error is None:
            try:
                value = work.answer.read(data)
            except InvalidResult as fault:
                error = fault
        result = RunResult(
            error is None,
            mask.mask_text(finish.text),
            run,
            data,
            error,
            self._files.pictures,
            calls_of(run, sources),
            value,
        )
        try:
            await self._storage.clear()
            await self._recent.add(run.origin, past_of(run, result.text, ok=result.ok))
            for completed in tuple(self._completed):
                if inspect.isawaitable(waiting := completed(run, result)):
                    await waiting
        finally:
            self._task, self._stopped, self._channel = None, None, None
            outcome = {} if finish.data is None else {"data": finish.data}
            outcome |= {} if error is None else {"error": error.to_dict()}
            outcome |= {} if finish.failure is None else {"without_model": True}
            self._events.emit("finished", ok=result.ok, text=result.text, **outcome)
        return result


def _failure(finish: Finish, run: Run) -> ToolError | None:
    """Return why the agent gave up: the failure of its model or last action, or its own words."""
    if finish.success or finish.failure is not None:
        return finish.failure
    taken = [done for done in run.done() if done.call.name != "finish"]
    if taken and taken[-1].error is not None:
        return error_of(taken[-1].error)
    return NotReached(finish.text or "the agent gave up")


class Loop:
    """Works on one run."""

    def __init__(
        self,
        work: Work,
        planner: Planner | None,
        runner: StepRunner,
        recent: RecentRuns,
        budget: Budget,
        accept: Literal["ask", "caller"],
        plan_check: PlanCheck,
        *,
        goes_on: bool,
    ) -> None:
        self._work = work
        self._planner = planner
        self._runner = runner
        self._recent = recent
        self._budget = budget
        self._accept = accept
        self._plan_check = plan_check
        self._goes_on = goes_on
        self._counted = (work.clock.seconds(), work.person.waited_s)
        self._revisions = 0
        self._rejections = 0
        work.accept = self._accept_or_raise
        work.person.keep_pause = self._keep_pause

    async def work(self, model: str | None) -> Finish:
        """Work on the run and return what ended it.

        Args:
            model: Name of the model, if there is one.

        Raises:
            ToolError: The run cannot go on.
            ModelError: The model gave no reply.
        """
        work, run = self._work, self._work.run
        resumed = run.resumed > 0
        work.events.emit("started", goal=run.goal, resumed=resumed, model=model)
        if run.paused:
            work.person.pause()
        try:
            scene = await self._runner.observe(work)
            if not run.origin:
                run.origin = work.registry.offers.origin or origin_of(scene.snapshot.url)
            work.earlier = await self._recent.load(run.origin)
            scene = replace(scene, earlier=work.earlier, remarks=self._remarks())
            self._check_origin(scene)
            work.look(scene)
            reason = await settle_pending(work, scene)
            await work.save()
            scene = await self._pause(scene)
            if run.plan is None and self._planner is not None:
                plan = await self._planner.plan(run, scene)
                if plan is not None:
                    await self._settle(self._planner, plan, scene, revised=False)
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
            scene = await self._pause(scene)
            try:
                result = await self._runner.step(work, scene)
            except ModelError as error:
                if not self._goes_on or isinstance(error, OF_THE_REQUEST):
                    raise
                if run.changed:
                    words = [_no_reply(error), say("had_changed"), *work.told()]
                    return Finish(" ".join(words), False, failure=tool_error_of(error))
                scene = await self._replan_without_model(error)
                continue
            run.spent.steps += 1
            self._count_time()
            work.events.emit("spent", **spent_dict(run.spent))
            if work.person.ended is not None:
                raise work.person.ended
            if result.finish is not None:
                return result.finish
            if result.problem is not None:
                raise result.problem
            await work.save()
            before, scene = scene, await self._runner.observe(work)
            work.look(scene, result.done)
            scene = replace(scene, remarks=self._remarks(changes(before, scene)))
            failed = result.done[-1].error if result.done else None
            if failed and scene.snapshot.url.startswith(ERROR_PAGES):
                raise error_of(failed)
            self._check_origin(scene)
            reason = replan_reason(run, before, scene, result.done) or self._plan_check(run, scene)
            if reason and self._revisions < _MOST_REVISIONS:
                self._revisions += 1
                await self._revise(scene, reason)

    async def _replan_without_model(self, failure: ModelError) -> Scene:
        """Have the goal planned anew without the model, which has failed; return the page."""
        work, run = self._work, self._work.run
        self._goes_on = False
        self._planner = work.modelless = planner = _modelless()
        work.by_model, work.guard, run.modelless = False, LoopGuard(), True
        work.note(
            Said("driver", f"the model gave no reply, the rest is decided without: {failure}")
        )
        text = f"{_no_reply(failure)} {say('goes_on')}"
        work.events.emit("switched", model=None, reason=str(failure), text=text)
        revised = run.plan is not None
        run.plan, run.accepted = None, []
        scene = replace(await self._runner.observe(work), remarks=self._remarks())
        self._check_origin(scene)
        plan = await planner.plan(run, scene)
        await self._settle(planner, plan, scene, revised=revised)
        return scene

    async def _pause(self, scene: Scene) -> Scene:
        """Wait while the person has taken over; return the page as they leave it."""
        work = self._work
        if not work.person.paused:
            return scene
        await work.person.until_going()
        now = await self._runner.observe(work)
        self._check_origin(now)
        same = now.snapshot.text == scene.snapshot.text
        found = changes(scene, now) or ("" if same else "The text of the page has changed.")
        work.note(Said("driver", f"The person has used the page meanwhile. {found or _SAME}"))
        return replace(now, remarks=self._remarks(found))

    async def _keep_pause(self, paused: bool) -> None:
        """Store that the run is paused, or not any more, for a page that comes meanwhile."""
        self._work.run.paused = paused
        await self._work.save()

    def _remarks(self, *sentences: str) -> list[str]:
        """Return what a model should know of this step: these sentences, and the budget."""
        scarce = self._budget.scarce(self._work.run.spent)
        return [sentence for sentence in (*sentences, scarce) if sentence]

    def _check_origin(self, scene: Scene) -> None:
        """Refuse to act on another origin than the run began on.

        Raises:
            OriginMismatch: The page is on another one.
        """
        origin = self._work.run.origin
        now = origin_of(scene.snapshot.url) or self._work.registry.offers.origin
        if origin and now and now != origin:
            raise OriginMismatch(
                f"the page is on `{now}` now, and this run belongs to `{origin}`",
                help="start a run of its own there",
            )

    async def _settle(self, planner: Planner, plan: Plan, scene: Scene, *, revised: bool) -> None:
        """Have a plan accepted; a rejected one goes back to the planner with the reason.

        Without another plan of the planner, the decider makes one.

        Raises:
            Denied: No plan was accepted.
        """
        run = self._work.run
        for left in reversed(range(_MOST_REJECTIONS + 1)):
            verdict = await self._propose(plan, scene, revised)
            if verdict.accepted:
                return
            reason = verdict.reason or "no reason was given"
            self._work.note(Said("person", f"not this plan: {reason}"))
            if not left:
                break
            run.plan, revised = plan, True
            another = await planner.revise(run, scene, reason)
            if another is None:
                run.plan = None
                return
            if another == plan:
                break
            plan = another
        raise Denied(f"the plan was not accepted - {reason}", help="ask for what is to be done")

    async def _revise(self, scene: Scene, reason: str) -> None:
        """Have another plan made, because the page is not as the last one expected.

        A model makes one itself, once it has read why.
        """
        run = self._work.run
        self._work.note(Said("driver", f"the plan may not hold any more: {reason}"))
        if self._planner is None:
            return
        plan = await self._planner.revise(run, scene, reason)
        if plan is not None and plan != run.plan:
            await self._settle(self._planner, plan, scene, revised=True)

    async def _accept_or_raise(self, plan: Plan, scene: Scene) -> None:
        """Have a plan accepted that the agent made during the run.

        Raises:
            Denied: It was not accepted.
            Cancelled: The person has rejected plan after plan.
        """
        run = self._work.run
        verdict = await self._propose(plan, scene, run.plan is not None)
        if not verdict.accepted:
            reason = verdict.reason or "no reason was given"
            self._rejections += 1
            if self._rejections > _MOST_REJECTIONS:
                self._work.person.end(f"the person did not accept a plan - {reason}")
            raise Denied(f"the plan was not accepted - {reason}", help="make another, or ask")

    async def _propose(self, plan: Plan, scene: Scene, revised: bool) -> Verdict:
        """Return whether a plan is accepted; if so, it becomes the run's plan."""
        work, run = self._work, self._work.run
        work.events.emit("planned", plan=plan.to_dict(), revised=revised)
        by_caller = self._accept == "caller"
        if by_caller:
            verdict = Verdict(True, "caller")
        else:
            verdict = await work.gate.accept(plan, run, scene, self._calls_of(plan))
        if verdict.accepted:
            run.plan, run.accepted = plan, [*verdict.calls]
            work.events.emit("accepted", by=verdict.by)
            await work.save()
        else:
            work.events.emit("rejected", by=verdict.by, reason=verdict.reason)
        return verdict

    def _calls_of(self, plan: Plan) -> list[Intent]:
        """Return the calls that a plan names with their final arguments."""
        registry, found = self._work.registry, []
        for step in plan.steps:
            # A secret goes only where the person is asked for it.
            if step.arguments is None or MASK in str(step.arguments):
                continue
            try:
                call = registry.prepare(step.tool, step.arguments)
            except ToolError:
                continue
            found.append(intent_of(call.binding, call.named, self._work.run.origin))
        return found

    def _count_time(self) -> None:
        """Add the time that has passed to what was spent, without what the person took."""
        work = self._work
        since, waited = self._counted
        now, waits = work.clock.seconds(), work.person.waited_s
        work.run.spent.seconds += (now - since) - (waits - waited)
        self._counted = (now, waits)


def _modelless() -> DeterministicPlanner:
    # Imported only here: agents with a model need none of its word lists.
    from webagent.agent.deterministic.planner import DeterministicPlanner

    return DeterministicPlanner()


def _no_reply(failure: ModelError) -> str:
    """Return for the person which kind of failure it is: a limit that is reached, or no reply."""
    return say(
        "model_limit" if isinstance(failure, QuotaExhausted | RateLimited) else "model_silent"
    )


def _with_options(config: AgentConfig, options: Mapping[str, Any]) -> AgentConfig:
    try:
        return replace(config, **options)
    except TypeError:
        raise unknown_option(options) from None
