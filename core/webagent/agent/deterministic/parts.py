"""The parts of a goal that ask for something: joined where they lean on each other, and who serves them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from webagent.agent.deterministic.candidates.coordination import coordinated
from webagent.agent.deterministic.candidates.decision import (
    AGREES,
    FOUND,
    decision_features,
    form_features,
    is_told,
    likelihood,
)
from webagent.agent.deterministic.candidates.fill import Filled, Fit, fill
from webagent.agent.deterministic.candidates.leftovers import has_begun
from webagent.agent.deterministic.candidates.lookups import following, is_given
from webagent.agent.deterministic.candidates.ranking import CHOSEN, Candidate, Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.verbs import adding, creating, generic, undoes
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.pages import PageIntent
from webagent.agent.deterministic.reading.value import MOMENTS, WHEN, Value
from webagent.agent.deterministic.references import asks_about_it, refers
from webagent.agent.deterministic.state import Task

_MOST_PARTS: Final = 7
_SKIPPED: Final = 0.1
_LOST: Final = 0.4
"""What it costs to leave a value to no call."""
_CHEAP: Final = 0.2
_DEAR: Final = 1.2
_OPENING: Final = 5
"""Words within which a request begins."""
_ENDS: Final = frozenset("?")
_LEAST: Final = 0.3
"""How much better than a tool an action of the page has to be."""
_READING: Final = frozenset(("read", "search"))
"""Actions of a page that a tool may do as well."""
_PADDED: Final = 0.25
"""How well at most a text fits that is only there because a call needs one."""
_KNOWN: Final = 0.5
"""How much better a call may be of which the thing is not known."""
_NEAR: Final = 4
"""Words at the beginning of a part within which it names what it gives."""
_SENTENCE_ENDS: Final = frozenset(".!;\n")
_DAY: Final = len("2026-11-22")
_CALENDAR: Final = MOMENTS | {"week", "month"}
"""Kinds of parameters that take a part of the calendar."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a goal, and the calls for it; none where nothing serves it."""

    first: int
    end: int
    candidates: Sequence[Candidate]
    intent: PageIntent | None = None
    """What the page does for it, where no tool does it better."""
    given: Sequence[Fit] = ()
    """Arguments that the words behind it add."""
    thing: str = ""
    """What it is about, as the words before it name it, if it does not say it itself."""

    @property
    def best(self) -> Candidate | None:
        """The best call."""
        return self.candidates[0] if self.candidates else None


def parts_of(
    sentence: Sentence,
    ranking: Ranking,
    on_page: Callable[[int, int], PageIntent | None] = lambda *_: None,
) -> list[Part]:
    """Return the parts of a goal in order: the cuts for which the calls explain the most.

    Args:
        sentence: The goal.
        ranking: The tools.
        on_page: Says what the page itself does for the tokens from one index up to another.
    """
    places = places_of(sentence)
    count = len(places)
    best: list[tuple[float, list[Part]]] = [(0.0, [])]
    for last in range(1, count + 1):
        found: tuple[float, list[Part]] | None = None
        for start in range(last):
            first, end = places[start][0], places[last - 1][1]
            score, part = _part(sentence, ranking, first, end, on_page(first, end))
            served = part.best is not None or part.intent is not None
            total = (
                best[start][0] + score - (cost_of_cut(sentence, first, end, served) if start else 0)
            )
            if found is None or total > found[0]:
                found = (total, [*best[start][1], part])
        if found is not None:
            best.append(found)
    return best[count][1]


def cost_of_cut(sentence: Sentence, at: int, end: int, served: bool) -> float:
    """Return what it costs to cut before a token: much, where a call is made and nothing begins."""
    if not served:
        return _SKIPPED + _LOST * sum(at <= value.first < end for value in sentence.values)
    for index in range(at, min(at + _OPENING, len(sentence.tokens))):
        if (
            sentence.roles[index] in ("questions", "wanting", "polite")
            or sentence.tokens[index].text in _ENDS
        ):
            return _CHEAP
        if sentence.verbs[index]:
            return _CHEAP if not sentence.is_noun(index) or index <= at + 1 else _DEAR / 2
        if sentence.weights[index] >= 1:
            break
    ended = sentence.tokens[at - 1].text in ".!?;" if at else True
    return _DEAR / 2 if ended else _DEAR


