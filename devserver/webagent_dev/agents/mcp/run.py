"""One call to a page that runs for a client, and the questions that come up in it."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

from mcp_types import ElicitResult

from webagent.errors import Cancelled, ToolError
from webagent.visible_text import visible
from webagent_dev.agents.mcp.elicitation import Form
from webagent_site.pages.relay import CallListener, Relay, new_id
from webagent_site.pages.wire import CallKind, unanswered


class Question(NamedTuple):
    """A question of a tool or the agent."""

    id: str
    request: dict[str, Any]


class Run:
    """A run of the agent, or a call of a tool or a program, for a client."""

    def __init__(
        self,
        relay: Relay,
        page_id: str,
        kind: CallKind,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float,
        caller: str,
    ) -> None:
        self.id = new_id()
        self.arguments = arguments
        self._relay = relay
        self._questions: asyncio.Queue[Question | None] = asyncio.Queue()
        self._on_event: CallListener | None = None
        self._error: ToolError | None = None
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

    async def question(self) -> Question | None:
        """Return the next question that needs an answer; None once the run is over."""
        return await self._questions.get()

    def answer(self, question: str, answer: dict[str, Any]) -> None:
        """Answer a question, by its id."""
        self._relay.answer(self.id, question, answer)

    def result(self) -> dict[str, Any]:
        """Return the result of a run that is over."""
        if self._work.cancelled():
            error = self._error or Cancelled("the run was ended")
            return {"ok": False, "error": error.to_dict()}
        return self._work.result()

    def end(self, error: ToolError | None = None) -> None:
        """End the run, with an error as its result."""
        self._error = error
        self._work.cancel()

    def _receive(self, name: str, data: dict[str, Any]) -> None:
        if name == "question":
            self._questions.put_nowait(Question(data["question"], data["request"]))
        elif self._on_event:
            self._on_event(name, data)


def form_of(request: dict[str, Any]) -> Form | None:
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


def answer_of(elicited: ElicitResult | None) -> dict[str, Any]:
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
    if accepted and isinstance(grant, str):
        answer["grant"] = grant
    return answer


def no_answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the answer where no user can be asked; a plan alone is approved."""
    return unanswered(yes=request.get("kind") == "plan")
