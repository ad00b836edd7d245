"""One step of a run: look at the page, have the decider reply, and do what the reply asks for.

After each step `replan_reason` compares the page with the plan. A step that was cut off because the
browser left the page is settled in the next page.
"""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from webagent.agent.actions.base import (
    ARRIVAL_S,
    LOOK_S,
    Action,
    ActionWithIntent,
    Context,
    PartlyDone,
    check_arguments,
)
from webagent.agent.actions.call_tool import before_call, for_person
from webagent.agent.actions.table import as_action
from webagent.agent.permissions import Intent, element_dict
from webagent.agent.planner import Decider
from webagent.agent.redact import printable
from webagent.agent.run import Done, Finish, Run, Said, Scene, Turn, remember
from webagent.agent.work import Work
from webagent.errors import Cancelled, Denied, InternalError, Navigated, PageGone, ToolError
from webagent.llm.chat import Replay, Reply, ToolCall, unique_id
from webagent.registry import PreparedCall
from webagent.registry.binding import ToolSource
from webagent.urls import absolute, origin_of, path_of, same_page

_LOG = logging.getLogger("webagent.agent")

_MOST_CALLS = 20
"""Calls of one reply that are made."""

_LONGEST_WHY = 1_000
"""Characters of the words that a call's events carry as its reason."""

_MOST_WORDS = 2
"""Replies without calls in a row after which the words count as the answer."""

LONGEST_WORDS = 50_000
"""Characters of the words of one reply."""

LONGEST_ARGUMENTS = 1_000_000
"""Characters of the arguments of one call, as JSON."""

_LONGEST_NAME = 200

_NO_CALL = "nothing was called; call an action, or `finish` with the answer"

_LOOK = "look at the page whether it happened before you call it again"
"""Help for a call that was interrupted."""

_NAVIGATING = frozenset(
    (
        "goto_url",
        "click",
        "click_link",
        "enter_data",
        "hover",
        "drag",
        "press_key",
        "answer_dialog",
        "upload",
        "search",
        "scroll",
        "wait",
    )
)
"""Actions that are done once another page is there."""

_HARMLESS = frozenset(
    [
        "make_plan",
        "search_tools",
        "read_file",
        "find_code",
        "navigation_outline",
        "section_outline",
        "form_details",
        "table_details",
        "get_summary",
        "take_screenshot",
        "communicate",
        "take_note",
        "finish",
    ]
)
"""Actions that do nothing to the page. One that was interrupted is simply decided on again."""

_PAGE_ERRORS = frozenset(
    ("missing_function", "navigated", "no_page", "origin_mismatch", "page_gone")
)
"""Failures that say that the page has changed. An error thrown by a tool is an answer: the decider reads
it, and the plan may hold all the same."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The outcome of one step."""

    reply: Reply
    done: tuple[Done, ...] = ()
    """The actions that were taken."""
    finish: Finish | None = None
    """Ends the run, if it is not None."""
    problem: ToolError | None = None
    """Why the run cannot go on."""


class StepHandler(Protocol):
    """Handles one kind of reply."""

    def takes(self, reply: Reply) -> bool:
        """Whether this is a reply for this handler."""

    async def handle(self, reply: Reply, work: Work, scene: Scene) -> StepResult:
        """Do what the reply asks for, add it to the transcript, and return the outcome."""