def places_of(sentence: Sentence) -> list[tuple[int, int]]:
    """Return the smallest parts that a goal may be cut into."""
    places = list(sentence.clauses)
    while len(places) > _MOST_PARTS:
        # The shortest neighbours are joined.
        at = min(range(len(places) - 1), key=lambda i: places[i + 1][1] - places[i][0])
        places[at : at + 2] = [(places[at][0], places[at + 1][1])]
    return places


def _part(
    sentence: Sentence, ranking: Ranking, first: int, end: int, intent: PageIntent | None
) -> tuple[float, Part]:
    # A call has to explain more than no call at all.
    least = weights("ranking")["unexplained"] * sum(sentence.weights[first:end])
    found = [one for one in ranking.candidates(sentence, first, end) if one.score > least]
    top = found[0].score if found else least
    if intent is not None and intent.score > (top + _LEAST if found else least):
        return intent.score, Part(first, end, (), intent)
    return top, Part(first, end, found)


OnPage = Callable[[int, int], PageIntent | None]


def likelihood_of(sentence: Sentence, part: Part, if_found: bool = False) -> float:
    """Return how likely the best call of a part is meant.

    Args:
        sentence: The goal.
        part: The part of it, with its candidates.
        if_found: Whether the things that it names are taken as found.
    """
    if not part.candidates:
        return 0.0
    form = form_features(sentence, part.first, part.end)
    features = decision_features(sentence, part.candidates, form)
    if if_found:
        features |= FOUND
    best = part.candidates[0]
    thresholds = weights("thresholds")
    found = likelihood(features)
    if must_ask(sentence, best):
        found = min(found, thresholds["asks"])
    told = form["subject"] or form["statement"]
    # `surtout n'annulez pas` orders nothing; `the brakes don't work` tells of a fault.
    # A look is forbidden by its own verb alone.
    concerns = not best.tool.reads or best.tool.verbs & sentence.denied_verbs
    forbids = features["negated"] and not told and concerns
    # Who speaks of a thing does not ask for it: `the ticket was a mistake`.
    speaks_of = is_told(form) and best.tool.reads and best.features["verb"] < AGREES
    return 0.0 if forbids or speaks_of or _says_only_when(sentence, best) else found


def _says_only_when(sentence: Sentence, best: Candidate) -> bool:
    """Whether words only say a day, and ask for nothing: `that was all for today`."""
    part = range(best.first, best.end)
    asks = any(sentence.roles[i] in ("questions", "wanting") for i in part)
    said = [sentence.in_value[i] for i in part if sentence.weights[i]]
    return bool(said) and not asks and all(value and value.kind in WHEN for value in said)


def must_ask(sentence: Sentence, best: Candidate) -> bool:
    """Whether a call may be wrong in a way that nobody would see in its result."""
    drops = best.features["names_left"] > 0 or _drops_value(sentence, best)
    if best.tool.reads:
        return drops and _finds_all(best)
    return drops or bool(best.features["idle"]) or _undoes_unsaid(best)


def _drops_value(sentence: Sentence, best: Candidate) -> bool:
    """Whether a call lacks a value of the goal that means something to it."""
    taken = best.filled.tokens
    inside = [v for v in sentence.values if best.first <= v.first < best.end]
    days = {str(v.value)[:_DAY] for v in inside if v.first in taken}
    takes_days = any(p.kind in _CALENDAR for p in best.tool.parameters)

    def is_dropped(value: Value) -> bool:
        if value.kind not in WHEN:
            return True
        # `this Saturday, 12 June` says a day twice; `the dog died last week` why it is deregistered.
        return str(value.value) not in days and (takes_days or not _is_over(sentence, value))

    left = (v for v in inside if taken.isdisjoint(range(v.first, v.end)))
    return best.features["unused"] > 0 and any(map(is_dropped, left))


def _is_over(sentence: Sentence, value: Value) -> bool:
    """Whether a day is one on which something has happened."""
    return has_begun(sentence, value) or sentence.is_past(*sentence.clause_of(value.first))


def _finds_all(best: Candidate) -> bool:
    """Whether a call that takes arguments has none: `only those from Stansted` would find everything."""
    filled = best.filled
    return not (filled.fits or filled.groups or filled.missing or not filled.tool.parameters)


def _undoes_unsaid(best: Candidate) -> bool:
    """Whether a call undoes something, and no verb that was understood says so."""
    return undoes(best.tool.verbs, best.tool.described) and best.features["verb"] < AGREES


