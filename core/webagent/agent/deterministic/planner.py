"""The planner that needs no model: it reads a goal, chooses tools, and says what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from itertools import islice, pairwise
from typing import Any, Final

from webagent.agent.deterministic.amendments import Amendments
from webagent.agent.deterministic.candidates.decision import (
    asks_for,
    form_features,
    is_told,
    takes_down,
)
from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.leftovers import has_begun
from webagent.agent.deterministic.candidates.ranking import Candidate, Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords, tools_of
from webagent.agent.deterministic.candidates.verbs import opposites, undoes
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.conversation import (
    Conversation,
    behind_asides,
    is_answer,
    recall,
)
from webagent.agent.deterministic.findings import name_of_id
from webagent.agent.deterministic.pages import (
    PageIntent,
    PageTask,
    asks_what_there_is,
    closed,
    intent_of,
    only_fills_in,
    spelled,
    things_on,
)
from webagent.agent.deterministic.parts import Part, each_named, likelihood_of, requests_of
from webagent.agent.deterministic.phrases import closes, points
from webagent.agent.deterministic.questions import (
    about_texts,
    about_thing,
    asks_to_tell,
    searches_texts,
)
from webagent.agent.deterministic.reading.language import clear_language, detect, language
from webagent.agent.deterministic.references import give, stands_for
from webagent.agent.deterministic.selection import offer_moved, offer_taken
from webagent.agent.deterministic.state import State, Task
from webagent.agent.deterministic.steps import Steps
from webagent.agent.deterministic.wording import doing, on_page, plan_text, planned, requested
from webagent.agent.run import Plan, PlanStep, Run, Scene
from webagent.llm.chat import Reply
from webagent.page.snapshot import Snapshot
from webagent.registry.binding import ToolSource
from webagent.speech import Speech, is_said, say, speaking, speech, spoken
from webagent.urls import path_of

_LONGEST_GOAL: Final = 4_000
_MOST_TOOLS: Final = 1_000
_NOTES: Final = "deterministic"
_CLEAR_VERB: Final = 0.7
"""How well the verb of a goal has to agree with that of a call to leave no doubt."""
_SAID: Final = 0.3
"""How well a verb has to agree for a change to be called without a question."""
_LEVEL: Final = 0.02
"""Two tools that differ by less are equally good."""
_CLOSE: Final = 1.0
"""How much better than another tool the best one may be where both are offered."""
_AMENDED: Final = 0.7
"""How well a value has to fit that changes a plan."""


def _rivals(candidates: Sequence[Candidate], likely: float) -> list[str]:
    """Return the tools between which a part of a goal does not decide; the first is the likelier."""
    best = candidates[0]
    other = next((one for one in candidates[1:] if one.tool.name != best.tool.name), None)
    level = other is not None and best.score - other.score < _LEVEL
    given = best.filled.fits or best.filled.groups
    verbless = not best.tool.reads and not given and best.features["verb"] < _SAID
    if (
        not level
        and not verbless
        and likely >= weights("thresholds")["reads" if best.tool.reads else "writes"]
    ):
        return []
    others = (one.tool.name for one in candidates[1:] if one.tool.name != best.tool.name and best.score - one.score < _CLOSE)  # fmt: skip
    return [best.tool.name, *islice(others, 1)]


def _speech_of(state: State) -> Speech | None:
    """Return the language of the replies, where it is not the one that is spoken anyway."""
    own = state.replies
    return speech(own) if own and own != spoken().code else None


class DeterministicPlanner:
    """Plans, revises and decides from the goal's words, the tools and the page alone.

    It keeps nothing but a cache: all it has to know again is in the notes of the run.
    """

    def __init__(self) -> None:
        """Start with nothing known."""
        self._tools: Sequence[Any] = ()
        self._snapshot: Snapshot | None = None
        self._known: Sequence[ToolWords] = ()
        self._closed: Sequence[ToolWords] = ()
        self._words: dict[str, ToolWords] = {}
        self._ranking = Ranking(())

    async def plan(self, run: Run, scene: Scene) -> Plan:
        """Return what the goal asks for, as steps."""
        self._look(scene)
        state = self._begin(run.goal, scene)
        run.notes[_NOTES] = state.to_dict()
        with speaking(_speech_of(state)):
            return self._plan(state)

    async def revise(self, run: Run, scene: Scene, reason: str) -> Plan:
        """Return what is left to do, changed as far as the reason asks for something else."""
        self._look(scene)
        state = self._state(run, scene)
        # What surprises the driver names tools and pages in backticks; of that the steps find out.
        with speaking(_speech_of(state)):
            if reason.strip() and "`" not in reason:
                state = self._amended(state, reason, scene)
            run.notes[_NOTES] = state.to_dict()
            return self._plan(state)

    async def next(self, run: Run, scene: Scene) -> Reply:
        """Return the next call: of a tool, of the page, a question, or the end."""
        self._look(scene)
        state = self._state(run, scene)
        self._match_anew(state, scene)
        sentence = self._ranking.mended(
            Sentence.read(state.goal, datetime.fromisoformat(state.now), language(state.language))
        )
        with speaking(_speech_of(state)):
            reply = Steps(state, sentence, self._words, run, scene).next()
        run.notes[_NOTES] = state.to_dict()
        return reply

    def _look(self, scene: Scene) -> None:
        """Learn the tools of the page, unless they are the ones that are known."""
        same = self._tools is scene.tools or list(self._tools) == list(scene.tools)
        if same and self._snapshot is scene.snapshot:
            return
        if not same:
            self._known = tools_of(scene.tools[:_MOST_TOOLS])
        self._tools, self._snapshot = scene.tools, scene.snapshot
        known = [closed(tool, self._known, scene.snapshot) for tool in self._known]
        if same and known == self._closed:
            return
        self._closed = known
        # What works on another page can be gone to; what the page lacks cannot be called.
        self._words = {tool.name: tool for tool in known if not tool.problem or tool.paths}
        self._ranking = Ranking([*self._words.values()])

    def _state(self, run: Run, scene: Scene) -> State:
        data = run.notes.get(_NOTES)
        state = State.from_dict(data) if isinstance(data, dict) else None
        return state or self._begin(run.goal, scene)

    def _begin(self, text: str, scene: Scene) -> State:
        names = things_on(scene.snapshot)
        text = self._ranking.parted(spelled(text[:_LONGEST_GOAL], names))
        read = detect(text)
        if scene.earlier and not any(read.key(word) in read.stop for word in text.split()):
            # Words that say nothing of their language are in that of the goal before: `mejor solo uno`.
            read = detect(f"{scene.earlier[-1].goal} {text}")
        # Where English is spoken anyway, it does not matter whether the goal is clearly English.
        says = read.code != "en" or (not spoken().is_english and clear_language(text, 1) == "en")
        state = State(
            text,
            scene.now.isoformat(),
            place=path_of(scene.snapshot.url),
            language=read.code,
            replies=read.code if says else "",
        )
        sentence = self._ranking.mended(Sentence.read(text, scene.now, read))
        if scene.earlier and (rest := behind_asides(sentence)) != text:
            state.goal = text = rest
            sentence = self._ranking.mended(Sentence.read(text, scene.now, read))
        with speaking(_speech_of(state)):
            return self._understood(state, sentence, scene)

    def _understood(self, state: State, sentence: Sentence, scene: Scene) -> State:
        """Return the state with what its goal asks for, as tasks."""
        text = state.goal
        if asks_what_there_is(sentence):
            state.greeted = True
            return state
        if is_answer(sentence, scene.earlier):
            *before, asked = scene.earlier
            state = self._begin(asked.goal, replace(scene, earlier=before))
            state.answer = text
            for task in state.tasks:
                if len(task.rivals) == 1 and not is_said("shall_i", asked.question):
                    # That was settled before the question.
                    task.rivals = []
            return state
        if closes(sentence):
            state.closed = True
            return state
        words, ranking = self._words, self._ranking
        if only_fills_in(sentence):
            words = {name: tool for name, tool in words.items() if tool.effect != "irreversible"}
            ranking = Ranking([*words.values()])
        recall(state, scene.earlier, words)
        talk = Conversation(sentence, state, words)
        if moved := offer_moved(sentence, state, words):
            state.tasks.append(moved)
            return state
        if changed := Amendments(sentence, state, scene.earlier, words).amended():
            state.tasks.append(changed)
            return state
        if booked := offer_taken(sentence, state, words, talk.calls()):
            state.tasks.append(booked)
            return state

        # A form that is a tool says itself what it takes.
        forms = [
            tool.name for tool in scene.tools
            if tool.source is ToolSource.FORM and not tool.problem and tool.name in words
        ]  # fmt: skip

        def on_page(first: int, end: int) -> PageIntent | None:
            intent = intent_of(sentence, first, end, scene.snapshot)
            return None if intent and intent.name == "form" and len(forms) > 1 else intent

        for part in requests_of(sentence, ranking, on_page, talk.calls()):
            if forms and part.intent and part.intent.name == "form":
                state.tasks.append(Task(part.first, part.end, forms[0]))
                continue
            found = _served(sentence, part, talk, words, scene)
            if found is not None and not self._is_reason(sentence, found, state.tasks):
                state.tasks += each_named(sentence, found, words)
        self._doubt_halves(state.tasks, sentence)
        self._doubt_withdrawn(state.tasks, sentence)
        return state

    def _is_reason(self, sentence: Sentence, task: Task, before: Sequence[Task]) -> bool:
        """Whether a part that would be asked about only says why something is wished: `cancel it, she is moving to Lille`."""
        tool = self._words.get(task.tool)
        if not before or before[-1].rivals or before[-1].state != "open" or not task.rivals:
            return False
        form = form_features(sentence, task.first, task.end)
        return bool(tool and is_told(form))

    def _doubt_withdrawn(self, tasks: Sequence[Task], sentence: Sentence) -> None:
        """Ask before a change if the goal seems to take it back: `cancel it … no wait, never mind`."""
        for task in tasks:
            tool = self._words.get(task.tool)
            if tool is not None and not tool.reads and sentence.is_withdrawn(task.first):
                task.rivals = task.rivals or [task.tool]

    def _doubt_halves(self, tasks: Sequence[Task], sentence: Sentence) -> None:
        """Ask before a change if the words beside it gave values that were not understood."""
        for before, after in pairwise(tasks):
            joined = (
                before.end == after.first and sentence.tokens[before.end - 1].text not in ".!?;\n"
            )
            for lost, task in ((before, after), (after, before)):
                tool = self._words.get(task.tool)
                if not joined or lost.state != "none" or tool is None or tool.reads or task.state != "open":  # fmt: skip
                    continue
                if any(lost.first <= value.first < lost.end for value in sentence.values):
                    task.rivals = task.rivals or [task.tool]

    def _match_anew(self, state: State, scene: Scene) -> None:
        """Match what is not begun yet again, as soon as another page is shown."""
        place = path_of(scene.snapshot.url)
        if place == state.place or state.stopped:
            return
        state.place = place
        waits = state.pending.task if state.pending else -1
        begun = [
            number for number, task in enumerate(state.tasks)
            if number == waits or task.state in ("done", "failed") or task.given or task.queue or task.finders or task.tries or task.stage
        ]  # fmt: skip
        kept = state.tasks[: max(begun, default=-1) + 1]
        end = max((task.end for task in kept), default=0)
        fresh = [task for task in self._begin(state.goal, scene).tasks if task.first >= end]
        if fresh or not state.tasks[len(kept) :]:
            state.tasks = [*kept, *fresh]

    def _amended(self, state: State, reason: str, scene: Scene) -> State:
        """Take the words with which a plan was rejected into account: another goal, or other values."""
        other = self._begin(reason, scene)
        said = Sentence.read(reason[:_LONGEST_GOAL], scene.now)
        orders = any(
            task.state == "open" and any(task.first <= i < task.end for i in said.orders)
            for task in other.tasks
        )
        if orders:
            return other
        changed = False
        for task in state.tasks:
            tool = self._words.get(task.tool)
            if task.state != "open" or tool is None:
                continue
            for fit in fill(tool, said, 0, len(said.tokens)).fits:
                if fit.score >= _AMENDED and not fit.poured and not fit.is_name:
                    task.given.append([[*fit.parameter.path], fit.value])
                    task.rivals, changed = [], True
        if not changed:
            state.stopped = say("stopped_as_said", words=reason[:200])
            for task in state.tasks:
                task.state = "failed" if task.state == "open" else task.state
        return state

    def _plan(self, state: State) -> Plan:
        now = datetime.fromisoformat(state.now)
        sentence = Sentence.read(state.goal, now, language(state.language))
        steps, parts = [], []
        for task in state.tasks:
            if task.state != "open":
                continue
            text = requested(sentence, task.first, task.end)
            if task.page:
                intent = task.page["intent"]
                effect = "" if intent in ("form", "login", "click") else "read"
                steps.append(PlanStep(text, "", "", effect))
                parts.append(on_page(intent, text))
                continue
            tool = self._words.get(task.tool)
            if tool is None:
                steps.append(PlanStep(text, "call_tool", task.tool))
                parts.append(doing(tool, task.tool))
                continue
            filled = fill(tool, sentence, task.first, task.end)
            give(filled, task.given)
            steps.append(PlanStep(text, "call_tool", task.tool, tool.effect, _final(task, filled)))
            shown = replace(filled, fits=[_with_name(fit, state) for fit in filled.fits])
            parts.append(planned(tool, shown))
        if not steps:
            # To say something needs nobody's yes.
            step = PlanStep(say("what_i_can"), "finish", "", "read")
            is_found = any(task.state == "done" for task in state.tasks)
            if state.closed:
                return Plan(say("say_answer"), (step,))
            return Plan(say("say_what_i_found" if is_found else "say_what_i_can"), (step,))
        return Plan(plan_text(parts), tuple(steps))


def _with_name(fit: Fit, state: State) -> Fit:
    """Return an argument as the person reads it: the name of the thing in place of its id."""
    name = name_of_id(state, {"id": fit.value}) if fit.parameter.names_thing else ""
    return replace(fit, value=name, is_name=True) if name else fit


def _final(task: Task, filled: Filled) -> dict[str, Any] | None:
    """Return the arguments of a call, if nothing has to be found or asked for before it."""
    open_ = (
        task.rivals or task.choices or task.queue or filled.missing or filled.unsure or filled.also
    )
    found_later = any(fit.is_name or fit.poured for fit in filled.fits)
    return None if open_ or found_later else dict(filled.arguments())


def _may_be_settled(sentence: Sentence, part: Part, form: Mapping[str, float]) -> bool:
    """Whether a call is surely meant if there is a thing of the name that it takes."""
    if not any(fit.is_name for fit in part.candidates[0].filled.fits) or form["negated"]:
        return False
    if (form["statement"] or form["past"]) and not (form["wanting"] or form["polite"]):
        return False
    return not _rivals(part.candidates, likelihood_of(sentence, part, if_found=True))


def _only_when(sentence: Sentence, best: Candidate) -> bool:
    """Whether only a day that has begun speaks for a change: `the tulips are gorgeous this year`."""
    days = [sentence.in_value[min(fit.tokens)] for fit in best.filled.fits if fit.tokens]
    says = best.tool.reads or best.features["verb"] >= _CLEAR_VERB or not days
    return not says and all(day is not None and has_begun(sentence, day) for day in days)


def _is_forbidden(sentence: Sentence, best: Candidate) -> bool:
    """Whether the goal says not to do what a call would do, or to leave it as it is."""
    if best.tool.reads:
        return False
    denied = sentence.denied_verbs
    return bool((denied | opposites(denied)) & best.tool.verbs)


def _is_other_deed(sentence: Sentence, part: Part) -> bool:
    """Whether an order and its noun are an expression of which what takes away knows only the verb: `delete my account`."""
    tool = part.candidates[0].tool
    orders = [sentence.verbs[i] for i in sentence.orders if part.first <= i < part.end]
    return undoes(tool.verbs, tool.described) and any(
        sentence.is_noun(i) and sentence.verbs[i] & said and not sentence.tokens[i].glosses & (tool.words.keys() | tool.verbs)
        for said in orders for i in range(part.first, part.end) if i not in sentence.orders
    )  # fmt: skip


def _served(
    sentence: Sentence, part: Part, talk: Conversation, words: Mapping[str, ToolWords], scene: Scene
) -> Task | None:
    """Return how a part of a goal is served: by what is known, by a call, or by the page; None if it asks for nothing."""
    place = part.first, part.end
    told, tells = talk.told(*place), asks_to_tell(sentence, *place)
    if told and not tells:
        return told
    closer = talk.details(*place)
    if closer and points(sentence, *place):
        return closer
    found = told or talk.taken(*place) or _task(sentence, part)
    tool = words.get(found.tool) if found else None
    intent = part.intent.name if part.intent and not part.intent.of_page else ""
    if not _keeps_bounds(sentence, part, found) and (_is_unserved(found) or (tool and tool.reads) or tells or intent in ("read", "about")):  # fmt: skip
        # What a page is about it says itself.
        own = "" if part.intent and part.intent.name == "about" else scene.snapshot.url
        about = about_thing(
            sentence, *place, [*words.values()], things_on(scene.snapshot), partial(talk.thing, place, own),
            follows=bool(scene.earlier) and talk.asks_of_one(place),
        )  # fmt: skip
        found = about or found
    if _is_unserved(found) or (found and found.rivals and not found.unless_found):
        found = closer or found
    searches = tool and searches_texts(tool)
    if _is_unserved(found) or (found and found.rivals) or searches or intent in ("read", "author"):
        found = about_texts(sentence, *place, [*words.values()]) or found
    best = [part.best.tool.name] if part.best else []
    unsure = best if _is_unserved(found) else found.rivals if found else []
    if meant := talk.settled(unsure, place):
        return Task(*place, meant, given=found.given if found else [])
    return found


def _keeps_bounds(sentence: Sentence, part: Part, found: Task | None) -> bool:
    """Whether a sure call takes the bounds that a question gives: `massages for up to 80 euros`."""
    best = part.best
    if found is None or best is None or found.tool != best.tool.name or found.rivals:
        return False
    bounds = any(v.bound for v in sentence.values_in(part.first, part.end))
    return bounds and not best.features["unused"]


def _is_unserved(found: Task | None) -> bool:
    return found is None or found.state == "none"


def _task(sentence: Sentence, part: Part) -> Task | None:
    """Return how a part of a goal is served; None if it asks for nothing."""
    if part.intent is not None:
        page = PageTask.begin(part.intent, part.first, part.end)
        return Task(part.first, part.end, page=asdict(page))
    form = form_features(sentence, part.first, part.end)
    explains = (form["why"] or form["meaning"]) and not form["own"]
    barred = part.candidates and (
        _is_forbidden(sentence, part.candidates[0]) or _is_other_deed(sentence, part)
    )
    if part.candidates and not explains and not barred:
        likely, limits = likelihood_of(sentence, part), weights("thresholds")
        best = part.candidates[0]
        settled = _may_be_settled(sentence, part, form)
        # What is ordered with a name is not sure before the name is found, and nothing without it.
        tells = form["statement"] or form["subject"] or form["past"]
        ordered = form["order"] or form["wanting"] or (form["polite"] and not tells)
        alone = form["whole"] and not stands_for(sentence, (part.first, part.end))
        sought = settled and ordered and alone and likely < limits["asks"]
        if likely >= limits["asks"] or sought:
            rivals = _rivals(part.candidates, likely)
            unless_found = ("none" if sought else "asked") if rivals and settled else ""
            begun = not asks_for(form) and _only_when(sentence, best)
            told = begun or (is_told(form) and not takes_down(best))
            only_words = all(fit.parameter.kind == "text" for fit in best.filled.fits)
            done = any(map(sentence.is_deed, range(part.first, part.end)))
            doubted = best.features["verb"] >= 1 or only_words or done or begun
            if told and (not rivals or unless_found) and doubted:
                # `we blocked the stolen card` tells what was done, and `she moves to Lille` what happens.
                rivals, unless_found = rivals or [best.tool.name], ""
            said = best.tool.reads or best.features["verb"] >= _CLEAR_VERB
            if len(rivals) == 1 and said and best.filled.missing:
                # What it lacks is asked for anyway.
                rivals = []
            asks = form["question"] and not (form["polite"] or form["wanting"])
            if asks and not best.tool.reads and not rivals:
                # A question is answered by nothing that changes something, unless the person says so.
                rivals, unless_found = [best.tool.name], ""
            given = [[[*fit.parameter.path], fit.value] for fit in part.given]
            return Task(
                part.first,
                part.end,
                best.tool.name,
                rivals,
                unless_found,
                given=given,
                named=part.thing,
            )
    orders = form["order"] or form["wanting"] or form["infinitive"]
    denied = form["negated"] or form["statement"] or form["subject"] or form["past"]
    wished = any(v.kind == "number" for v in sentence.values if part.first <= v.first < part.end)
    names_only = (
        not any(sentence.verbs[i] for i in range(part.first, part.end)) and not form["question"]
    )
    # `5 baguettes, and cancel …` wishes for something, too.
    wishes = orders or (wished and names_only)
    return Task(part.first, part.end, state="none") if wishes and not denied else None
