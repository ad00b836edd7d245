"""Pages that lead elsewhere, or have their tools late: what is called is called where it is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from tests.devserver.contract.kit import SHOP, World, failed, find, manifest, proof, prove, tool
from webagent.errors import Navigated, PageGone
from webagent.page.fakes import FakePage
from webagent.page.offers import Offers
from webagent_dev.contract.harness import PageEvent, PageEventKind
from webagent_dev.contract.permission import Permission
from webagent_dev.reports.content import Verdict

Functions = dict[str, Callable[..., Any]]


class Hasty(FakePage):
    """A page that leads on to another as soon as it is looked at."""

    looks = 0

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return what the second document offers."""
        self.looks += 1
        if self.looks == 1:
            raise Navigated("the page was left")
        return await super().offers(functions)


class Late(FakePage):
    """A page whose functions come when it is looked at for the sixth time."""

    def __init__(self, functions: Functions, **options: Any) -> None:
        """Keep them back."""
        super().__init__({}, **options)
        self._late = functions
        self._looks = 0

    async def offers(self, functions: Collection[str]) -> Offers:
        """Return nothing, and then what it offers."""
        self._looks += 1
        if self._looks > 5:
            self.functions = self._late
        return await super().offers(functions)


def broken_from(opening: int) -> Callable[..., FakePage]:
    """Return a factory of pages; from one of them on, pages do not answer."""
    opened: list[FakePage] = []

    class Broken(FakePage):
        async def offers(self, functions: Collection[str]) -> Offers:
            if opened.index(self) >= opening:
                raise PageGone("the page was closed")
            return await super().offers(functions)

    def make(*args: Any, **options: Any) -> FakePage:
        opened.append(Broken(*args, **options))
        return opened[-1]

    return make


async def test_a_page_that_leads_on_is_proven_where_it_leads_to() -> None:
    """As a meta refresh does it, or a script."""
    report = await prove(SHOP, World(lambda _: {"find": find}, kind=Hasty))

    assert report.ok
    assert report.tools[0].verdict is Verdict.PASSED


async def test_a_page_that_goes_away_fails_its_tool() -> None:
    """The others are proven, and the report is whole."""

    def gone() -> None:
        raise PageGone("the frame is gone")

    text = manifest(
        tool("gone", "", "", "await global.gone();"),
        tool("find", "- `query` (string, required)"),
    )
    functions = {"gone": gone, "find": lambda query: query}
    report = await prove(text, World(lambda _: functions, kind=broken_from(2)))

    assert "exists" in failed(report, "gone")
    assert "could not be proven to the end" in proof(report, "exists", "gone").message
    assert [t.name for t in report.tools] == ["gone", "find"]


async def test_late_tools_are_waited_for_in_every_page() -> None:
    """Also in one that is opened anew, and in one that sequences open."""
    calls: list[int] = []

    def make(world: World) -> Functions:
        def leave() -> None:
            calls.append(1)
            world.pending_events.append(PageEvent(PageEventKind.NAVIGATION, "/next"))

        return {"leave": leave, "count": lambda: 1}

    text = manifest(
        tool("leave", "", "", "await global.leave();"),
        tool("count", "", "number", "await global.count();"),
    )
    report = await prove(text, World(make, kind=Late), late_s=5.0)

    assert len(calls) > 2
    assert report.ok
    assert [t.verdict for t in report.tools] == [Verdict.PASSED] * 2
    assert [s.verdict for s in report.sequences] == [Verdict.PASSED]


@pytest.mark.parametrize(("lost", "verdict"), [(1, "passed"), (2, "passed"), (99, "failed")])
async def test_an_answer_that_was_lost_once_is_asked_for_again(lost: int, verdict: str) -> None:
    """A busy browser may drop it while the page is left; a tool that never answers is at fault."""
    calls: list[int] = []

    def go() -> int:
        calls.append(1)
        if len(calls) <= lost:
            raise Navigated("the page was left")
        return 1

    text = manifest(tool("go", "", "number", "await global.go();"))
    report = await prove(text, {"go": go})

    assert report.tools[0].verdict == verdict
    assert len(calls) < 12


