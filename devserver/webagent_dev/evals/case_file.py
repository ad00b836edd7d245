"""Files of cases, in the format of WebMCP's evaluations; faults have a line and a path.

The second half finds the line of a value in a JSON text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from json.decoder import JSONDecoder
from typing import Any

from webagent.json_text import read_json
from webagent_dev.evals.case import (
    UNSET,
    Case,
    ExpectedCall,
    Group,
    Message,
    Node,
    PastCall,
    PastResult,
    Utterance,
    calls_in,
)
from webagent_dev.evals.constraints import CONSTRAINTS, is_constraint
from webagent_site.errors import UsageError

MOST_BYTES = 5_000_000

MOST_CASES = 2_000

MOST_CALLS = 200
"""Calls that one case may expect."""

MOST_IN_ANY_ORDER = 15
"""Members of an `unordered` group of which one is a group itself."""

_MOST_FAULTS = 10

_LONGEST_NAME = 80

_EXAMPLE = (
    '[{"messages": [{"role": "user", "type": "message", "content": "…"}], "expectedCall": …}]'
)

_CASE_KEYS = ("name", "messages", "expectedCall")

_CALL_KEYS = ("functionName", "arguments", "result", "mockOutput", "optional")

_MESSAGE_KEYS = {
    "message": ("role", "type", "content"),
    "functioncall": ("role", "type", "name", "arguments"),
    "functionresponse": ("role", "type", "name", "response"),
}

_Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class _Fault:
    path: _Path
    text: str


def read_cases(data: bytes, name: str) -> list[Case]:
    """Return the cases of a file.

    Args:
        data: Its bytes.
        name: What to call it.

    Raises:
        UsageError: It is not a file of cases; the message has lines, paths, and what to write there.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(
            f"`{name}` has {len(data):,} bytes - {MOST_BYTES:,} are read - split it into several"
        )
    try:
        text = data.decode("utf-8-sig")
        entries = read_json(text)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"`{name}` is not text - byte {error.start} is not UTF-8 - save it as UTF-8"
        ) from None
    except ValueError as error:
        raise UsageError(f"`{name}` is not JSON - {error} - mend it there") from None
    reader = _Reader(text)
    cases = reader.cases(entries)
    if reader.faults:
        messages = [
            f"{name}:{line_of(text, fault.path)}: {_at(fault.path)}{fault.text}"
            for fault in reader.faults[:_MOST_FAULTS]
        ]
        if more := len(reader.faults) - _MOST_FAULTS:
            messages += [f"and {more} more"] if more > 0 else []
        raise UsageError("\n".join(messages))
    return cases


def _at(path: _Path) -> str:
    return f"`{path_text(path)}` " if path else ""


