"""The search for the smallest call that fails."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import strategies as st

from webagent_dev.contract import properties as exploring
from webagent_dev.contract.evidence import Fault
from webagent_dev.contract.properties import NoArguments, NoMoreCalls, explore, seed_of

NUMBERS = st.fixed_dictionaries({"n": st.integers(0, 10_000)})


def fault(proof: str, given: Any) -> list[Fault]:
    return [Fault(proof, "broken", str(given["n"]))]


async def test_each_kind_of_fault_is_made_small_by_itself() -> None:
    """One does not hide the other."""

    async def attempt(given: Any) -> list[Fault]:
        if given["n"] > 5_000:
            return fault("time", given)
        return fault("result", given) if given["n"] > 10 else []

    found = {f.proof: f.call for f in await explore(lambda: NUMBERS, attempt, seed=1, most=200)}

    assert found == {"result": "11", "time": "5001"}


async def test_the_same_call_is_made_once() -> None:
    """The page does not get the same call twice."""
    made: list[int] = []

    async def attempt(given: Any) -> list[Fault]:
        made.append(given["n"])
        return fault("result", given) if given["n"] > 10 else []

    await explore(lambda: NUMBERS, attempt, seed=1)

    assert len(made) == len(set(made))


async def test_when_its_time_is_up_what_was_found_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is then not the smallest."""
    moments = iter([0.0, *[1.0] * 30])
    monkeypatch.setattr(exploring.time, "monotonic", lambda: next(moments, 1_000.0))

    async def attempt(given: Any) -> list[Fault]:
        return fault("result", given) if given["n"] > 10 else []

    found = await explore(lambda: NUMBERS, attempt, seed=1)

    assert [f.proof for f in found] == ["result"]


async def test_a_search_that_came_to_no_call_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time was up before."""
    moments = iter([0.0])
    monkeypatch.setattr(exploring.time, "monotonic", lambda: next(moments, 1_000.0))

    async def attempt(given: Any) -> list[Fault]:
        raise AssertionError

    with pytest.raises(NoArguments, match="none were found within 20 s"):
        await explore(lambda: NUMBERS, attempt, seed=1)


async def test_a_search_ends_when_no_more_calls_can_be_made() -> None:
    """As when the rate of the tool is used up."""
    made: list[Any] = []

    async def attempt(given: Any) -> list[Fault]:
        made.append(given)
        if len(made) == 3:
            raise NoMoreCalls
        return []

    assert await explore(lambda: NUMBERS, attempt, seed=1) == []
    assert len(made) == 3


async def test_arguments_without_values_raise() -> None:
    """Nothing is called then."""

    async def attempt(given: Any) -> list[Fault]:
        raise AssertionError

    with pytest.raises(NoArguments):
        await explore(st.nothing, attempt, seed=1)


async def test_a_search_that_is_given_up_ends() -> None:
    """Its thread too: the call that it waits for is given up."""
    begun = asyncio.Event()

    async def attempt(given: Any) -> list[Fault]:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    task = asyncio.create_task(explore(lambda: NUMBERS, attempt, seed=1))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_seeds_depend_on_the_tool_alone() -> None:
    """And on the number that was typed."""
    assert seed_of(1, "find") == seed_of(1, "find")
    assert len({seed_of(1, "find"), seed_of(2, "find"), seed_of(1, "list")}) == 3
