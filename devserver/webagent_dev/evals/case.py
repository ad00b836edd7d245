"""One case: the conversation so far, the calls that it should lead to, and those that it did."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeAlias


class Unset(Enum):
    """The value of a key that a file leaves out, since `null` is a value."""

    UNSET = "unset"


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One call."""

    name: str
    arguments: Any = None
    """Values and constraints by name; None if any arguments will do."""
    result: Any = UNSET
    """Value or constraint of what the tool gives, if that counts too."""
    mock: Any = UNSET
    """The result of the tool where there is no page."""
    optional: bool = False
    """Whether it may be left out."""


@dataclass(frozen=True, slots=True)
class Group:
    """Calls and groups, one after the other or in any order; a group inside stays together."""

    ordered: bool
    nodes: tuple[Node, ...]


Node: TypeAlias = ExpectedCall | Group


def calls_in(nodes: Sequence[Node]) -> Iterator[ExpectedCall]:
    """Yield all calls, as they are written."""
    for node in nodes:
        if isinstance(node, ExpectedCall):
            yield node
        else:
            yield from calls_in(node.nodes)


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of the person or the agent."""

    by_person: bool
    text: str


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call that the agent has made before."""

    name: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class PastResult:
    """The result of such a call."""

    name: str
    response: Any


Message: TypeAlias = Utterance | PastCall | PastResult


@dataclass(frozen=True, slots=True)
class Case:
    """One entry of a file."""

    name: str
    messages: tuple[Message, ...]
    expected: tuple[Node, ...] = ()
    """Nothing if no tool should be called."""
    line: int = 1
    """Of the file, where it begins."""

    @property
    def tools(self) -> frozenset[str]:
        """The tools that it expects to be called."""
        return frozenset(call.name for call in calls_in(self.expected))

    @property
    def goal(self) -> str:
        """The last request of the person, in their words.

        Their earlier messages belong to it as long as the agent only asked back.
        """
        said: list[str] = []
        for message in reversed(self.messages):
            if isinstance(message, Utterance) and message.by_person:
                said.insert(0, message.text.strip())
            elif said and not (
                isinstance(message, Utterance) and message.text.rstrip().endswith("?")
            ):
                break
        return "\n".join(said)

    @property
    def conversation(self) -> str:
        """The goal for a model: after the conversation so far, if there is one."""
        if all(isinstance(message, Utterance) and message.by_person for message in self.messages):
            return self.goal
        *before, last = self.messages
        lines = "\n".join(_lines(before))
        if isinstance(last, Utterance):
            return f"So far:\n{lines}\n\nNow the person says: {last.text.strip()}"
        lines = "\n".join(_lines(self.messages))
        return f"So far:\n{lines}\n\nGo on from there with what the person asked for."


def _lines(messages: tuple[Message, ...] | list[Message]) -> Iterator[str]:
    for message in messages:
        match message:
            case Utterance(by_person, text):
                yield f"{'the person' if by_person else 'you'} said: {text.strip()}"
            case PastCall(name, arguments):
                yield f"you called `{name}` with {json.dumps(arguments, ensure_ascii=False)}"
            case PastResult(name, response):
                yield f"`{name}` gave {json.dumps(response, ensure_ascii=False)}"


@dataclass(slots=True)
class ActualCall:
    """A call that the agent made, and its result."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """By name, as the tool was given them."""
    value: Any = None
    error: Mapping[str, str] | None = None
    """As `ToolError.to_dict` gives it; None when it went well."""
    refused: bool = False
    """Whether it did not reach the tool: it did not fit, or was not allowed."""
    mocked: bool = False
    """Whether `value` was made up, since there is no page."""
