"""Words, stems, slips of the pen, numbers, days: the pieces of a goal."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from webagent.agent.deterministic.spans import spans_of
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness, verb_likeness
from webagent.agent.deterministic.typos import mended, slips_in

from webagent.agent.deterministic.words import split_identifier, stems_of, words_of

_NOW = datetime(2026, 11, 22, 9)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("running", "run"), ("flies", "fli"), ("relational", "relat"), ("cancellation", "cancel"),
        ("cancelled", "cancel"), ("reservations", "reserv"), ("generously", "generous"),
        ("skies", "sky"), ("children", "child"), ("by", "by"), ("ad-hoc", "ad-hoc"),
    ],
)  # fmt: skip
def test_stem(word: str, expected: str) -> None:
    """A word is cut to the stem that its relatives share."""
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("addToBasket", ("add", "to", "basket")),
        ("add_to_basket", ("add", "to", "basket")),
        ("add-to-basket", ("add", "to", "basket")),
        ("getHTMLPage2", ("get", "html", "page", "2")),
        ("tickets.list", ("tickets", "list")),
    ],
)
def test_identifier(name: str, parts: tuple[str, ...]) -> None:
    """An identifier is read as its words, however they are joined."""
    assert split_identifier(name) == parts


def test_words_keep_their_place() -> None:
    """Each word knows where it stands, and the full stop of a title is none."""
    text = "Ask Dr. Holm: is it £4.50?"
    words = words_of(text)
    assert [word.text for word in words] == ["Ask", "Dr", "Holm", ":", "is", "it", "£", "4.50", "?"]
    assert all(text[word.start : word.end] == word.text for word in words)


def test_stems_leave_out_what_says_nothing() -> None:
    """Of a description only the words that tell tools apart are kept."""
    assert stems_of("Adds a product to the shopping cart") == ("add", "product", "shop", "cart")


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("two", "number", 2), ("twenty-five", "number", 25), ("two hundred and five", "number", 205),
        ("a dozen", "number", 12), ("3x", "number", 3), ("1,200.50", "number", 1200.5),
        ("300k", "number", 300_000), ("£20", "money", 20), ("20 quid", "money", 20),
        ("100 euros", "money", 100), ("7%", "percent", 7), ("half an hour", "duration", 0.5),
        ("an hour and a half", "duration", 1.5), ("90-minute", "duration", 90),
        ("three nights", "duration", 3), ("34 years old", "number", 34), ("1.5 kg", "number", 1.5),
        ("tomorrow", "date", "2026-11-23"), ("next Friday", "date", "2026-11-27"),
        ("on Sunday", "date", "2026-11-29"), ("5 March", "date", "2027-03-05"),
        ("March 5th, 2028", "date", "2028-03-05"), ("2027-03-05", "date", "2027-03-05"),
        ("25/12/2026", "date", "2026-12-25"), ("in three days", "date", "2026-11-25"),
        ("for March 5th, 2028", "date", "2028-03-05"), ("in March", "dates", ("2027-03-01", "2027-03-31")),
        ("the 5th", "date", "2026-12-05"), ("Tuesday, 24 November", "date", "2026-11-24"),
        ("5 to 9 March", "dates", ("2027-03-05", "2027-03-09")),
        ("1 May 2027 until 3 May 2027", "dates", ("2027-05-01", "2027-05-03")),
        ("next week", "dates", ("2026-11-23", "2026-11-29")),
        ("last month", "dates", ("2026-10-01", "2026-10-31")),
        ("February 2028", "dates", ("2028-02-01", "2028-02-29")),
        ("7pm", "time", "19:00"), ("19:30", "time", "19:30"), ("noon", "time", "12:00"),
        ("half past seven in the evening", "time", "19:30"), ("quarter to 8", "time", "07:45"),
        ("2 to 4pm", "times", ("14:00", "16:00")), ("9am-5pm", "times", ("09:00", "17:00")),
        ("AB-1234", "id", "AB-1234"), ("#4512", "id", "4512"), ("s2", "id", "s2"),
        ("ada@mail.example", "email", "ada@mail.example"),
        ("+44 20 7946 0958", "phone", "+44 20 7946 0958"),
        ("https://site.example/a?b=c", "url", "https://site.example/a?b=c"),
        ("“two words”", "quoted", "two words"), ("third", "ordinal", 3),
    ],
)  # fmt: skip
def test_typed_piece(text: str, kind: str, value: Any) -> None:
    """A piece of text that has a type is read with its value."""
    spans = spans_of(words_of(text), _NOW, text)
    assert [(span.kind, span.value) for span in spans] == [(kind, value)]


@pytest.mark.parametrize(
    "text", ["5/3/2027", "at 7", "the cheapest one", "it's", "may", "32 March"]
)
def test_doubtful_piece(text: str) -> None:
    """What could be one day or another, or no day at all, is not read as one."""
    kinds = {span.kind for span in spans_of(words_of(text), _NOW, text)}
    assert not kinds & {"date", "dates", "time", "times"}


@pytest.mark.parametrize(
    ("text", "bound"),
    [("under £20", "max"), ("at least 3", "min"), ("4 or more", "min"), ("no more than 5", "max"),
     ("up to 10 km", "max"), ("200 max", "max"), ("7", "")],
)  # fmt: skip
def test_bounds(text: str, bound: str) -> None:
    """An amount knows whether it is the most or the least that is wanted."""
    (span,) = spans_of(words_of(text), _NOW, text)
    assert span.bound == bound


def test_between() -> None:
    """Of two amounts with `between` the first is the least and the second the most."""
    text = "between £10 and £20"
    assert [(s.value, s.bound) for s in spans_of(words_of(text), _NOW, text)] == [
        (10, "min"), (20, "max"),
    ]  # fmt: skip


def test_slips() -> None:
    """A word nobody knows becomes the known word one slip away; names are left alone."""
    text = "cancle my reservaton for Bokk on Wendesday"
    words = words_of(text)
    slips = slips_in(words, {"reservation", "cancel", "book"})
    assert slips == {"cancle": "cancel", "reservaton": "reservation", "wendesday": "wednesday"}
    assert [word.text for word in mended(words, slips)] == [word.text for word in words]


def test_likeness() -> None:
    """Words of one line of the thesaurus mean the same, the more so if one gives it its name."""
    assert verb_likeness(stem("cancel"), stem("cancelling")) == 1.0
    assert verb_likeness(stem("find"), stem("search")) == 0.75
    assert verb_likeness(stem("delete"), stem("search")) == 0.0
    assert noun_likeness(stem("trolley"), stem("basket")) == 0.75
    assert 0 < noun_likeness(stem("trolley"), stem("cart")) < 0.75
    assert noun_likeness(stem("trolley"), stem("weather")) == 0.0
