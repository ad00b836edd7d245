"""The events of a run: the panel, logs and tests receive the same ones."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from webagent.agent.run import Run
from webagent.registry.secrets import Mask

Listener = Callable[[dict[str, Any]], None]
"""Receives each event `{"run_id", "type", …}`, plain data in which secrets are masked."""

_LOG = logging.getLogger("webagent.agent")

EVENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "started": {
        "goal": "what the person asked for",
        "resumed": "whether it goes on after the page was left",
        "model": "name of the model; null when there is none",
    },
    "planned": {
        "plan": "`{text, steps: [{text, action, tool, effect, arguments?}]}`",
        "revised": "whether there was another plan before",
    },
    "accepted": {"by": "`policy`, `person` or `caller`"},
    "rejected": {"by": "who rejected the plan", "reason": "in words"},
    "step": {
        "number": "of the step, from 1",
        "id": "of the action; the same in each of its states",
        "action": "its name",
        "tool": "of a tool's call, the tool",
        "title": "of a tool's call, the tool's name for people, if it has one",
        "names": "of a tool's call, the names of the things that its arguments name by an id",
        "attended": "true where a person has to complete it: a form that they send",
        "sentence": "the outcome in words of the manifest, for people",
        "labels": "names of members of the value for people, where the tool's schema has titles",
        "undo": "the call that undoes this one, `{tool, arguments}`, where the manifest names it",
        "parent": "of a call that code makes, the id of the code",
        "arguments": "of the tool, or else of the action",
        "why": "what the agent said of it",
        "effect": "`read`, `write`, `irreversible` or `unknown`",
        "element": "what is clicked, followed or filled in, `{pp_id, role, name}`, if it is one thing",
        "state": "`started`, then `finished`, `failed` or `cancelled`",
        "value": "what came of it",
        "error": "`{kind, message, help?, …}`",
        "duration_ms": "how long it took, without the time of a person's answers",
    },
    "text": {
        "text": "words of the agent",
        "final": "false of a piece while it is written; true of the whole",
    },
    "paused": {},
    "continued": {},
    "asked": {"id": "of the request", "request": "`{kind, text, details}`"},
    "answered": {"id": "of the request", "yes": "yes, or that there is an answer", "text": "words"},
    "spent": {
        "steps": "so far",
        "seconds": "so far, without what a person took to answer",
        "prompt": "tokens sent",
        "completion": "tokens received",
        "cached": "tokens sent that the model knew already",
        "usd": "decimal number as text; null when the price of anything is unknown",
    },
    "sent": {
        "messages": "what a model is sent: `[{role, text, calls?, call_id?, images?}]`",
        "tools": "names of what it may ask for",
    },
    "retrying": {
        "reason": "why the model is asked again; pieces of text so far are void",
        "wait_s": "seconds until then",
    },
    "switched": {
        "model": "name of the model that decides from now on, null when the rest of the run has none; "
        "pieces of text so far are void",
        "reason": "why the one before it does not",
        "text": "the same in words for the person, when the rest of the run has none",
    },
    "navigating": {"url": "where the page goes; empty when that is not known"},
    "finished": {
        "ok": "whether the goal was reached",
        "text": "what the agent says in the end",
        "data": "what it found, if anything",
        "error": "`{kind, message, help?, …}` when it was not",
        "without_model": "true when the model has failed after a change, and the goal can be tried without",
    },
}
"""Every type of event and its fields, besides `run_id` and `type`."""

OPTIONAL: Final = frozenset(
    {
        *("tool", "title", "names", "attended", "sentence", "labels", "undo", "parent", "element"),
        *("value", "error", "duration_ms", "data", "without_model"),
    }
)
"""Fields that an event may lack."""


class Events:
    """Sends the events of a run to listeners."""

    def __init__(self, mask: Mask) -> None:
        """Create a source without listeners.

        Args:
            mask: Hides secrets in events.
        """
        self._mask = mask
        self._listeners: list[Listener] = []
        self._run_id = ""
        self._muted = False

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Send every event to a listener; return the function that ends this."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def begin(self, run: Run) -> None:
        """Send the events of this run from now on."""
        self._run_id = run.id
        self._muted = False

    def mute(self) -> None:
        """Send no more events of this run."""
        self._muted = True

    def emit(self, kind: str, /, *, masked: bool = False, **fields: Any) -> None:
        """Send an event. A listener that fails does not end the run.

        Args:
            kind: Its type.
            masked: Whether secrets are masked in it already.
            fields: What `EVENTS` names.

        Raises:
            KeyError: `EVENTS` has no such type or field.
        """
        for name in fields:
            EVENTS[kind][name]
        if self._muted or not self._listeners:
            return
        event = {"run_id": self._run_id, "type": kind} | (
            fields if masked else self._mask.record(fields)
        )
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception:
                _LOG.exception("a listener to the agent's events failed")
