"""The words by which a goal leans on earlier ones: `and`, `instead`, `of the two`; from `conversation.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.tokens import tokens_of


@cache
def _phrases(code: str) -> Mapping[str, Sequence[tuple[str, ...]]]:
    """Return the phrases of a language by what they say, each as its keys, the longest first."""
    file = files("webagent.agent.deterministic") / "conversation.json"
    data = json.loads(file.read_text("utf-8"))[code]
    return {
        kind: sorted(
            (tuple(t.key for t in tokens_of(text, language(code))) for text in texts.split("|")),
            key=lambda keys: -len(keys),
        )
        for kind, texts in data.items()
    }


def said(sentence: Sentence, at: int, kind: str) -> int:
    """Return how many tokens a phrase of a kind has that begins at a token; 0 if none does."""
    keys = tuple(token.key for token in sentence.tokens[at : at + 6])
    return next((len(p) for p in _phrases(sentence.language.code)[kind] if keys[: len(p)] == p), 0)


def opening(sentence: Sentence, at: int) -> tuple[str, int] | None:
    """Return how a goal follows an earlier one by the words from a token on, and the token behind them."""
    kinds = {kind: said(sentence, at, kind) for kind in ("more", "instead")}
    kind = max(kinds, key=lambda one: kinds[one])
    return (kind, at + kinds[kind]) if kinds[kind] else None


def points(sentence: Sentence, first: int, end: int) -> bool:
    """Whether words stand for what was found before: `of the two`, `davon`."""
    return any(said(sentence, i, "pointing") or sentence.is_pro_form(i) for i in range(first, end))
