"""Runs of the agent for clients, with the questions that come up in them."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from mcp_types import CallToolRequestParams, CallToolResult, ElicitResult, InputRequiredResult

from webagent.errors import Cancelled
from webagent_dev.agents.mcp.elicitation import (
    Context,
    Form,
    answered,
    as_result,
    ask,
    can_ask,
    is_modern,
)
from webagent_dev.agents.mcp.results import Progress, failed, failed_with, succeeded
from webagent_dev.agents.page_output import plain
from webagent_dev.live.relay import Hear, Relay, new_id

RUN_S = 3600.0
"""The agent has a budget of its own."""
ANSWER_S = 600.0
"""How long a question waits for the client to come back with the answer."""
_KEPT = ("ok", "text", "value", "goal", "steps", "spent", "duration_ms")


class _Run:
    """The agent at work for one client."""

    def __init__(self, relay: Relay, page_id: str, given: dict[str, Any], caller: str) -> None:
        self.id = new_id()
        self._relay = relay
        self._questions: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._asked = ""
        self._hear: Hear | None = None
        self.expiry: asyncio.TimerHandle | None = None
        self._work = asyncio.create_task(
            relay.call(
                page_id,
                "goal",
                "",
                given,
                timeout_s=RUN_S,
                caller=caller,
                call_id=self.id,
                hear=self._take,
            )
        )
        self._work.add_done_callback(lambda _: self._questions.put_nowait(None))

    def listen(self, hear: Hear | None) -> None:
        """Tell somebody else what happens."""
        self._hear = hear

    async def question(self) -> dict[str, Any] | None:
        """Return the request that waits for an answer; None once the run is over."""
        asked = await self._questions.get()
        if asked is None:
            return None
        self._asked = asked["question"]
        request: dict[str, Any] = asked["request"]
        return request

    def answer(self, answer: dict[str, Any]) -> None:
        """Answer the request."""
        self._relay.answer(self.id, self._asked, answer)

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

    def _take(self, name: str, data: dict[str, Any]) -> None:
        if name == "question":
            self._questions.put_nowait(data)
        elif self._hear:
            self._hear(name, data)


class Runs:
    """All runs of clients; those that wait for an answer are kept between two requests."""

    def __init__(self, relay: Relay) -> None:
        """Begin without any."""
        self._relay = relay
        self._waiting: dict[str, _Run] = {}

    async def work(
        self,
        ctx: Context,
        params: CallToolRequestParams,
        page_id: str,
        given: dict[str, Any],
        caller: str,
    ) -> CallToolResult | InputRequiredResult:
        """Let the agent work until it is done, or asks a client that has to be told so.

        Args:
            ctx: Of the request.
            params: Of the request; it may bring the answer to a question.
            page_id: Where the agent works.
            given: `{"goal", "budget"?}`.
            caller: Who asks, for people.
        """
        if params.request_state is None:
            run = _Run(self._relay, page_id, given, caller)
        elif (kept := self._waiting.pop(params.request_state, None)) is not None:
            run = kept
            if run.expiry:
                run.expiry.cancel()
            run.answer(_answer(answered(params)))
        else:
            return failed_with(
                Cancelled(
                    "the run is over - nobody waits for this answer any more",
                    help="look at the page, and start the run again if it is needed",
                )
            )
        try:
            return await self._follow(ctx, run)
        except BaseException:
            run.end()
            raise

    async def _follow(self, ctx: Context, run: _Run) -> CallToolResult | InputRequiredResult:
        async with Progress(ctx) as progress:
            run.listen(progress.hear)
            while request := await run.question():
                form = _form(request)
                if form is None or not can_ask(ctx):
                    run.answer(_nobody(request))
                elif is_modern(ctx):
                    run.listen(None)
                    self._keep(run)
                    return as_result(form, run.id)
                else:
                    run.answer(_answer(await ask(ctx, form)))
        return _told(run.result())

    def _keep(self, run: _Run) -> None:
        self._waiting[run.id] = run
        run.expiry = asyncio.get_running_loop().call_later(ANSWER_S, self._expire, run.id)

    def _expire(self, run_id: str) -> None:
        if run := self._waiting.pop(run_id, None):
            run.end()


def _form(request: dict[str, Any]) -> Form | None:
    """Return what to show for a request of the agent; None for what a form cannot bring."""
    text = str(request.get("text", ""))
    details = request.get("details")
    details = details if isinstance(details, dict) else {}
    match request.get("kind"):
        case "question":
            return Form(text, {"text": {"type": "string", "title": "Answer"}}, ("text",))
        case "plan" | "approval":
            shown = {
                key: details[key] for key in ("steps", "tool", "arguments") if details.get(key)
            }
            extra = f"\n{json.dumps(shown, ensure_ascii=False, indent=1)}" if shown else ""
            fields = {"yes": {"type": "boolean", "title": "Go ahead"}}
            if details.get("session"):
                fields["session"] = {"type": "boolean", "title": "Do not ask again for this"}
            return Form(f"{text}{extra}", fields, ("yes",))
    return None


def _answer(given: ElicitResult | None) -> dict[str, Any]:
    """Return an answer as the page takes it; whoever closes the form says no."""
    content = (given.content if given else None) or {}
    accepted = given is not None and given.action == "accept"
    text = content.get("text")
    return {
        "yes": accepted and content.get("yes", True) is True,
        "text": text if isinstance(text, str) else "",
        "session": accepted and content.get("session") is True,
        "files": [],
    }


def _nobody(request: dict[str, Any]) -> dict[str, Any]:
    """Return what is said where nobody can be asked; a plan needs no yes to be looked at."""
    yes = request.get("kind") == "plan"
    return {"yes": yes, "text": "nobody can be asked here", "session": False, "files": []}


def _told(result: dict[str, Any]) -> CallToolResult:
    """Return how a run ended."""
    if not result["ok"]:
        return failed(result["error"])
    outcome = result["value"] if isinstance(result["value"], dict) else {}
    shown = {key: plain(outcome[key]) for key in _KEPT if key in outcome}
    if outcome.get("ok") is False and isinstance(error := outcome.get("error"), dict):
        return failed(error, str(outcome.get("text", "")))
    return succeeded(str(outcome.get("text", "")) or shown, structured=shown)
