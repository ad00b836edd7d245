"""The calls that were made against those that were expected."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webagent_dev.evals.case import ActualCall, ExpectedCall, Group, Node
from webagent_dev.evals.comparison import Row, TooManyOrders, call_differences, compare


def want(name: str, **arguments: object) -> ExpectedCall:
    return ExpectedCall(name, arguments or None)


def maybe(name: str) -> ExpectedCall:
    return ExpectedCall(name, optional=True)


def any_order(*nodes: Node) -> Group:
    return Group(False, nodes)


def in_order(*nodes: Node) -> Group:
    return Group(True, nodes)


def made(name: str, **arguments: object) -> ActualCall:
    return ActualCall(name, arguments)


def told(rows: Sequence[Row]) -> list[str]:
    """Return each row in a word or two: `a`, `-a` missing, `+a` not expected, `^a` out of order."""
    marks = {"agrees": "", "missing": "-", "not expected": "+", "differs": "~", "out of order": "^"}
    named = [(row, row.actual or row.expected) for row in rows]
    return [marks[row.verdict] + (one.name if one else "") for row, one in named]


@pytest.mark.parametrize(
    ("expected", "names", "rows"),
    [
        ([want("a"), want("b")], "ab", ["a", "b"]),
        ([want("a"), want("b")], "ba", ["b", "^a"]),
        ([want("a"), want("b")], "a", ["a", "-b"]),
        ([want("a"), want("b"), want("c")], "ac", ["a", "-b", "c"]),
        ([want("a"), want("c")], "abc", ["a", "+b", "c"]),
        ([], "a", ["+a"]),
        ([], "", []),
        ([want("a"), maybe("b"), want("c")], "ac", ["a", "c"]),
        ([want("a"), maybe("b"), want("c")], "abc", ["a", "b", "c"]),
        ([want("a"), maybe("b")], "abb", ["a", "b", "+b"]),
        ([maybe("a"), want("a")], "a", ["a"]),
        ([any_order(want("a"), want("b")), want("c")], "bac", ["b", "a", "c"]),
        ([any_order(want("a"), want("b")), want("c")], "acb", ["a", "c", "^b"]),
        ([any_order(want("a"), maybe("x")), want("c")], "ac", ["a", "c"]),
        ([any_order(want("a"), maybe("x")), want("c")], "xac", ["x", "a", "c"]),
        ([any_order(want("a"), want("b"))], "b", ["b", "-a"]),
        ([any_order(want("a"), want("b"))], "bxa", ["b", "+x", "a"]),
        ([any_order(in_order(want("a"), want("b")), want("c"))], "cab", ["c", "a", "b"]),
        ([any_order(in_order(want("a"), want("b")), want("c"))], "acb", ["a", "c", "^b"]),
        ([in_order(want("a"), any_order(want("b"), want("c")))], "acb", ["a", "c", "b"]),
    ],
)
def test_rows(expected: list[Node], names: str, rows: list[str]) -> None:
    """Each call is beside what it was expected to be, or beside nothing."""
    assert told(compare(expected, [made(name) for name in names])) == rows


def test_different_arguments_are_shown_with_the_call() -> None:
    """A call of the right tool with other arguments differs, and is not missing."""
    (row,) = compare([want("find", query="harbour")], [made("find", query="ship")])

    assert row.verdict == "differs"
    assert [str(one) for one in row.differences] == ['`query` is "ship", expected "harbour"']


def test_calls_in_any_order_go_to_those_they_fit() -> None:
    """Of two expected calls of one tool each gets the call that fits it, whatever the order."""
    rows = compare(
        [any_order(want("add", item={"$type": "string"}), want("add", item="onion"))],
        [made("add", item="onion"), made("add", item="olive")],
    )

    assert [row.verdict for row in rows] == ["agrees", "agrees"]


def test_a_call_that_was_refused_is_not_the_expected_one() -> None:
    """A call that did not fit its tool's schema is not that call."""
    call = ActualCall("find", {"query": 3}, error={"message": "`query` takes text"}, refused=True)
    (row,) = compare([want("find")], [call])

    assert row.verdict == "differs"
    assert "refused: `query` takes text" in str(row.differences[0])


def test_results_count_where_they_are_real() -> None:
    """An expected result is compared with what the tool gave, and not with what was made up."""
    call = ExpectedCall("book", None, {"$contains": "Hello"})

    assert call_differences(call, ActualCall("book", value="Hello Bob")) == []
    assert call_differences(call, ActualCall("book", value="Sorry")) != []
    assert call_differences(call, ActualCall("book", error={"message": "closed"})) != []
    assert call_differences(call, ActualCall("book", value={}, mocked=True)) == []


def test_very_many_calls_come_to_an_end() -> None:
    """The calls of an agent that runs in circles are shown one by one."""
    rows = compare([want("a"), want("b")], [made("a") for _ in range(1_000)])

    assert len(rows) >= 1_000
    assert [row.verdict for row in rows].count("not expected") >= 998


def test_many_calls_in_any_order() -> None:
    """A large group is compared in reasonable time, also when one of it differs."""
    names = [f"t{number}" for number in range(200)]
    group = any_order(*[want(name) for name in names])

    calls = [made(name) for name in reversed(names)]
    assert {row.verdict for row in compare([group], calls)} == {"agrees"}
    calls[7] = made("other")
    assert sorted({row.verdict for row in compare([group], calls)}) == [
        "agrees",
        "missing",
        "not expected",
    ]


def test_groups_that_cannot_be_followed_raise() -> None:
    """Groups of groups in any order with too many ways through them end in an exception."""
    inner = [in_order(*[maybe("a") for _ in range(8)]) for _ in range(15)]

    with pytest.raises(TooManyOrders):
        compare([any_order(*inner)], [made("a") for _ in range(100)])


NAMES = st.sampled_from("abc")
LEAVES = st.builds(
    lambda name, optional: ExpectedCall(name, optional=optional), NAMES, st.booleans()
)
NODES: st.SearchStrategy[Node] = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        Group, st.booleans(), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=5,
)


def sentences(node: Node) -> Iterator[tuple[str, ...]]:
    """Yield every row of calls that agrees with a node."""
    if isinstance(node, ExpectedCall):
        yield (node.name,)
        if node.optional:
            yield ()
        return
    orders = [node.nodes] if node.ordered else itertools.permutations(node.nodes)
    for order in orders:
        for parts in itertools.product(*[set(sentences(inner)) for inner in order]):
            yield tuple(itertools.chain(*parts))


@settings(deadline=None)
@given(st.lists(NODES, max_size=3), st.lists(NAMES, max_size=6), st.data())
def test_rows_agree_exactly_for_what_the_groups_allow(
    expected: list[Node], names: list[str], data: st.DataObject
) -> None:
    """All rows agree if, and only if, the calls are one of the rows of calls that are meant."""
    allowed = set(sentences(Group(True, tuple(expected))))
    if data.draw(st.booleans()):
        names = list(data.draw(st.sampled_from(sorted(allowed))))
    rows = compare(expected, [made(name) for name in names])

    assert all(row.verdict == "agrees" for row in rows) == (tuple(names) in allowed)
    assert [row.actual.name for row in rows if row.actual] == names or not all(
        row.verdict == "agrees" for row in rows
    )
    assert sorted(row.actual.name for row in rows if row.actual) == sorted(names)
