"""One step after another through the requests of a goal: find, ask, call, tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webagent.agent.deterministic import telling
from webagent.agent.deterministic.answers import take_answer
from webagent.agent.deterministic.arguments import Filled, fill
from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.chaining import asked_of, finders
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.describing import (
    bounds_of,
    described_by,
    given_for,
    is_queried,
    is_reference,
    searched_by,
)
from webagent.agent.deterministic.greeting import asks_what_there_is, what_there_is
from webagent.agent.deterministic.pages import PageSteps
from webagent.agent.deterministic.phrasing import called, currency_in
from webagent.agent.deterministic.picking import Pick, Picked, choose, pick_of
from webagent.agent.deterministic.recall import is_field, is_named, looked_for, said_before
from webagent.agent.deterministic.results import items_of, value_for
from webagent.agent.deterministic.showing import link_to
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.state import Found, Pending, State, Task
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import is_noun
from webagent.agent.deterministic.words import Word, split_identifier
from webagent.agent.run import Run, Scene
from webagent.llm.chat import Reply, ToolCall
from webagent.page.values import decode, is_pending
from webagent.registry.secrets import is_secret

_MOST_FINDERS = 2
_MOST_CALLS = 20
"""Calls for one request: `each of them`."""
_MOST_TRIES = 3
_BUYING: Final = frozenset(map(stem, ("buy", "order", "add", "purchase", "checkout", "put")))
_Path = tuple[str, ...]


class Steps:
    """Decides what comes next in one scene."""

    def __init__(
        self,
        state: State,
        clauses: Sequence[Clause],
        cards: Mapping[str, Card],
        run: Run,
        scene: Scene,
    ) -> None:
        self._state = state
        self._clauses = clauses
        self._cards = cards
        self._run = run
        self._scene = scene
        self._page = PageSteps(state, scene.snapshot)

    def next(self) -> Reply:
        """Return the next call."""
        self._absorb()
        for task in self._state.tasks:
            if self._state.stopped:
                break
            if task.state == "open" and (reply := self._step(task)):
                return reply
        return self._finish()

    # What came of the last call

    def _absorb(self) -> None:
        pending = self._state.pending
        if pending is None:
            return
        done = next((d for d in reversed(self._run.done()) if d.call.id == pending.id), None)
        self._state.pending = None
        if done is None:
            self._state.stopped = "what I asked for last was not done"
            return
        task = self._state.tasks[pending.task]
        if pending.role == "ask":
            take_answer(self._state, task, self._cards, done)
        elif done.error is not None:
            self._failed(task, pending, done.error)
        elif pending.role in ("call", "find"):
            if pending.role == "call" and is_pending(done.value):
                filled = decode(done.value)
                task.state = "done"
                task.said = telling.filled_in(self._called(task.tool), filled)
                # Whoever has to send the form must find it as it was filled in.
                self._state.shown = True
                return
            self._succeeded(task, pending, decode(done.value))
        elif pending.role == "page":
            task.stage += 1
            self._page.absorb(task, self._clauses[task.clause], decode(done.value))

    def _failed(self, task: Task, pending: Pending, error: Mapping[str, str]) -> None:
        kind, message = error.get("kind", ""), error.get("message", "")
        if pending.role == "show":
            return
        task.state = "failed"
        if kind == "denied":
            task.said = (
                f"I did not {self._called(pending.tool)}: {message}" if pending.tool else message
            )
        elif kind == "navigated":
            task.said = f"the page was left before I knew whether to {self._called(pending.tool)} worked: look first"
        else:
            task.said = f"to {self._called(pending.tool)} did not work: {message}"
        self._state.stopped = task.said

    def _succeeded(self, task: Task, pending: Pending, value: Any) -> None:
        card = self._cards.get(pending.tool)
        found = Found(pending.task, pending.tool, value, reads=card is None or card.reads)
        done = self._run.done()[-1].call.arguments.get("arguments")
        found.given = dict(done) if isinstance(done, Mapping) else {}
        if card is not None and pending.role == "call":
            clause = self._clauses[task.clause]
            filled = fill(card, clause, given=given_for(task, card.name))
            if card.reads:
                found.soft = is_queried(filled)
                found.focus = self._focus(filled, clause, value)
            task.said = telling.outcome(
                card, value, found.focus, task.picked, self._currency(value)
            )
            if task.remark:
                task.said += f" ({task.remark})"
            if not task.queue:
                task.state = "done"
        elif card is None and pending.role == "call":
            # The call has led to a page without this tool.
            task.state, task.said = "done", telling.led_to(self._called(task.tool), value)
        self._state.remember(found)

    def _called(self, tool: str) -> str:
        """Return a tool in words."""
        card = self._cards.get(tool)
        return called(card) if card is not None else " ".join(split_identifier(tool))

    def _focus(self, filled: Filled, clause: Clause, value: Any) -> list[int]:
        """Return which things of a result a request was about."""
        items = items_of(value)
        spans = bounds_of(clause, filled.used)
        pick = pick_of(clause)
        if pick.used & filled.used:
            pick = Pick()
        about = (
            searched_by(filled, items) if is_queried(filled) else described_by(filled, pick, clause)
        )
        about = tuple(w for w in about if w.is_capital or not is_noun(w.stem))
        picked = choose(items, pick, about, spans)
        if not picked.items and about:
            picked = choose(items, pick, (), spans)
        if not picked.items:
            return [-1] if items and spans else []
        if len(picked.items) == len(items) and not pick.order:
            return []
        return [index for item in picked.items for index, one in enumerate(items) if one is item]

    # What comes next for a request

    def _step(self, task: Task) -> Reply | None:
        if task.page:
            act = self._page.next(task, self._clauses[task.clause])
            return self._reply(task, *act) if act is not None else None
        card = self._cards.get(task.tool)
        if card is None:
            self._give_up(task, f"this page cannot {self._called(task.tool)} any more")
            return None
        if card.problem and card.paths and not task.stage:
            task.stage = 1
            url = card.paths[0].split("*")[0].rstrip("/") or "/"
            return self._reply(task, "goto_url", {"url": url}, "move")
        if task.queue:
            return self._call(task, card, task.queue.pop(0))
        clause = self._clauses[task.clause]
        filled = fill(card, clause, given=given_for(task, card.name))
        for slot in self._open_ids(card, filled, clause):
            its = any(word.low in ("its", "it") for word in clause.words)
            value = None
            if its or not pick_of(clause).chooses:
                value = said_before(self._state, slot, task)
            if value is not None:
                filled.values[slot.path] = value
                filled.missing = [s for s in filled.missing if s is not slot]
                continue
            result = self._resolve(task, card, slot, clause, filled)
            if isinstance(result, Reply):
                return result
            if result is None:
                if task.state != "open":
                    return None
                continue
            filled.values[slot.path] = result[0]
            filled.missing = [s for s in filled.missing if s is not slot]
            for more in result[1:_MOST_CALLS]:
                other = dict(filled.values) | {slot.path: more}
                task.queue.append(Filled(card, other).arguments())
        for slot in tuple(filled.missing):
            if (value := said_before(self._state, slot, task)) is not None:
                filled.values[slot.path] = value
                filled.missing.remove(slot)
        if filled.missing:
            return self._ask(task, card, filled.missing)
        arguments = filled.arguments()
        for slot, more in filled.also:
            for value in more[:_MOST_CALLS]:
                task.queue.append(
                    Filled(card, dict(filled.values) | {slot.path: value}).arguments()
                )
        return self._call(task, card, arguments)

    def _open_ids(self, card: Card, filled: Filled, clause: Clause) -> list[Slot]:
        """Return the slots that an earlier result could fill."""
        needed = [
            slot
            for slot in filled.missing
            if is_reference(slot) or is_field(self._state, slot, clause)
        ]
        if needed or any("id" in fit.slot.kinds for fit in filled.fits):
            return needed
        pick = pick_of(clause)
        if (pick.refers or pick.chooses) and self._state.results:
            missing = {slot.path for slot in filled.missing}
            ids = [s for s in card.slots if "id" in s.kinds and s.path not in filled.values
                   and s.path not in missing]  # fmt: skip
            named = [s for s in card.slots if s.words[-1:] in (("name",), ("title",))
                     and s.path not in filled.values]  # fmt: skip
            return (ids if not card.reads else [])[:1] or named[:1]
        return []

    def _resolve(
        self, task: Task, card: Card, slot: Slot, clause: Clause, filled: Filled
    ) -> list[Any] | Reply | None:
        """Return values from what was found, a call that finds it, or None: ask the person."""
        pick = pick_of(clause)
        about = said = described_by(filled, pick, clause)
        if task.finders:
            left = tuple(word for word in about if word.low in task.words)
            about = left or looked_for(self._state, about)
        spans = bounds_of(clause, filled.used)
        picked = self._from_results(task, card, slot, pick, about, spans, clause)
        if picked is not None:
            values, question = picked
            if values is not None:
                items = items_of(self._state.results[-1].value) if task.finders else []
                chosen = [i for i in items if value_for(slot, i, card.subject) in values]
                if card.reads or pick.chooses or not chosen or is_named(said, chosen):
                    return values
                question = telling.which(slot, chosen)
            if question:
                return self._question(task, card, [slot], question)
            return None
        if len(task.finders) < _MOST_FINDERS and not (pick.refers and self._state.results):
            for finder in finders([*self._cards.values()], card, slot, clause):
                if finder.name in task.finders:
                    continue
                known = given_for(task, finder.name)
                asked, words = asked_of(finder, clause, filled, known)
                if asked.missing:
                    if known or any(fit.score >= 2.3 for fit in asked.fits):
                        return self._ask(task, finder, asked.missing) or None
                    continue
                task.finders.append(finder.name)
                task.words = [word.low for word in words]
                return self._call(task, finder, asked.arguments(), role="find")
        return None

    def _from_results(
        self, task: Task, card: Card, slot: Slot, pick: Pick, about: Sequence[Word],
        spans: Sequence[Span], clause: Clause,
    ) -> tuple[list[Any] | None, str] | None:  # fmt: skip
        """Return values that earlier results have, or a question; None if they have nothing."""
        mine = bool(task.finders)
        for found in reversed(self._state.results):
            own = found.task == self._state.tasks.index(task)
            if not own and not (pick.refers or pick.chooses or about or not mine):
                continue
            items = items_of(found.value)
            if found.focus == [-1]:
                task.state, task.said = "failed", "nothing that was found is what you asked for"
                self._state.stopped = task.said
                return None, ""
            focused = [items[i] for i in found.focus if 0 <= i < len(items)]
            if focused and not own and not (found.soft and pick.chooses):
                items = focused
            giving = [item for item in items if value_for(slot, item, card.subject) is not None]
            latest = found is self._state.results[-1]
            if latest and found.reads and not items and (pick.chooses or pick.refers):
                self._give_up(task, "I stopped, since nothing was found")
                return None, ""
            if not giving:
                if own and not items:
                    task.state = "failed"
                    task.said = f"I found nothing for “{clause.text[:120]}”"
                    self._state.stopped = task.said
                    return None, ""
                continue
            buying = clause.verb in _BUYING or card.verb in _BUYING
            picked = choose(giving, pick, about, spans, in_stock=buying)
            if not picked.items:
                if own or not about:
                    task.state, task.said = "failed", f"I stopped: {picked.why}"
                    self._state.stopped = task.said
                    return None, ""
                continue
            return self._values(picked, slot, pick, card, task)
        return None

    def _values(
        self, picked: Picked, slot: Slot, pick: Pick, card: Card, task: Task
    ) -> tuple[list[Any] | None, str]:
        values = [value_for(slot, item, card.subject) for item in picked.items]
        if len(values) == 1 or pick.every or slot.is_list:
            currency = next((c for c in map(self._currency, picked.items) if c), "")
            task.picked = "; ".join(telling.named(item, currency) for item in picked.items[:5])
            task.remark = picked.why
        if slot.is_list:
            return [values], ""
        if len(values) == 1 or pick.every:
            return values, ""
        return None, telling.which(slot, picked.items)

    def _currency(self, value: Any) -> str:
        """Return the currency of the sums in a result: its own, or the only one of the site."""
        if own := currency_in(value):
            return own
        known = {card.currency for card in self._cards.values() if card.currency}
        return known.pop() if len(known) == 1 else ""

    def _call(
        self, task: Task, card: Card, arguments: Mapping[str, Any], role: str = "call"
    ) -> Reply:
        call = {"name": card.name, "arguments": dict(arguments)}
        return self._reply(task, "call_tool", call, role, card.name)

    def _ask(self, task: Task, card: Card, missing: Sequence[Slot]) -> Reply | None:
        # A secret is asked for alone, so that only its answer is kept secret.
        plain = [slot for slot in missing if not is_secret("".join(slot.words))]
        missing = plain or missing[:1]
        return self._question(task, card, missing, telling.question(card, missing))

    def _question(self, task: Task, card: Card, slots: Sequence[Slot], text: str) -> Reply | None:
        task.tries += 1
        names = [slot.name for slot in slots]
        self._state.asked = names
        if task.tries > _MOST_TRIES:
            self._give_up(task, f"I stopped, since I still need {', '.join(names)}")
            return None
        task.asked = [list(slot.path) for slot in slots]
        task.asked_for = card.name
        summary = f"I need {', '.join(slot.label for slot in slots)} to go on"
        return self._reply(task, "communicate", {"summary": summary, "question": text}, "ask")

    def _give_up(self, task: Task, said: str) -> None:
        task.state, task.said = "failed", said
        self._state.stopped = said

    def _changed_place(self) -> int | None:
        """Return the number of the link that shows what was changed last: `Basket`."""
        done = [task for task in self._state.tasks if task.tool and task.state == "done"]
        card = self._cards.get(done[-1].tool) if done else None
        if self._state.shown or self._state.stopped or card is None or card.reads:
            return None
        results = self._state.results
        return link_to(card, self._scene.snapshot, results[-1].value if results else None)

    def _reply(
        self, task: Task, action: str, arguments: Mapping[str, Any], role: str, tool: str = ""
    ) -> Reply:
        self._state.calls += 1
        call = ToolCall(f"{self._run.id}-{self._state.calls}", action, arguments)
        number = self._state.tasks.index(task) if task in self._state.tasks else 0
        self._state.pending = Pending(call.id, number, role, tool)
        return Reply(calls=(call,))

    def _finish(self) -> Reply:
        tasks = self._state.tasks
        if (link := self._changed_place()) is not None:
            self._state.shown = True
            reply = self._reply(tasks[-1], "click_link", {"pp_id": link}, "show")
            return replace(reply, text="show what was changed")
        said = [task.said for task in tasks if task.said]
        said += [
            telling.nothing_for(self._clauses[task.clause])
            for task in tasks
            if task.state == "none"
        ]
        greeted = asks_what_there_is(self._state.goal) and not tasks
        if greeted:
            said.append(what_there_is([*self._cards.values()]))
        elif not tasks:
            said.append("I do not understand what to do: say what you want to find or change")
        success = greeted or (bool(tasks) and all(task.state == "done" for task in tasks))
        arguments: dict[str, Any] = {"text": ". ".join(said) or "done", "success": success}
        if self._state.results:
            arguments["data"] = self._state.results[-1].value
        self._state.calls += 1
        call = ToolCall(f"{self._run.id}-{self._state.calls}", "finish", arguments)
        return Reply(calls=(call,))
