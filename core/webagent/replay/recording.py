"""The recording of a run as a program: where each value of its calls came from.

A value is a parameter if it is in the goal once, and a reference if an earlier result has it. Other
values were decided by the agent, and are kept with the digest of what they were decided from.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from webagent.agent.run import Done, PastRun, Run, RunResult, Scene, local_part
from webagent.errors import WebagentError
from webagent.llm.chat import Reply
from webagent.page.snapshot import Element, Snapshot
from webagent.registry.secrets import MASK
from webagent.replay.program import (
    CALLS,
    LONGEST,
    LONGEST_SHAPE,
    LONGEST_VALUE,
    LOOKS,
    MARKS,
    MOST_PARAMETERS,
    MOST_STEPS,
    MOVES,
    TOUCHES,
    Program,
    written,
)
from webagent.schema.inference import observed_type
from webagent.urls import origin_of

_MOST_VALUES: Final = 20_000
"""Values of one result to which later steps may refer."""

_MOST_DECISIONS: Final = 200
"""Replies of which it is noted what was on the page."""

_MOST_LEAVES: Final = 100
"""Values in the calls of one reply that are looked for on the page."""

_SHORTEST: Final = 3
"""Characters from which on a text in the goal or in a result is the same by no coincidence."""

_NOTES: Final = "replay"
"""Key of the notes of a run that are about programs."""

_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d|\b\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b")

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}")

_QUOTES: Final = "\"'`“”„‟«»‘’‚‹›"

_DECIDED: Final[Mapping[str, tuple[str, ...]]] = {
    "call_tool": ("arguments",),
    "click_link": ("text",),
    "enter_data": ("text", "select", "index"),
    "execute_js": ("code",),
    "goto_url": ("url",),
    "search": ("query",),
}
"""The keys of each action's arguments under which are values; others name a tool or a field."""

_OF_THE_PAGE: Final = ("click_link", "goto_url")
"""Actions whose values are the page's own words."""

_OF_THE_AGENT: Final = ("finish", "make_plan", "search_tools", "take_note", "take_screenshot")
"""Actions that are only for the agent itself."""

_REFUSED: Final = (
    *("denied", "invalid_arguments", "missing_function", "origin_mismatch", "rate_limited"),
    "unknown_tool",
)
"""Kinds of errors of calls that were not made."""

Mask = Callable[[Any], Any]
"""Masks secrets in data."""


class NotRepeatable(WebagentError):
    """A run cannot be kept as a program."""


def program_of(result: RunResult, mask: Mask) -> Program:
    """Return a finished run as a program.

    Args:
        result: The run, of a driver with the option `programs`.
        mask: Masks secrets in a record.

    Raises:
        NotRepeatable: It did not reach its goal, or has done what cannot be repeated.
    """
    if not result.ok:
        raise NotRepeatable("the run did not reach its goal, so there is nothing to repeat")
    data = mask(_Recording(result, mask).data())
    try:
        if len(json.dumps(data, ensure_ascii=False)) > LONGEST:
            raise ValueError(f"it is longer than {LONGEST:,} characters")
        return Program.of(data)
    except ValueError as error:
        raise NotRepeatable(f"the run cannot be written as a program - {error}") from None


@dataclass(frozen=True, slots=True)
class _Span:
    """A part of the goal that is the value of an argument."""

    start: int
    end: int
    name: str
    value: Any


