"""Requests that are done on the page itself: open, click, search, read, fill in, sign in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webagent.agent.deterministic.arguments import fill
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.forms import card_of_form, entries_of, form_in
from webagent.agent.deterministic.intents import described, passages, subject_of, target_of
from webagent.agent.deterministic.plainly import lines_of, unmarked
from webagent.agent.deterministic.state import State, Task
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.telling import question
from webagent.page.snapshot import Snapshot

_Act = tuple[str, Mapping[str, Any], str]
"""Action, arguments, and the role of the call."""
_CLICKED: Final = frozenset(
    {"button", "link", "tab", "menuitem", "checkbox", "radio", "switch", "summary"}
)
_READERS: Final[Mapping[str, str]] = {
    "tables": "table_details",
    "outline": "section_outline",
    "navigation": "navigation_outline",
    "summary": "get_summary",
    "code": "find_code",
    "screenshot": "take_screenshot",
}
_SUBMITTING: Final = frozenset(map(stem, ("submit", "send", "post")))
_LONGEST_SAID = 1200


class PageSteps:
    """Says which action of the page comes next for a request."""

    def __init__(self, state: State, snapshot: Snapshot) -> None:
        """Look at what the page shows now."""
        self._state = state
        self._snapshot = snapshot

    def next(self, task: Task, clause: Clause) -> _Act | None:
        """Return the next action; None when the request is done with."""
        match task.page:
            case "form" | "login":
                return self._form(task, clause)
            case "open" | "click" | "scroll" | "search" if task.stage == 0:
                return self._act(task, clause)
            case "read":
                return self._tell(task, clause, "I do not find that on this page")
            case "search":
                return self._tell(task, clause, "The search shows nothing that fits")
            case name if name in _READERS and task.stage == 0:
                return _READERS[name], {}, "page"
        return self._end(task, task.said or "done")

    def absorb(self, task: Task, clause: Clause, value: Any) -> None:
        """Take in what an action of the page gave."""
        if task.page in _READERS:
            told = _told(task.page, clause, value)
            task.said = told or "I do not find that on this page"
            task.state = task.state if told else "failed"
        elif task.page in ("form", "login") and task.stage == 1:
            form = form_in(value, password=task.page == "login")
            task.queue = [form] if form else []
        elif isinstance(value, Mapping) and isinstance(value.get("did"), str):
            task.said = task.said or unmarked(value["did"])[:300]
        elif isinstance(value, Mapping) and value.get("navigated") and not task.said:
            task.said = f"opened {str(value.get('url', ''))[:300]}"

    def _act(self, task: Task, clause: Clause) -> _Act | None:
        if task.page == "scroll":
            ways = ("up", "down", "left", "right", "top", "bottom")
            way = next((word.low for word in clause.words if word.low in ways), "down")
            return "scroll", {"direction": way}, "page"
        if task.page == "search":
            return "search", {"query": described(clause.words)}, "page"
        url = next((span.value for span in clause.spans if span.kind == "url"), None)
        if url is not None:
            return "goto_url", {"url": url}, "page"
        if task.page == "open":
            link = target_of(clause, self._snapshot, frozenset({"link"}))
            if link is None:
                return self._lost(task)
            task.said = f"I opened “{link.name[:120]}”"
            return "click_link", {"pp_id": link.id}, "page"
        element = target_of(clause, self._snapshot, _CLICKED)
        return ("click", {"pp_id": element.id}, "page") if element else self._lost(task)

    def _form(self, task: Task, clause: Clause) -> _Act | None:
        if task.stage == 0:
            return "form_details", {}, "page"
        if task.stage > 1:
            return self._end(task, task.said or "the form is filled in")
        if not task.queue:
            return self._lost(task)
        card = card_of_form(task.queue[0])
        given = {tuple(path): value for _, path, value in task.given}
        filled = fill(card, clause, given=given)
        if filled.missing:
            return self._ask(task, card, [slot.path for slot in filled.missing])
        if not filled.values:
            return self._ask(task, card, [slot.path for slot in card.slots[:5]])
        send = task.page == "login" or any(word.stem in _SUBMITTING for word in clause.words)
        entries = entries_of(task.queue[0], filled.values)
        return "enter_data", {"form_data": entries, "submit": send}, "page"

    def _ask(self, task: Task, card: Card, paths: Sequence[tuple[str, ...]]) -> _Act | None:
        task.tries += 1
        if task.tries > 4:
            return self._end(task, "I stopped, since the form needs more than I know", failed=True)
        slots = [slot for slot in card.slots if slot.path in paths]
        if task.page == "login":
            # One secret at a time, so that it can be asked for as one.
            slots = slots[:1]
        self._state.asked = [slot.name for slot in slots]
        task.asked, task.asked_for = [list(slot.path) for slot in slots], card.name
        text = question(card, slots)
        summary = f"the form needs {', '.join(slot.label for slot in slots)}"
        return "communicate", {"summary": summary, "question": text}, "ask"

    def _tell(self, task: Task, clause: Clause, nothing: str) -> _Act | None:
        """End with the lines of the page that answer a question, or say that there are none."""
        lines = passages(clause, self._snapshot)
        self._end(task, " … ".join(lines) or nothing)
        task.state = "done" if lines else "failed"
        return None

    def _lost(self, task: Task) -> _Act | None:
        return self._end(task, "the page has nothing of that name", failed=True)

    def _end(self, task: Task, said: str, *, failed: bool = False) -> _Act | None:
        task.state, task.said = "failed" if failed else "done", said[:_LONGEST_SAID]
        if failed:
            self._state.stopped = task.said
        return None


def _told(intent: str, clause: Clause, value: Any) -> str:
    """Return what was read, in few words; empty if nothing of it fits."""
    if intent == "summary" and isinstance(value, Mapping):
        facts = value.get("facts")
        headings = value.get("headings")
        parts = [str(value.get("title", "")), str(value.get("page_type", ""))]
        if isinstance(headings, list):
            parts += [str(h.get("text", h) if isinstance(h, Mapping) else h) for h in headings[:8]]
        if isinstance(facts, Mapping):
            parts += [f"{name} {fact}" for name, fact in list(facts.items())[:8]]
        return "; ".join(part for part in parts if part)
    if intent == "tables" and isinstance(value, list):
        if not value:
            return "the page has no tables"
        told = []
        for table in value[:3]:
            if isinstance(table, Mapping):
                rows = table.get("rows")
                count = len(rows) if isinstance(rows, list) else 0
                headers = table.get("headers")
                names = ", ".join(map(str, headers[:10])) if isinstance(headers, list) else ""
                told.append(f"{table.get('caption') or 'a table'} ({names}; {count} rows)")
        return "; ".join(told)
    if intent == "screenshot":
        return "the picture is taken"
    lines = lines_of(value, subject_of(clause)) or (
        lines_of(value, ()) if clause.mood == "do" else []
    )
    return "\n".join(lines)[:_LONGEST_SAID]
