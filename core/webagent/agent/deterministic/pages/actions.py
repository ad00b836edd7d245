"""The actions of a page, one after another, for what a part of a goal asks of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.pages import passages
from webagent.agent.deterministic.pages.fields import (
    asked_first,
    entries_of,
    filled_form,
    form_in,
    known_of,
    schema_of,
    taken,
)
from webagent.agent.deterministic.pages.intents import PageIntent, Part
from webagent.agent.deterministic.pages.page_words import read_out, unmarked
from webagent.agent.deterministic.replies import chosen
from webagent.agent.deterministic.wording import form_of_choices
from webagent.page.snapshot import Snapshot
from webagent.speech import say, spoken

_READERS: Final[Mapping[str, str]] = {
    "tables": "table_details",
    "outline": "section_outline",
    "navigation": "navigation_outline",
    "summary": "get_summary",
    "code": "find_code",
    "screenshot": "take_screenshot",
}
_LONGEST_SAID: Final = 1_200
_MOST_TRIES: Final = 4
_MOST_LINES: Final = 12
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class Act:
    """An action to take, with its arguments."""

    name: str
    arguments: Mapping[str, Any]

    @property
    def asks(self) -> bool:
        """Whether it asks the person."""
        return self.name == "communicate"


@dataclass(slots=True)
class PageTask:
    """What is done on the page for a part of a goal, and how far it is; plain data."""

    intent: str
    first: int
    end: int
    targets: list[int] = field(default_factory=list)
    text: str = ""
    sends: bool = False
    stage: int = 0
    """How many actions were taken."""
    queue: list[dict[str, Any]] = field(default_factory=list)
    """The fields of the form."""
    given: dict[str, Any] = field(default_factory=dict)
    """What is known for the fields, by label."""
    asked: list[str] = field(default_factory=list)
    """Labels of the fields, or names of the elements, that the person was asked for."""
    tries: int = 0
    state: str = "open"
    """`open`, `done` or `failed`."""
    said: str = ""
    """What came of it, for the person."""

    @classmethod
    def begin(cls, intent: PageIntent, first: int, end: int) -> PageTask:
        """Return the task of an intent for the tokens from `first` up to `end`."""
        return cls(intent.name, first, end, [*intent.targets], intent.text, intent.sends)


class PageActions:
    """Says which action of the page comes next."""

    def __init__(self, sentence: Sentence, snapshot: Snapshot) -> None:
        """Take the goal, and what the page shows now."""
        self._sentence = sentence
        self._snapshot = snapshot

    def next(self, task: PageTask) -> Act | None:
        """Return the next action; None when the task is done with."""
        if task.state != "open":
            return None
        match task.intent:
            case "form" | "login":
                return self._form(task)
            case "open" | "click" if task.stage == 0:
                return self._press(task)
            case "scroll" if task.stage == 0:
                return Act("scroll", {"direction": task.text})
            case "search" if task.stage == 0:
                return Act("search", {"query": task.text})
            case "search":
                return self._tell(task, self._answer(task), say("search_empty", words=task.text))
            case "read":
                return self._tell(task, self._answer(task), say("not_on_page"))
            case "about":
                return self._tell(task, passages.about(self._snapshot), say("no_text"))
            case "author":
                return self._tell(task, passages.author(self._snapshot), say("no_author"))
            case "summary" if task.text:
                found = passages.picked(self._snapshot, int(task.text))
                told = say("picked", count=len(found), sentences=" ".join(found))
                return _end(task, told if found else say("no_sentences"), failed=not found)
            case name if name in _READERS and task.stage == 0:
                return Act(_READERS[name], {})
        return _end(task, task.said or say("done"))

    def absorb(self, task: PageTask, value: Any) -> None:
        """Take in what an action of the page gave."""
        task.stage += 1
        if task.intent in _READERS:
            told = self._told(task, value)
            _end(task, told or say("not_on_page"), failed=not told)
        elif task.intent in ("form", "login") and task.stage == 1:
            task.queue = form_in(value, password=task.intent == "login")
        elif isinstance(value, Mapping) and not task.said:
            if isinstance(value.get("did"), str):
                # The page's own words for it are English.
                told = unmarked(value["did"][:1_000])[:300]
                task.said = told if spoken().is_english else say("done")
            elif value.get("navigated"):
                task.said = say("opened", name=str(value.get("url", ""))[:300])

    def answer(self, task: PageTask, text: str, answer: Sentence, data: Any = None) -> None:
        """Take in what the person answered.

        Args:
            task: The task whose question it was.
            text: The answer as it was written.
            answer: The same as it was read.
            data: The values of a form by their labels, if the person had one.
        """
        if task.intent in ("form", "login") and isinstance(data, Mapping):
            task.given |= {label: data[label] for label in task.asked if label in data}
        elif task.intent in ("form", "login"):
            task.given |= taken(task.queue, task.asked, text, answer)
        else:
            task.targets = self._chosen(task, text, answer)
        task.asked = []

    # --- Links and buttons ----------------------------------------------------------------

    def _press(self, task: PageTask) -> Act | None:
        if task.text:
            return Act("goto_url", {"url": task.text})
        names = {e.id: e.name for e in self._snapshot.elements if e.id in task.targets}
        targets = [number for number in task.targets if number in names]
        if not targets:
            return _end(task, say("no_such_name"), failed=True)
        if len(targets) > 1:
            listed = list(dict.fromkeys(names[number][:80] for number in targets))[:8]
            if len(listed) == 1:
                told = say("same_names", count=len(targets), name=listed[0])
                return _end(task, told, failed=True)
            names_text = say("comma").join(say("quoted", words=name) for name in listed)
            question = say("ask_which", choices=names_text)
            schema = form_of_choices("name", say("ask_one"), [(name, name) for name in listed])
            return self._ask(task, listed, question, schema)
        name = names[targets[0]][:120]
        if task.intent == "open":
            task.said = say("opened", name=say("quoted", words=name))
            return Act("click_link", {"pp_id": targets[0]})
        return Act("click", {"pp_id": targets[0]})

    def _chosen(self, task: PageTask, text: str, answer: Sentence) -> list[int]:
        """Return the elements that an answer chooses of those that were offered."""
        names = {e.id: e.name for e in self._snapshot.elements if e.id in task.targets}
        found = chosen([(n, names[n]) for n in task.targets if n in names], text, answer)
        return (
            [n for n in task.targets if names.get(n) == names[found[0]]] if found else task.targets
        )

    # --- Forms ----------------------------------------------------------------------------

    def _form(self, task: PageTask) -> Act | None:
        if task.stage == 0:
            return Act("form_details", {})
        if task.stage > 1:
            return _end(task, task.said or say("form_filled_in"))
        if not task.queue:
            return _end(task, say("no_form"), failed=True)
        filled = filled_form(task.queue, self._sentence, task.first, task.end)
        unsure = {fit.parameter.path[0] for fit in filled.unsure}
        known = known_of(task.queue, filled) | task.given
        needed = [entry["label"] for entry in task.queue if entry["label"] not in known and (
            entry["required"] or entry["label"] in unsure or (task.intent == "login" and entry["type"] == "password")
        )]  # fmt: skip
        if not needed and not known:
            needed = [entry["label"] for entry in task.queue[:5]]
        if needed:
            labels = asked_first(task.queue, needed, alone=task.intent == "login")
            return self._ask(
                task, labels, _question(task.queue, labels), schema_of(task.queue, labels)
            )
        task.said = task.said or _entered(known, task)
        send = task.intent == "login" or task.sends
        return Act("enter_data", {"form_data": entries_of(task.queue, known), "submit": send})

    def _ask(
        self,
        task: PageTask,
        names: Sequence[str],
        question: str,
        schema: Mapping[str, Any] | None,
    ) -> Act | None:
        task.tries += 1
        if task.tries > _MOST_TRIES:
            return _end(task, say("still_need", what=say("comma").join(names)), failed=True)
        task.asked = [*names]
        asked = {
            "summary": say("need_to_go_on", what=say("comma").join(names)),
            "question": question,
        }
        return Act("communicate", asked | ({"schema": schema} if schema else {}))

    # --- Reading --------------------------------------------------------------------------

    def _answer(self, task: PageTask) -> passages.Passage | None:
        part = Part(self._sentence, task.first, task.end)
        return passages.answer(self._sentence, task.first, task.end, part.subject, self._snapshot)

    def _tell(self, task: PageTask, passage: passages.Passage | None, nothing: str) -> Act | None:
        """End with what the page says, or that it does not."""
        return _end(task, passage.told() if passage else nothing, failed=passage is None)

    def _told(self, task: PageTask, value: Any) -> str:
        """Return what was read, in few words; empty if nothing of it fits."""
        match task.intent:
            case "summary":
                told = _summary(value)
                picked = " ".join(passages.picked(self._snapshot, 2))
                more = say("picked_from_page", sentences=picked) if picked else ""
                return "\n".join(filter(None, (told, more)))[:_LONGEST_SAID]
            case "tables" if isinstance(value, list):
                return "\n".join(filter(None, map(_table, value[:4]))) or say("no_tables")
            case "screenshot":
                return say("picture_taken")
        return "\n".join(_lines(value))[:_LONGEST_SAID]


def _end(task: PageTask, said: str, *, failed: bool = False) -> Act | None:
    """End a task; there is no next action then."""
    task.state, task.said = "failed" if failed else "done", said[:_LONGEST_SAID]
    return None


def _question(fields: Sequence[Mapping[str, Any]], labels: Sequence[str]) -> str:
    asked = [entry for entry in fields if entry["label"] in labels]
    named = [
        entry["label"]
        + (f" ({', '.join(filter(None, entry['options'][:8]))})" if entry["options"] else "")
        for entry in asked
    ]
    return say("ask_fields", fields=say("comma").join(named))


def _entered(known: Mapping[str, Any], task: PageTask) -> str:
    fields = say("comma").join(str(label) for label in known)
    sent = task.sends or task.intent == "login"
    return say("entered", fields=fields) if sent else say("entered_unsent", fields=fields)


def _summary(value: Any) -> str:
    if not isinstance(value, Mapping):
        return ""
    facts, headings = value.get("facts"), value.get("headings")
    parts = [str(value.get("title", ""))[:200]]
    if isinstance(headings, list):
        parts += [
            str(h.get("text", "") if isinstance(h, Mapping) else h)[:120] for h in headings[:8]
        ]
    for fact in facts[:8] if isinstance(facts, list) else []:
        if isinstance(fact, Mapping):
            parts.append(f"{str(fact.get('name', ''))[:60]}: {str(fact.get('value', ''))[:200]}")
    return "; ".join(dict.fromkeys(read_out(part) for part in parts if part))[: _LONGEST_SAID // 2]


def _table(table: Any) -> str:
    if not isinstance(table, Mapping):
        return ""
    rows, headers = table.get("rows"), table.get("headers")
    total, shown = table.get("total_rows"), len(rows) if isinstance(rows, list) else 0
    count = total if isinstance(total, int) and total else shown
    names = ", ".join(str(name)[:60] for name in headers[:10]) if isinstance(headers, list) else ""
    first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], list) else []
    title = str(table.get("caption") or say("a_table"))[:120]
    cells = say("comma").join(str(cell)[:60] for cell in first[:10])
    return say("table", title=title, columns=names or len(first), count=count, cells=cells)


def _lines(tree: Any) -> list[str]:
    """Return the names in an outline, in order."""
    found: list[str] = []
    waiting: list[tuple[Any, int]] = [(tree, 0)]
    while waiting and len(found) < 4 * _MOST_LINES:
        node, depth = waiting.pop()
        if isinstance(node, Mapping):
            for key in ("heading", "text", "name", "title", "code"):
                if isinstance(node.get(key), str) and (line := read_out(node[key][:2_000])):
                    found.append(line[:300])
                    break
            node = [inner for inner in node.values() if isinstance(inner, list | Mapping)]
        if isinstance(node, list) and depth < 2 * _DEEPEST:
            waiting += [(inner, depth + 1) for inner in reversed(node[:200])]
    return list(dict.fromkeys(found))[:_MOST_LINES]
