"""What a planner writes into a run's notes, so that another planner can go on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from webagent.agent.run import shortened

VERSION: Final = 10
EARLIER: Final = -1
"""The number of the task of what earlier runs found."""
_LONGEST_RESULT: Final = 60_000
"""Characters of a result that are kept."""
_MOST_RESULTS: Final = 6


@dataclass(slots=True)
class Task:
    """One part of a goal, and how far it is."""

    first: int
    """Its first token in the goal."""
    end: int
    tool: str = ""
    rivals: list[str] = field(default_factory=list)
    """Tools between which the goal does not decide."""
    unless_found: str = ""
    """What becomes of it if the thing that it names is not found: `asked` or `none`; empty if it is done anyway."""
    page: dict[str, Any] = field(default_factory=dict)
    """What is done on the page, where no tool fits: a `PageTask` as plain data."""
    state: str = "open"
    """`open`, `done`, `failed` or `none` (nothing serves it)."""
    given: list[list[Any]] = field(default_factory=list)
    """`[path, value]` of arguments that were found out since."""
    queue: list[dict[str, Any]] = field(default_factory=list)
    """Arguments of further calls of the tool."""
    finders: list[str] = field(default_factory=list)
    """Tools that were called to find something for it."""
    asked: list[list[str]] = field(default_factory=list)
    """Paths of the parameters that the person was asked for."""
    named: str = ""
    """What the person answered for a thing whose id is needed: its name."""
    choices: list[Any] = field(default_factory=list)
    """Values of the choices of the last question, with what tells them apart."""
    tries: int = 0
    """How often the person was asked."""
    stage: int = 0
    """How many actions of the page were taken for it."""
    corrected: bool = False
    """Whether a call was corrected by what its error allows."""
    misspelled: str = ""
    """The words for which a search has found nothing, while everything is looked through for names like them."""
    said: str = ""
    """What came of it, for the person."""


@dataclass(slots=True)
class Found:
    """What a call gave."""

    task: int
    tool: str
    value: Any
    reads: bool = True
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Pending:
    """The call that was made last."""

    id: str
    task: int
    role: str
    """`call`, `find`, `ask`, `page`, `move`, `show`."""
    tool: str = ""


@dataclass(slots=True)
class State:
    """Everything a planner has to know again."""

    goal: str
    now: str
    tasks: list[Task] = field(default_factory=list)
    results: list[Found] = field(default_factory=list)
    pending: Pending | None = None
    calls: int = 0
    asked: list[str] = field(default_factory=list)
    """Names of the parameters that the last question was about."""
    place: str = ""
    """Path of the page on which the tools were matched."""
    language: str = ""
    """The code of the language that the goal is in."""
    replies: str = ""
    """The code of the language of the replies, if the goal says it."""
    shown: bool = False
    """Whether the page was opened that shows what was changed."""
    greeted: bool = False
    """Whether the goal only greets, or asks what can be done here."""
    closed: bool = False
    """Whether the goal only thanks, or ends the conversation."""
    before: str = ""
    """What the agent said last that names a thing: `it`."""
    answer: str = ""
    """What the person answers to the first question: the goal that only answers an earlier run."""
    stopped: str = ""
    """Why the rest is not done."""

    def remember(self, found: Found) -> None:
        """Keep a result, cut to a size that fits into notes; the oldest go first."""
        if len(json.dumps(found.value, default=str)) > _LONGEST_RESULT:
            found.value = shortened(found.value)
        self.results.append(found)
        del self.results[:-_MOST_RESULTS]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> State | None:
        """Return what `to_dict` wrote, or None if it was not written by this version."""
        if data.get("version") != VERSION:
            return None
        try:
            fields = {name: value for name, value in data.items() if name != "version"}
            fields["tasks"] = [Task(**task) for task in data["tasks"]]
            fields["results"] = [Found(**found) for found in data["results"]]
            fields["pending"] = Pending(**data["pending"]) if data["pending"] else None
            return cls(**fields)
        except (KeyError, TypeError):
            return None
