import json
from typing import Any

import pytest
from tests.core.agent.stage import ORIGIN, READS, Stage, call, finish, tool

from webagent.agent import Done, MemoryStore, Policy, Run, Said, StoreFull
from webagent.agent.storage import LONGEST, RunStorage
from webagent.llm.chat import ToolCall


async def left(stage: Stage, pending: ToolCall | None, **changes: Any) -> Run:
    """Return a run that was under way when the last page was left, and is in the store."""
    run = Run("go on", ORIGIN, started=stage.clock.now().timestamp(), plan=READS, pending=pending)
    run.entries.append(Said("agent", "I began"))
    for name, value in changes.items():
        setattr(run, name, value)
    await stage.store.save(json.dumps(run.to_dict()))
    return run


async def test_a_run_is_kept_before_each_action(stage: Stage) -> None:
    """The action under way is stored as pending, for the next page."""
    kept: list[Any] = []
    stage.page.functions["search"] = lambda query: kept.append(json.loads(stage.store.text or ""))
    driver = stage.driver(tool("search", query="x"), finish())

    await driver.run("find x")

    assert kept[0]["pending"]["arguments"] == {"name": "search", "arguments": {"query": "x"}}
    assert kept[0]["goal"] == "find x"
    assert kept[0]["plan"]["text"] == READS.text


async def test_an_action_is_pending_only_once_it_is_allowed(stage: Stage) -> None:
    """While the person is asked nothing is under way, so nothing can have happened."""

    class Looking:
        async def ask(self, request: Any) -> Any:
            from webagent.agent import Answer

            kept.append(json.loads(stage.store.text or "")["pending"])
            return Answer(True)

    kept: list[Any] = []
    await stage.driver(tool("mystery"), finish(), person=Looking()).run("go")

    assert kept == [None]


@pytest.mark.parametrize(
    "pending",
    [call("goto_url", url="/contact"), call("click", pp_id=3), call("search", query="x")],
)
async def test_an_action_that_left_the_page_gets_its_result_on_the_next(
    stage: Stage, pending: ToolCall
) -> None:
    """After a navigation the action that caused it has succeeded, and the run goes on."""
    stage.show("Contact us", path="/contact")
    await left(stage, pending)
    driver = stage.driver(finish("here we are"))

    result = await driver.resume()

    assert result is not None
    assert result.text == "here we are"
    assert result.run.done()[0].value == {"navigated": True, "url": f"{ORIGIN}/contact"}
    assert stage.events[0]["resumed"] is True
    assert stage.steps()[0] == (pending.name, "finished")
    assert stage.told("planned") == []
    assert stage.store.text is None


@pytest.mark.parametrize("name", ["call_tool", "execute_js"])
async def test_a_call_that_lost_its_page_may_have_happened(stage: Stage, name: str) -> None:
    """A tool that was under way is reported as `navigated`, and is never called again by itself."""
    arguments = {"name": "addToBasket", "arguments": {"bookId": "x"}}
    pending = ToolCall("c", name, arguments if name == "call_tool" else {"code": "…"})
    await left(stage, pending)

    result = await stage.driver(finish()).resume()

    assert result is not None
    error = result.run.done()[0].error
    assert error is not None
    assert error["kind"] == "navigated"
    assert "it may have happened" in error["message"]
    assert stage.called == []


@pytest.mark.parametrize("name", ["communicate", "get_summary", "read_file"])
async def test_an_action_that_does_nothing_to_the_page_is_decided_on_again(
    stage: Stage, name: str
) -> None:
    """A question or a reading that the navigation cut short is neither done nor failed."""
    await left(stage, call(name))

    result = await stage.driver(finish()).resume()

    assert result is not None
    assert [done.call.name for done in result.run.done()] == ["finish"]


async def test_nothing_is_made_up_for_a_run_without_pending_action(stage: Stage) -> None:
    """A page that was left between two actions is simply gone on from."""
    await left(stage, None)

    result = await stage.driver(finish()).resume()

    assert result is not None
    assert [done.call.name for done in result.run.done()] == ["finish"]


async def test_another_page_than_asked_for_has_the_plan_revised(stage: Stage) -> None:
    """The plan is revised before the run goes on elsewhere."""
    stage.show("Please log in", path="/login")
    await left(stage, call("goto_url", url="/account"))
    driver = stage.driver(finish())

    await driver.resume()

    assert stage.script.reasons == ["`/account` was asked for, and the page is `/login`"]


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"origin": "https://other.example"}, True),
        ({"started": 0.0}, False),
        ({"started": 9e12}, False),
        ({"resumed": 20}, False),
    ],
)
async def test_runs_that_are_not_resumed(stage: Stage, changes: dict[str, Any], kept: bool) -> None:
    """A run of another origin stays; one that is too old, or went on too often, is forgotten."""
    await left(stage, None, **changes)

    assert await stage.driver().resume() is None
    assert (stage.store.text is not None) is kept


@pytest.mark.parametrize(
    "text",
    ["", "no json", "[]", "null", "{}", '{"version": 1}', "[" * 100_000, '{"version": 99}'],
)
async def test_a_broken_run_is_removed(stage: Stage, text: str) -> None:
    """Other content of the store does not end anything, and is removed."""
    await stage.store.save(text)

    assert await stage.driver().resume() is None
    assert stage.store.text is None


