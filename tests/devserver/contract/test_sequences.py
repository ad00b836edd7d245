"""Calls one after the other: sample codes in their order, and programs of notes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.devserver.contract.kit import World, manifest, prove, tool
from webagent_dev.contract.permission import Permission
from webagent_dev.reports.content import Verdict

LOGIN = tool("login", "", "", "await global.login();", "effect: write")
ORDERS = tool("orders", "", "string[]", "await global.orders();", "effect: read; requires login")
NOTE = "## How to order\n\n```js\nawait global.login();\nawait global.orders();\n```"


def shop(_: World) -> dict[str, Callable[..., Any]]:
    """A shop that remembers, as long as its page is open, who is signed in."""
    signed_in: list[int] = []

    def orders() -> list[str]:
        if not signed_in:
            raise ValueError("not logged in")
        return ["a"]

    return {"login": lambda: signed_in.append(1), "orders": orders}


async def test_tools_that_need_a_login_are_proven_behind_it() -> None:
    """Alone it is marked; with leave to write the sequence signs in first."""
    text = manifest(LOGIN, ORDERS, NOTE)
    alone = await prove(text, World(shop))
    together = await prove(text, World(shop), permission=Permission(writes=True))

    assert [t.verdict for t in alone.tools] == [Verdict.SKIPPED, Verdict.NEEDS_LOGIN]
    assert "`login` was held back" in alone.sequences[0].remarks
    assert [s.message for s in together.sequences] == [
        "the sample codes, one after the other: 2 of 2 ran",
        "the program under “How to order”: 1 of 1 ran",
    ]
    assert [s.verdict for s in together.sequences] == [Verdict.PASSED] * 2
    assert together.sequences[1].place is not None
    assert text.splitlines()[together.sequences[1].place.line - 1] == "await global.login();"
    assert together.tools[1].verdict is Verdict.PASSED
    assert "answers in a sequence that signs in" in together.tools[1].proofs[3].remarks[0]


async def test_a_promise_that_breaks_only_after_others_fails() -> None:
    """With the line of the manifest and the call."""

    def make(_: World) -> dict[str, Callable[..., Any]]:
        state: list[int] = []

        def add() -> None:
            state.append(1)

        return {"add": add, "count": lambda: "many" if state else 0}

    text = manifest(
        tool("add", "", "", "await global.add();", "effect: write"),
        tool("count", "", "number", "await global.count();"),
    )
    report = await prove(text, World(make), permission=Permission(writes=True))
    found = report.sequences[0]

    assert all(t.verdict is Verdict.PASSED for t in report.tools)
    assert not report.ok
    assert (
        "`count` gives something else than it declares: expected number, got string"
        in found.message
    )
    assert (found.call, found.declared) == ("await global.count()", "number")


async def test_a_workflow_fails_at_its_line() -> None:
    """Agents follow what notes say."""
    text = manifest(tool("orders", "", "string[]", "", "effect: read"), NOTE)
    report = await prove(text, {"orders": list, "login": lambda: None})
    found = report.sequences[0]

    assert found.verdict is Verdict.FAILED
    assert "there is no tool `login`" in found.message
    assert found.place is not None