class StepRunner:
    """Takes single steps; the loop decides whether there is another one."""

    def __init__(self, decider: Decider, handlers: Sequence[StepHandler]) -> None:
        """Create a runner.

        Args:
            decider: Chooses what comes next.
            handlers: What handles replies; the first that takes a reply gets it.
        """
        self._decider = decider
        self._handlers = [*handlers]

    def register_handler(self, handler: StepHandler) -> None:
        """Add a handler before all others."""
        self._handlers.insert(0, handler)

    def clear_handlers(self) -> None:
        """Remove all handlers."""
        self._handlers.clear()

    async def observe(self, work: Work) -> Scene:
        """Return the page and its tools as they are now; wait while the page is being left.

        Raises:
            Navigated: The page is left again and again.
        """
        registry, clock = work.registry, work.clock
        deadline = clock.seconds() + ARRIVAL_S
        while True:
            try:
                await registry.refresh()
                snapshot = await work.page.snapshot()
                break
            except Navigated:
                if clock.seconds() >= deadline:
                    raise
                await clock.sleep(LOOK_S)
        # The first page comes before the run has its origin.
        remember(work.run.shown, snapshot, work.run.origin or origin_of(snapshot.url))
        return Scene(
            snapshot, registry.list(), work.clock.now(), registry.manifest.name, work.earlier
        )

    async def step(self, work: Work, scene: Scene) -> StepResult:
        """Take one step and return its outcome.

        Raises:
            ModelError: The model gave no reply.
        """
        taken = {done.call.id for done in work.run.done()}
        decider = work.modelless or self._decider
        reply = limit_reply(await decider.next(work.run, scene), taken)
        for handler in self._handlers:
            if handler.takes(reply):
                return await handler.handle(reply, work, scene)
        problem = InternalError(
            "no handler takes the reply", help="register one with `register_handler`"
        )
        return StepResult(reply, problem=problem)


def limit_reply(reply: Reply, taken: Container[str]) -> Reply:
    """Return a reply that is short enough to be shown and stored.

    A call with too long arguments loses them and gets a fault that says so. Ids of earlier calls
    are replaced.

    Args:
        reply: The reply of the decider.
        taken: Ids of earlier calls.
    """
    text = printable(reply.text)
    if len(text) > LONGEST_WORDS:
        text = f"{text[:LONGEST_WORDS]}… (cut: {len(text) - LONGEST_WORDS} more characters)"
    calls: list[ToolCall] = []
    given: set[str] = set()
    for call in reply.calls:
        needs_id = not call.id or call.id in taken or call.id in given
        call_id = unique_id(given) if needs_id else call.id
        given.add(call_id)
        calls.append(_limit_call(replace(call, id=call_id)))
    same = calls == [*reply.calls] and text == reply.text
    replay = reply.replay if same and _is_short(reply.replay) else None
    return replace(reply, text=text, calls=tuple(calls), replay=replay)


def _is_short(replay: Replay | None) -> bool:
    """Whether a provider's form of a reply is short enough to be kept, and JSON."""
    try:
        return replay is not None and len(json.dumps(replay.blocks)) <= LONGEST_ARGUMENTS
    except (TypeError, ValueError):
        return False


def _limit_call(call: ToolCall) -> ToolCall:
    name = printable(call.name)[:_LONGEST_NAME]
    length = len(json.dumps(dict(call.arguments), default=str))
    if length <= LONGEST_ARGUMENTS:
        return replace(call, name=name)
    fault = f"they have {length} characters, and {LONGEST_ARGUMENTS} at most are taken"
    return replace(call, name=name, arguments={}, fault=fault)


class FunctionHandler:
    """Makes the calls of a reply, in order. After a failure the rest is not made.

    Calls of tools that only read and follow each other are made at the same time.
    """

    def takes(self, reply: Reply) -> bool:
        """Whether there are calls."""
        return bool(reply.calls)

    async def handle(self, reply: Reply, work: Work, scene: Scene) -> StepResult:
        """Make each call and add it to the transcript."""
        if reply.text.strip():
            work.say(reply.text)
        work.run.turns.append(Turn(reply.calls, reply.replay))
        # A reply from before the person took over may not hold on the page that they leave.
        calls = () if work.person.paused else reply.calls[:_MOST_CALLS]
        taken: list[Done] = []
        allowed: dict[str, _Allowed] = {}
        why = reply.text[:_LONGEST_WHY]
        while len(taken) < len(calls) and not (
            taken and (work.person.paused or _interrupts(taken[-1]))
        ):
            ahead = calls[len(taken) :]
            batch = ahead[: max(1, await _reads_at_start(ahead, work, scene))]
            try:
                for call in batch:
                    work.guard.try_call(call, scene)
                if len(batch) > 1:
                    done = await _perform_reads(batch, why, work, scene)
                    finish = None
                else:
                    one, finish = await _perform(ahead[0], why, work, scene, ahead[1:], allowed)
                    done = [one]
                taken += done
                if finish is not None:
                    return StepResult(reply, tuple(taken), finish)
                for one in done:
                    work.guard.count(one)
            except ToolError as problem:
                return StepResult(reply, tuple(taken), problem=problem)
        if left := reply.calls[len(taken) :]:
            names = ", ".join(f"`{call.name}`" for call in left[:_MOST_CALLS])
            since = f"only {_MOST_CALLS} are taken at once"
            if work.person.paused:
                since = "the person has taken over"
            elif len(taken) < len(calls):
                last = taken[-1]
                since = "the page was left" if last.ok else f"`{last.call.name}` failed"
            work.note(Said("driver", f"these calls were not made, since {since}: {names}"))
        return StepResult(reply, tuple(taken))


