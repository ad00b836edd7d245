"""The count of files on a walk: what is a step, and what is not."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.bench.walks import QUEUED, Trail, goal, invoke, parse_template, table
from webagent import parse

STEPS = [
    (1.0, "webagent/a.py"),
    (2.0, "webagent_dev/b.py"),
    (3.0, "webagent/a.py"),
    (4.0, QUEUED),
    (5.0, "webagent_dev/c.py"),
]


def test_files_and_moves() -> None:
    """A file counts once, a move each time; a queue is neither."""
    trail = Trail(STEPS)
    assert trail.files() == ["webagent/a.py", "webagent_dev/b.py", "webagent_dev/c.py"]
    assert trail.moves() == 3


def test_parts_of_a_trail() -> None:
    """A part is one of a time, of a package, or before the first message in a queue."""
    trail = Trail(STEPS)
    assert trail.between(2, 3).files() == ["webagent_dev/b.py", "webagent/a.py"]
    assert trail.within("webagent_dev").files() == ["webagent_dev/b.py", "webagent_dev/c.py"]
    assert trail.until_queued().files() == ["webagent/a.py", "webagent_dev/b.py"]


def test_only_our_own_files_are_steps() -> None:
    """Calls of the standard library and of the tests leave no step; after the end, nothing does."""
    with Trail().followed() as trail:
        Trail().files()
        assert not trail.steps
        parse("# Shop\n")
    seen = len(trail.steps)
    parse("# Shop\n")
    assert trail.files()
    assert len(trail.steps) == seen


def test_connections_are_below_a_walk() -> None:
    """A method of an `asyncio.Protocol` is not a step, even in a file of ours."""
    source = compile("def called(self): pass", parse.__code__.co_filename, "exec")
    names: dict[str, Any] = {}
    exec(source, names)
    with Trail().followed() as trail:
        names["called"](asyncio.Protocol())
    assert not trail.steps
    with Trail().followed() as trail:
        names["called"](None)
    assert trail.files()


async def test_walks_within_the_core() -> None:
    """Each makes its call, and passes through files of the core alone."""
    for walk in (goal, invoke, parse_template):
        files = (await walk()).files()
        assert files
        assert all(file.startswith("webagent/") for file in files)


def test_table() -> None:
    """A walk is shown with its figures and its limit."""
    assert table({"goal": Trail(STEPS)}).endswith("| 3 | 30 | 3 |")
