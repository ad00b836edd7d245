"""Calls that need permission, and the report on tools that are not called."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.devserver.contract.kit import (
    FIND,
    SHOP,
    Functions,
    World,
    failed,
    find,
    line,
    manifest,
    one,
    proof,
    prove,
    tool,
)
from webagent_dev.contract.harness import FakeHarness
from webagent_dev.contract.permission import Permission
from webagent_dev.reports.content import Verdict
from webagent_site.errors import UsageError


async def test_a_reading_tool_that_writes_fails() -> None:
    """By what another tool reads before and after it."""

    def make(world: World) -> dict[str, Callable[..., Any]]:
        basket: list[str] = []

        def meddle(query: str, limit: float = 5) -> dict[str, Any]:
            basket.append(query)
            return find(query)

        return {"find": meddle, "count": lambda: len(basket), "random": iter(range(10**6)).__next__}

    text = manifest(FIND, tool("count", "", "number"), tool("random", "", "number"))
    found = proof(await prove(text, World(make)), "effect")

    assert found.verdict is Verdict.FAILED
    assert (
        "`find` says that it only reads, and `count` gives something else after it: 0 and then"
        in (found.message)
    )
    assert found.place is not None
    assert found.place.line == line(text, "effect: read")


async def test_a_tool_that_writes_is_blamed_alone() -> None:
    """The others are proven with calls of it, and its changes are not theirs."""

    def make(world: World) -> Functions:
        noted: list[str] = []

        def breads() -> list[str]:
            noted.append("bread")
            return ["rye"]

        return {"breads": breads, "bakes": lambda: noted, "weigh": lambda: 3}

    text = manifest(
        tool("weigh", "", "number", "await global.weigh();"),
        tool("breads", "", "string[]", "await global.breads();"),
        tool("bakes", "", "string[]", "await global.bakes();"),
    )
    report = await prove(text, World(make))

    assert {each.name: failed(report, each.name) for each in report.tools} == {
        "weigh": [],
        "breads": ["effect"],
        "bakes": [],
    }


async def test_a_tool_is_not_called_without_leave() -> None:
    """Each says in one line what would have it called."""
    text = manifest(
        tool("guess", sample="await global.guess();", behavior=""),
        tool("save", sample="await global.save();", behavior="effect: write"),
        tool("pay", sample="await global.pay();", behavior="effect: irreversible"),
    )
    called: list[str] = []
    functions = {n: (lambda n=n: called.append(n)) for n in ("guess", "save", "pay")}
    report = await prove(text, functions)

    assert called == []
    assert [t.verdict for t in report.tools] == [Verdict.SKIPPED] * 3
    assert [t.allow for t in report.tools] == [
        "`- effect: read` under `### Behavior` if it changes nothing, or `--allow-unknown`",
        "`--allow-writes`",
        "`--allow-writes --only pay`",
    ]
    assert proof(report, "sample", "save").message == (
        "`save` was not called: it writes - write `--allow-writes`"
    )


async def test_with_leave_only_sample_code_calls_what_writes() -> None:
    """The site is put back before each, and in the end; what cannot be taken back is named."""
    text = manifest(
        tool("guess", "- `x` (string, required)", "", 'await global.guess("a");', ""),
        tool("save", "- `x` (string, required)", "", 'await global.save("b");', "effect: write"),
        tool("pay", sample="await global.pay();", behavior="effect: irreversible"),
    )
    called: list[Any] = []
    world = World(
        lambda _: {"guess": called.append, "save": called.append, "pay": lambda: called.append(1)}
    )
    report = await prove(text, world, permission=Permission(unknown=True, writes=True))

    assert called == ["a", "b", "a", "b"], "each in its own page, then one after the other"
    assert world.harness.resets == 4
    assert [t.verdict for t in report.tools] == [Verdict.PASSED, Verdict.PASSED, Verdict.SKIPPED]
    named = Permission(writes=True, named=frozenset(["pay"]))
    assert (await prove(text, world, permission=named, only=["pay"])).tools[0].calls == 1


async def test_sample_code_that_calls_what_is_held_back_is_left_out() -> None:
    """The tool itself is still called with generated arguments."""
    sample = 'await global.save("b");\nawait global.find("tea");'
    text = manifest(
        FIND.replace('const { titles } = await global.find("tea");', sample),
        tool("save", "- `x` (string, required)", behavior="effect: write"),
    )
    report = await prove(text, {"find": find, "save": lambda x: None})

    assert proof(report, "sample").verdict is Verdict.SKIPPED
    assert "calls `save`, which was held back: it writes" in proof(report, "sample").message
    assert proof(report, "arguments").calls > 20


async def test_sample_code_that_never_calls_fails() -> None:
    """And one that fails, with what it said."""
    idle = SHOP.replace('const { titles } = await global.find("tea");', "await global.other();")
    text = manifest(tool("other", "", "number")).replace("# Shop\n", idle)
    report = await prove(text, {"find": find, "other": lambda: 1})
    broken = await prove(SHOP.replace('find("tea")', "find(3)"), {"find": find})

    assert "runs and never calls it" in proof(report, "sample").message
    assert (
        "the sample code of `find` fails: `find` cannot take this"
        in proof(broken, "sample").message
    )


async def test_a_tool_for_visitors_who_are_signed_in_is_marked() -> None:
    """It is not a failure, and says what is missing where it does not declare it."""

    def signed_out() -> None:
        raise ValueError("not logged in")

    text = manifest(tool("orders", "", "string[]", "await global.orders();"))
    report = await prove(text, {"orders": signed_out})

    assert report.ok
    assert one(report).verdict is Verdict.NEEDS_LOGIN
    assert "`- requires login`" in proof(report, "sample").message
    declared = await prove(text + "- requires login\n", {"orders": signed_out})
    assert "`- requires login`" not in proof(declared, "sample").message


async def test_idempotent_tools_are_called_twice() -> None:
    """The second call succeeds, gives the same, and changes nothing more."""
    text = manifest(
        tool("clear", "", "number", "await global.clear();", "effect: write; idempotent"),
        tool("count", "", "number"),
    )

    def make(again: Callable[[list[int]], Any]) -> World:
        def functions(_: World) -> dict[str, Callable[..., Any]]:
            state: list[int] = []

            def clear() -> Any:
                state.append(1)
                return again(state)

            return {"clear": clear, "count": lambda: len(state)}

        return World(functions)

    def refuse(state: list[int]) -> int:
        if len(state) > 1:
            raise ValueError("it is empty already")
        return 0

    leave = Permission(writes=True)
    refused = await prove(text, make(refuse), permission=leave)
    other = await prove(text, make(len), permission=leave)
    hidden = await prove(text, make(lambda _: 0), permission=leave)

    assert "the second call fails: ValueError: it is empty" in proof(refused, "idempotent").message
    assert "gives something else: 2 and then 3" in proof(other, "idempotent").message
    assert (
        "`count` gives something else after the second call" in proof(hidden, "idempotent").message
    )
    place = proof(other, "idempotent").place
    assert place is not None
    assert place.line == line(text, "- idempotent")


async def test_a_change_that_a_sample_undoes_is_not_a_second_change() -> None:
    """Idempotent calls are held against one another, not against what sample code did between them."""
    sample = 'await global.keep("a");\nawait global.clear();'
    text = manifest(
        tool("keep", "- `x` (string, required)", "", sample, "effect: write; idempotent"),
        tool("clear", "", "", "await global.clear();", "effect: write"),
        tool("count", "", "number"),
    )

    def make(_: World) -> dict[str, Callable[..., Any]]:
        kept: set[str] = set()
        return {
            "keep": lambda x: kept.add(x),
            "clear": lambda: kept.clear(),
            "count": lambda: len(kept),
        }

    report = await prove(text, World(make), permission=Permission(writes=True))

    assert proof(report, "idempotent").verdict is Verdict.PASSED


async def test_a_rate_that_is_used_up_breaks_no_promise() -> None:
    """It is the author's own, and counts over all proofs: what cannot be called any more is skipped."""
    calls: list[str] = []

    def keep(x: str) -> None:
        calls.append(x)

    behavior = "effect: write; idempotent; rate: 2/hour"
    text = manifest(
        tool("keep", "- `x` (string, required)", "", 'await global.keep("a");', behavior),
        tool("other", "", "", 'await global.keep("b");\nawait global.other();'),
    )
    functions = {"keep": keep, "other": lambda: None}
    report = await prove(text, functions, permission=Permission(writes=True))

    assert calls == ["a", "a"]
    assert report.ok
    assert "`keep` was not called again: `keep` may be called 2/hour" in (
        proof(report, "idempotent").message
    )
    assert proof(report, "sample", "other").verdict is Verdict.SKIPPED


