"""Questions of a run as interrupts of AG-UI, and the answers to them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from webagent.page.values import plain
from webagent.visible_text import visible
from webagent_site.agui.run_events import Event
from webagent_site.agui.run_input import Resume
from webagent_site.broker.interrupts import Awaited, Interrupt

_SHOWN = ("tool", "title", "effect", "arguments", "calls", "similar", "surprise", "steps")
"""The details of a question that a person has to see."""
_YES = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}},
    "required": ["approved"],
}
_WORDS = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def awaited_for(request: dict[str, Any]) -> Awaited | None:
    """Return the kind of answer that a request of the agent needs; None for no answer from outside."""
    match request:
        case {"kind": "approval" | "plan", "text": str()}:
            return "yes"
        case {"kind": "question", "text": str(), "details": {"schema": dict()}}:
            return "data"
        case {"kind": "question", "text": str()}:
            return "text"
    return None


def interrupt_event(interrupt: Interrupt, request: dict[str, Any]) -> tuple[Event, str]:
    """Return a question as AG-UI has it, and the tool whose call it is about."""
    details = request.get("details")
    details = plain(details) if isinstance(details, dict) else {}
    schemas = {"yes": _YES, "text": _WORDS, "data": details.get("schema")}
    shown = {name: details[name] for name in _SHOWN if details.get(name)}
    event = {
        "id": interrupt.id,
        "reason": "confirmation" if interrupt.awaits == "yes" else "input_required",
        # Hidden characters are named, as in every other question.
        "message": visible(request["text"]),
        "responseSchema": schemas[interrupt.awaits],
        "expiresAt": datetime.fromtimestamp(interrupt.ends, UTC).isoformat(timespec="milliseconds"),
        "metadata": {"webagent": {"kind": request["kind"], **shown}},
    }
    return event, str(details.get("tool") or "")


def answer_to(interrupt: Interrupt, resume: Resume) -> dict[str, Any] | None:
    """Return an answer as the page takes it; None if it does not fit the question.

    It allows one action once: what may be allowed for longer is for the person at the page.
    """
    answer: dict[str, Any] = {"yes": False, "text": "", "session": False, "files": []}
    if resume.is_cancelled:
        return {**answer, "stop": True}
    match interrupt.awaits, resume.payload:
        case "yes", {"approved": bool(approved)}:
            return {**answer, "yes": approved}
        case "text", {"text": str(text)}:
            return {**answer, "yes": True, "text": text}
        case "data", {**values}:
            # The agent ignores values that do not fit the schema.
            return {**answer, "yes": True, "data": values}
    return None