class _Recording:
    """The steps of a run, with the origin of each of their values."""

    def __init__(self, result: RunResult, mask: Mask) -> None:
        self._result = result
        self.run = result.run
        self._mask = mask
        self._notes = notes_of(result.run)
        self.taken = [*_repeatable(result.run)]
        self.results = [_paths(done.value) for _, done in self.taken]
        self.spans = self._parameters()
        self.fixed = "\n".join(part for part in self._goal() if isinstance(part, str)).casefold()

    def data(self) -> dict[str, Any]:
        """Return the program as plain data."""
        used: set[int] = set()
        writers: list[_StepWriter] = []
        # Backwards, so that it is known of each look whether a later step refers to it.
        for number in reversed(range(len(self.taken))):
            if self.taken[number][1].call.name not in LOOKS or number in used:
                writers.insert(0, writer := _StepWriter(self, number))
                used |= writer.uses
        if not writers and decision_of(self.run, len(self.run.entries)).get("follows"):
            raise NotRepeatable("the run has answered from what an earlier one has found")
        if len(writers) > MOST_STEPS:
            raise NotRepeatable(f"the run has {len(writers)} steps, a program up to {MOST_STEPS}")
        kept = [writer.number for writer in writers]
        numbers = {number: place for place, number in enumerate(kept)}
        steps = [writer.step(kept[:place], numbers) for place, writer in enumerate(writers)]
        end: dict[str, Any] = {"text": self._result.text}
        if self._result.data is not None:
            end["data"] = self._end_data(kept)
        on_page = not kept or self.uses_page(kept)
        page = decision_of(self.run, len(self.run.entries)).get("page", "") if on_page else ""
        return {
            "version": 1,
            "goal": self._goal(),
            "parameters": {
                span.name: {
                    "type": "string" if isinstance(span.value, str) else "number",
                    "value": span.value,
                }
                for span in self.spans
            },
            "secrets": dict(self.run.secrets),
            "steps": steps,
            "end": {**end, "given": self.given(kept, page)},
        }

    def _end_data(self, kept: Sequence[int]) -> Any:
        """Return the data of the run: the part of a result that they are, or else as they are."""
        text = canonical(self._result.data)
        for place, number in reversed([*enumerate(kept)]):
            if (path := self.results[number].get(text)) is not None:
                return {"$result": place} | ({"path": [*path]} if path else {})
        return {"$literal": self._result.data}

    def uses_page(self, numbers: Sequence[int]) -> bool:
        """Whether some steps use the page itself, so that the agent may have read there what to do."""
        return any(self.taken[number][1].call.name not in CALLS for number in numbers)

    def given(self, before: Sequence[int], page: str, *, dated: bool = False) -> dict[str, Any]:
        """Return what something was decided from (`webagent.replay.program.Given`).

        Args:
            before: The steps before it.
            page: The digest of the page's text, if that counts.
            dated: Whether the day counts.
        """
        values = {span.name: span.value for span in self.spans}
        outcomes = [outcome(self.taken[number][1]) for number in before]
        given: dict[str, Any] = {"digest": digest(values, outcomes, page, self._mask)}
        day = str(self._notes.get("day", "")) if dated else ""
        return given | ({"page": True} if page else {}) | ({"day": day} if day else {})

    def _goal(self) -> list[Any]:
        parts: list[Any] = []
        end = 0
        for span in self.spans:
            parts += [self.run.goal[end : span.start]] if span.start > end else []
            parts.append({"$parameter": span.name})
            end = span.end
        return [*parts, self.run.goal[end:]] if end < len(self.run.goal) else parts

    def _parameters(self) -> list[_Span]:
        """Return the values that are in the goal once, the longest where they overlap."""
        found: dict[str, _Span] = {}
        for key, value in self._values():
            text = canonical(value)
            if text not in found and (place := self._place(value)):
                found[text] = _Span(*place, key, value)
        spans: list[_Span] = []
        for span in sorted(found.values(), key=lambda one: one.start - one.end):
            # Two values with nothing between them could not be told apart.
            if all(span.end < one.start or one.end < span.start for one in spans):
                spans.append(span)
        spans = sorted(spans[:MOST_PARAMETERS], key=lambda one: one.start)
        taken: set[str] = set()
        return [replace(span, name=_free_name(span.name, taken)) for span in spans]

    def _values(self) -> Iterator[tuple[str, Any]]:
        """Yield the values in the calls, and the names of the elements that they use."""
        for index, done in self.taken:
            for key, value in done.call.arguments.items():
                if key in _DECIDED.get(done.call.name, ()):
                    yield from leaves(value, key)
                elif key == "form_data" and isinstance(value, list):
                    for entry in value:
                        yield from ((k, v) for k, v in leaves(entry) if k in ("text", "select"))
            for _, name in decision_of(self.run, index).get("elements", {}).values():
                yield "name", name

    def _place(self, value: Any) -> tuple[int, int] | None:
        """Return where a value is in the goal, if it is there once as whole words."""
        if type(value) not in (str, int, float) or MASK in str(value):
            return None
        text, goal = written(value), self.run.goal
        if text != text.strip() or not 0 < len(text) <= LONGEST_VALUE or goal.count(text) != 1:
            return None
        start = goal.index(text)
        end = start + len(text)
        before, after = goal[max(0, start - 1) : start], goal[end : end + 1]
        quoted = bool(before and after) and before in _QUOTES and after in _QUOTES
        long_enough = len(text) >= _SHORTEST or not isinstance(value, str) or quoted
        return (start, end) if long_enough and _is_whole(goal, start, end) else None


