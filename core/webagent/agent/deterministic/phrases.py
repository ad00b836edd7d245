"""Phrases by which a goal follows another: `and …`, `make it …`, `the other one`, `again`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.reading.language import language, languages
from webagent.agent.deterministic.reading.tokens import tokens_of
from webagent.json_text import packaged_json

_MOST_WORDS: Final = 6
"""Words of the longest phrase."""
_LONGEST: Final = 80
"""Letters of a goal that says nothing but thanks."""
_NEAR: Final = 4
"""Words between which an article and its `one` are."""
_ARTICLES: Final = frozenset(("the", "that", "this", "your"))


@cache
def _phrases(code: str) -> Mapping[str, Sequence[tuple[str, ...]]]:
    """Return the phrases of a language by what they say, each as its keys, the longest first."""
    data = packaged_json(__file__, "phrases.json")[code]
    return {
        kind: sorted(
            (tuple(t.key for t in tokens_of(text, language(code))) for text in texts.split("|")),
            key=lambda keys: -len(keys),
        )
        for kind, texts in data.items()
    }


def phrase_length(sentence: Sentence, at: int, kind: str) -> int:
    """Return how many tokens a phrase of a kind has that begins at a token; 0 if none does."""
    keys = [token.key for token in sentence.tokens[at : at + _MOST_WORDS]]
    return _length(sentence.language.code, keys, kind)


def _length(code: str, keys: Sequence[str], kind: str) -> int:
    keys = tuple(keys[:_MOST_WORDS])
    return next((len(p) for p in _phrases(code)[kind] if keys[: len(p)] == p), 0)


def words_of(sentence: Sentence, first: int, end: int, *kinds: str) -> frozenset[int]:
    """Return the tokens of a part of a goal that belong to phrases of some kinds."""
    return frozenset(
        word
        for at in range(first, end)
        for kind in kinds
        for word in range(at, at + phrase_length(sentence, at, kind))
    )


def closes(sentence: Sentence) -> bool:
    """Whether a goal only thanks, agrees or says goodbye, in any language: `thanks, bye`."""
    return any(_is_all_closing(sentence.text, code) for code in languages())


def _is_all_closing(text: str, code: str) -> bool:
    keys = [token.key for token in tokens_of(text[:_LONGEST], language(code)) if not token.is_sign]
    at, closed = 0, False
    while at < len(keys):
        found = {kind: _length(code, keys[at:], kind) for kind in ("closing", "aside")}
        if not any(found.values()):
            return False
        at += max(found.values())
        closed = closed or found["closing"] > 0
    return closed and len(text) <= _LONGEST


def opening(sentence: Sentence, at: int) -> tuple[str, int] | None:
    """Return how a goal follows an earlier one by the words from a token on, and the token behind them."""
    kinds = {kind: phrase_length(sentence, at, kind) for kind in ("more", "instead")}
    kind = max(kinds, key=lambda one: kinds[one])
    return (kind, at + kinds[kind]) if kinds[kind] else None


def opening_of(sentence: Sentence) -> tuple[str, int]:
    """Return how a goal follows another, and its first token behind the words that say so."""
    kind, at = "", 0
    while at < len(sentence.tokens):
        found = opening(sentence, at)
        if found:
            # `no, and …` corrects all the same.
            kind = found[0] if kind != "instead" else kind
            at = found[1]
        elif sentence.tokens[at].is_sign or sentence.roles[at] == "polite":
            at += 1
        else:
            break
    if not kind:
        # `too dark, make it 45`
        starts = (
            i + 1 for i in range(at, len(sentence.tokens) - 1) if sentence.tokens[i].text in ",.;–"
        )
        later = (found for i in starts if (found := opening(sentence, i)) and found[0] == "instead")
        kind, at = next(later, (kind, at))
    if not kind and _ends_with_too(sentence):
        kind = "more"
    if kind != "instead" and any(
        phrase_length(sentence, i, "only") for i in range(at, len(sentence.tokens))
    ):
        kind = "instead"
    return kind, at


def _ends_with_too(sentence: Sentence) -> bool:
    """Whether a goal wishes for the same of something else: `the fan too, please`."""
    for at in range(1, len(sentence.tokens)):
        if length := phrase_length(sentence, at, "too"):
            behind = at + length
            ends = behind >= len(sentence.tokens) or sentence.tokens[behind].is_sign
            return ends or sentence.roles[behind] == "polite"
    return False


def points(sentence: Sentence, first: int, end: int) -> bool:
    """Whether words stand for what was found before: `of the two`, `davon`."""
    return any(
        phrase_length(sentence, i, "pointing")
        or sentence.is_pro_form(i)
        or _is_one_of_them(sentence, i, end)
        for i in range(first, end)
    )


def _is_one_of_them(sentence: Sentence, index: int, end: int) -> bool:
    """Whether a number is one of what was found: `put one in my basket`, `the afternoon one`, but not `add one of t2`."""
    roles = sentence.language.roles
    one = sentence.tokens[index].key in roles.get("number_pronouns", ())
    behind = sentence.tokens[index + 1].key if index + 1 < end else ""
    whole = not behind or roles["prepositions"].get(behind, "of") != "of"
    near = sentence.tokens[max(0, index - _NEAR) : index]
    pointed = any(token.key in _ARTICLES for token in near) and (
        index + 1 >= end or not sentence.weights[index + 1]
    )
    return one and whole and (index - 1 in sentence.orders or pointed)
