"""Tool sets with goals: what a visitor types, and the calls that a careful operator would make."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PARTS = ("training", "held_back", "ordinary")
"""Folders of tool sets; the planner is fitted to the first alone."""

Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Goal:
    """One goal, and what has to come of it."""

    text: str
    lang: str
    tags: tuple[str, ...]
    accepted: tuple[tuple[Call, ...], ...]
    """Lists of calls, each of which is right; one that is empty where nothing must be called."""
    reads: frozenset[str]
    """Tools that may be called besides."""
    asks: tuple[str, ...]
    """Parameters that have to be asked for; nothing else may be called then."""
    says: tuple[str, ...]
    """Strings that the answer has to contain."""
    then: tuple[Goal, ...]
    """Goals of the same visitor that lean on this one."""

    @property
    def calls_nothing(self) -> bool:
        """Whether neither a call nor a question is right."""
        return not self.asks and self.accepted == ((),)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Goal:
        """Return the goal of an entry of a file."""
        lists = [data["calls"], *data.get("or", ())]
        return cls(
            text=data["goal"],
            lang=data["lang"],
            tags=tuple(data["tags"]),
            accepted=tuple(tuple((c["tool"], c["arguments"]) for c in calls) for calls in lists),
            reads=frozenset(data.get("reads", ())),
            asks=tuple(data.get("asks", ())),
            says=tuple(data.get("says", ())),
            then=tuple(map(cls.from_dict, data.get("then", ()))),
        )


@dataclass(frozen=True)
class ToolSet:
    """The tools of one site, what they give, and the goals of its visitors."""

    name: str
    now: str
    tools: Sequence[Mapping[str, Any]]
    results: Sequence[Mapping[str, Any]]
    goals: Sequence[Goal]

    @cached_property
    def changing(self) -> frozenset[str]:
        """Names of the tools that are not declared to read only."""
        return frozenset(
            tool["name"]
            for tool in self.tools
            if not tool.get("annotations", {}).get("readOnlyHint")
        )

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Return what a call gives.

        Raises:
            ValueError: The tool refuses it.
        """
        fitting = [
            entry for entry in self.results
            if entry["tool"] == tool and entry.get("when", {}).items() <= arguments.items()
        ]  # fmt: skip
        # An entry without `when` gives what no other one says, wherever it stands.
        entry = max(fitting, key=lambda one: len(one.get("when", {})), default={"value": None})
        if "error" in entry:
            raise ValueError(entry["error"])
        return entry["value"]


def tool_sets(part: str) -> Iterator[ToolSet]:
    """Yield the tool sets of one of the `PARTS`, in the order of their names."""
    for file in sorted((FOLDER / part).glob("*.json")):
        data = json.loads(file.read_text("utf-8"))
        yield ToolSet(
            name=file.stem,
            now=data["now"],
            tools=data["tools"],
            results=data["results"],
            goals=[Goal.from_dict(entry) for entry in data["goals"]],
        )
    for file in sorted((FOLDER / "sites").glob("*.json")) if part == "training" else ():
        yield _site(file)


def _site(file: Path) -> ToolSet:
    """Return the tools and goals of one of the first round's sites; their arguments may be patterns."""
    data = json.loads(file.read_text("utf-8"))
    goals = []
    for case in data["cases"]:
        expected = [] if case.get("none") or case.get("ask") else case["expected"]
        entry = {
            "goal": case["goal"], "lang": "en", "tags": ["site"], "asks": case.get("ask", ()),
            "calls": [{"tool": one["name"], "arguments": one["arguments"]} for one in expected],
        }  # fmt: skip
        goals.append(Goal.from_dict(entry))
    tools = data["tools"]
    results = [{"tool": tool["name"], "value": tool["result"]} for tool in tools]
    return ToolSet(f"site_{file.stem}", data["now"], tools, results, goals)