class _Reader:
    """Reads cases and gathers what is wrong with them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.faults: list[_Fault] = []

    def cases(self, entries: Any) -> list[Case]:
        if not isinstance(entries, list):
            self.fault((), f"it is {_kind(entries)} - cases are a list - write `{_EXAMPLE}`")
            return []
        if not entries:
            self.fault((), f"the list is empty - it has no case - write `{_EXAMPLE}`")
        if len(entries) > MOST_CASES:
            self.fault((), f"it has {len(entries):,} cases - {MOST_CASES:,} are read - split it")
            return []
        lines = lines_of_items(self._text)
        return [self.case(entry, (index,), lines[index]) for index, entry in enumerate(entries)]

    def case(self, entry: Any, path: _Path, line: int) -> Case:
        if not isinstance(entry, dict):
            self.fault(path, f"is {_kind(entry)} - a case is an object - write `{_EXAMPLE[1:-1]}`")
            return Case("", ())
        self.unknown(entry, _CASE_KEYS, path)
        messages = self.messages(entry.get("messages"), (*path, "messages"))
        expected = self.expected(entry, path)
        name = entry.get("name")
        if name is not None and not isinstance(name, str):
            self.fault((*path, "name"), f'is {_kind(name)} - a name is text - write `"…"`')
        case = Case("", messages, expected, line)
        if messages and not case.goal:
            self.fault(
                (*path, "messages"),
                "has no words of a person - there is nothing to do - add "
                '`{"role": "user", "type": "message", "content": "…"}`',
            )
        shown = name.strip() if isinstance(name, str) and name.strip() else case.goal
        return Case(" ".join(shown.split())[:_LONGEST_NAME], messages, expected, line)

    def messages(self, entries: Any, path: _Path) -> tuple[Message, ...]:
        if not isinstance(entries, list) or not entries:
            what = "is an empty list" if entries == [] else f"is {_kind(entries)}"
            self.fault(
                path,
                f"{what} - it says what is wanted - write "
                '`[{"role": "user", "type": "message", "content": "…"}]`',
            )
            return ()
        read = (self.message(entry, (*path, index)) for index, entry in enumerate(entries))
        return tuple(message for message in read if message is not None)

    def message(self, entry: Any, path: _Path) -> Message | None:
        if not isinstance(entry, dict):
            self.fault(path, f"is {_kind(entry)} - a message is an object with `role` and `type`")
            return None
        kind, role = entry.get("type", "message"), entry.get("role")
        if not isinstance(kind, str) or kind not in _MESSAGE_KEYS:
            remedy = _near(kind, _MESSAGE_KEYS)
            self.fault((*path, "type"), f"is {_value_text(kind)} - {remedy}")
            return None
        if role not in ("user", "model"):
            self.fault((*path, "role"), f'is {_value_text(role)} - write `"user"` or `"model"`')
        self.unknown(entry, _MESSAGE_KEYS[kind], path)
        text = "content" if kind == "message" else "name"
        if not isinstance(entry.get(text), str):
            self.fault((*path, text), f'is {_kind(entry.get(text))} - it is text - write `"…"`')
            return None
        match kind:
            case "functioncall":
                return PastCall(entry["name"], entry.get("arguments"))
            case "functionresponse":
                return PastResult(entry["name"], entry.get("response"))
        return Utterance(role == "user", entry["content"])

    def expected(self, entry: Mapping[str, Any], path: _Path) -> tuple[Node, ...]:
        path = (*path, "expectedCall")
        if "expectedCall" not in entry:
            self.fault(
                path,
                "is missing - without it nothing can be compared - write a list of calls, or `null` "
                "if no tool should be called",
            )
            return ()
        given = entry["expectedCall"]
        if given is None:
            return ()
        nodes = self.nodes(given, path)
        if sum(1 for _ in calls_in(nodes)) > MOST_CALLS:
            self.fault(path, f"expects more than {MOST_CALLS} calls - make several cases of it")
        return nodes

    def nodes(self, entries: Any, path: _Path) -> tuple[Node, ...]:
        if not isinstance(entries, list):
            self.fault(
                path, f'is {_kind(entries)} - calls are a list - write `[{{"functionName": "…"}}]`'
            )
            return ()
        read = (self.node(entry, (*path, index)) for index, entry in enumerate(entries))
        return tuple(node for node in read if node is not None)

    def node(self, entry: Any, path: _Path) -> Node | None:
        keys = (
            entry.keys() & {"functionName", "ordered", "unordered"}
            if isinstance(entry, dict)
            else ()
        )
        if len(keys) != 1:
            self.fault(
                path,
                "is neither a call nor a group - write one of `functionName`, `ordered` and "
                "`unordered` into it",
            )
            return None
        if "functionName" in keys:
            return self.call(entry, path)
        word = next(iter(keys))
        self.unknown(entry, (word,), path)
        nodes = self.nodes(entry[word], (*path, word))
        if (
            word == "unordered"
            and len(nodes) > MOST_IN_ANY_ORDER
            and any(isinstance(node, Group) for node in nodes)
        ):
            self.fault(
                (*path, word),
                f"has {len(nodes)} members, groups among them - {MOST_IN_ANY_ORDER} are tried in "
                "any order - make it smaller",
            )
        return Group(word == "ordered", nodes)

    def call(self, entry: Mapping[str, Any], path: _Path) -> ExpectedCall | None:
        self.unknown(entry, _CALL_KEYS, path)
        name, optional = entry["functionName"], entry.get("optional", False)
        if not isinstance(name, str) or not name:
            self.fault((*path, "functionName"), 'is not a name - write that of a tool: `"…"`')
            return None
        if not isinstance(optional, bool):
            self.fault((*path, "optional"), f"is {_kind(optional)} - write `true` or `false`")
        arguments = entry.get("arguments")
        if arguments is not None and not isinstance(arguments, dict):
            self.fault(
                (*path, "arguments"),
                f'is {_kind(arguments)} - arguments go by name - write `{{"name": …}}`',
            )
        self.constraints(arguments, (*path, "arguments"))
        self.constraints(entry.get("result"), (*path, "result"))
        return ExpectedCall(
            name,
            arguments,
            entry.get("result", UNSET),
            entry.get("mockOutput", UNSET),
            optional is True,
        )

    def constraints(self, value: Any, path: _Path) -> None:
        """Add the faults of constraints in an expected value."""
        if is_constraint(value):
            for word, limit in value.items():
                if word not in CONSTRAINTS:
                    self.fault((*path, word), f"is not a constraint - {_near(word, CONSTRAINTS)}")
                elif problem := CONSTRAINTS[word].problem(limit):
                    example = CONSTRAINTS[word].example
                    self.fault(
                        (*path, word), f"is {_value_text(limit)} - {problem} - as in `{example}`"
                    )
        elif isinstance(value, dict):
            for key, inner in value.items():
                self.constraints(inner, (*path, key))
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                self.constraints(inner, (*path, index))

    def unknown(self, entry: Mapping[str, Any], known: Sequence[str], path: _Path) -> None:
        """Add a fault for each misspelled key; other unknown keys are ignored."""
        for key in entry:
            near = get_close_matches(key, known, 1, 0.75)
            if key not in known and near and near[0] not in entry:
                self.fault((*path, key), f"is not read - write `{near[0]}`")

    def fault(self, path: _Path, text: str) -> None:
        self.faults.append(_Fault(path, text))


def _kind(value: Any) -> str:
    match value:
        case None:
            return "not there"
        case bool():
            return "yes or no"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
    return "an object"


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return f"`{value[:40]}`"
    return _kind(value)


def _near(word: Any, known: Mapping[str, Any]) -> str:
    near = get_close_matches(str(word)[:40], known, 1, 0.5)
    if near:
        return f"write `{near[0]}`"
    return f"write one of {', '.join(f'`{one}`' for one in known)}"


_SPACE = re.compile(r"[ \t\n\r]*")

_DECODER = JSONDecoder()


def line_of(text: str, path: Sequence[str | int]) -> int:
    """Return the line, from 1, of the value at a path, or of the nearest above it that is there.

    Args:
        text: JSON, read before without an error and not nested deeply.
        path: Keys and numbers that lead to the value.
    """
    at = _past_space(text, 0)
    for part in path:
        inner = _member(text, at, part) if isinstance(part, str) else _item(text, at, part)
        if inner is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1


def lines_of_items(text: str) -> list[int]:
    """Return the line, from 1, of each item of a JSON list."""
    at = _past_space(text, 0)
    lines, line, counted = [], 1, 0
    at = _past_space(text, at + 1)
    while text[at] != "]":
        line += text.count("\n", counted, at)
        counted = at
        lines.append(line)
        at = _past_value(text, at)
    return lines


def path_text(path: Sequence[str | int]) -> str:
    """Return a path as people write it: `[2].expectedCall[0].functionName`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(parts).removeprefix(".")


def _member(text: str, at: int, key: str) -> int | None:
    """Return where the value of a key begins; the last one counts, as it does for readers."""
    if text[at] != "{":
        return None
    found = None
    at = _past_space(text, at + 1)
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _past_space(text, _past_space(text, at) + 1)
        if name == key:
            found = at
        at = _past_value(text, at)
    return found


def _item(text: str, at: int, index: int) -> int | None:
    if text[at] != "[":
        return None
    at = _past_space(text, at + 1)
    while text[at] != "]":
        if index == 0:
            return at
        index -= 1
        at = _past_value(text, at)
    return None


def _past_value(text: str, at: int) -> int:
    """Return where what follows a value begins, behind its comma if there is one."""
    _, at = _DECODER.raw_decode(text, at)
    at = _past_space(text, at)
    return _past_space(text, at + 1) if text[at] == "," else at


def _past_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