@pytest.mark.parametrize("value", [None, 3, "x", [], {"a": 1}])
async def test_a_run_with_a_wrong_field_is_refused(stage: Stage, value: Any) -> None:
    """A field of another kind than it should be is found when the run is read."""
    run = await left(stage, None)
    for field in run.to_dict():
        data = run.to_dict() | {field: value}
        await stage.store.save(json.dumps(data))
        keeper = RunStorage(stage.store, lambda data: data)
        await keeper.restore(ORIGIN, stage.clock.now().timestamp())


async def test_a_run_is_taken_up_once_in_a_page(stage: Stage) -> None:
    """A driver, which belongs to one page, resumes once."""
    await left(stage, None)
    driver = stage.driver(finish(), finish())
    assert await driver.resume() is not None
    await left(stage, None)

    assert await driver.resume() is None


async def test_each_taking_up_is_counted_at_once(stage: Stage) -> None:
    """The count is kept before anything is done, so that a page that breaks cannot loop."""
    await left(stage, None, resumed=19)
    counts: list[int] = []

    def look(run: Run, scene: Any) -> Any:
        counts.append(json.loads(stage.store.text or "")["resumed"])
        return finish()

    await stage.driver(look).resume()

    assert counts == [20]


async def test_the_count_of_what_was_spent_goes_on(stage: Stage) -> None:
    """The budget is that of the whole run, over all its pages."""
    from webagent.agent import Budget

    run = Run("go", ORIGIN, started=stage.clock.now().timestamp(), plan=READS)
    run.spent.steps = 50
    await stage.store.save(json.dumps(run.to_dict()))

    result = await stage.driver(finish(), budget=Budget(steps=50)).resume()

    assert result is not None
    assert result.error is not None
    assert "50 steps" in result.error.message


async def test_abandoning_leaves_the_run_for_the_next_page(stage: Stage) -> None:
    """When the page is left the run ends without a word, and stays in the store as it was."""
    import asyncio

    started = asyncio.Event()
    stage.page.functions["mystery"] = lambda: (started.set(), asyncio.Event().wait())[1]
    driver = stage.driver(tool("mystery"), policy=Policy(allow_writes=True))
    run = asyncio.ensure_future(driver.run("go"))
    await started.wait()
    told = len(stage.events)
    driver.abandon()

    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(stage.events) == told
    assert json.loads(stage.store.text or "")["pending"]["name"] == "call_tool"
    assert not driver.running


def long_run(results: int, size: int) -> Run:
    run = Run("the goal " * 100, ORIGIN, plan=READS, pending=call("click", pp_id=1))
    for number in range(results):
        run.entries.append(Done(call("get_summary"), ORIGIN, f"{number} " + "x" * size))
    return run


async def kept(run: Run, store: MemoryStore) -> dict[str, Any]:
    assert await RunStorage(store, lambda data: data).save(run)
    assert store.text is not None
    found: dict[str, Any] = json.loads(store.text)
    return found


async def test_old_results_are_shortened_first() -> None:
    """A run that is too long keeps its goal, its plan, its pending action and its last results."""
    run = long_run(15, 100_000)
    store = MemoryStore()

    data = await kept(run, store)

    assert len(store.text or "") <= LONGEST
    assert data["goal"] == run.goal
    assert data["pending"]["name"] == "click"
    assert data["plan"]["text"] == READS.text
    assert len(data["entries"]) == 15
    assert data["entries"][0]["value"].endswith("… (cut: it was too long to be kept)")
    assert data["entries"][-1]["value"] == "14 " + "x" * 100_000
    assert Run.from_dict(data).done()[0].ok


async def test_a_store_with_less_room_gets_less() -> None:
    """A store that is full is given a shorter run, until it fits."""
    data = await kept(long_run(15, 100_000), MemoryStore(most=10_000))

    assert data["pending"]["name"] == "click"


async def test_a_run_for_which_there_is_no_room_goes_on_unkept(stage: Stage) -> None:
    """A store in which nothing fits costs the survival of a run, not the run."""
    store = MemoryStore(most=10)
    with pytest.raises(StoreFull):
        await store.save("x" * 11)

    assert not await RunStorage(store, lambda data: data).save(long_run(1, 10))
    assert (await stage.driver(finish(), store=store).run("go")).ok


async def test_passwords_are_not_kept(stage: Stage) -> None:
    """The arguments of what was done are kept without secrets."""
    texts: list[str] = []

    def look(run: Run, scene: Any) -> Any:
        texts.append(stage.store.text or "")
        return finish()

    await stage.driver(tool("login", password="ropewalk14"), look).run("sign in")

    assert '"login"' in texts[0]
    assert "ropewalk14" not in texts[0]


async def test_a_run_is_the_same_after_it_was_written_down(stage: Stage) -> None:
    """`from_dict` reads what `to_dict` wrote, all of it."""
    run = long_run(3, 5)
    run.entries += [Said("person", "no"), Done(call("x"), ORIGIN, error={"kind": "threw"})]
    run.allowed, run.notes, run.spent.usd = ["a"], {"n": [1]}, None

    assert Run.from_dict(json.loads(json.dumps(run.to_dict()))) == run
