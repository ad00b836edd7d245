"""The rule about suggestions to visitors: a greeting and goals, in a note with the title `Suggestions`.

The panel reads them from the text of the file, before Python runs (`panel/suggestions.ts`); both readers have
the cases in `tests/cases/suggestions.json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.types import Note

TITLE = "suggestions"
"""The title of the note, in lower case."""

MOST_GOALS = 6
LONGEST_GOAL = 80
LONGEST_GREETING = 200

_ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+(.*)|\Z)", re.DOTALL)
_MARKUP = re.compile(r"[`<>{}\[\]|]|\*\*|__|://")
"""Code, links and emphasis: signs of a text for models or developers."""

UNUSABLE_SUGGESTIONS = Rule(
    "unusable-suggestions",
    Severity.WARNING,
    what="The section `Suggestions` is not a list of goals for visitors.",
    why="The panel offers its goals to visitors before they have written one. It shows only a section of up "
    "to six short goals in plain words; any other one is a note for models.",
    bad="# Shop\n\n## Suggestions\n\n- Call `search` with a word.\n\n## search\nFind.\n\n### Params\n",
    good="# Shop\n\n## Suggestions\n\n- Find a pair of red shoes\n\n## search\nFind.\n\n### Params\n",
)


@dataclass(frozen=True)
class Suggestions:
    """The suggestions of a section, or the reason why it has none."""

    greeting: str = ""
    goals: tuple[str, ...] = ()
    problem: str = ""


def is_suggestions(note: Note) -> bool:
    """Whether a note has the title of suggestions."""
    return note.title.strip("*_`: \t").lower() == TITLE


def suggestions_in(text: str) -> Suggestions:
    """Return the suggestions in the text of a section."""
    greeting: list[str] = []
    goals: list[str] = []
    after_blank = False
    for line in text.split("\n"):
        words = " ".join(line.split())
        if item := _ITEM.match(line):
            goals.append(" ".join((item[1] or "").split()))
        elif words and not goals:
            greeting.append(words)
        elif words and after_blank:
            return Suggestions(problem=f"`{words[:60]}` is after the list")
        elif words:
            goals[-1] = f"{goals[-1]} {words}".strip()
        after_blank = not words
    welcome = " ".join(greeting)
    problem = _problem(welcome, goals)
    return Suggestions(problem=problem) if problem else Suggestions(welcome, tuple(goals))


def _problem(greeting: str, goals: list[str]) -> str:
    """Return why the panel cannot show these, empty if it can."""
    if not goals:
        return "it has no list of goals"
    if len(goals) > MOST_GOALS:
        return f"it has {len(goals)} goals, more than {MOST_GOALS}"
    if len(greeting) > LONGEST_GREETING:
        return f"its greeting has {len(greeting)} characters, more than {LONGEST_GREETING}"
    for text in (greeting, *goals):
        if _MARKUP.search(text):
            return f"`{text[:60].replace('`', '')}` is not in plain words"
    for goal in goals:
        if not goal:
            return "a goal is empty"
        if len(goal) > LONGEST_GOAL:
            return f"`{goal[:60]}…` has {len(goal)} characters, more than {LONGEST_GOAL}"
    return ""


@UNUSABLE_SUGGESTIONS.check
def unusable_suggestions(reading: Reading) -> Iterator[Finding]:
    """Report a section of suggestions that the panel cannot show."""
    first = True
    for note, place in zip(reading.manifest.notes, reading.notes, strict=True):
        if not is_suggestions(note):
            continue
        problem = (
            suggestions_in(note.text).problem if first else "an earlier section has this title"
        )
        first = False
        if problem:
            yield UNUSABLE_SUGGESTIONS.finding(
                place.title,
                f"the panel does not show these suggestions: {problem}",
                help="write a greeting if you like, then a list of up to "
                f"{MOST_GOALS} goals as visitors would put them: `- Find a book about the sea`; "
                "a section for models needs another title",
            )