def requests_of(
    sentence: Sentence, ranking: Ranking, on_page: OnPage, earlier: Sequence[Filled] = ()
) -> list[Part]:
    """Return the parts of a goal in order, with the calls for them or what the page does.

    Args:
        sentence: The goal.
        ranking: The tools.
        on_page: Says what the page itself does for some tokens.
        earlier: The calls for earlier goals, which this one may speak of.
    """
    found: list[Part] = []
    for part in parts_of(sentence, ranking, on_page):
        place = part.first, part.end
        known = [
            *(earlier if refers(sentence, place) or asks_about_it(sentence, place) else ()),
            *(one.best.filled for one in found if one.best),
        ]
        kept = _kept(sentence, ranking, _going_on(sentence, ranking, known, part))
        if found and (joined := _joined(sentence, ranking, found[-1], kept)):
            found[-1] = joined
        else:
            thing = _thing(sentence, found, kept)
            found.append(replace(kept, thing=thing) if thing else kept)
    return found


def _going_on(sentence: Sentence, ranking: Ranking, known: Sequence[Filled], part: Part) -> Part:
    """Return a part with its calls ranked by what those before it give: `… and open the largest one`."""
    if part.intent is not None or not known:
        return part
    first, end = part.first, part.end
    least = weights("ranking")["unexplained"] * sum(sentence.weights[first:end])
    found = [one for one in ranking.candidates(sentence, first, end, known) if one.score > least]
    if found and refers(sentence, (first, end)):
        # What is spoken of is known, so it is no thing that another tool has to find.
        names = following(ranking.finders, known)
        on = [one for one in found if one.tool.name in names or _goes_on(one, known)]
        if on and on[0].score > found[0].score - _KNOWN:
            found = [on[0], *(one for one in found if one is not on[0] and not _seeks(one))]
    return replace(part, candidates=found)


def _seeks(candidate: Candidate) -> bool:
    """Whether a call takes a thing that has to be found."""
    named = any(fit.is_name for fit in candidate.filled.fits)
    return named or any(p.names_thing for p in candidate.filled.missing)


def _goes_on(candidate: Candidate, before: Sequence[Filled]) -> bool:
    """Whether a call takes something that an earlier one was given."""
    given = {fit.parameter.path for fit in candidate.filled.fits}
    return any(
        p.required and p.path not in given and is_given(p, candidate.tool, before)
        for p in candidate.tool.parameters
    )


def _thing(sentence: Sentence, before: Sequence[Part], part: Part) -> str:
    """Return the thing that a part lacks and that was named before it: `I can't make it to yoga, please cancel`."""
    best = part.best
    if best is None or not any(p.names_thing for p in best.filled.missing):
        return ""
    if best.filled.fits or best.features["object_left"] or best.features["names_left"]:
        return ""
    last = before[-1] if before else Part(0, 0, ())
    served = last.intent or likelihood_of(sentence, last) >= weights("thresholds")["asks"]
    start = last.end if served else last.first
    asks = sentence.asks(start, part.first) or any(i in sentence.orders for i in range(start, part.first))  # fmt: skip
    named = [i for i in range(start, part.first) if _names(sentence, i)]
    if asks or not named:
        return ""
    if subject := _subject(sentence, start, part.first):
        return sentence.excerpt(*subject)
    first = next(i for i in reversed(named) if i - 1 not in named)
    return sentence.excerpt(first, named[-1] + 1)


def _subject(sentence: Sentence, first: int, end: int) -> tuple[int, int] | None:
    """Return what a statement is about, if it begins with it: `the ticket from Friday was a mistake`."""
    plain = [i for i in range(first, end) if not sentence.tokens[i].is_sign and sentence.roles[i] != "conjunctions"]  # fmt: skip
    at = plain[0] if plain else end
    if at + 1 >= end or not sentence.tokens[at].is_stop or not sentence.weights[at + 1]:
        return None
    says = (
        i for i in range(at + 2, end)
        if sentence.roles[i] in ("questions", "negators") or (sentence.verbs[i] and not sentence.is_noun(i))
    )  # fmt: skip
    until = next(says, None)
    return (at, until) if until else None


def _names(sentence: Sentence, index: int) -> bool:
    """Whether a word names something, and says nothing of it."""
    is_verb = sentence.verbs[index] and not (index and sentence.is_noun(index) and sentence.tokens[index - 1].is_stop and sentence.roles[index - 1] != "negators")  # fmt: skip
    return sentence.weights[index] >= 1 and not is_verb