@pytest.mark.parametrize(("waiting", "verdict"), [(True, "passed"), (False, "failed")])
async def test_a_page_that_loads_gets_more_time(waiting: bool, verdict: str) -> None:
    """Beyond the time in which tools come; without anything on its way they are missing."""
    text = manifest(tool("count", "", "number", "await global.count();"))
    world = World(lambda _: {"count": lambda: 1}, kind=Late)
    world.harness.waiting = waiting
    report = await prove(text, world, late_s=0.05)

    assert report.tools[0].verdict == verdict


async def test_a_page_that_was_left_after_the_answer_is_opened_anew() -> None:
    """So that no other call is made in the page that it leads to."""
    opened: list[int] = []
    calls: list[int] = []

    def make(world: World) -> Functions:
        opened.append(len(opened))
        at = opened[-1]

        def go(query: str) -> None:
            calls.append(at)
            world.pending_events.append(PageEvent(PageEventKind.NAVIGATION, "/next"))

        return {"go": go}

    await prove(manifest(tool("go", "- `query` (string, required)")), World(make))

    assert len(calls) > 5
    assert len(calls) == len({*calls})


async def test_a_program_goes_on_where_its_calls_lead_to() -> None:
    """A session that a visitor has signed in to survives leaving the page."""

    def make(world: World) -> Functions:
        signed_in: list[int] = []

        def login() -> None:
            signed_in.append(1)
            world.pending_events.append(PageEvent(PageEventKind.NAVIGATION, "/account"))

        def orders() -> list[str]:
            if not signed_in:
                raise ValueError("not logged in")
            return ["a"]

        return {"login": login, "orders": orders}

    text = manifest(
        tool("login", "", "", "await global.login();", "effect: write"),
        tool("orders", "", "string[]", "await global.orders();", "effect: read; requires login"),
    )
    report = await prove(text, World(make), permission=Permission(writes=True))

    assert [t.verdict for t in report.tools] == [Verdict.PASSED] * 2
    assert report.sequences[0].remarks == ()


async def test_thrown_texts_are_heard_in_a_page_that_was_opened_anew() -> None:
    """It is watched as the first one was."""
    watched: list[list[str]] = []

    def leave(query: str) -> None:
        watched.append([*world.harness.open_page.watched])
        raise Navigated("the page was left")

    world = World(lambda _: {"leave": leave})
    await prove(manifest(tool("leave", "- `query` (string, required)")), world)

    assert len(watched) > 2
    assert watched == [["leave"]] * len(watched)


async def test_a_sequence_whose_page_cannot_be_opened_fails_alone() -> None:
    """The proofs of earlier tools are in the report."""
    text = manifest(
        tool("one", "", "number", "await global.one();"),
        tool("two", "", "number", "await global.two();"),
    )
    functions = {"one": lambda: 1, "two": lambda: 2}
    report = await prove(text, World(lambda _: functions, kind=broken_from(3)))

    assert [t.verdict for t in report.tools] == [Verdict.PASSED] * 2
    assert [s.verdict for s in report.sequences] == [Verdict.FAILED]
    assert "cannot be asked what it offers - the page was closed" in report.sequences[0].message


async def test_a_late_tool_is_waited_for_where_the_sample_of_another_calls_it() -> None:
    """Though the tool that is proven is there from the beginning."""

    class Half(Late):
        async def offers(self, functions: Collection[str]) -> Offers:
            self.functions["early"] = lambda: 1
            return await super().offers(functions)

    text = manifest(
        tool("late", "", "number", "await global.late();"),
        tool("early", "", "number", "await global.late();\nawait global.early();"),
    )
    functions = {"early": lambda: 1, "late": lambda: 2}
    report = await prove(text, World(lambda _: functions, kind=Half), late_s=5.0)

    assert report.ok