class _StepWriter:
    """Writes one step of a program.

    Attributes:
        number: Its number in the recording.
        uses: The earlier steps to whose results it refers.
    """

    def __init__(self, recording: _Recording, number: int) -> None:
        self._recording = recording
        self.number = number
        self._index, self._done = recording.taken[number]
        self._name = self._done.call.name
        self._decision = decision_of(recording.run, self._index)
        self.uses: set[int] = set()
        self._made_up: list[Any] = []
        self._chosen = False
        """Whether it refers to one of several in a list."""
        self._arguments = self._template(dict(self._done.call.arguments), "", decided=False)

    def step(self, before: Sequence[int], numbers: Mapping[int, int]) -> dict[str, Any]:
        """Return the step.

        Args:
            before: The steps before it that are kept.
            numbers: The places of all that are kept, by their numbers in the recording.
        """
        recording = self._recording
        step = {"action": self._name, "arguments": _renumbered(self._arguments, numbers)}
        if self._name in ("call_tool", "execute_js"):
            shape = observed_type([outcome(self._done)])
            step |= {"returns": shape} if 0 < len(shape) <= LONGEST_SHAPE else {}
        if tools := calls_in(self._done):
            step["tools"] = tools
        earlier = self._decision.get("earlier", [])
        leans = any(_short(written(value)) in earlier for value in self._made_up)
        if leans or (self._name == "execute_js" and self._decision.get("follows")):
            raise NotRepeatable(
                "the run leans on one before it, and the next time another one may be before it"
            )
        if self._made_up or self._chosen:
            shown = self._decision.get("shown", [])
            seen = any(_short(written(value)) in shown for value in self._made_up)
            on_page = seen or recording.uses_page(before)
            page = self._decision.get("page", "") if on_page else ""
            dated = any(isinstance(v, str) and _DATE.search(v) for v in self._made_up)
            step["given"] = recording.given(before, page, dated=dated)
        return step

    def _template(self, value: Any, key: str, *, decided: bool) -> Any:
        """Return an argument with marks in place of what came from somewhere.

        Args:
            value: The argument, or a part of it.
            key: Its nearest key.
            decided: Whether it is a value, and not the name of a tool or a field.
        """
        if key == "pp_id" and self._name != "call_tool":
            return self._element(value)
        # Arguments that are a result as a whole are kept by name: a tool may take fewer than it returns.
        named = key == "arguments" and isinstance(value, Mapping)
        if (
            decided
            and not named
            and self._name != "execute_js"
            and (mark := self._mark(value, key))
        ):
            return mark
        if isinstance(value, list):
            return [self._template(inner, key, decided=decided) for inner in value]
        if isinstance(value, Mapping):
            if any(mark in value for mark in MARKS):
                self._made_up.append(canonical(value))
                return {"$literal": dict(value)}
            keys = _DECIDED.get(self._name, ())
            return {
                inner: self._template(part, inner, decided=decided or inner in keys)
                for inner, part in value.items()
            }
        is_address = key == "url" and isinstance(value, str)
        if is_address and origin_of(value) == self._recording.run.origin:
            value = local_part(value)
        if self._depends(value, decided and self._name not in _OF_THE_PAGE):
            self._made_up.append(value)
        return value

    def _mark(self, value: Any, key: str) -> dict[str, Any] | None:
        """Return the parameter or the part of a result that a value is; None if it is not known."""
        recording, text = self._recording, canonical(value)
        for span in recording.spans:
            if canonical(span.value) == text:
                return {"$parameter": span.name}
        for step in reversed(range(self.number)):
            path = recording.results[step].get(text)
            if path is None or not (_says_something(value) or _is_called(key, path)):
                continue
            self.uses.add(step)
            self._chosen = self._chosen or _is_choice(recording.taken[step][1].value, path)
            return {"$result": step} | ({"path": [*path]} if path else {})
        return None

    def _element(self, pp_id: Any) -> dict[str, Any]:
        """Return the mark of an element.

        Raises:
            NotRepeatable: Nothing on the page says which it is.
        """
        element = self._decision.get("elements", {}).get(str(pp_id))
        if element is None:
            raise NotRepeatable(
                f"`{self._name}` uses an element without a name of its own, so a program could not find "
                "it again"
            )
        role, name = element
        return {"$element": {"role": role, "name": self._template(name, "name", decided=True)}}

    def _depends(self, value: Any, made_up: bool) -> bool:
        """Whether a value may be another one for other parameters and results."""
        if value is None or isinstance(value, bool) or value in ("", 0, 1) or MASK in str(value):
            return False
        text = written(value).casefold()
        if any(written(span.value).casefold() in text for span in self._recording.spans):
            return True
        return made_up and not _has_words(self._recording.fixed, text)