def _kept(sentence: Sentence, ranking: Ranking, part: Part) -> Part:
    """Return a part with the tool that serves it as well as the page does, and what it asks for only."""
    if part.intent is not None:
        if part.intent.name not in _READING or part.intent.of_page:
            return part
        found = Part(part.first, part.end, _called(sentence, ranking, part.first, part.end))
        least = weights("thresholds")["reads"]
        serves = found.candidates and found.candidates[0].tool.reads
        return found if serves and likelihood_of(sentence, found) >= least else part
    kept = replace(part, candidates=_answering(sentence, part.candidates))
    return _shortened(sentence, ranking, kept)


def _called(sentence: Sentence, ranking: Ranking, first: int, end: int) -> Sequence[Candidate]:
    found = [one for one in ranking.candidates(sentence, first, end) if one.score > 0]
    return _answering(sentence, found)


def _shortened(sentence: Sentence, ranking: Ranking, part: Part) -> Part:
    """Return a part without sentences before it that change nothing of the call: `I need a present.`."""
    if not part.candidates:
        return part
    best = part.candidates[0]
    for first, _ in reversed(sentence.clauses):
        if not part.first < first < part.end:
            continue
        # `don't order anything, just show me …` asks for what is behind it.
        denied = any(sentence.roles[i] == "negators" for i in range(part.first, first))
        if sentence.tokens[first - 1].text not in _SENTENCE_ENDS and not denied:
            continue
        if any(sentence.roles[i] == "questions" for i in range(part.first, first)):
            continue
        found = _called(sentence, ranking, first, part.end)
        if not found or found[0].tool.name != best.tool.name:
            continue
        given = found[0].filled.arguments()
        if given == best.filled.arguments():
            return Part(first, part.end, found)
        named = [fit for fit in best.filled.fits if fit.is_name and max(fit.tokens) < first]
        rest = replace(best.filled, fits=[fit for fit in best.filled.fits if fit not in named])
        if (
            denied
            and len(named) == 1
            and given == rest.arguments()
            and sentence.lead(first, part.end) in sentence.orders
        ):
            # `I can't make it to yoga, cancel it`
            at = min(named[0].tokens)
            owned = at > part.first and sentence.names_own(at - 1, at)
            thing = sentence.excerpt(at - owned, max(named[0].tokens) + 1)
            return Part(first, part.end, found, thing=thing)
    return part


def _joined(sentence: Sentence, ranking: Ranking, before: Part, part: Part) -> Part | None:
    """Return two parts as one, where the second only goes on with the first."""
    if before.intent is not None or part.intent is not None:
        return None
    if before.best and (
        coordinated(before.best.tool, sentence, before.first, part.end)
        or _says_again(sentence, before.best, part)
        or _only_orders(sentence, before.best, part)
    ):
        return replace(before, end=part.end)
    if added := _added(sentence, before, part):
        return replace(before, given=[*before.given, *added])
    found = Part(before.first, part.end, _called(sentence, ranking, before.first, part.end))
    if not found.candidates:
        return None
    if _completes(sentence, before, part, found) or _completes(sentence, part, before, found):
        return found
    if not (_gives_more(sentence, before, part) or _names_more(sentence, part)):
        return None
    best = found.candidates[0]
    if (
        before.best is not None
        and before.best.tool.name == best.tool.name
        and _names_more(sentence, part)
    ):
        return replace(before, end=part.end)
    if before.best is not None and before.best.tool.name == best.tool.name:
        return found if best.filled.arguments() != before.best.filled.arguments() else None
    served = likelihood_of(sentence, before) >= weights("thresholds")["asks"]
    return (
        found
        if not served and likelihood_of(sentence, found) >= weights("thresholds")["asks"]
        else None
    )


def _completes(sentence: Sentence, part: Part, other: Part, whole: Part) -> bool:
    """Whether what another part says only completes the call of a part: `a recipe: 300 g flour` and `2 eggs`."""
    if part.best is None or whole.best is None or part.best.tool.name != whole.best.tool.name:
        return False
    if not _only_completes(sentence, part.best, other):
        return False
    looked_up = sum(fit.is_name for fit in whole.best.filled.fits)
    if looked_up > sum(fit.is_name for fit in part.best.filled.fits):
        # `I can't make it to yoga, cancel it` is about a thing that has to be found.
        return False
    given, known = whole.best.filled.arguments(), part.best.filled.arguments()
    return given != known and _keeps(known, given)


