"""The action `execute_js`: a program that calls tools, each call judged like any other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, PartlyDone, define
from webagent.agent.actions.call_tool import (
    before_call,
    callable_now,
    for_person,
    intent_of,
    with_secrets,
)
from webagent.agent.permissions import Intent
from webagent.agent.work import Work
from webagent.errors import Cancelled, RateLimited, ToolError, ToolTimeout
from webagent.registry import PreparedCall
from webagent.registry.export import describe_tools
from webagent.registry.registry import MAX_KEPT_CHARS, MAX_KEPT_VALUE_CHARS, cut
from webagent.registry.secrets import MASK
from webagent.results import ExecutionResult

TIMEOUT_S = 30.0
"""How long a program may run, without the time that the person takes to answer."""
MOST_CALLS = 1000
"""Calls of tools that one program may make."""
_WITH_PERSON_S = 600.0
"""Limit for the page if the program may have to wait for the person."""
MAX_ALL_KEPT_CHARS = 1_000_000
"""About how much of the arguments of all its calls the result of a program keeps."""
_LOOK_S = 0.25
_END_S = 2.0
"""How long a page may take to end a program."""


class ExecuteJs:
    """Runs a program; each call it makes is judged like any other."""

    definition = define(
        "execute_js",
        "Run JavaScript or TypeScript in which `global` holds the page's tools as async functions. "
        "Top-level await and return are allowed; the last expression's value comes back, with what "
        "was written to the console and which tools were called.",
        "code",
        code={"type": "string", "minLength": 1},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return a read in the sandbox, where a program can only call tools; else unknown."""
        sandboxed = context.work.isolation == "sandbox"
        return Intent("execute_js", "read" if sandboxed else "unknown", arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Run the program; return `{value, logs, calls}`, also if it fails."""
        work = context.work
        limit = _TimeLimit(work)
        calls = _Calls(context, limit)
        program = asyncio.ensure_future(
            context.page.run_code(
                arguments["code"],
                tools={binding.name: binding.source.value for binding in context.registry.list()},
                call=calls.call,
                isolation=work.isolation,
                timeout_s=_WITH_PERSON_S if calls.may_ask() else TIMEOUT_S,
                describe=lambda name: _described(context, name),
            )
        )
        try:
            result = await _in_time(program, limit)
        finally:
            calls.end()
        outcome = {
            "value": result.value,
            "logs": [{"level": log.level, "text": log.text} for log in result.logs],
            "calls": calls.made,
        }
        if result.error is not None:
            raise PartlyDone(result.error, outcome)
        return outcome


async def _described(context: Context, name: str | None) -> ExecutionResult:
    """Return the answer to `describeTool(name)`, or to `listTools()` if there is no name.

    Raises:
        UnknownTool: There is no tool of that name.
    """
    registry = context.registry
    return ExecutionResult(describe_tools(registry.manifest, registry.list(), name))


class _TimeLimit:
    """The time of a program, without the time in which the person is asked."""

    def __init__(self, work: Work) -> None:
        self._person, self._clock = work.person, work.clock
        self._started, self._waited = self._clock.seconds(), self._person.waited_s

    def check(self) -> None:
        """Check whether there is time left.

        Raises:
            ToolTimeout: The time is up.
            Cancelled: The person has ended the run.
        """
        if self._person.ended is not None:
            raise self._person.ended
        waited = self._person.waited_s - self._waited
        passed = self._clock.seconds() - self._started - waited
        if passed >= TIMEOUT_S and not self._person.busy:
            raise ToolTimeout(f"the program did not end within {TIMEOUT_S:g} s")


async def _in_time(program: asyncio.Future[ExecutionResult], limit: _TimeLimit) -> ExecutionResult:
    """Return the outcome of a program, or that its time was up."""
    try:
        while not program.done():
            try:
                limit.check()
            except (Cancelled, ToolTimeout) as error:
                return ExecutionResult(error=error)
            await asyncio.wait([program], timeout=_LOOK_S)
        return program.result()
    finally:
        program.cancel()
        # A page ends its program at once. One that does not respond is not waited for.
        await asyncio.wait([program], timeout=_END_S)


class _Calls:
    """Makes the calls of one program."""

    def __init__(self, context: Context, limit: _TimeLimit) -> None:
        self._context = context
        self._limit = limit
        self._kept_chars = MAX_ALL_KEPT_CHARS
        self._numbers = itertools.count(1)
        self._over = False
        self.made: list[dict[str, Any]] = []

    def end(self) -> None:
        """Refuse further calls, because the program has ended."""
        self._over = True

    def may_ask(self) -> bool:
        """Whether the person may have to be asked, judged by the tools that there are."""
        tools = self._context.registry.list()
        origin = self._context.run.origin
        intents = [intent_of(binding, {}, origin) for binding in tools]
        return any(intent.effect != "read" or intent.to for intent in intents)

    async def call(self, name: str, arguments: list[Any]) -> ExecutionResult:
        """Make a call of the program, if it is permitted."""
        if self._over:
            return ExecutionResult(error=Cancelled("the program has ended"))
        if (ended := self._context.work.person.ended) is not None:
            return ExecutionResult(error=ended)
        if len(self.made) >= MOST_CALLS:
            return ExecutionResult(error=_too_many(name))
        context = self._context
        work = context.work
        number = f"{context.call.id}.{next(self._numbers)}"
        prepared: PreparedCall | None = None
        named: Mapping[str, Any] = {}
        intent = Intent("call_tool", tool=name)
        started = work.busy_s
        step: dict[str, Any] = {
            "id": number,
            "parent": context.call.id,
            "action": "call_tool",
            "tool": name,
        }
        error: ToolError | None = None
        try:
            # Where the page is busy, the look at the clock in between is late.
            self._limit.check()
            await callable_now(context.registry, name)
            prepared = context.registry.prepare(name, arguments)
            named = prepared.named
            if any(MASK in str(value) for value in named.values()):
                prepared = await with_secrets(name, named, context)
            intent = intent_of(prepared.binding, named, context.run.origin)
        except ToolError as fault:
            error = fault
        shown, chars = cut(dict(named), min(MAX_KEPT_CHARS, self._kept_chars))
        self._kept_chars -= chars
        step |= {"arguments": shown, "why": "", "effect": intent.effect}
        step |= before_call(prepared, named, context) if prepared is not None else {}
        work.emit_step(**step, state="started")
        record: dict[str, Any] = {"name": name, "arguments": shown, "ok": False}
        self.made.append(record)
        result = ExecutionResult(error=error or Cancelled(f"the call of `{name}` was given up"))
        try:
            if prepared is not None:
                result = await self._permitted(prepared, intent)
        finally:
            took = {"duration_ms": round((work.busy_s - started) * 1000, 3)}
            if result.error is None:
                record["ok"] = True
                value, _ = cut(result.value, MAX_KEPT_VALUE_CHARS)
                more = {}
                if prepared is not None and not intent.to:
                    more = for_person(prepared, named, result.value, context)
                work.emit_step(**step, state="finished", value=value, **took, **more)
            else:
                record["error"] = result.error.to_dict()
                state = "cancelled" if isinstance(result.error, Cancelled) else "failed"
                work.emit_step(**step, state=state, error=record["error"], **took)
        return result

    async def _permitted(self, call: PreparedCall, intent: Intent) -> ExecutionResult:
        try:
            context = self._context
            await context.work.gate.permit_together(intent, context.run, context.scene)
            context.run.changed |= intent.effect != "read"
        except ToolError as error:
            return ExecutionResult(error=error)
        work = self._context.work
        return await work.registry.invoke_prepared(
            call, for_program=True, ask=work.asker(call.name)
        )


def _too_many(name: str) -> RateLimited:
    return RateLimited(
        f"the program has called tools {MOST_CALLS} times, which is the most that one may",
        tool=name,
        help="call a tool once for many items, or go on in another program",
    )
