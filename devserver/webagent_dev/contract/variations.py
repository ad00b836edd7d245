"""Variations of answered calls: an argument is left out, or gets another value that is declared."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.errors import ToolThrew
from webagent.registry import Binding
from webagent.registry.binding import as_taken
from webagent.schema import input_schema
from webagent.types import Param
from webagent_dev.contract.evidence import Evidence, Fault
from webagent_dev.contract.generation import fits, named_values
from webagent_dev.contract.harness import PageEventKind
from webagent_dev.contract.javascript import js_call, js_value
from webagent_dev.contract.places import Places
from webagent_dev.contract.session import PageSession

_MOST_CALLS = 3
"""How many calls each variation is tried with: one alone may be refused because of another argument."""
_MOST_CHOICES = 20
_LONGEST = 200
"""Characters of a refusal that are shown."""

Call = Mapping[str, Any]
"""Encoded arguments by name."""


async def prove_variations(
    session: PageSession, binding: Binding, evidence: Evidence, places: Places
) -> None:
    """Vary the arguments of calls that were answered, one at a time.

    Args:
        session: A page that has the tool.
        binding: The tool.
        evidence: Keeps the faults.
        places: The lines of the manifest.
    """
    # A form keeps what was filled in before; its fields are compared with the manifest.
    if not evidence.answered or binding.target.kind == "form":
        return
    trial = _Trial(session, binding, evidence, places)
    for index, param in enumerate(binding.params):
        if evidence.in_time and not param.name.startswith("..."):
            await trial.leave_out(index, param)
        if evidence.in_time and not param.name.startswith("..."):
            await trial.try_choices(index, param)


class _Trial:
    """Makes variations of the answered calls of one tool."""

    def __init__(
        self, session: PageSession, binding: Binding, evidence: Evidence, places: Places
    ) -> None:
        self._session = session
        self._binding = binding
        self._evidence = evidence
        self._places = places
        schema = input_schema(binding.tool, types=binding.types)
        self._schemas: Mapping[str, Any] = schema.get("properties") or {}

    async def leave_out(self, index: int, param: Param) -> None:
        """Leave an optional argument out, and note that the call is refused then."""
        if param.required and param.default is None:
            return
        calls = [self._evidence.base] if param.default is not None else self._varied(param)
        calls = [call for call in calls if param.name in call]
        shorter = [
            {name: value for name, value in call.items() if name != param.name} for call in calls
        ]
        refusal = await self._refusal(shorter, answered=calls)
        if not calls:
            await self._check_next_page(index, param)
        if refusal:
            self._keep(
                index,
                f"`{param.name}` of `{self._binding.name}` may be left out, as it is declared, and "
                f"without it the call is refused: “{refusal}” - agents leave it out - write `required`, "
                "or accept the call",
                shorter[0],
            )

    async def _check_next_page(self, index: int, param: Param) -> None:
        """Check the page that a call without an optional argument leads to."""
        first = self._evidence.answered[0]
        shorter = {name: value for name, value in first.named.items() if name != param.name}
        leads = first.led_to and not first.events(PageEventKind.DEAD_END)
        if not leads or param.name not in first.named or not fits(self._binding, shorter):
            return
        outcome = await self._session.invoke(self._binding.name, shorter)
        for event in outcome.events(PageEventKind.DEAD_END):
            self._keep(
                index,
                f"without `{param.name}`, `{self._binding.name}` leads to a page that answers with an "
                f"error: {event.text} - the page that comes is what an agent gets - correct the address",
                shorter,
            )

    async def try_choices(self, index: int, param: Param) -> None:
        """Pass each declared value that no answered call had, and note that the call is refused then."""
        values = self._choices(param.name)
        seen = [outcome.named.get(param.name) for outcome in self._evidence.answered]
        for value in [value for value in values if value not in seen]:
            calls = _distinct([outcome.named for outcome in self._evidence.answered], param.name)
            varied = [{**call, param.name: value} for call in calls]
            refusal = await self._refusal(varied, answered=calls)
            if not refusal:
                continue
            what = f"{js_value(value)} for `{param.name}` is declared, and `{self._binding.name}` refuses"
            others = [other for other in values if other != value]
            if _mentions(refusal, others) and not _mentions(refusal, [value]):
                self._keep(
                    index,
                    f"{what} it: “{refusal}” - agents pass what is declared - write the same values in "
                    "the manifest and in the function",
                    varied[0],
                )
                return
            self._evidence.remark(
                "arguments", f"{what} each call with it, such as with “{refusal}”", most=3
            )

    def _choices(self, name: str) -> list[Any]:
        """Return the values that are declared for an argument one by one."""
        schema = self._schemas.get(name)
        if not isinstance(schema, Mapping) or schema.get("type") == "array":
            return []
        values = [value for value in named_values(schema) if value not in ("", None)]
        return values if len(values) <= _MOST_CHOICES else []

    def _varied(self, param: Param) -> Sequence[Call]:
        """Return answered calls that differ in the other arguments; none if there are too few.

        Without a default an argument may be needed with some values of others, or one of several
        may be: no list of parameters says so.
        """
        others = [one for one in self._binding.params if one is not param]
        calls = [outcome.named for outcome in self._evidence.answered]
        if not all(param.name in call for call in calls):
            return ()
        if any(not one.required and one.default is None for one in others):
            return ()
        needed = [one.name for one in others if one.required]
        for name in needed:
            values = {json.dumps(call.get(name), sort_keys=True) for call in calls}
            if len(values) < min(_MOST_CALLS, len(self._choices(name)) or _MOST_CALLS):
                return ()
        rest = {key for call in calls for key in call} - {*needed}
        return _distinct(calls, *rest)

    async def _refusal(self, calls: Sequence[Call], *, answered: Sequence[Call]) -> str:
        """Return the first message if all calls are refused; empty otherwise.

        It is also empty if a call that was answered before is refused now, too.
        """
        messages: list[str] = []
        for call in calls:
            if not fits(self._binding, call):
                return ""
            outcome = await self._session.invoke(self._binding.name, call)
            self._evidence.keep(self._evidence.judged("arguments", outcome))
            if not isinstance(outcome.result.error, ToolThrew):
                return ""
            messages.append(" ".join(outcome.result.error.message.split())[:_LONGEST])
        if not messages:
            return ""
        again = await self._session.invoke(self._binding.name, answered[0])
        return messages[0] if again.result.error is None else ""

    def _keep(self, index: int, message: str, call: Call) -> None:
        binding = self._binding
        place = self._places.param(binding.name, index)
        path = binding.params[index].name
        shown = js_call(binding, as_taken(binding, call))
        self._evidence.keep([Fault("arguments", message, shown, place, binding.signature(), path)])


def _distinct(calls: Sequence[Call], *but: str) -> list[Call]:
    """Return the first calls that differ in other arguments than these."""
    found: dict[str, Call] = {}
    for call in calls:
        rest = {name: value for name, value in call.items() if name not in but}
        found.setdefault(json.dumps(rest, sort_keys=True), call)
    return [*found.values()][:_MOST_CALLS]


def _mentions(text: str, values: Sequence[Any]) -> bool:
    """Whether a text has one of these values as a word of its own."""
    return any(re.search(rf"(?<![\w-]){re.escape(str(one))}(?![\w-])", text) for one in values)
