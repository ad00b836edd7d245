"""How likely it is that a part of a goal asks for the call that explains it best.

What speaks for it is how well the call fits, and the form of the sentence: an order or a question
asks for something, a statement, a refusal or a question after knowledge does not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from webagent.agent.deterministic.candidates.ranking import Candidate
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.reading.language import language

_NEAR: Final = 4
_LEFT: Final = 0.6
"""How much of a goal is left by a call that does not understand one of its words."""
_COPIED: Final = (
    "conflict",
    "missing",
    "lookup",
    "poured",
    "unused",
    "names_left",
    "pointing",
    "orders_left",
    "answers",
)


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
    verb = bool(is_lead and sentence.verbs[lead])
    # `the gate is locked` has its verb elsewhere; `cancel it` begins with it.
    order = verb and not question and not subject
    ends = is_lead and not verb and any(sentence.verbs[i] for i in spoken[-2:])
    values = [v for v in sentence.values if v.first in part]
    return {
        "bias": 1.0,
        "order": float(order),
        "infinitive": float(ends and not question and not subject),
        "wanting": float(wanting),
        "polite": float(polite),
        "question": float(question),
        "statement": float(not wanting and is_lead and sentence.language.phrase_at(tokens, lead, "statements") is not None),
        "past": float(sentence.is_past(first, end) and not question),
        "negated": float(_is_negated(sentence, spoken, first, end)),
        "meaning": float(question and any(tokens[i].glosses & _meanings() for i in spoken)),
        "why": float(meant == "why"),
        "amount": float(meant in ("how much", "how many", "how long", "when")),
        "mine": float(any(tokens[i].key in sentence.language.roles["possessives"] for i in spoken)),
        "own": float(any(v.kind in ("id", "quoted", "date", "datetime", "money") for v in values)),
        "terse": float(len(content) <= 4 and not question),
        "long": float(len(content) >= 14),
        "values": float(min(len(values), 3)),
        "subject": float(subject),
        "whole": float(len(part) == len(tokens)),
    }  # fmt: skip


def _request(sentence: Sentence, first: int, end: int) -> tuple[int, int]:
    """Return the clause in which a part asks for something, if one does: `I am late, move it`."""
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
        if (
            lead in sentence.orders
            or "polite" in roles
            or "wanting" in roles
            or sentence.asks(at, until)
        ):
            return at, until
    return first, end


def _is_negated(sentence: Sentence, spoken: Sequence[int], first: int, end: int) -> bool:
    """Whether a verb of it is denied: `don't unlock it`."""
    subjects = sentence.language.roles["subjects"]
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


def decision_features(
    sentence: Sentence, candidates: Sequence[Candidate], form: Mapping[str, float]
) -> dict[str, float]:
    """Return what speaks for and against the best call of a part, by name."""
    best = candidates[0]
    other = next((one for one in candidates[1:] if one.tool.name != best.tool.name), None)
    reads, question = float(best.tool.reads), form["question"]
    used = frozenset[int]().union(*(fit.tokens for fit in best.filled.fits))
    filled = best.filled
    bare = bool(best.tool.parameters) and not (used or filled.groups or filled.missing)
    names = float(
        any(
            fit.is_name and not sentence.is_quoted(fit.tokens) and not sentence.titles >= fit.tokens
            for fit in best.filled.fits
        )
    )
    by_id = float(any(v.kind == "id" and v.first in used for v in sentence.values))
    return {
        **form,
        **{f"call_{name}": best.features[name] for name in _COPIED},
        "score": max(-2.0, min(best.score, 6.0)),
        "margin": min(best.score - max(other.score, 0.0) if other else best.score, 2.0),
        # A thing that a name says is looked up first.
        "weakest": min((min(f.score, 2.0) for f in best.filled.fits if not f.is_name), default=1.5),
        "names": names,
        "names_served": names * best.features["verb"] * best.features["noun"],
        "free_texts": float(
            sum(fit.parameter.kind == "text" and not fit.cues for fit in best.filled.fits)
        ),
        "reads": reads,
        "reads_question": reads * question,
        "reads_mine": reads * question * form["mine"],
        "writes_question": (1 - reads) * question * (1 - form["polite"]),
        "writes_statement": (1 - reads) * max(form["subject"], form["statement"]),
        # `filter them by direct ones` gives arguments that were not understood.
        "bare_left": float(
            bare and best.features["unexplained"] - best.features["context"] >= _LEFT
        ),
        "alien": float(best.features["verb"] < 0.5 and best.features["noun"] < 0.34),
        "by_id": by_id,
        "reads_by_id": reads * by_id,
        "name_left_write": (1 - reads) * best.features["names_left"],
        "unnamed_write": (1 - reads) * (1 - best.features["noun"]),
        "left": min(best.features["unexplained"] - best.features["context"], 5.0),
        "context": min(best.features["context"], 5.0),
    }


def likelihood(features: Mapping[str, float]) -> float:
    """Return how likely the call is meant, from 0 to 1."""
    fitted = weights("decision")
    total = sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