async def _reads_at_start(calls: Sequence[ToolCall], work: Work, scene: Scene) -> int:
    """Return how many calls at the beginning are of tools of this site that only read.

    A form is not one of them, as it may lead to another document.
    """
    if len(calls) < 2:
        return 0
    for number, each in enumerate(calls):
        found = await _intent_of_call(each, work, scene)
        if found is None or found[0].effect != "read" or found[0].to or _is_form(found[1]):
            return number
    return len(calls)


async def _perform_reads(
    calls: Sequence[ToolCall], why: str, work: Work, scene: Scene
) -> list[Done]:
    """Make calls at the same time; return their entries in the order of the calls."""
    tasks = [asyncio.ensure_future(_perform(call, why, work, scene, (), {})) for call in calls]
    try:
        return [done for done, _ in await asyncio.gather(*tasks)]
    finally:
        for task in tasks:
            task.cancel()


class ContentHandler:
    """Handles words without a call. The second such reply in a row is the answer."""

    def takes(self, reply: Reply) -> bool:
        """Whether there is no call."""
        return not reply.calls

    async def handle(self, reply: Reply, work: Work, scene: Scene) -> StepResult:
        """Add the words to the transcript, with a note that nothing was called."""
        if not reply.text.strip():
            try:
                work.guard.count_empty_reply()
            except Cancelled as problem:
                return StepResult(reply, problem=problem)
            work.note(Said("driver", _NO_CALL))
            return StepResult(reply)
        work.say(reply.text)
        last = work.run.entries[-_MOST_WORDS:]
        again = len(last) == _MOST_WORDS and last[0] == Said("driver", _NO_CALL)
        if not again:
            work.note(Said("driver", _NO_CALL))
            return StepResult(reply)
        try:
            return StepResult(reply, finish=work.check_finish(Finish(reply.text)))
        except ToolError as fault:
            work.note(Said("driver", f"{fault.message} - {fault.help}"))
            return StepResult(reply, problem=work.guard.given_up)


@dataclass(frozen=True, slots=True)
class _Allowed:
    """A call that the person has allowed together with an earlier one of the same reply."""

    intent: Intent
    prepared: PreparedCall


