"""Pages and goals that want to hang or break the reader."""

from __future__ import annotations

import pytest
from tests.core.agent.deterministic.pages.pages import HARBOUR, SHOP, follow, intent
from tests.timing import grows_at_most, takes_at_most

from webagent.page.snapshot import Element, Snapshot

_GOALS = ("what does it say about the ferry to Gull Island?", "who wrote this?", "what is this page about?",
          "summarise the page in five sentences", "when are you open?", "click show more")  # fmt: skip
_MOST = 200_000


def _of(piece: str) -> str:
    return (piece * (_MOST // len(piece) + 1))[:_MOST]


@pytest.mark.parametrize(
    "text",
    [
        _of("a"), _of("[1] link "), _of('[1] link "'), _of("By "), _of("Gull Island ferry. "), _of("1. "), _of("# a\n"), _of("- x | y\n"),
        _of("\u202eferry\u202c Gull\u200b Island\n"), _of("[1] button (a, "), _of("A. B. "), _of("A "), _of("| "), _of("\x00\ud800"),
        _of("By Ada Lovelace and "), _of("####### "), " ".join(f"ferry{n}" for n in range(25_000))[:_MOST],
        "\n".join(f"The ferry {n} goes to island {n}." for n in range(6_000))[:_MOST], _of("12 Quay St "), _of("[1] link to {"),
    ],
    ids=range(20),
)  # fmt: skip
def test_text(text: str) -> None:
    """Whatever a page says, its end is soon; characters that turn text round are not told."""
    page = Snapshot(url="https://x.example", text=text, elements=HARBOUR.elements)

    def read() -> None:
        for goal in _GOALS:
            said = follow(goal, page).said
            assert len(said) <= 1_200
            assert "\u202e" not in said

    assert takes_at_most(8, read)


def test_time_is_linear() -> None:
    """Twice the text takes about twice the time."""

    def read(size: int) -> None:
        text = "\n".join(f"The ferry {n} of line{n} goes to some island." for n in range(size))
        follow(_GOALS[0], Snapshot(text=text))

    read(10)
    assert grows_at_most(12, lambda: read(1_000), lambda: read(4_000), floor_s=0.02)


def test_many_elements() -> None:
    """Of 5,000 elements the right one is clicked."""
    names = [
        Element(n, "link", f"Item {n} of the catalogue", href=f"/item/{n}") for n in range(5_000)
    ]
    page = Snapshot(url="https://x.example", elements=(*names, *HARBOUR.elements[3:4]))

    def find() -> None:
        found = intent("open item 4711", page)
        assert found is not None
        assert found.targets == (4711,)
        everything = intent("open item", page)
        assert everything is not None
        assert len(everything.targets) == 20

    assert takes_at_most(4, find)


@pytest.mark.parametrize(
    "goal",
    ["", "?", "open", "click", "search", "scroll", "a" * 4_000, "open " * 800, "click \u202eShow more", "\ud800 open", '"' * 4_000,
     "fill in the form with " + "x, " * 1_200, "what " * 800, "not " * 999, "who wrote " * 400, "summarise in 10000000000 sentences",
     "summarise in -3 sentences", "in half a sentence", "click the 99999999999th button", "…" * 400],
    ids=range(20),
)  # fmt: skip
def test_goal(goal: str) -> None:
    """Whatever a goal is, the task comes to an end."""
    for page in (HARBOUR, SHOP, Snapshot()):
        follow(goal, page, ["x", "", "2"])