def _only_completes(sentence: Sentence, call: Candidate, other: Part) -> bool:
    """Whether a part has no call of its own, beside a call: it lacks what that has, or asks for nothing."""
    best = other.best
    if best is not None and best.tool.name == call.tool.name:
        names = any(fit.parameter.kind in ("text", "id") for fit in best.filled.fits)
        if best.filled.missing or (best.tool.reads and not names):
            # `… and show at most five`
            return True
    words = range(other.first, other.end)
    # `put card 3 on hold and give it to Ana` begins with a wish of its own.
    small = generic() | adding() if other.first > call.first else frozenset[str]()
    orders = any(i in sentence.orders and not sentence.verbs[i] & small for i in words)
    asks = sentence.asks(other.first, other.end) or any(sentence.roles[i] in ("wanting", "polite") for i in words)  # fmt: skip
    return not (orders or asks) and likelihood_of(sentence, other) < weights("thresholds")["reads"]


def _keeps(known: Any, given: Any) -> bool:
    """Whether arguments have all that was known, and perhaps more."""
    if isinstance(known, dict) and isinstance(given, dict):
        return all(key in given and _keeps(value, given[key]) for key, value in known.items())
    if isinstance(known, list) and isinstance(given, list):
        return all(one in given for one in known)
    return bool(known == given)


def _added(sentence: Sentence, before: Part, part: Part) -> Sequence[Fit]:
    """Return what a part without a verb adds to the call before it: `create a task: …, high priority`."""
    words = [i for i in range(part.first, part.end) if sentence.weights[i]]
    asks = sentence.asks(part.first, part.end)
    if (
        before.best is None
        or before.best.tool.reads
        or asks
        or any(i in sentence.orders for i in words)
    ):
        return ()
    known = {fit.parameter.path for fit in (*before.best.filled.fits, *before.given)}
    fits = [
        fit for fit in fill(before.best.tool, sentence, part.first, part.end).fits
        if fit.parameter.path not in known and fit.score >= CHOSEN and not (fit.poured or fit.is_name or fit.parameter.group)
    ]  # fmt: skip
    used = frozenset[int]().union(*(fit.tokens | fit.cues for fit in fits))
    return fits if all(i in used for i in words) else ()


def _says_again(sentence: Sentence, before: Candidate, part: Part) -> bool:
    """Whether a part asks once more for the call before it: `item 77 is broken, take it off the list`."""
    best = part.best
    if best is None or best.tool.name != before.tool.name or best.tool.reads:
        return False
    known = {fit.parameter.path for fit in before.filled.fits}
    if any(fit.parameter.path not in known for fit in best.filled.fits):
        return False
    points = any(sentence.roles[i] == "pronouns" for i in range(part.first, part.end))
    return (
        points and bool(best.filled.missing) and all(p.path in known for p in best.filled.missing)
    )


def _only_orders(sentence: Sentence, before: Candidate, part: Part) -> bool:
    """Whether a part only orders what was said: `I come on Friday at 4 pm, please put me down`."""
    words = range(part.first, part.end)
    said = [i for i in words if sentence.weights[i]]
    own = before.tool.verbs | generic() | creating()
    if before.tool.reads or not before.filled.fits or (part.best and part.best.filled.fits):
        return False
    beside = any(sentence.roles[i] in ("pronouns", "negators") for i in words)
    ordered = all(i in sentence.orders and sentence.verbs[i] & own for i in said)
    return bool(said) and not beside and ordered


def _names_more(sentence: Sentence, part: Part) -> bool:
    """Whether a part only names another thing: `… and “B” to the basket`."""
    said = [i for i in range(part.first, part.end) if sentence.weights[i]]
    value = sentence.in_value[said[0]] if said else None
    ordered = any(sentence.verbs[i] and sentence.in_value[i] is None for i in said)
    return value is not None and value.kind == "quoted" and not ordered


def _gives_more(sentence: Sentence, before: Part, part: Part) -> bool:
    """Whether a part begins with a parameter of the call before it: `…, the message is “…”`."""
    if before.best is None:
        return False
    said = [
        i for i in range(part.first, min(part.first + _NEAR, part.end)) if sentence.weights[i] >= 1
    ]
    if not said or (
        said[0] in sentence.orders
        and sentence.language.phrase_at(sentence.tokens, said[0] + 1, "questions") is None
    ):
        # `book it` orders, `message is …` gives a message.
        return False
    parameters = before.best.tool.parameters
    return any(sentence.tokens[said[0]].meanings & words for p in parameters for words in p.words)


