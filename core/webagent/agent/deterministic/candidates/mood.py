"""Whether a part of a goal asks for something, or only tells, asks after knowledge, or forbids."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from webagent.agent.deterministic.candidates.ranking import Candidate
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.weights import weights

_NEAR: Final = 4


def mood_features(
    sentence: Sentence, first: int, end: int, best: Candidate | None, now: datetime
) -> dict[str, float]:
    """Return what speaks for and against a request, by name."""
    tokens, roles = sentence.tokens, sentence.roles
    spoken = [i for i in range(first, end) if not tokens[i].is_sign]
    content = [i for i in spoken if sentence.weights[i] >= 0.8]
    lead = next((i for i in spoken if roles[i] not in ("polite", "conjunctions", "wanting")), first)
    wanting = any(roles[i] == "wanting" for i in spoken)
    asking = [i for i in spoken if roles[i] == "questions"]
    question = bool(asking and asking[0] <= lead + 2) or (
        end <= len(tokens) and any(tokens[i].text in "?" for i in range(first, end))
    )
    statement = sentence.language.phrase_at(tokens, lead, "statements") is not None
    today = now.date().isoformat()
    past = any(
        str(
            v.value
            if isinstance(v.value, str)
            else v.value[-1]
            if isinstance(v.value, tuple)
            else ""
        )[:10]
        < today
        for v in sentence.values
        if first <= v.first < end and v.kind in ("date", "datetime", "dates", "datetimes")
    )
    negated = False
    for i in spoken:
        if roles[i] == "negators":
            near = range(max(first, i - _NEAR), min(end, i + _NEAR + 1))
            negated = negated or any(sentence.verbs[j] for j in near)
    meant = (
        sentence.language.roles.get("questions", {}).get(tokens[lead].key)
        if lead < len(tokens)
        else None
    )
    own = any(
        v.kind in ("id", "quoted", "date", "datetime", "money")
        for v in sentence.values
        if first <= v.first < end
    )
    knowledge = meant in ("what", "how", "which") and not own
    features = {
        "bias": 1.0,
        "order": float(bool(lead < len(tokens) and sentence.verbs[lead]) and not question),
        "wanting": float(wanting),
        "polite": float(any(roles[i] == "polite" for i in spoken)),
        "question": float(question),
        "statement": float(statement and not wanting),
        "past": float(past and not question),
        "perfect": float(any(tokens[i].key in _PERFECT for i in spoken) and not question),
        "negated": float(negated),
        "knowledge": float(knowledge),
        "why": float(meant in ("why", "how")),
        "own": float(own),
        "terse": float(len(content) <= 4 and not question),
        "values": float(min(sum(first <= v.first < end for v in sentence.values), 3)),
        "subject": float(bool(spoken) and tokens[spoken[0]].key in _SUBJECTS and not wanting),
        "uncalled": float(best is None),
    }
    if best is not None:
        total = best.features["explained"] + best.features["unexplained"]
        features |= {
            "score": min(best.score, 8.0),
            "explained": best.features["explained"] / total if total else 0.0,
            "verb": best.features["verb"],
            "nouns": best.features["noun"],
            "missing": best.features["missing"],
            "reads": float(best.tool.reads),
            "reads_mine": float(
                question and best.tool.reads and any(tokens[i].key in _MINE for i in spoken)
            ),
            "reads_there": float(
                question and best.tool.reads and any(tokens[i].key in _HAVING for i in spoken)
            ),
            "writes_question": float(
                question and not best.tool.reads and not any(roles[i] == "polite" for i in spoken)
            ),
        }
    return features


_PERFECT: Final = frozenset(
    [
        "have",
        "has",
        "had",
        "was",
        "were",
        "been",
        "already",
        "habe",
        "hat",
        "haben",
        "wurde",
        "war",
        "waren",
        "schon",
        "bereits",
        "wurden",
        "ai",
        "as",
        "a",
        "avons",
        "ont",
        "etait",
        "deja",
        "he",
        "ha",
        "hemos",
        "han",
        "fue",
        "ya",
        "era",
    ]
)
_MINE: Final = frozenset(
    [
        "my",
        "mine",
        "our",
        "ours",
        "mein",
        "meine",
        "meinem",
        "meinen",
        "meiner",
        "unser",
        "unsere",
        "unseren",
        "mon",
        "ma",
        "mes",
        "notre",
        "nos",
        "mi",
        "mis",
        "nuestro",
        "nuestra",
        "nuestros",
    ]
)
_HAVING: Final = frozenset(
    [
        "have",
        "has",
        "there",
        "available",
        "got",
        "gibt",
        "habt",
        "haben",
        "frei",
        "offen",
        "avez",
        "a",
        "libre",
        "disponible",
        "disponibles",
        "hay",
        "tienen",
        "tenéis",
        "teneis",
        "quedan",
    ]
)
_SUBJECTS: Final = frozenset(
    [
        "i",
        "we",
        "the",
        "my",
        "our",
        "he",
        "she",
        "they",
        "it",
        "this",
        "that",
        "ich",
        "wir",
        "der",
        "die",
        "das",
        "mein",
        "meine",
        "unser",
        "er",
        "sie",
        "es",
        "je",
        "j'",
        "nous",
        "le",
        "la",
        "les",
        "mon",
        "ma",
        "mes",
        "il",
        "elle",
        "on",
        "yo",
        "nosotros",
        "el",
        "los",
        "las",
        "mi",
        "mis",
    ]
)


def is_request(features: Mapping[str, float]) -> float:
    """Return how likely something is asked for, from 0 to 1."""
    fitted = weights("mood")
    total = sum(fitted.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
