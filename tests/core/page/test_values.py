import math
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from webagent.errors import InvalidArguments
from webagent.page.values import decode, encode
from webagent.registry.registry import cut


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        -1.5,
        "é😀",
        [1, [2, []]],
        {"a": {"b": None}},
        2**70,
        -(2**60),
        math.inf,
        -math.inf,
        b"\x00\xff",
        datetime(2026, 11, 21, 12, 30, tzinfo=UTC),
        {"$type": "undefined"},
        {"$type": {"$type": "x"}, "value": 1},
    ],
)
def test_a_value_comes_back_as_it_went(value: Any) -> None:
    """Encoding and decoding is the identity, also for data that looks like a tag."""
    assert decode(encode(value)) == value


def test_not_a_number_comes_back() -> None:
    """NaN crosses, although JSON has no word for it."""
    assert math.isnan(decode(encode(math.nan)))


def test_python_values_find_their_javascript_kind() -> None:
    """Sets, maps, dates and big integers travel under JavaScript's names."""
    assert encode({1}) == {"$type": "set", "value": [1]}
    assert encode({1: "a"}) == {"$type": "map", "value": [[1, "a"]]}
    assert encode(date(2026, 1, 2)) == "2026-01-02"
    assert encode(2**53) == {"$type": "bigint", "value": "9007199254740992"}
    local = datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=2)))
    assert encode(local) == {"$type": "date", "value": "2026-01-02T01:00:00.000Z"}


def test_values_of_javascript_become_python() -> None:
    """Undefined is None, a set a list, a map pairs; what Python lacks stays tagged."""
    assert decode([{"$type": "undefined"}]) == [None]
    assert decode({"$type": "set", "value": [1, {"$type": "bigint", "value": "2"}]}) == [1, 2]
    assert decode({"$type": "map", "value": [["a", 1]]}) == [["a", 1]]
    element = {"$type": "element", "value": "<button>"}
    assert decode(element) == element


@pytest.mark.parametrize(
    "value",
    [
        {"$type": "bigint", "value": "many"},
        {"$type": "date", "value": "yesterday"},
        {"$type": "binary", "value": "%%%"},
        {"$type": "map", "value": [1]},
        {"$type": "set", "value": 3},
        {"$type": ["list"], "value": 3},
    ],
)
def test_a_tag_with_nonsense_in_it_stays_as_it_is(value: Any) -> None:
    """Data of a hostile page never raise."""
    assert decode(value) == value


def test_a_value_without_a_counterpart_is_refused_with_a_remedy() -> None:
    """An object of Python's own is named, with what can be passed instead."""
    with pytest.raises(InvalidArguments, match="`object` cannot be sent") as caught:
        encode([object()])

    assert caught.value.help is not None


def test_a_circle_is_refused() -> None:
    """A list that contains itself is an error, not an endless loop."""
    circle: list[Any] = []
    circle.append(circle)

    with pytest.raises(InvalidArguments, match="contains itself"):
        encode(circle)


CUTS: list[tuple[Any, int, Any]] = [
    (["a", 1, {"b": [None]}], 10_000, ["a", 1, {"b": [None]}]),
    (
        ["x" * 15_000_000, 2],
        10_000,
        [{"$type": "cut", "value": "x" * 4984, "length": 15_000_000}, 2],
    ),
    ([*range(1_000_000)], 64, {"$type": "cut", "value": [0, 1, 2], "length": 1_000_000}),
    (
        {"a": 1, "b" * 100_000: 2},
        100,
        {"$type": "cut", "value": {"a": 1}, "length": 2},
    ),
    (
        {"$type": "binary", "value": "A" * 1000},
        132,
        {"$type": "cut", "value": "A" * 50, "length": 1000},
    ),
    ({"$type": "undefined"}, 100, {"$type": "undefined"}),
    ([[], [[]]], 0, {"$type": "cut", "value": [], "length": 2}),
]


@pytest.mark.parametrize(("value", "most_chars", "expected"), CUTS)
def test_a_record_keeps_the_first_part_and_the_length(
    value: Any, most_chars: int, expected: Any
) -> None:
    """A value that does not fit is tagged with its full length; one that fits stays as it is."""
    kept, chars = cut(value, most_chars)

    assert kept == expected
    assert (kept is value) == (expected == value)
    assert chars >= 0
