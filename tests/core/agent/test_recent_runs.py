"""The next goal may refer to the last runs of its tab."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, READS, Stage, answers, call, finish, tool

from webagent.agent import MemoryStore
from webagent.agent.run import PastRun
from webagent.agent.storage import LONGEST_RECENT, MOST_RECENT, RecentRuns


def _unmasked(data: Any) -> Any:
    return data


async def test_a_run_is_seen_by_the_next(stage: Stage) -> None:
    """The next run sees the goal, the last words, and the calls with their results."""
    recent = MemoryStore()
    await stage.driver(tool("search", query="x"), finish("one book"), recent=recent).run("find x")

    # Another driver, as on another page of the tab.
    await stage.driver(finish("that one"), recent=recent).run("open the first one")

    ((seen,),) = [scene.earlier for scene in stage.script.scenes]
    assert (seen.goal, seen.text, seen.ok, seen.question) == ("find x", "one book", True, "")
    assert [(one.tool, one.arguments) for one in seen.calls] == [("search", {"query": "x"})]
    assert seen.calls[0].value["books"][0]["id"] == "the-hobbit"


async def test_one_driver_remembers_by_itself(stage: Stage) -> None:
    """Without a store the runs of one driver are remembered as long as there is the driver."""
    driver = stage.driver(finish("a"), finish("b"), plans=(READS, READS))
    await driver.run("one")
    await driver.run("two")

    assert [[run.goal for run in scene.earlier] for scene in stage.script.scenes] == [[], ["one"]]


async def test_a_question_without_an_answer_is_kept(stage: Stage) -> None:
    """Where a run ended with a question, the next goal may answer it."""
    recent = MemoryStore()
    asking = call("communicate", summary="I need more", question="Which book?")
    await stage.driver(
        asking, finish("stopped", success=False), recent=recent, person=answers(False)
    ).run("buy")

    (run,) = await RecentRuns(recent, _unmasked).load(ORIGIN)
    assert (run.ok, run.question) == (False, "Which book?")


async def test_the_oldest_runs_are_forgotten() -> None:
    """Ten runs are kept, and fewer if they are long."""
    recent = RecentRuns(MemoryStore(), _unmasked)
    for number in range(MOST_RECENT + 2):
        await recent.add(ORIGIN, PastRun(str(number), "", True))
    assert [run.goal for run in await recent.load(ORIGIN)] == [*map(str, range(2, 12))]

    await recent.add(ORIGIN, PastRun("long", "x" * (LONGEST_RECENT - 300), True))
    kept = [run.goal for run in await recent.load(ORIGIN)]
    assert kept[-1] == "long"
    assert len(kept) < MOST_RECENT


async def test_a_full_tab_keeps_what_fits() -> None:
    """Where the tab has little room, the oldest go; a run that fits nowhere leaves nothing behind."""
    store = MemoryStore(most=300)
    recent = RecentRuns(store, _unmasked)
    await recent.add(ORIGIN, PastRun("a", "x" * 100, True))
    await recent.add(ORIGIN, PastRun("b", "x" * 100, True))
    assert [run.goal for run in await recent.load(ORIGIN)] == ["b"]

    await recent.add(ORIGIN, PastRun("c", "x" * 400, True))
    assert store.text is None


async def test_other_origins_are_not_meant() -> None:
    """Runs on another origin are kept, and not handed to a run of this one."""
    recent = RecentRuns(MemoryStore(), _unmasked)
    await recent.add("https://other.example", PastRun("theirs", "", True))
    await recent.add(ORIGIN, PastRun("ours", "", True))

    assert [run.goal for run in await recent.load(ORIGIN)] == ["ours"]


@pytest.mark.parametrize("text", ["", "7", "[7]", '[{"origin": "x"}]', "{", '[{"goal": []}]'])
async def test_other_data_are_ignored(text: str) -> None:
    """The page's scripts can write to the store; other data than a list of runs are ignored."""
    assert await RecentRuns(MemoryStore(text), _unmasked).load(ORIGIN) == []


async def test_secrets_are_masked(stage: Stage) -> None:
    """A password of a goal is in nothing that is kept."""
    recent = MemoryStore()
    driver = stage.driver(finish("hello"), recent=recent)
    await driver.run("log me in with the password ropewalk14")

    assert "ropewalk14" not in (recent.text or "")
    assert json.loads(recent.text or "")[0]["goal"].startswith("log me in")