def each_named(sentence: Sentence, task: Task, tools: Mapping[str, ToolWords]) -> list[Task]:
    """Return a task for each of the things that a part names for one id: `2 × “A” and “B” into the basket`."""
    tool = tools.get(task.tool)
    if tool and not task.given and (wishes := coordinated(tool, sentence, task.first, task.end)):
        return [
            Task(first, end, task.tool, task.rivals if first == task.first else [], given=given)
            for first, end, given in wishes
        ]
    ids = [p for p in tool.parameters if p.names_thing and not p.is_list] if tool else []
    if tool is None or len(ids) != 1 or task.given:
        return [task]
    fits = fill(tool, sentence, task.first, task.end).fits
    other = frozenset[int]().union(*(f.tokens for f in fits if f.parameter is not ids[0]))
    names = [
        (v.first, v.end) for v in sentence.values
        if v.kind == "quoted" and task.first <= v.first and v.end <= task.end and v.first not in other
    ]  # fmt: skip
    spans = [(min(fit.tokens), max(fit.tokens) + 1) for fit in fits if fit.is_name]
    for first, end in (*spans, *_titles(sentence, task.first, task.end)):
        if first not in other and not any(a < end and first < b for a, b in names):
            names.append((first, end))
    names.sort()
    if len(names) < 2:
        return [task]
    joints = (range(a[1], b[0]) for a, b in pairwise(names))
    if not all(any(sentence.roles[i] == "conjunctions" or sentence.tokens[i].text in ",+&;" for i in joint) for joint in joints):  # fmt: skip
        return [task]
    behind = fill(tool, sentence, names[-1][1], task.end)
    shared = [[[*f.parameter.path], f.value] for f in behind.fits if not (f.poured or f.is_name)]
    ends = [task.first, *(end for _, end in names[:-1]), task.end]
    return [
        Task(first, end, task.tool, task.rivals if first == task.first else [], given=shared if end != task.end else [])
        for first, end in pairwise(ends)
    ]  # fmt: skip


def _titles(sentence: Sentence, first: int, end: int) -> list[tuple[int, int]]:
    """Return where names of several words are: `One Pan, Small Kitchen`."""
    found: list[tuple[int, int]] = []
    for index in range(first, end):
        if index not in sentence.titles:
            continue
        goes_on = found and (found[-1][1] == index or (found[-1][1] == index - 1 and sentence.in_title(index - 1)))  # fmt: skip
        if goes_on:
            found[-1] = found[-1][0], index + 1
        else:
            found.append((index, index + 1))
    return found


def _answering(sentence: Sentence, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Leave out calls whose text is not a text.

    That is the very thing that is asked (`what is the difference between …`), what names a choice of
    another tool, or the tool's own noun.
    """
    if not candidates:
        return candidates
    asked = _asked_noun(sentence, candidates[0].first, candidates[0].end)
    choosing = [
        (one, fit.tokens) for one in candidates for fit in one.filled.fits
        if fit.parameter.kind == "enum" and fit.score >= CHOSEN and not one.filled.missing
    ]  # fmt: skip

    def is_text(candidate: Candidate, fit: Fit) -> bool:
        nouns = candidate.tool.noun_stems
        chosen = frozenset[int]().union(*(tokens for one, tokens in choosing if one is not candidate or tokens != fit.tokens))  # fmt: skip
        padded = fit.score < _PADDED and all(sentence.tokens[i].glosses & nouns for i in fit.tokens)
        taken = fit.tokens & chosen if fit.is_name or fit.poured else chosen >= fit.tokens
        return not (candidate.tool.reads and chosen and (taken or padded))

    return [
        one for one in candidates
        if all(
            # `cancel my trip of Saturday` is about the trip.
            (fit.tokens != {asked} or (fit.is_name and not one.tool.reads)) and is_text(one, fit)
            for fit in one.filled.fits if fit.parameter.kind in ("text", "id")
        )
    ]  # fmt: skip


def _asked_noun(sentence: Sentence, first: int, end: int) -> int:
    """Return the noun before `of` or `between` that a question asks for, or -1."""
    for index in range(first + 1, end - 1):
        if not sentence.weights[index] or sentence.tokens[index].is_capital:
            continue
        said = sentence.language.roles["prepositions"].get(sentence.tokens[index + 1].key)
        asks = any(sentence.roles[i] == "questions" for i in range(first, index))
        return index if said == "of" or (said == "between" and asks) else -1
    return -1