async def _perform(
    call: ToolCall,
    why: str,
    work: Work,
    scene: Scene,
    ahead: Sequence[ToolCall],
    allowed: dict[str, _Allowed],
) -> tuple[Done, Finish | None]:
    """Take one action; return its entry in the transcript, and the end of the run if it is one.

    Args:
        call: The call.
        why: Words of the reply.
        work: The run.
        scene: The page.
        ahead: The calls of the same reply that come after it.
        allowed: Those that the person has allowed already, by their ids; more may be added.
    """
    call = as_action(call, work.actions, work.registry)
    context = Context(work, scene, call)
    started = work.busy_s
    step = {"id": call.id, "action": call.name, "arguments": dict(call.arguments), "why": why}
    intent = Intent(call.name, arguments=call.arguments)
    value: Any = None
    error: ToolError | None = None
    finish = None
    try:
        try:
            action = work.actions.get(call.name)
            arguments = check_arguments(action.definition, call)
            judged = await _intent_of(call.name, action, arguments, context)
            intent = judged or Intent(call.name, "read", arguments)
        finally:
            step |= {"effect": intent.effect} | ({"tool": intent.tool} if intent.tool else {})
            if context.prepared is not None:
                step |= before_call(context.prepared, intent.arguments, context)
            if intent.element is not None:
                step["element"] = element_dict(intent.element)
            step["arguments"] = dict(intent.arguments)
            work.emit_step(**step, state="started")
        known = allowed.pop(call.id, None)
        if known is not None and _same_intent(known.intent, intent):
            await work.gate.check(intent, work.run)
            context.prepared = known.prepared
        elif judged is not None:
            alike = await _alike(intent, ahead, work, scene)
            if await context.permit(intent, [each.intent for each in alike.values()]):
                await _check_unchanged(intent, action, arguments, context)
                allowed |= alike
        context.to = intent.to
        work.run.pending = call
        work.run.sends_form = _is_form(context.prepared)
        work.run.changed |= intent.effect != "read"
        await work.save()
        value = await action.perform(arguments, context)
        if isinstance(value, Finish):
            finish, value = value, value.data
        json.dumps(value)
    except PartlyDone as partly:
        value, error = partly.value, partly.error
    except (Navigated, PageGone) as gone:
        error = gone
        if isinstance(gone, Navigated) and work.run.pending is call:
            await context.arrive("")
            error = _navigated_error(call)
    except ToolError as fault:
        error = fault
    except asyncio.CancelledError:
        error = Cancelled(f"`{call.name}` was given up", help=_LOOK)
        raise
    except Exception as fault:
        trace = work.registry.secrets.mask_text(traceback.format_exc())
        _LOG.error("the action `%s` broke\n%s", call.name, trace)
        value, finish = None, None
        error = InternalError(f"`{call.name}` broke - {type(fault).__name__}: {fault}")
    finally:
        took = round((work.busy_s - started) * 1000, 3)
        failure = None if error is None else error.to_dict()
        done = Done(call, scene.snapshot.url, value, failure, took)
        work.run.pending = None
        work.note(done)
        outcome = {} if value is None else {"value": value}
        outcome |= {"error": failure} if failure else {}
        if error is None and context.prepared is not None and not context.to:
            outcome |= for_person(context.prepared, intent.arguments, value, context)
        work.emit_step(**step, state=_state(error), duration_ms=took, **outcome)
    return done, finish


async def _alike(
    intent: Intent, ahead: Sequence[ToolCall], work: Work, scene: Scene
) -> dict[str, _Allowed]:
    """Return the later calls of the same tool with the same effect, by their ids.

    An irreversible call is asked for on its own.
    """
    found: dict[str, _Allowed] = {}
    if not intent.tool or intent.effect == "irreversible":
        return found
    for each in ahead:
        other = await _intent_of_call(each, work, scene)
        if other is None or other[0].tool != intent.tool:
            continue
        if other[1] is not None and _same_intent(other[0], intent, exactly=False):
            found[each.id] = _Allowed(other[0], other[1])
    return found


async def _intent_of_call(
    each: ToolCall, work: Work, scene: Scene
) -> tuple[Intent, PreparedCall | None] | None:
    """Return the intent of a call of a tool, and the call as prepared; None for anything else.

    A call that cannot be made has no intent; it fails when its turn comes.
    """
    call = as_action(each, work.actions, work.registry)
    if call.name != "call_tool" or call.name not in work.actions:
        return None
    context = Context(work, scene, call)
    try:
        action = work.actions.get(call.name)
        arguments = check_arguments(action.definition, call)
        intent = await _intent_of(call.name, action, arguments, context)
    except ToolError:
        return None
    return None if intent is None else (intent, context.prepared)


def _same_intent(one: Intent, other: Intent, *, exactly: bool = True) -> bool:
    """Whether two intents do the same, `exactly` also with the same arguments."""
    same = (one.key, one.kind, one.effect, one.to, one.sends) == (
        other.key,
        other.kind,
        other.effect,
        other.to,
        other.sends,
    )
    return same and (not exactly or dict(one.arguments) == dict(other.arguments))


async def _intent_of(
    name: str, action: Action, arguments: Mapping[str, Any], context: Context
) -> Intent | None:
    if isinstance(action, ActionWithIntent):
        return await action.intent(arguments, context)
    return Intent(name, arguments=arguments)


