"""The requests for a yes to an action: what the person reads, and what else there is to see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from webagent.agent.bounds import plain
from webagent.agent.intent import Intent
from webagent.agent.person import Request
from webagent.agent.policy import Decision
from webagent.agent.provenance import origins
from webagent.agent.run import Run
from webagent.agent.scene import Scene

_DEEDS: Final[Mapping[str, str]] = {
    "call_tool": "use {label}",
    "click": "press {label}",
    "click_link": "follow the link {label}",
    "enter_data": "fill in and send {label}",
    "goto_url": "open {label}",
    "search": "search the site",
    "execute_js": "run a program in this page",
}
"""What is done, as a person would say it, by the action."""
_NAMELESS: Final[Mapping[str, str]] = {
    "click": "a control without a name",
    "click_link": "without words",
    "enter_data": "a form",
}
"""What a thing without a name is called."""
_LONGEST_LABEL = 120


def approval(intent: Intent, decision: Decision, run: Run, scene: Scene) -> Request:
    """Return the request for a yes to an action.

    Args:
        intent: What is about to be done.
        decision: Why it has to be asked for.
        run: In which what is given may have been found.
        scene: The page, where it may stand.
    """
    details: dict[str, Any] = {
        "action": intent.action,
        "tool": intent.tool,
        "title": intent.label,
        "effect": intent.effect,
        "arguments": dict(intent.arguments),
        "origins": origins(intent.arguments, run, scene),
        "session": decision.session,
        "reason": decision.reason,
    }
    if decision.session:
        details["key"] = intent.key
    if intent.to:
        details["to"] = intent.to
    if intent.element:
        element = intent.element
        details["element"] = {"pp_id": element.id, "role": element.role, "name": element.name}
    question = f"May I {deed(intent)}?"
    return Request(
        "approval", " ".join(filter(None, (question, _sentence(decision.reason)))), details
    )


def deed(intent: Intent) -> str:
    """Return what is about to be done, as it follows “May I”: ``press `Save` ``."""
    following = intent.element is not None and intent.element.role == "link"
    action = "click_link" if following else intent.action
    words = _DEEDS.get(action, f"take the action `{intent.action}`")
    label = _line(intent.label)
    return words.format(label=f"`{label}`" if label else _NAMELESS.get(action, "it"))


def _line(text: str) -> str:
    """Return words of a page on one line, which end no code of theirs."""
    line = " ".join(plain(text.replace("`", "'")).split())
    return line if len(line) <= _LONGEST_LABEL else f"{line[:_LONGEST_LABEL]}…"


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""
