"""Texts that were made to break a reader, or to keep it busy."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.agent.deterministic.reading.reader import read
from tests.timing import takes_at_most

from webagent.agent.deterministic.reading.language import detect, language, languages
from webagent.agent.deterministic.reading.quantities import unit_of_parameter
from webagent.agent.deterministic.reading.tokens import identifier_words, tokens_of

WORDS = [
    "1.250,00", "1,250", "$", "€", "-", "+", "and", "und", "half", "past", "from", "to", "between",
    "hundred", "thousand", "five", "fünf", "5.", "th", "March", "märz", "next", "Friday", "at", "7",
    "pm", "a.m.", "in", "two", "weeks", "ago", "not", "without", '"', "«", "'", "l'", "d'", "1/2", "½",
    "٢٥", "و", "•••", "https://", "@", "a@b.c", "0171", "(", "%", "kg", "°", "quatre-vingt", "y", "la",
    "2027-03-04T10:00", "99999999999999999999", "\u202f", "\n", "ß", "e\u0301", "\ud800",
]  # fmt: skip
REPEATED = [
    "hundred and ", "a ", "1 ", "1.", "1,000", "9" * 50, "l'", "l'l", "-", "5-", "5-a", "a-5", '"', "«", "'", " '",
    "from ", "from 5 to ", "between ", "half past ", "at ", "in ", "in two ", "five ", "fünfund", "und",
    "cien y ", "treinta y ", "twenty-", "twenty five ", "a.", "1:1", "1/1", "0 ", "(0", "+1 ", "• ",
    "a@", "a@b.", "http://", "www.", "www.a.", "a_", "É", "\u0301", "½", "٢", "و", "$", "€ 5 ", "- ", "--5",
    "minus ", "not ", "Monday and ", "Monday, ", "5 March to ", "1h1h", "1 h 1 min ", "10:00-", "per ", "and a half ",
    "one hundred thousand million ", "two dozen ", "at least ", "morning ", "tomorrow ", "tomorrow at 7 ",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300), st.sampled_from(languages()))
def test_any_text(text: str, code: str) -> None:
    """Whatever is written, reading raises nothing, and values are in order and inside the text."""
    _check(text, code)
    detect(text)
    identifier_words(text)
    unit_of_parameter(text[:40], text)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(WORDS), max_size=40),
    st.sampled_from(["", " "]),
    st.sampled_from(languages()),
)
def test_any_mixture_of_parts(words: list[str], space: str, code: str) -> None:
    """Parts of values in any order raise nothing either."""
    _check(space.join(words), code)


def _check(text: str, code: str) -> None:
    speech = language(code)
    tokens = tokens_of(text, speech)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    at = 0
    for value in read(text, code):
        assert at <= value.first <= value.core < value.end <= len(tokens)
        assert value.value is not None or len(value.readings) > 1
        assert len(value.readings) != 1
        at = value.end


@pytest.mark.parametrize("part", REPEATED)
def test_long_texts_take_linear_time(part: str) -> None:
    """4,000 characters of anything are read at once."""
    other = languages()[1 + REPEATED.index(part) % (len(languages()) - 1)]
    for code in ("en", other):
        text = (part * (4000 // len(part) + 1))[:4000]
        read(text[:200], code)
        assert takes_at_most(1.5, lambda: (read(text, code), detect(text))), code  # noqa: B023
