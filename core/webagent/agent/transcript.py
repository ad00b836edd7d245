"""The transcript of a run, as data and as Markdown."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from webagent.agent.run import Done, Entry, Run, spent_dict
from webagent.registry.secrets import Mask

_LONGEST = 4_000
_WHO = {"agent": "Agent", "person": "You", "driver": "Note"}


class Transcript:
    """The transcript of one run, without secrets."""

    def __init__(self, run: Run, mask: Mask) -> None:
        """Take the transcript of a run as it is now."""
        self._run = run
        self._data: dict[str, Any] = mask.record(run.to_dict())
        self._mask = mask

    def to_dict(self) -> dict[str, Any]:
        """Return the run as plain data, as `Run.to_dict` has it."""
        return self._data

    def to_markdown(self) -> str:
        """Return the run as Markdown, for people."""
        run, spent = self._run, spent_dict(self._run.spent)
        started = datetime.fromtimestamp(run.started).astimezone()
        usd = "an unknown price" if spent["usd"] is None else f"{spent['usd']} USD"
        tokens = f"{spent['prompt']} + {spent['completion']} tokens"
        parts = [
            f"# {_line(self._mask.text(run.goal))}",
            f"On {run.origin}, {started.strftime('%Y-%m-%d %H:%M')}. "
            f"{spent['steps']} steps, {spent['seconds']:g} s, {tokens}, {usd}.",
        ]
        if run.plan is not None:
            steps = "".join(f"\n- {_line(step.text)}" for step in run.plan.steps)
            parts += ["## Plan", _line(run.plan.text) + (f"\n{steps}" if steps else "")]
        parts.append("## What was said and done")
        parts += [self._entry(entry) for entry in run.entries]
        return self._mask.text("\n\n".join(parts)) + "\n"

    def _entry(self, entry: Entry) -> str:
        if not isinstance(entry, Done):
            return f"**{_WHO[entry.by]}:** {entry.text.strip()}"
        call = entry.call
        name, arguments = call.name, dict(call.arguments)
        if name == "finish":
            return f"**Agent:** {str(arguments.get('text', '')).strip()}"
        if name == "call_tool":
            name, arguments = str(arguments.get("name")), arguments.get("arguments") or {}
        parts = [f"### `{_line(name)}`"]
        code = arguments.pop("code", None) if call.name == "execute_js" else None
        if isinstance(code, str):
            parts.append(_fenced(code, "js"))
        if arguments:
            parts.append(_fenced(_json(self._mask.data(arguments)), "json"))
        if entry.error is not None:
            error = entry.error
            parts.append(f"Failed (`{error.get('kind')}`): {error.get('message')}")
        if entry.value is not None:
            parts.append(_fenced(_json(self._mask.data(entry.value)), "json"))
        return "\n\n".join(parts)


def _json(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, indent=2)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n… (cut)"


def _line(text: str) -> str:
    return " ".join(text.split())


def _fenced(text: str, language: str) -> str:
    """Return a text in a code fence that it cannot close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"