def _repeatable(run: Run) -> Iterator[tuple[int, Done]]:
    """Yield the actions of a run that count, with their places in the transcript.

    Raises:
        NotRepeatable: One failed, and may have changed something all the same; one is not known; or
            the person has said something that decided the rest.
    """
    for index, entry in enumerate(run.entries):
        if not isinstance(entry, Done):
            if entry.by == "person":
                raise NotRepeatable("the person has corrected the run on its way")
            continue
        name = entry.call.name
        if name not in (*CALLS, *LOOKS, *MOVES, *TOUCHES, *_OF_THE_AGENT):
            raise NotRepeatable(
                f"the run has taken the action `{name}`, which a program does not have"
            )
        if entry.error is not None:
            if _may_have_happened(entry, run, index):
                raise NotRepeatable(
                    f"`{entry.call.arguments.get('name', name)}` failed in the run, and may have changed "
                    "something all the same"
                )
        elif name not in _OF_THE_AGENT and (
            name != "communicate" or entry.call.arguments.get("question")
        ):
            yield index, entry


def _may_have_happened(done: Done, run: Run, index: int) -> bool:
    """Whether an action that failed may have changed something."""
    if done.call.name == "execute_js":
        return bool(calls_in(done))
    refused = (done.error or {}).get("kind") in _REFUSED
    if done.call.name == "call_tool":
        reads = decision_of(run, index).get("reads", [])
        return not refused and done.call.arguments.get("name") not in reads
    return not refused and done.call.name in TOUCHES


def decision_of(run: Run, index: int) -> Mapping[str, Any]:
    """Return what was noted of the reply that led to an entry of the transcript."""
    decisions: dict[str, Any] = notes_of(run).get("decisions", {})
    before = (key for key in reversed(decisions) if key.isdecimal() and int(key) <= index)
    found: Mapping[str, Any] = decisions.get(next(before, ""), {})
    return found


def notes_of(run: Run) -> dict[str, Any]:
    """Return the notes of a run that are about programs."""
    notes: dict[str, Any] = run.notes.setdefault(_NOTES, {})
    return notes


def note_decision(run: Run, scene: Scene, reply: Reply) -> None:
    """Note what the page showed when a reply was given: the elements that it uses, and its values."""
    decisions = notes_of(run).setdefault("decisions", {})
    if len(decisions) >= _MOST_DECISIONS:
        return
    snapshot = scene.snapshot
    found = [leaf for call in reply.calls for leaf in leaves(call.arguments)][:_MOST_LEAVES]
    used = {}
    for key, value in found:
        element = snapshot.get(value) if key == "pp_id" and type(value) is int else None
        if element and element.name and elements_named(snapshot, element) == [value]:
            used[str(value)] = [element.role, element.name]
    called = {call.name for call in reply.calls} | {value for key, value in found if key == "name"}
    texts = {written(value) for _, value in found if isinstance(value, str | int | float)}
    decisions[str(len(run.entries))] = {
        "page": hashed(snapshot.text),
        "elements": used,
        "reads": [
            binding.name
            for binding in scene.tools
            if binding.name in called and binding.tool.behavior.effect == "read"
        ],
        "shown": [_short(text) for text in texts if text and text in snapshot.text],
        **({"follows": True, "earlier": _said_in(scene.earlier, texts)} if scene.earlier else {}),
    }


def _said_in(earlier: Sequence[PastRun], texts: Collection[str]) -> list[str]:
    """Return the texts that earlier runs have, as `_short` writes them."""
    past = "\n".join(
        written(value) for run in earlier for _, value in leaves(asdict(run)) if value is not None
    )
    return [_short(text) for text in texts if text and text in past]


def elements_named(snapshot: Snapshot, like: Element) -> list[int]:
    """Return the numbers of the elements of the same role and name."""
    return [one.id for one in snapshot.elements if (one.role, one.name) == (like.role, like.name)]


