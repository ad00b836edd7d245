"""Runs of the agent for clients, with the questions that the agent asks in them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp_types import CallToolRequestParams, CallToolResult, ElicitResult, InputRequiredResult

from webagent.errors import Cancelled
from webagent.page.values import plain
from webagent.visible_text import visible
from webagent_dev.agents.mcp.elicitation import (
    Form,
    can_elicit,
    elicit,
    elicitation_answer,
    input_required_result,
)
from webagent_site.mcp.results import (
    Context,
    Progress,
    error_result,
    is_modern,
    success_result,
    tool_error_result,
)
from webagent_site.pages.relay import CallListener, Relay, new_id
from webagent_site.pages.wire import CallKind

RUN_S = 3600.0
"""Limit of a run; the agent has a budget of its own."""
ANSWER_S = 600.0
"""How long a question waits for the client to return with the answer."""
_RESULT_KEYS = ("ok", "text", "value", "goal", "steps", "spent", "duration_ms")


class _Run:
    """One run of the agent, or one call that may ask something, for a client."""

    def __init__(
        self,
        relay: Relay,
        page_id: str,
        arguments: dict[str, Any],
        caller: str,
        kind: CallKind = "goal",
        name: str = "",
        timeout_s: float = RUN_S,
    ) -> None:
        self.id = new_id()
        self._relay = relay
        self._questions: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._question_id = ""
        self._on_event: CallListener | None = None
        self.expiry: asyncio.TimerHandle | None = None
        self._work = asyncio.create_task(
            relay.call(
                page_id,
                kind,
                name,
                arguments,
                timeout_s=timeout_s,
                caller=caller,
                call_id=self.id,
                on_event=self._receive,
            )
        )
        self._work.add_done_callback(lambda _: self._questions.put_nowait(None))

    def listen(self, on_event: CallListener | None) -> None:
        """Send events to another listener from now on; None for nobody."""
        self._on_event = on_event

    async def question(self) -> dict[str, Any] | None:
        """Return the next request that needs an answer; None once the run is over."""
        question = await self._questions.get()
        if question is None:
            return None
        self._question_id = question["question"]
        request: dict[str, Any] = question["request"]
        return request

    def answer(self, answer: dict[str, Any]) -> None:
        """Answer the request."""
        self._relay.answer(self.id, self._question_id, answer)

    def result(self) -> dict[str, Any]:
        """Return the result of a run that is over."""
        if self._work.cancelled():
            return {"ok": False, "error": Cancelled("the run was ended").to_dict()}
        return self._work.result()

    def end(self) -> None:
        """End the run."""
        if self.expiry:
            self.expiry.cancel()
        self._work.cancel()

    def _receive(self, name: str, data: dict[str, Any]) -> None:
        if name == "question":
            self._questions.put_nowait(data)
        elif self._on_event:
            self._on_event(name, data)


class Runs:
    """All runs of clients; those that wait for an answer are kept between two requests."""

    def __init__(self, relay: Relay) -> None:
        self._relay = relay
        self._waiting: dict[str, _Run] = {}

    async def work(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page_id: str,
        arguments: dict[str, Any],
        caller: str,
    ) -> CallToolResult | InputRequiredResult:
        """Let the agent work until it is done, or has a question that has to be the result of the call.

        Args:
            ctx: Of the request.
            params: Of the request; it may bring the answer to a question.
            page_id: Where the agent works.
            arguments: `{"goal", "budget"?}`.
            caller: Name of the client, for people.
        """
        if params.request_state is None:
            run = _Run(self._relay, page_id, arguments, caller)
        elif (waiting := self._waiting.pop(params.request_state, None)) is not None:
            run = waiting
            if run.expiry:
                run.expiry.cancel()
            run.answer(_answer(elicitation_answer(params)))
        else:
            return tool_error_result(
                Cancelled(
                    "the run is over - the answer is no longer needed",
                    help="look at the page, and start the run again if it is needed",
                )
            )
        try:
            question = await self._follow(ctx, run)
        except BaseException:
            run.end()
            raise
        return question or _run_result(run.result())

    async def call(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        caller: str,
    ) -> dict[str, Any] | InputRequiredResult:
        """Make a call; return its result as data, or a question of the tool for the client.

        Args:
            ctx: Of the request.
            params: Of the request; it may bring the answer to a question.
            page_id: Which page.
            kind: Kind of the call.
            name: Of the tool.
            arguments: Of the call.
            timeout_s: Limit of the call.
            caller: Name of the client, for people.
        """
        run = self._waiting.pop(params.request_state or "", None)
        if run is None:
            run = _Run(self._relay, page_id, arguments, caller, kind, name, timeout_s)
        else:
            if run.expiry:
                run.expiry.cancel()
            run.answer(_answer(elicitation_answer(params)))
        try:
            question = await self._follow(ctx, run)
        except BaseException:
            run.end()
            raise
        return question or run.result()

    def waits(self, state: str | None) -> bool:
        """Whether something waits for the answer that a request with this state brings."""
        return state in self._waiting

    async def _follow(self, ctx: Context, run: _Run) -> InputRequiredResult | None:
        """Pass events and questions on until the run is over; return what the client has to answer."""
        async with Progress(ctx) as progress:
            run.listen(progress.on_event)
            while request := await run.question():
                form = _form_of(request)
                if form is None or not can_elicit(ctx):
                    run.answer(_no_answer(request))
                elif is_modern(ctx):
                    run.listen(None)
                    self._keep(run)
                    return input_required_result(form, run.id)
                else:
                    run.answer(_answer(await elicit(ctx, form)))
        return None

    def _keep(self, run: _Run) -> None:
        self._waiting[run.id] = run
        run.expiry = asyncio.get_running_loop().call_later(ANSWER_S, self._expire, run.id)

    def _expire(self, run_id: str) -> None:
        if run := self._waiting.pop(run_id, None):
            run.end()


def _form_of(request: dict[str, Any]) -> Form | None:
    """Return the form for a request of the agent; None for a request that no form can answer."""
    text = str(request.get("text", ""))
    details = request.get("details")
    details = details if isinstance(details, dict) else {}
    match request.get("kind"):
        case "question":
            return Form(visible(text), {"text": {"type": "string", "title": "Answer"}}, ("text",))
        case "plan" | "approval":
            shown = {
                key: details[key]
                for key in ("steps", "tool", "similar", "arguments", "calls", "sends")
                if details.get(key)
            }
            if "calls" in shown:
                shown.pop("arguments", None)
            # Hidden characters are named, as in every other question.
            written = visible(json.dumps(shown, ensure_ascii=False, indent=1))
            extra = f"\n{written}" if shown else ""
            fields: dict[str, Any] = {"yes": {"type": "boolean", "title": "Go ahead"}}
            if details.get("session"):
                fields["session"] = {"type": "boolean", "title": "Do not ask again for this"}
            keys = [grant["key"] for grant in details.get("grants") or ()]
            if len(keys) > 1:
                title = "Do not ask again for all of"
                fields["grant"] = {"type": "string", "title": title, "enum": keys}
            fields["stop"] = {"type": "boolean", "title": "No, and stop the run"}
            return Form(f"{visible(text)}{extra}", fields, ("yes",))
    return None


def _answer(elicited: ElicitResult | None) -> dict[str, Any]:
    """Return an answer as the page takes it; closing the form means no."""
    content = (elicited.content if elicited else None) or {}
    accepted = elicited is not None and elicited.action == "accept"
    text, grant = content.get("text"), content.get("grant")
    answer: dict[str, Any] = {
        "yes": accepted and content.get("yes", True) is True,
        "text": text if isinstance(text, str) else "",
        "session": accepted and content.get("session") is True,
        "files": [],
        "stop": accepted and content.get("stop") is True,
    }
    if accepted and content.get("stop") is True:
        answer["stop"] = True
    if accepted and isinstance(grant, str):
        answer["grant"] = grant
    return answer


def _no_answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer where no user can be asked; a plan alone is approved."""
    yes = request.get("kind") == "plan"
    return {"yes": yes, "text": "nobody can be asked here", "session": False, "files": []}


def _run_result(result: dict[str, Any]) -> CallToolResult:
    """Return the result of a run."""
    if not result["ok"]:
        return error_result(result["error"])
    outcome = result["value"] if isinstance(result["value"], dict) else {}
    shown = {key: plain(outcome[key]) for key in _RESULT_KEYS if key in outcome}
    if outcome.get("ok") is False and isinstance(error := outcome.get("error"), dict):
        text = str(outcome.get("text", ""))
        return error_result(error, *([text] if text not in ("", error.get("message")) else []))
    return success_result(str(outcome.get("text", "")) or shown, structured=shown)
