"""Calls to pages for clients, with the questions that come up in them."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from mcp_types import CallToolRequestParams, CallToolResult, InputRequiredResult

from webagent.page.values import plain
from webagent_dev.agents.mcp.elicitation import (
    can_elicit,
    elicit,
    elicitation_answer,
    input_required_result,
)
from webagent_dev.agents.mcp.run import Run, answer_of, form_of, no_answer
from webagent_dev.agents.mcp.tasks import CallTasks, Finish, takes_tasks
from webagent_site.mcp.results import Context, Progress, error_result, is_modern, success_result
from webagent_site.pages.relay import Relay
from webagent_site.pages.wire import CallKind

ANSWER_S = 600.0
"""How long a question waits for the client to return with the answer."""
TASK_S = 1.0
"""How long a client that takes tasks waits for a result before it gets one."""
_RESULT_KEYS = ("ok", "text", "value", "goal", "steps", "spent", "duration_ms")

Answer = CallToolResult | InputRequiredResult | dict[str, Any]
"""The end of a call: its result, a question, or a task as the protocol has it."""


class _Waiting(NamedTuple):
    """A run that waits for the answer to a question."""

    run: Run
    question: str
    expiry: asyncio.TimerHandle


class Runs:
    """All calls of clients; those that wait for an answer are kept between two requests."""

    def __init__(self, relay: Relay, tasks: CallTasks) -> None:
        """Make calls.

        Args:
            relay: Makes them to open pages.
            tasks: Go on with those that take long.
        """
        self._relay = relay
        self._tasks = tasks
        self._waiting: dict[str, _Waiting] = {}

    async def call(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        finish: Finish,
        *,
        timeout_s: float,
        caller: str,
    ) -> Answer:
        """Make a call; return its result, a question for the client, or the task that it became.

        Args:
            ctx: Of the request.
            params: Of the request; it may bring the answer to a question.
            page_id: Which page.
            kind: Kind of the call.
            name: Of the tool.
            arguments: Of the call.
            finish: Makes the result from what the page returns.
            timeout_s: Limit of the call.
            caller: Name of the client, for people.
        """
        waiting = self._waiting.pop(params.request_state or "", None)
        if waiting is None:
            run = Run(
                self._relay, page_id, kind, name, arguments, timeout_s=timeout_s, caller=caller
            )
        else:
            run = waiting.run
            waiting.expiry.cancel()
            run.answer(waiting.question, answer_of(elicitation_answer(params)))
        try:
            return await self._follow(ctx, run, finish)
        except BaseException:
            run.end()
            raise

    def waits(self, state: str | None) -> bool:
        """Whether something waits for the answer that a request with this state brings."""
        return state in self._waiting

    async def _follow(self, ctx: Context, run: Run, finish: Finish) -> Answer:
        """Pass events and questions on until the run is over, or a task, or asks the client."""
        async with Progress(ctx) as progress:
            run.listen(progress.on_event)
            while True:
                try:
                    async with asyncio.timeout(TASK_S if takes_tasks(ctx) else None):
                        question = await run.question()
                except TimeoutError:
                    return await self._tasks.begin(run, finish, asks=can_elicit(ctx))
                if question is None:
                    return finish(run.result())
                form = form_of(question.request)
                if form is None or not can_elicit(ctx):
                    run.answer(question.id, no_answer(question.request))
                elif is_modern(ctx):
                    run.listen(None)
                    self._keep(run, question.id)
                    return input_required_result(form, run.id)
                else:
                    run.answer(question.id, answer_of(await elicit(ctx, form)))

    def _keep(self, run: Run, question: str) -> None:
        expiry = asyncio.get_running_loop().call_later(ANSWER_S, self._expire, run.id)
        self._waiting[run.id] = _Waiting(run, question, expiry)

    def _expire(self, run_id: str) -> None:
        if waiting := self._waiting.pop(run_id, None):
            waiting.run.end()


def run_result(result: dict[str, Any]) -> CallToolResult:
    """Return the result of a run."""
    if not result["ok"]:
        return error_result(result["error"])
    outcome = result["value"] if isinstance(result["value"], dict) else {}
    shown = {key: plain(outcome[key]) for key in _RESULT_KEYS if key in outcome}
    if outcome.get("ok") is False and isinstance(error := outcome.get("error"), dict):
        text = str(outcome.get("text", ""))
        return error_result(error, *([text] if text not in ("", error.get("message")) else []))
    return success_result(str(outcome.get("text", "")) or shown, structured=shown)
