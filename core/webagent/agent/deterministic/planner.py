"""The planner that needs no model: it reads a goal, chooses tools, and says what comes next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from webagent.agent.deterministic.arguments import fill
from webagent.agent.deterministic.cards import Card, card_of
from webagent.agent.deterministic.clause import Clause, Goal, halves_of, joined_to
from webagent.agent.deterministic.clauses import goal_of
from webagent.agent.deterministic.greeting import asks_what_there_is
from webagent.agent.deterministic.intents import intent_of, opens_page
from webagent.agent.deterministic.matching import Match, matches
from webagent.agent.deterministic.phrasing import called
from webagent.agent.deterministic.picking import only_shows
from webagent.agent.deterministic.ranking import Ranking
from webagent.agent.deterministic.state import State, Task
from webagent.agent.deterministic.steps import Steps
from webagent.agent.deterministic.synonyms import verb_likeness
from webagent.agent.deterministic.telling import page_step, plan_text, step_text
from webagent.agent.deterministic.typos import mended, slips_in
from webagent.agent.deterministic.words import split_identifier, words_of
from webagent.agent.run import Plan, PlanStep, Run, Scene
from webagent.llm.chat import Reply
from webagent.urls import path_of

_LONGEST_GOAL = 4_000
"""Characters of a goal that are read."""
_MOST_WORDS = 300
"""Words of a goal that are read."""
_MOST_TOOLS = 1_000
"""Tools that are looked at."""
_MOST_CLAUSES = 12
_NOWHERE: Final = -1
"""What a request is merged with that asks for nothing new."""
_SURE: Final = 2.3
"""What words of the person must score to change an argument."""
_NOTES: Final = "deterministic"


def _cut(text: str) -> str:
    """Return as much of a goal as is read."""
    words = words_of(text[:_LONGEST_GOAL])
    return text[: words[_MOST_WORDS].start] if len(words) > _MOST_WORDS else text[:_LONGEST_GOAL]


class DeterministicPlanner:
    """Plans, revises and decides from the goal's words, the tools and the page alone.

    It keeps nothing but a cache: all it has to know again is in the notes of the run.
    """

    def __init__(self) -> None:
        """Start with nothing known."""
        self._tools: Sequence[Any] = ()
        self._cards: dict[str, Card] = {}
        self._ranking = Ranking(())

    async def plan(self, run: Run, scene: Scene) -> Plan:
        """Return what the goal asks for, as steps."""
        self._look(scene)
        state = self._begin(run.goal, scene)
        run.notes[_NOTES] = state.to_dict()
        return self._plan(state)

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        """Return what is left to do, changed as far as the reason asks for something else."""
        self._look(scene)
        state = self._state(run, scene)
        self._amend(state, reason, scene)
        run.notes[_NOTES] = state.to_dict()
        return self._plan(state)

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next call: of a tool, of the page, a question, or the end."""
        self._look(scene)
        state = self._state(run, scene)
        self._match_anew(state, scene)
        steps = Steps(state, self._clauses(state), self._cards, run, scene)
        reply = steps.next()
        run.notes[_NOTES] = state.to_dict()
        return reply

    def _look(self, scene: Scene) -> None:
        """Learn the tools of the page, unless they are the ones that are known."""
        if self._tools is scene.tools or list(self._tools) == list(scene.tools):
            return
        self._tools = scene.tools
        cards = [card_of(binding) for binding in list(scene.tools)[:_MOST_TOOLS]]
        # What works on another page can be gone to; what the page lacks cannot be called.
        self._cards = {card.name: card for card in cards if not card.problem or card.paths}
        self._ranking = Ranking([*self._cards.values()])

    def _state(self, run: Run, scene: Scene) -> State:
        data = run.notes.get(_NOTES)
        state = State.from_dict(data) if isinstance(data, dict) else None
        return state or self._begin(run.goal, scene)

    def _begin(self, text: str, scene: Scene) -> State:
        text = _cut(text)
        state = State(text, scene.now.isoformat())
        state.verbs = sorted({verb for card in self._cards.values() for verb in card.spoken})[:500]
        state.slips = slips_in(words_of(text), self._vocabulary())
        if asks_what_there_is(text):
            return state
        goal = self._goal(state)
        self._halve(state, goal)
        clauses = self._parts(goal, state)[:_MOST_CLAUSES]
        found = self._matches(clauses, goal)
        for index, clause in enumerate(clauses):
            other = self._other(index, clause, found)
            if other is not None:
                state.merged.append([index, other])
        gone = {index for index, _ in state.merged}
        state.place = path_of(scene.snapshot.url)
        for index, match in enumerate(found):
            if index not in gone:
                state.tasks.append(self._task(index, clauses[index], match, scene))
        return state

    def _task(self, index: int, clause: Clause, match: Match | None, scene: Scene) -> Task:
        """Return how a request is served on the page as it is."""
        task = Task(index)
        if opens_page(clause, scene.snapshot):
            task.page = "open"
        elif match is not None:
            task.tool = match.card.name
        else:
            task.page = intent_of(clause, scene.snapshot)
            task.state = "open" if task.page else "none"
        return task

    def _match_anew(self, state: State, scene: Scene) -> None:
        """Match the requests that are not begun again, as soon as another page is shown."""
        place = path_of(scene.snapshot.url)
        if place == state.place or state.stopped:
            return
        state.place = place
        clauses, goal = self._clauses(state), self._goal(state)
        found = self._matches(clauses, goal)
        for number, task in enumerate(state.tasks):
            begun = task != Task(task.clause, task.tool, task.page, task.state)
            waits = state.pending is not None and state.pending.task == number
            if task.state in ("open", "none") and not begun and not waits:
                clause = clauses[task.clause]
                state.tasks[number] = self._task(task.clause, clause, found[task.clause], scene)

    def _vocabulary(self) -> set[str]:
        found: set[str] = set()
        for card in self._cards.values():
            found.update(split_identifier(card.name))
            found.update(word.low for word in words_of(card.description[:600]))
            for slot in card.slots:
                found.update(slot.words)
                for choice in slot.choices[:50]:
                    found.update(split_identifier(str(choice)))
        return found

    def _goal(self, state: State) -> Goal:
        words = mended(words_of(state.goal), state.slips)
        return goal_of(state.goal, words, datetime.fromisoformat(state.now), state.verbs)

    def _matches(self, clauses: Sequence[Clause], goal: Goal) -> list[Match | None]:
        """Return the tool for each request; what one leaves out, the one before may say."""
        found: list[Match | None] = []
        for clause in clauses:
            earlier = next((match for match in reversed(found) if match is not None), None)
            fitting = matches(
                self._ranking, clause, goal.forbidden, earlier=earlier.card if earlier else None
            )
            found.append(fitting[0] if fitting else None)
        return found

    def _halve(self, state: State, goal: Goal) -> None:
        """Find requests for two things with one verb: another tool fits each half."""
        for index, clause in enumerate(goal.clauses[:_MOST_CLAUSES]):
            for place in range(2, len(clause.words) - 1):
                if clause.words[place - 1].low != "and" or clause.words[place].low not in (
                    "the", "my", "a", "an", "their", "its", "our", "all",
                ):  # fmt: skip
                    continue
                pair = [matches(self._ranking, half, goal.forbidden)[:1]
                        for half in halves_of(clause, place)]  # fmt: skip
                if all(pair) and pair[0][0].card is not pair[1][0].card and all(
                    one[0].evidence.covered >= 0.5 and one[0].card.reads for one in pair
                ):  # fmt: skip
                    state.halved.append([index, place])
                    break

    def _parts(self, goal: Goal, state: State) -> list[Clause]:
        places: dict[int, int] = {entry[0]: entry[1] for entry in state.halved}
        parts: list[Clause] = []
        for index, clause in enumerate(goal.clauses):
            if index in places:
                parts += halves_of(clause, places[index])
            else:
                parts.append(clause)
        return parts

    def _other(self, index: int, clause: Clause, found: Sequence[Match | None]) -> int | None:
        """Return the request to which this one only adds, if it asks for nothing of its own."""
        before = next((i for i in range(index - 1, -1, -1) if found[i] is not None), None)
        if found[index] is None:
            earlier = found[before] if before is not None else None
            about = earlier.card.slots if earlier is not None else ()
            named = any(clause.verb in slot.stems for slot in about)
            if (clause.verb and not named) or len(found) < 2:
                return None
            after = next((i for i in range(index + 1, len(found)) if found[i] is not None), None)
            return before if before is not None else after
        if before == index - 1:
            match, earlier = found[index], found[before]
            if match and earlier and match.card is earlier.card and match.card.reads and not (
                match.filled.fits or earlier.filled.fits
            ):  # fmt: skip
                return _NOWHERE
        if before is not None and only_shows(clause):
            match, earlier = found[index], found[before]
            if (
                match is not None
                and earlier is not None
                and match.card.reads
                and not match.filled.fits
                and (match.filled.missing or match.card.verb != clause.verb)
                and not self._wants_it(clause, match, found[:index])
            ):
                return _NOWHERE
        return None

    def _wants_it(self, clause: Clause, match: Match, earlier: Sequence[Match | None]) -> bool:
        """Whether `show it` means a tool of its own, and not what was shown already."""
        said = [word.low for word in clause.words]
        fresh = all(one is None or one.card is not match.card for one in earlier)
        return fresh and "it" in said and "says" not in said

    def _clauses(self, state: State) -> list[Clause]:
        clauses = self._parts(self._goal(state), state)
        for index, other in state.merged:
            if other == _NOWHERE:
                continue
            clauses[other] = joined_to(clauses[other], clauses[index])
        return clauses

    def _amend(self, state: State, reason: str, scene: Scene) -> None:
        """Take the words of the person into account, if there are any.

        What surprises the driver names tools and pages in backticks; of that the steps find out.
        """
        if not reason.strip() or "`" in reason:
            return
        other = self._begin(reason, scene)
        goal = self._goal(other)
        asked = [task for task in other.tasks if task.state == "open"]
        if any(self._clauses(other)[task.clause].verb for task in asked):
            state.replace(other)
            return
        changed = False
        for task in state.tasks:
            card = self._cards.get(task.tool)
            if task.state != "open" or card is None:
                continue
            if any(verb_likeness(verb, card.verb) >= 0.75 for verb in goal.forbidden):
                task.state, task.said, changed = "done", f"I left out to {called(card)}", True
                continue
            for clause in goal.clauses:
                bare = replace(clause, verb="", verb_words=frozenset())
                for fit in fill(card, bare).fits:
                    if fit.score >= _SURE:
                        task.given.append([card.name, list(fit.slot.path), fit.value])
                        changed = True
        if not changed:
            state.stopped = f"I stopped, since you said “{reason[:200]}”"
            for task in state.tasks:
                task.state = "failed" if task.state == "open" else task.state

    def _plan(self, state: State) -> Plan:
        clauses = self._clauses(state)
        steps = []
        for task in state.tasks:
            if task.state != "open":
                continue
            card, clause = self._cards.get(task.tool), clauses[task.clause]
            if task.page:
                steps.append(page_step(task.page, clause))
                continue
            effect = card.effect if card else ""
            steps.append(PlanStep(step_text(clause), "call_tool", task.tool, effect))
        text = plan_text(state, steps)
        if not steps:
            # To say something needs nobody's yes.
            steps = [PlanStep(text.removeprefix("I will ").rstrip("."), "finish", "", "read")]
        return Plan(text, tuple(steps))
