"""The events of a run in a page, as AG-UI has them."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from webagent.page.values import plain

PROTOCOL_VERSION = "1.0"
"""Of AG-UI."""
ASKED = "webagent:asked"
"""Name of the custom event of a question, which may be asked in the page alone."""

Event = dict[str, Any]
Sign = Callable[[str], str]
"""Returns a word that proves that a text is ours."""


@dataclass(frozen=True, slots=True)
class _Step:
    """A step that has started in a stream, and has not ended in it."""

    name: str
    tool: str


class RunEvents:
    """Translates the events of a run for one stream."""

    def __init__(self, thread: str, run: str, sign: Sign, *, is_current: bool) -> None:
        """Begin a stream.

        Args:
            thread: Its id, as the front end has named it.
            run: Likewise.
            sign: Signs the ids of tool calls.
            is_current: Whether the front end knows AG-UI 1.0; before, no run could be cancelled.
        """
        self._ids = {"threadId": thread, "runId": run}
        self._is_current = is_current
        self._sign = sign
        self._steps: dict[str, _Step] = {}
        self._last_text = ""

    def started(self, page_id: str = "") -> Event:
        """Return the first event; it names the page, so that the next goal can be for the same one."""
        about = {"metadata": {"webagent": {"page_id": page_id}}} if page_id else {}
        return {"type": "RUN_STARTED", **self._ids, "protocolVersion": PROTOCOL_VERSION, **about}

    def of(self, event: dict[str, Any]) -> Iterator[Event]:
        """Yield the events for one of the page, which may be malformed."""
        match event:
            case {"type": "step", "run_id": str(run), "id": str(step), "state": "started"}:
                yield from self._step_started(f"{run}.{step}", event)
            case {"type": "step", "run_id": str(run), "id": str(step)}:
                yield from self._step_ended(f"{run}.{step}", event)
            case {"type": "text", "final": True, "text": str(text)}:
                yield from self._text(text)
            case {"type": "asked", "request": {"kind": str(kind), "text": str(text)}}:
                yield {"type": "CUSTOM", "name": ASKED, "value": {"kind": kind, "text": text}}

    def finished(self, outcome: dict[str, Any]) -> Iterator[Event]:
        """Yield the last events of a run that has ended (`RunResult.to_dict`)."""
        if isinstance(text := outcome.get("text"), str):
            yield from self._text(text)
        if outcome.get("ok") is not True:
            error = outcome.get("error")
            error = error if isinstance(error, dict) else {}
            # A no is not a failure; front ends hold a question for open after one.
            refused = {"kind": "cancelled"} if error.get("kind") == "denied" else error
            yield from self.failed(refused)
            return
        value = plain(outcome.get("data"))
        yield from self._end("success", {} if value is None else {"result": value})

    def failed(self, error: dict[str, Any]) -> Iterator[Event]:
        """Yield the last events of a run that has failed, or was cancelled."""
        if error.get("kind") == "cancelled":
            yield from self._end("cancelled", {})
            return
        words = [str(error[name]) for name in ("message", "help") if error.get(name)]
        message = " - ".join(words) or "the goal was not reached"
        yield {"type": "RUN_ERROR", "code": str(error.get("kind", "internal")), "message": message}

    def interrupted(self, interrupt: Event, tool: str) -> Iterator[Event]:
        """Yield the last events of a stream whose run waits for an answer.

        Args:
            interrupt: The question, as AG-UI has it.
            tool: The tool whose call it is about; empty if it is about none.
        """
        calls = [key for key, step in self._steps.items() if tool and step.tool == tool]
        if calls:
            call_id = self._call_id(calls[-1])
            interrupt = {**interrupt, "reason": "tool_call", "toolCallId": call_id}
        yield from self._end("interrupt", {}, interrupts=[interrupt])

    def _end(self, outcome: str, more: Event, **of_outcome: Any) -> Iterator[Event]:
        for step in self._steps.values():
            yield {"type": "STEP_FINISHED", "stepName": step.name}
        if self._is_current or outcome != "cancelled":
            more = {**more, "outcome": {"type": outcome, **of_outcome}}
        yield {"type": "RUN_FINISHED", **self._ids, **more}

    def _step_started(self, key: str, event: dict[str, Any]) -> Iterator[Event]:
        tool = str(event.get("tool") or "")
        name = base = tool or str(event.get("action") or "step")
        names = {step.name for step in self._steps.values()}
        at = 1
        while name in names:
            at += 1
            name = f"{base} ({at})"
        if key in self._steps:
            return
        self._steps[key] = _Step(name, tool)
        yield {"type": "STEP_STARTED", "stepName": name}
        if tool:
            call = {"toolCallId": self._call_id(key)}
            yield {"type": "TOOL_CALL_START", **call, "toolCallName": tool}
            arguments = _json(plain(event.get("arguments") or {}))
            yield {"type": "TOOL_CALL_ARGS", **call, "delta": arguments}
            yield {"type": "TOOL_CALL_END", **call}

    def _step_ended(self, key: str, event: dict[str, Any]) -> Iterator[Event]:
        if event.get("tool"):
            call_id = self._call_id(key)
            names = ("value", "error")
            content = _json({name: plain(event[name]) for name in names if name in event})
            about = {"messageId": f"{call_id}.result", "toolCallId": call_id, "role": "tool"}
            yield {"type": "TOOL_CALL_RESULT", **about, "content": content}
        # A step that was interrupted has ended in another stream.
        if step := self._steps.pop(key, None):
            yield {"type": "STEP_FINISHED", "stepName": step.name}

    def _text(self, text: str) -> Iterator[Event]:
        # The last words of a run may be its outcome, too.
        if not text or text == self._last_text:
            return
        self._last_text = text
        message = {"messageId": uuid4().hex}
        yield {"type": "TEXT_MESSAGE_START", **message, "role": "assistant"}
        yield {"type": "TEXT_MESSAGE_CONTENT", **message, "delta": text}
        yield {"type": "TEXT_MESSAGE_END", **message}

    def _call_id(self, key: str) -> str:
        """Return the id of a tool call, the same in each stream; it proves that the agent has made it."""
        return f"{key}.{self._sign(key)}"


def is_signed(call_id: str, sign: Sign) -> bool:
    """Whether the agent has made the tool call of an id."""
    key, _, word = call_id.rpartition(".")
    return bool(key) and hmac.compare_digest(word.encode("utf-8", "replace"), sign(key).encode())


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)