@pytest.mark.parametrize("leave", [Permission(unknown=True), Permission(writes=True)])
async def test_the_site_is_put_back_in_the_end(leave: Permission) -> None:
    """After whatever was called and does not only read, whichever leave that took."""
    effect = "effect: write" if leave.writes else ""
    text = manifest(tool("save", sample="await global.save();", behavior=effect))
    world = World(lambda _: {"save": lambda: None})
    await prove(text, world, permission=leave)
    none = World(lambda _: {"find": find})
    await prove(SHOP, none, permission=leave)

    assert world.harness.resets == 2, "before it, and in the end"
    assert none.harness.resets == 0


async def test_the_site_is_put_back_when_a_test_is_ended() -> None:
    """As Ctrl-C ends it, in the middle of a call that writes."""
    text = manifest(tool("save", sample="await global.save();", behavior="effect: write"))
    task = asyncio.current_task()
    assert task is not None

    async def save() -> None:
        task.cancel()
        await asyncio.Event().wait()

    world = World(lambda _: {"save": save})
    report = await prove(text, world, permission=Permission(writes=True))
    task.uncancel()

    assert report.interrupted
    assert world.harness.resets == 2


async def test_results_are_reported_though_the_site_cannot_be_put_back() -> None:
    """After Ctrl-C, with why it could not; else it cannot be tested at all."""
    text = manifest(tool("save", sample="await global.save();", behavior="effect: write"))
    task = asyncio.current_task()
    assert task is not None

    class Stuck(FakeHarness):
        async def reset(self) -> None:
            await super().reset()
            if self.resets > 1:
                raise UsageError("`reset` did not put the site back")

    def world(save: Callable[[], Any]) -> World:
        made = World(lambda _: {"save": save})
        made.harness = Stuck(made.open)
        return made

    report = await prove(text, world(task.cancel), permission=Permission(writes=True))
    task.uncancel()

    assert report.interrupted
    assert "`reset` did not put the site back" in report.remarks
    with pytest.raises(UsageError, match="did not put the site back"):
        await prove(text, world(lambda: None), permission=Permission(writes=True))