def calls_in(done: Done) -> list[str]:
    """Return the tools that a program of code mode has called without an error."""
    calls = done.value.get("calls") if isinstance(done.value, Mapping) else None
    if done.call.name != "execute_js" or not isinstance(calls, list):
        return []
    return [*dict.fromkeys(str(call["name"]) for call in calls if call.get("ok"))]


def outcome(done: Done) -> Any:
    """Return the data that came of an action; None for those that use the page."""
    if done.call.name in (*MOVES, *TOUCHES):
        return None
    is_program = done.call.name == "execute_js" and isinstance(done.value, Mapping)
    return done.value.get("value") if is_program else done.value


def canonical(data: Any) -> str:
    """Return data as a text that is the same for the same data."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), default=str)


def hashed(text: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _short(text: str) -> str:
    """Return a text's hash as it is noted; pages may be full of long values."""
    return hashed(text)[:16]


def digest(values: Mapping[str, Any], outcomes: Sequence[Any], page: str, mask: Mask) -> str:
    """Return the digest of what something was decided from, without its secrets.

    Args:
        values: Of the parameters.
        outcomes: Of the steps before.
        page: The digest of the page's text; empty if that does not count.
        mask: Masks secrets in a record.
    """
    return hashed(
        canonical(mask({"arguments": dict(values), "results": [*outcomes], "page": page}))
    )


def leaves(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in data that are not lists or objects, each with its nearest key."""
    if isinstance(data, Mapping):
        for name, inner in data.items():
            yield from leaves(inner, str(name))
    elif isinstance(data, list | tuple):
        for inner in data:
            yield from leaves(inner, key)
    else:
        yield key, data


def _paths(data: Any) -> dict[str, tuple[str | int, ...]]:
    """Return the first place of each value in a result, by its text."""
    found: dict[str, tuple[str | int, ...]] = {}
    queue: list[tuple[tuple[str | int, ...], Any]] = [((), data)]
    for number, (path, value) in enumerate(queue):
        if number >= _MOST_VALUES:
            break
        found.setdefault(canonical(value), path)
        if isinstance(value, Mapping):
            queue += [((*path, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            queue += [((*path, index), inner) for index, inner in enumerate(value)]
    return found


def _is_choice(data: Any, path: Sequence[str | int]) -> bool:
    """Whether a path goes through a list of several, of which somebody has chosen one."""
    for key in path:
        if isinstance(data, list) and len(data) > 1:
            return True
        data = data[key]
    return False


def _says_something(value: Any) -> bool:
    """Whether a value is long enough to be the same by no coincidence."""
    if isinstance(value, str):
        return len(value) >= _SHORTEST
    return isinstance(value, list | Mapping) and any(
        isinstance(leaf, str) and len(leaf) >= _SHORTEST for _, leaf in leaves(value)
    )


def _is_called(key: str, path: Sequence[str | int]) -> bool:
    """Whether an argument has the name of a result's field: `bookId` and `id`."""
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    return bool(last) and key.casefold().endswith(last.casefold())


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a part of a text is of whole words, and no part of a longer number."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if (before.isalnum() and text[start].isalnum()) or (
        after.isalnum() and text[end - 1].isalnum()
    ):
        return False
    longer = text[end - 1].isdigit() and after in (".", ",") and text[end + 1 : end + 2].isdigit()
    return not longer and not (text[start].isdigit() and before in (".", ",", "-"))


def _has_words(text: str, part: str) -> bool:
    """Whether a text has a part as whole words."""
    places = (match.start() for match in re.finditer(re.escape(part), text))
    return any(_is_whole(text, start, start + len(part)) for start in places)


def _free_name(name: str, taken: set[str]) -> str:
    found = _NAME.match(name)
    base = found[0] if found else "value"
    free, number = base, 1
    while free in taken:
        number += 1
        free = f"{base}_{number}"
    taken.add(free)
    return free


def _renumbered(template: Any, numbers: Mapping[int, int]) -> Any:
    """Return a template whose results have the numbers of a program without some of its steps."""
    if isinstance(template, list):
        return [_renumbered(inner, numbers) for inner in template]
    if not isinstance(template, Mapping) or "$literal" in template:
        return template
    if "$result" in template:
        return {**template, "$result": numbers[template["$result"]]}
    return {key: _renumbered(inner, numbers) for key, inner in template.items()}
