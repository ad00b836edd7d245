"""By which field, and which way round, a request orders things: `cheapest`, `most recent`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.words import STOP, Word

Order = tuple[tuple[str, ...], bool]
"""Nouns of the field, the likeliest first, and whether the largest comes first."""


def _nouns(words: str) -> tuple[str, ...]:
    return tuple(map(stem, words.split()))


PRICE: Final = _nouns("price cost total fare fee amount rate premium rent value")
_RATING: Final = _nouns("rating stars score grade review popularity")
DATE: Final = _nouns("date due created time start departure published updated when day at on "
                      "received year timestamp deadline released expires posted sent deadline")  # fmt: skip
_LENGTH: Final = _nouns("duration length minutes hours time runtime days distance")
SIZE: Final = _nouns(
    "amount size area total quantity count number population value weight price sqm"
)
_AWAY: Final = _nouns("distance away km miles meters metres m minutes walk walking far")
_ORDERS: Final[Mapping[str, tuple[tuple[str, ...], bool]]] = {
    word: (fields, largest)
    for words, fields, largest in (
        ("cheapest cheaper lowest-priced", PRICE, False),
        ("priciest dearest costliest", PRICE, True),
        ("best top greatest top-rated best-rated highest-rated finest", _RATING, True),
        ("worst lowest-rated", _RATING, False),
        ("newest latest freshest", DATE, True),
        ("oldest earliest soonest", DATE, False),
        ("nearest closest", _AWAY, False),
        ("farthest furthest", _AWAY, True),
        ("largest biggest", SIZE, True),
        ("smallest tiniest", SIZE, False),
        ("shortest quickest fastest", _LENGTH, False),
        ("longest slowest", _LENGTH, True),
        ("heaviest", _nouns("weight mass grams kg"), True),
        ("lightest", _nouns("weight mass grams kg"), False),
    )
    for word in words.split()
}  # fmt: skip
_OF: Final[Mapping[str, tuple[tuple[str, ...], bool]]] = {
    "recently": (DATE, True),
    "expensive": (PRICE, True), "costly": (PRICE, True), "recent": (DATE, True),
    "rated": (_RATING, True), "popular": (_nouns("popularity sold votes likes views rating reviews "
                                                 "downloads"), True),
    "reviewed": (_nouns("reviews rating"), True), "affordable": (PRICE, False),
    "urgent": (_nouns("priority urgency due"), True), "severe": (_nouns("severity level"), True),
    "important": (_nouns("priority importance"), True), "priced": (PRICE, True),
}  # fmt: skip
_NO_ORDER: Final = frozenset({"request", "interest", "harvest", "forest", "contest", "protest", "invest",
                              "suggest", "digest", "honest", "modest", "budapest", "bucharest", "everest",
                              "southwest", "northwest", "arrest", "highest", "lowest", "greatest"})  # fmt: skip


def order_at(words: Sequence[Word], index: int) -> tuple[tuple[tuple[str, ...], bool], int] | None:
    """Return the order that is said at a place, and the index behind it."""
    low = words[index].low
    after = words[index + 1].low if index + 1 < len(words) else ""
    last = words[index + 2].low if index + 2 < len(words) else ""
    if low == "best" and after in ("rated", "reviewed"):
        return (_RATING, True), index + 2
    if low in _ORDERS:
        if low in ("top",) and after.isdecimal():
            return None
        fields, largest = _ORDERS[low]
        if after and after not in STOP and after.isalpha() and len(after) > 2:
            # `the longest battery life`: the noun may name the field.
            fields = (stem(after), *fields)
        return (fields, largest), index + 1
    if low.endswith("est") and len(low) > 5 and after.isalpha() and after not in STOP and (
        low not in _NO_ORDER
    ):  # fmt: skip
        return ((stem(after),), low not in ("fewest", "weakest", "thinnest")), index + 2
    if low in (
        "most",
        "least",
        "highest",
        "lowest",
        "greatest",
        "fewest",
        "max",
        "maximum",
        "minimum",
    ):
        if _before_than(words, index):
            return None
        up = low in ("most", "highest", "greatest", "max", "maximum")
        if after in _OF:
            fields, largest = _OF[after]
            return (fields, largest == up), index + 2
        if low in ("most", "least") and (not after or after in STOP or not after.isalpha()) and (
            index > 1 and words[index - 1].low == "the" and words[index - 2].low not in STOP
        ):  # fmt: skip
            # `the one that has raised the least`.
            return ((words[index - 2].stem,), up), index + 1
        noun = after if after not in STOP else last
        if noun and noun.isalpha() and noun not in STOP:
            fields = {"price": PRICE, "priced": PRICE, "rating": _RATING}.get(noun, (stem(noun),))
            return (fields, up), index + 2 + (noun == last and after in STOP)
    return None


def _before_than(words: Sequence[Word], index: int) -> bool:
    """Whether `most` is part of `at most`."""
    return index > 0 and words[index - 1].low in ("at", "the") and words[index - 1].low == "at"
