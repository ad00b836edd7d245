"""What a planner writes into a run's notes, so that another planner can go on from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 1
_LONGEST_RESULT = 60_000
"""Characters of a result that are kept."""
_MOST_RESULTS = 6


@dataclass(slots=True)
class Task:
    """One request of a goal, and how far it is."""

    clause: int
    """Which request; its number in the goal."""
    tool: str = ""
    page: str = ""
    """What is done on the page, where no tool fits: an intent's name."""
    state: str = "open"
    """`open`, `done`, `failed` or `none` (nothing fits)."""
    given: list[list[Any]] = field(default_factory=list)
    """`[tool, path, value]` of arguments that were found out since."""
    queue: list[dict[str, Any]] = field(default_factory=list)
    """Arguments of further calls of the tool."""
    finders: list[str] = field(default_factory=list)
    """Tools that were called to find something for it."""
    asked: list[list[str]] = field(default_factory=list)
    """Paths of the slots that the person was asked for."""
    asked_for: str = ""
    """The tool they are of."""
    tries: int = 0
    """How often the person was asked."""
    stage: int = 0
    """How many actions of the page were taken for it."""
    words: list[str] = field(default_factory=list)
    """What is left of the description once a finder took its part."""
    picked: str = ""
    """What was chosen for its call, in words."""
    remark: str = ""
    """What the person should know of how it was chosen."""
    said: str = ""
    """What came of it, for the person."""


@dataclass(slots=True)
class Found:
    """What a call gave."""

    task: int
    tool: str
    value: Any
    focus: list[int] = field(default_factory=list)
    """Numbers of the things that are meant by `it` and `them`; empty for all."""
    reads: bool = True
    given: dict[str, Any] = field(default_factory=dict)
    """Arguments of the call."""
    soft: bool = False
    """Whether the focus only repeats what was searched for: the site's own order counts more."""


@dataclass(slots=True)
class Pending:
    """The call that was asked for last."""

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
    verbs: list[str] = field(default_factory=list)
    """Stems of the verbs of the tools that there were when the goal was read."""
    slips: dict[str, str] = field(default_factory=dict)
    """Misspelled words of the goal, and what they should be."""
    halved: list[list[int]] = field(default_factory=list)
    """`[request, word]` of requests for two things with one verb, and where the second begins."""
    merged: list[list[int]] = field(default_factory=list)
    """`[request, other]` of requests that only add to another."""
    place: str = ""
    """Path of the page on which the tools were matched."""
    shown: bool = False
    """Whether the page was opened that shows what was changed."""
    stopped: str = ""
    """Why the rest is not done."""

    def remember(self, found: Found) -> None:
        """Keep a result, cut to a size that fits into notes; the oldest go first."""
        if len(json.dumps(found.value, default=str)) > _LONGEST_RESULT:
            found.value = _shortened(found.value)
        self.results.append(found)
        del self.results[:-_MOST_RESULTS]

    def replace(self, other: State) -> None:
        """Take over what another state means to do; what was found stays known."""
        self.goal, self.tasks, self.verbs = other.goal, other.tasks, other.verbs
        self.slips, self.halved, self.merged = other.slips, other.halved, other.merged
        self.place = other.place
        self.pending, self.stopped = None, ""

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


def _shortened(value: Any, most: int = 40, deep: int = 0) -> Any:
    if deep > 6:
        return None
    if isinstance(value, list):
        return [_shortened(item, most, deep + 1) for item in value[:most]]
    if isinstance(value, dict):
        return {k: _shortened(v, most, deep + 1) for k, v in list(value.items())[:60]}
    if isinstance(value, str):
        return value[:300]
    return value