async def _check_unchanged(
    allowed: Intent, action: Action, arguments: Mapping[str, Any], context: Context
) -> None:
    """Refuse an action that has come to mean something else while the person was asked.

    Raises:
        Denied: It has another intent now.
    """
    if allowed.tool:
        # The registry compares tools when they are called.
        return
    now = await _intent_of(context.call.name, action, arguments, context)
    if now is None or not _same_intent(now, allowed, exactly=False):
        raise Denied(
            f"what `{context.call.name}` does has changed since it was allowed",
            help="look at the page again",
        )


def _is_form(prepared: PreparedCall | None) -> bool:
    """Whether a call is one of a form, which may lead to another document."""
    return prepared is not None and prepared.binding.source is ToolSource.FORM


async def settle_pending(work: Work, scene: Scene) -> str | None:
    """Write down the outcome of the action that was under way when the last page was left.

    Return why the plan does not hold any more, if the page is not the one asked for.
    """
    run = work.run
    call = run.pending
    if call is None:
        return None
    run.pending = None
    if call.name in _HARMLESS:
        return None
    url = scene.snapshot.url
    done = Done(call, url, error=_navigated_error(call).to_dict())
    outcome: dict[str, object] = {"state": "failed", "error": done.error}
    if call.name in _NAVIGATING:
        done = Done(call, url, {"navigated": True, "url": url})
        outcome = {"state": "finished", "value": done.value}
    elif run.sends_form:
        # As the platform has it, the result is null where the document has none.
        done = Done(call, url, await work.page.act({"type": "linked_data"}) or None)
        outcome = {"state": "finished", "value": done.value}
    work.note(done)
    tool = {"tool": str(call.arguments.get("name"))} if call.name == "call_tool" else {}
    arguments = call.arguments.get("arguments", {}) if tool else call.arguments
    step = {"id": call.id, "action": call.name, "arguments": arguments, "why": ""}
    work.emit_step(**step, **tool, effect="unknown", **outcome)
    return _landed_elsewhere(call, f"{run.origin}/", scene)


def replan_reason(run: Run, before: Scene, now: Scene, done: Sequence[Done]) -> str | None:
    """Return why the plan does not hold any more, or None if nothing speaks against it.

    Args:
        run: The run with its plan.
        before: The scene when the step began.
        now: The scene now.
        done: The actions of the step.
    """
    for action in done:
        error = action.error
        if error is not None and error.get("kind") in _PAGE_ERRORS:
            tool = error.get("tool") or action.call.name
            return f"`{tool}` failed - {error.get('message', '')}"
        if action.ok and (reason := _landed_elsewhere(action.call, before.snapshot.url, now)):
            return reason
    there = {binding.name for binding in now.tools if binding.problem is None}
    had = {binding.name for binding in before.tools if binding.problem is None}
    used = {str(done.call.arguments.get("name", "")) for done in run.done()}
    steps = run.plan.steps if run.plan else ()
    gone = [s.tool for s in steps if s.tool in had - there and s.tool not in used]
    return f"the page has no {', '.join(f'`{name}`' for name in gone)} any more" if gone else None


def _landed_elsewhere(call: ToolCall, base: str, now: Scene) -> str | None:
    """Return that another page came than `goto_url` asked for, if so."""
    wanted = call.arguments.get("url") if call.name == "goto_url" else None
    url = absolute(base, wanted) if isinstance(wanted, str) else None
    if url is None or not now.snapshot.url or same_page(url, now.snapshot.url):
        return None
    return f"`{path_of(url)}` was asked for, and the page is `{path_of(now.snapshot.url)}`"


def _navigated_error(call: ToolCall) -> Navigated:
    """Return the error of a call that was under way when the page was left."""
    tool = str(call.arguments.get("name", "")) if call.name == "call_tool" else ""
    message = f"the page was left while `{tool or call.name}` was under way: it may have happened"
    return Navigated(message, tool=tool or None, help=_LOOK)


def _interrupts(done: Done) -> bool:
    """Whether the calls after an action are not made: it failed, or it left the page."""
    left = isinstance(done.value, Mapping) and done.value.get("navigated") is True
    return left or not done.ok


def _state(error: ToolError | None) -> str:
    if error is None:
        return "finished"
    return "cancelled" if isinstance(error, Cancelled) else "failed"
