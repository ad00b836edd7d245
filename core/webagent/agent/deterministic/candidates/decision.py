"""How likely it is that a part of a goal asks for the call that explains it best.

What speaks for it is how well the call fits, and the form of the sentence: an order or a question
asks for something, a statement, a refusal or a question after knowledge does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from webagent.agent.deterministic.candidates.fits import is_introduced
from webagent.agent.deterministic.candidates.ranking import NAMES, Candidate
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.verbs import ending, recording, verbs_of
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.reading.language import language

_NEAR: Final = 4
_LEFT: Final = 0.6
"""How much of a goal is left by a call that does not understand one of its words."""
_KNOWN: Final = 0.3
"""How much a word has to say of a tool to be known to it."""
AGREES: Final = 0.5
"""How well a verb or a noun has to agree to be said of a tool."""
_FORM: Final = ("order", "why", "mine", "terse", "whole")
_COPIED: Final = ("missing", "unused", "names_left", "answers", "filled", "looked_up")
FOUND: Final = {"names": 0.0}
"""Features of a call that change once the things that it names are found."""


@cache
def _meanings() -> frozenset[str]:
    """Return words of questions about what things are: `what is the difference between …`."""
    return frozenset(map(language("en").stem, ("difference", "mean", "meaning", "definition")))


def form_features(sentence: Sentence, first: int, end: int) -> dict[str, float]:
    """Return the form of a part of a goal, by name: whether it orders, asks, tells or refuses."""
    tokens, roles = sentence.tokens, sentence.roles
    part = range(first, end)
    first, end = _request(sentence, first, end)
    spoken = [i for i in range(first, end) if not tokens[i].is_sign]
    content = [i for i in part if sentence.weights[i] >= 0.8]
    lead = next((i for i in spoken if roles[i] not in ("polite", "conjunctions", "wanting")), first)
    is_lead = lead < len(tokens)
    wanting = any(roles[i] == "wanting" for i in spoken)
    polite = any(roles[i] == "polite" for i in spoken)
    question = sentence.asks(first, end)
    meant = sentence.question_at(lead) if is_lead else ""
    begins = bool(spoken) and not wanting
    key = tokens[spoken[0]].key if spoken else ""
    subject = begins and key in sentence.language.roles["subjects"]
    verb = bool(is_lead and sentence.verbs[lead] and sentence.may_order(lead))
    # `the gate is locked` has its verb elsewhere; `cancel it` begins with it.
    order = verb and not question and not subject
    ends = is_lead and not verb and any(sentence.verbs[i] for i in spoken[-2:])
    values = [v for v in sentence.values if v.first in part]
    return {
        "order": float(order),
        "infinitive": float(ends and not question and not subject),
        "wanting": float(wanting),
        "polite": float(polite),
        "question": float(question),
        "statement": float(not wanting and is_lead and sentence.language.phrase_at(tokens, lead, "statements") is not None),
        "past": float(sentence.is_past(first, end) and not question),
        "negated": float(_is_negated(sentence, spoken, first, end)),
        "meaning": float(question and (any(tokens[i].glosses & _meanings() for i in spoken) or _defines(sentence, lead, end))),
        "why": float(meant == "why"),
        "mine": float(sentence.is_owned(first, end)),
        "own": float(any(v.kind in ("id", "quoted", "date", "datetime", "money") for v in values)),
        "terse": float(len(content) <= 4 and not question),
        "subject": float(subject),
        "whole": float(len(part) == len(tokens)),
    }  # fmt: skip


def asks_for(form: Mapping[str, float]) -> bool:
    """Whether a part of a goal asks for something by its form."""
    return bool(form["question"] or form["wanting"] or form["polite"] or form["order"])


def is_told(form: Mapping[str, float]) -> bool:
    """Whether a part of a goal only speaks of something: `the ticket was a mistake`."""
    return bool(form["statement"] or form["subject"] or form["past"]) and not asks_for(form)


def _defines(sentence: Sentence, lead: int, end: int) -> bool:
    """Whether a question is after what a thing is: `what's a passkey?`."""
    if lead >= end or sentence.question_at(lead) != "what":
        return False
    ones = sentence.language.roles["ones"]
    at = next((i for i in range(lead, min(lead + 4, end)) if sentence.tokens[i].key in ones), end)
    named = [i for i in range(at, end) if sentence.weights[i]]
    is_it = at < end and (at - 1 == lead or sentence.tokens[at - 1].key in sentence.language.roles["copulas"])  # fmt: skip
    # `what is a good time to come` asks for one.
    return is_it and 0 < len(named) <= 2 and not any(sentence.in_value[i] for i in named)


def _request(sentence: Sentence, first: int, end: int) -> tuple[int, int]:
    """Return the clause in which a part asks for something, if one does: `I am late, move it`."""
    questions = []
    for at, until in sentence.clauses:
        if at < first or until > end:
            continue
        words = [i for i in range(at, until) if not sentence.tokens[i].is_sign]
        roles = [sentence.roles[i] for i in words]
        lead = next(
            (
                i
                for i, role in zip(words, roles, strict=True)
                if role not in ("polite", "conjunctions")
            ),
            at,
        )
        if lead in sentence.orders or "polite" in roles or "wanting" in roles:
            return at, until
        if sentence.asks(at, until):
            questions.append((at, until))
    # `can I bring a bike? add it` orders.
    return questions[0] if questions else (first, end)


def _is_negated(sentence: Sentence, spoken: Sequence[int], first: int, end: int) -> bool:
    """Whether a verb of it is denied: `don't unlock it`."""
    subjects = sentence.language.roles["subjects"]
    told = sentence.message_at(first, end)
    # A message to somebody does not deny the wish: `tell Ana that the door doesn't lock`.
    spoken = [i for i in spoken if not 0 <= told <= i]
    ordered = any(i in sentence.orders for i in spoken[:2])
    for i in spoken:
        if ordered and i > first and sentence.tokens[i - 1].key in subjects:
            # `cancel it, we cannot come` gives a reason.
            continue
        if sentence.roles[i] == "negators" and not sentence.is_comma(i + 1):
            near = range(max(first, i - 1), min(end, i + _NEAR + 1))
            if any(sentence.verbs[j] for j in near):
                return True
    return False


def _denies_value(sentence: Sentence, best: Candidate) -> bool:
    """Whether all that is denied is a value of the call: `didn't see the queen`."""
    return not any(best.first <= i < best.end for i in _denials(sentence, best))


def _denials(sentence: Sentence, best: Candidate) -> list[int]:
    """Return the words that deny something, unless that is a value of the call or in its message."""
    if _ends(sentence, best):
        return []
    told = sentence.message_at(best.first, best.end)
    begins, _ = _request(sentence, best.first, best.end)
    switched = frozenset[int]().union(*(
        fit.tokens for fit in best.filled.fits if fit.parameter.kind in ("boolean", "enum") or fit.parameter.excludes
    ))  # fmt: skip
    return [
        i for i, role in enumerate(sentence.roles)
        if role == "negators" and i >= begins and not switched & {*range(i, i + _NEAR + 1)} and not 0 <= told <= i < best.end
    ]  # fmt: skip


def _ends(sentence: Sentence, best: Candidate) -> bool:
    """Whether a call ends what is denied: `I don't need updates any more`, but not `don't cancel it`."""
    own = best.tool.verbs
    said = any(sentence.verbs[i] & own for i in sentence.orders)
    return bool(own & ending()) and not said and not own & sentence.denied_verbs


def takes_down(best: Candidate) -> bool:
    """Whether a call writes down a deed, with all values of the goal: `watered Fernie`."""
    tool, fits = best.tool, best.filled.fits
    if tool.reads or not fits or best.features["missing"] + best.features["unused"]:
        return False
    # An expense is added with its amount; `I already put it in` adds nothing.
    counted = any(fit.parameter.kind == "number" and not fit.poured for fit in fits)
    return bool(tool.verbs & (recording() | verbs_of(("add",)) if counted else recording()))


def _reads_noun_as_text(sentence: Sentence, other: Candidate, best: Candidate) -> bool:
    """Whether a call has a text of a word that names the best one: a search for the `basket`."""
    nouns = best.tool.noun_stems
    return any(
        sentence.tokens[i].glosses & nouns
        for fit in other.filled.fits if fit.is_name or (fit.parameter.kind == "text" and not fit.cues)
        for i in fit.tokens
    )  # fmt: skip


def _things_left(sentence: Sentence, best: Candidate, used: frozenset[int]) -> int:
    """Return how many words a call neither takes nor knows, verbs aside: `tiles` for a search of tools."""
    return sum(
        sentence.weights[i] >= 1 and i not in used and not sentence.verbs[i] and _says(sentence, best, i) < _KNOWN
        for i in range(best.first, best.end)
    )  # fmt: skip


def _names_said(sentence: Sentence, best: Candidate, used: frozenset[int]) -> int:
    """Return how many words name what a call does, its values aside: `book` and `room` for `bookRoom`."""
    return sum(
        bool(sentence.weights[i]) and i not in used and _says(sentence, best, i) >= NAMES
        for i in range(best.first, best.end)
    )


def _says(sentence: Sentence, best: Candidate, index: int) -> float:
    """Return how much a word says of the tool that is called."""
    return max((best.tool.words.get(g, 0.0) for g in sentence.tokens[index].glosses), default=0.0)


def _exact(candidate: Candidate) -> int:
    """Return how many arguments are values, and neither texts nor names."""
    return sum(fit.parameter.kind != "text" and not fit.is_name for fit in candidate.filled.fits)


def decision_features(
    sentence: Sentence, candidates: Sequence[Candidate], form: Mapping[str, float]
) -> dict[str, float]:
    """Return what speaks for and against the best call of a part, by name."""
    best = candidates[0]
    features, filled = best.features, best.filled
    # `20 on my account by card` is for no tool that takes the account and neither `20` nor `card`.
    others = [
        one for one in candidates[1:]
        if one.tool.name != best.tool.name and _exact(one) >= _exact(best) and not _reads_noun_as_text(sentence, one, best)
    ]  # fmt: skip
    reads, question = float(best.tool.reads), form["question"]
    used = filled.group_tokens.union(*(fit.tokens for fit in (*filled.fits, *filled.also)))
    bare = bool(best.tool.parameters) and not (used or filled.groups or filled.missing)
    free = [
        fit for fit in filled.fits
        if fit.parameter.kind == "text" and not fit.cues and not (fit.tokens and is_introduced(fit.parameter, sentence, min(fit.tokens)))
    ]  # fmt: skip
    # `the cheapest herb` says which one it is, whatever it is called.
    exact = any(sentence.roles[i] == "superlatives" for i in range(best.first, best.end))
    unexplained = features["unexplained"] - features["context"]
    told = float(not asks_for(form))
    return {
        "bias": 1.0,
        **{name: form[name] for name in _FORM},
        **{f"call_{name}": features[name] for name in _COPIED},
        "negated": form["negated"] * (not _denies_value(sentence, best)),
        "past": form["past"] * (not takes_down(best)),
        "worth": best.score / max(1.0, features["explained"] + features["unexplained"]),
        "rival": math.exp(others[0].score - best.score) if others else 0.0,
        # A thing that a name says is looked up first.
        "weakest": min((min(f.score, 2.0) for f in filled.fits if not f.is_name), default=1.5),
        "names": float(
            not exact and any(
                fit.is_name and not sentence.is_quoted(fit.tokens) and not sentence.titles >= fit.tokens
                for fit in filled.fits
            )
        ),
        "plain_texts": float(
            sum(
                not sentence.is_quoted(fit.tokens) and not any(map(sentence.is_name, fit.tokens))
                for fit in free
            )
        ),
        # `library` of `suggest that the library buy …` is not a title.
        "own_texts": float(
            sum(
                fit.parameter.kind == "text"
                and len(fit.tokens) == 1
                and not sentence.is_quoted(fit.tokens)
                and all(_says(sentence, best, i) >= NAMES for i in fit.tokens)
                for fit in filled.fits
            )
        ),
        # What need not be said is said clearly.
        "soft_options": float(
            min(sum(fit.score < 1 and not fit.parameter.required for fit in filled.fits), 3)
        ),
        "said": float(_names_said(sentence, best, used)),
        # `only those between 28 and 36` says neither the verb nor the noun of a tool.
        "by_values": float(max(features["verb"], features["noun"]) < AGREES),
        "lists": float(bool(filled.groups)),
        "writes_question": (1 - reads) * question * (1 - form["polite"]),
        # `filter them by direct ones` gives arguments that were not understood.
        "bare_left": float(bare and unexplained >= _LEFT),
        "things_left": float(min(_things_left(sentence, best, used), 3)),
        # `high priority` changes nothing that has to be found first.
        "told_lookup": told * features["lookup"],
        "told_beside": told * (1 - form["whole"]),
        # `start it … actually no, don't`
        "writes_denied": (1 - reads) * min(len(_denials(sentence, best)), 2),
        "writes_fits": (1 - reads) * features["fits"],
        # `what is in my basket`
        "asks_for_all": reads * question * (not best.tool.parameters),
    }  # fmt: skip


def likelihood(features: Mapping[str, float]) -> float:
    """Return how likely the call is meant, from 0 to 1."""
    fitted = weights("decision")
    total = sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
