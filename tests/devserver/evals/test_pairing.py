"""Pairs of calls, each used once."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from webagent_dev.evals.comparison import paired


def test_a_partner_is_given_up_for_another() -> None:
    """The first takes another partner, so that the next has one too."""
    assert paired([[0, 1], [0]], [True, True]) == {0: 1, 1: 0}


def test_the_needed_go_first() -> None:
    """Of two who want the same, the one that is needed gets it."""
    assert paired([[0], [0]], [False, True]) == {1: 0}


@given(
    st.lists(st.tuples(st.sets(st.integers(0, 4)), st.booleans()), max_size=5),
)
def test_there_are_as_many_pairs_as_there_can_be(wanted: list[tuple[set[int], bool]]) -> None:
    """The most pairs, among them the most of the needed, each of those that fit and used once."""
    fitting = [sorted(fits) for fits, _ in wanted]
    needed = [need for _, need in wanted]
    found = paired(fitting, needed)

    assert all(other in fitting[one] for one, other in found.items())
    assert len(set(found.values())) == len(found)
    best = max(
        (
            sum(choice is not None for choice in choices),
            sum(choice is not None and need for choice, need in zip(choices, needed, strict=True)),
        )
        for choices in itertools.product(*[[None, *fits] for fits in fitting])
        if len(taken := [c for c in choices if c is not None]) == len(set(taken))
    )
    assert (len(found), sum(needed[one] for one in found)) == best
