"""The proofs of a tool, and the names of broken promises."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.devserver.contract.kit import (
    FIND,
    SHOP,
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
from webagent.errors import Navigated, NotCloneable, PageGone
from webagent_dev.contract.evidence import MARK
from webagent_dev.contract.harness import PageEvent, PageEventKind
from webagent_dev.contract.proof import PROOFS, ToolReport
from webagent_dev.contract.site_prover import Progress
from webagent_dev.reports.content import Verdict


async def test_a_tool_that_keeps_its_promises_passes() -> None:
    """Every proof that can be made of a reading tool is made, in the order of the table."""
    report = await prove(SHOP, {"find": find})
    names = [p.name for p in report.tools[0].proofs]

    assert report.ok
    assert report.tools[0].verdict is Verdict.PASSED
    assert names == [name for name in PROOFS if name not in ("idempotent", "sequence", "native")]
    assert {p.verdict for p in report.tools[0].proofs} == {Verdict.PASSED}
    assert report.tools[0].calls > 40


async def test_a_missing_function_fails_at_its_heading() -> None:
    """With the name that the page has instead, if one is like it."""
    world = World(lambda _: {}, undeclared=("findGoods",))
    found = proof(await prove(SHOP.replace("find", "findGood"), world), "exists")

    assert found.verdict is Verdict.FAILED
    assert found.place is not None
    assert found.place.line == 3
    assert "write `findGoods` in the manifest" in found.message


async def test_too_many_arguments_fail() -> None:
    """A function that needs more than is declared would get `undefined`."""
    report = await prove(SHOP, {"find": lambda query, limit, shop: find(query)})

    assert "arity" in failed(report)
    assert "takes 3 arguments, but the manifest declares 2" in proof(report, "arity").message


async def test_swapped_parameters_fail_at_the_first() -> None:
    """Other names alone are not a fault: scripts are minified, and arguments go by position."""
    swapped = await prove(SHOP, {"find": lambda limit, query: find(str(query))})
    renamed = await prove(SHOP, {"find": lambda a, b=1: find(a)})
    found = proof(swapped, "names")

    assert "argument 1 of `find`, the function has `limit` there" in found.message
    assert found.place is not None
    assert found.place.line == line(SHOP, "- `query`")
    assert proof(renamed, "names").verdict is Verdict.PASSED


async def test_a_wrong_result_names_line_path_type_and_the_smallest_call() -> None:
    """The report shows the smallest call, not the first."""

    def wrong(query: str, limit: float = 5) -> dict[str, Any]:
        total: Any = "many" if limit > 7 else 1
        return {"titles": [query], "total": total}

    found = proof(await prove(SHOP, {"find": wrong}), "result")

    assert found.verdict is Verdict.FAILED
    assert found.place is not None
    assert found.place.line == line(SHOP, "total: number")
    assert found.path == "total"
    assert found.call == 'await global.find("", 8)'
    assert found.declared == "{\n  titles: string[];\n  total: number;\n}"
    assert "total: expected number, got string" in found.message


async def test_a_missing_field_names_its_path() -> None:
    """Inside lists too."""
    text = manifest(
        tool("list", "", "Array<{ id: string; price: number }>", "await global.list();")
    )
    found = proof(
        await prove(text, {"list": lambda: [{"id": "a", "price": 1}, {"id": "b"}]}), "result"
    )

    assert found.path == "[1].price"
    assert "expected number, got undefined" in found.message


async def test_an_output_schema_counts() -> None:
    """The schema is checked where types say too little."""
    schema = '### Output Schema\n```json\n{"type": "number", "minimum": 0}\n```\n'
    text = manifest(tool("count", "", "number", "await global.count();")) + "\n" + schema
    report = await prove(text, {"count": lambda: -1})

    assert "expected number >= 0, got -1" in proof(report, "result").message


async def test_a_crash_on_declared_arguments_is_made_small() -> None:
    """The message of an engine about a mistake is not an answer of the author."""

    def crash(query: str, limit: float = 5) -> dict[str, Any]:
        if len(query) > 2 and query[0] == "a":
            from webagent.errors import ToolThrew

            raise ToolThrew("TypeError: Cannot read properties of undefined (reading 'title')")
        return find(query)

    report = await prove(SHOP, {"find": crash}, seed=3)
    found = proof(report, "arguments" if "arguments" in failed(report) else "strings")

    assert found.verdict is Verdict.FAILED
    assert "crashes on arguments that it declares: TypeError: Cannot read" in found.message


async def test_an_answer_in_words_is_not_a_fault() -> None:
    """A tool may refuse what its types allow; how many were refused, and why, is noted."""

    def picky(query: str, limit: float = 5) -> dict[str, Any]:
        if query != "tea":
            raise ValueError(f"unknown word {query[:3]!r}")
        return find(query)

    report = await prove(SHOP, {"find": picky})
    remark = proof(report, "arguments").remarks[0]

    assert report.ok
    assert "generated calls were refused, such as with “ValueError: unknown word" in remark


async def test_arguments_of_the_sample_code_are_passed_again() -> None:
    """A value that the site knows is among the generated arguments, so that answers are seen."""
    seen: list[str] = []

    def picky(query: str, limit: float = 5) -> dict[str, Any]:
        seen.append(query)
        return find(query)

    await prove(SHOP, {"find": picky})

    assert seen.count("tea") > 5


@pytest.mark.parametrize(
    ("sample", "call"), [('"tea"', (1.5,)), ('"tea", 2, 3, 4', (1.5, 2, 3, 4))]
)
async def test_one_argument_at_a_time_is_of_a_wrong_type(
    sample: str, call: tuple[object, ...]
) -> None:
    """Optional arguments are left out; the others are passed as programs pass them."""
    params = "- `a` (string, required)\n- `b` (number, optional)\n- `...more` (number[], optional)"
    made: list[tuple[object, ...]] = []
    text = manifest(tool("put", params, "", f"await global.put({sample});"))
    await prove(text, {"put": lambda *given: made.append(given)})

    assert [given for given in made if given[:1] == (1.5,)] == [call]


async def test_a_thrown_text_fails() -> None:
    """The page reports the thrown value, and that it is not an `Error`."""

    def make(world: World) -> dict[str, Callable[..., Any]]:
        def throw(query: str, limit: float = 5) -> None:
            world.pending_events.append(PageEvent(PageEventKind.THROWN, "the string `sold out`"))
            raise ValueError("sold out")

        return {"find": throw}

    found = proof(await prove(SHOP, World(make)), "errors")

    assert found.verdict is Verdict.FAILED
    assert "throws the string `sold out`, which is not an `Error`" in found.message
    assert found.call == 'await global.find("tea")'


async def test_a_slow_tool_fails_and_may_declare_its_time() -> None:
    """At the heading, or at the time that the author has declared."""

    async def slow(query: str, limit: float = 5) -> None:
        await asyncio.Event().wait()

    report = await prove(SHOP, {"find": slow}, timeout_s=0.01)
    own = SHOP + "- timeout: 10ms\n"
    declared = await prove(own, {"find": slow})
    place = proof(declared, "time").place

    assert failed(report) == ["time"]
    assert "gave no answer within 0.01 s - agents give up waiting" in proof(report, "time").message
    assert "`- timeout: 30s`" in proof(report, "time").message
    assert place is not None
    assert place.line == line(own, "timeout")


async def test_uncaught_errors_fail_and_consoles_are_noted() -> None:
    """Console errors may be intended; uncaught errors are not."""

    def make(world: World) -> dict[str, Callable[..., Any]]:
        def noisy(query: str, limit: float = 5) -> dict[str, Any]:
            world.pending_events.append(PageEvent(PageEventKind.CONSOLE, "cannot save"))
            world.pending_events.append(
                PageEvent(PageEventKind.EXCEPTION, "RangeError: no such shelf")
            )
            return find(query)

        return {"find": noisy}

    found = proof(await prove(SHOP, World(make)), "quiet")

    assert found.verdict is Verdict.FAILED
    assert "causes an error that nobody catches: RangeError: no such shelf" in found.message
    assert found.remarks[0] == 'its console reported during `await global.find("tea")`: cannot save'


async def test_markup_that_runs_fails() -> None:
    """A text that becomes a part of the page acts as the visitor."""

    def make(world: World) -> dict[str, Callable[..., Any]]:
        def careless(query: str, limit: float = 5) -> dict[str, Any]:
            if "onerror" in query:
                world.pending_events.append(PageEvent(PageEventKind.CONSOLE, MARK))
            return find(query)

        return {"find": careless}

    found = proof(await prove(SHOP, World(make)), "strings")

    assert found.verdict is Verdict.FAILED
    assert "takes a text given to `find` for markup" in found.message
    assert "<img src" in found.call


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            NotCloneable("it holds a function", path="total"),
            "gives what no agent can be handed at `total`",
        ),
        (Navigated("the page was left"), "leaves the page before it answers"),
        (PageGone("the frame is gone"), "took its page away: the frame is gone"),
    ],
)
async def test_an_answer_that_never_arrives_fails(error: Exception, sentence: str) -> None:
    """Data alone crosses, and only while the page is there; the next call has a page again."""

    def lost(query: str, limit: float = 5) -> None:
        raise error

    assert sentence in proof(await prove(SHOP, {"find": lost}), "result").message


async def test_two_answers_to_one_call_are_noted() -> None:
    """The time of day may well be another one."""
    text = manifest(tool("now", "", "{ at: { second: number } }", "await global.now();"))
    ticks = iter(range(1_000))
    report = await prove(text, {"now": lambda: {"at": {"second": next(ticks)}}})

    assert report.ok
    assert "`at.second` is 0 and then " in proof(report, "repeat").remarks[0]


async def test_an_output_that_is_not_declared_is_suggested() -> None:
    """From all that was seen."""
    text = manifest(tool("list", "", "", "await global.list();"))
    report = await prove(text, {"list": lambda: [{"id": "a", "n": 1}, {"id": "b"}]})

    assert one(report).observed == "{ id: string; n?: number }[]"
    assert proof(report, "result").verdict is Verdict.SKIPPED
    assert (
        "write `### Output` with `{ id: string; n?: number }[]`" in proof(report, "result").message
    )
    assert one(report).verdict is Verdict.PASSED


async def test_a_rate_is_kept() -> None:
    """A tool is called no more often than its author allows."""
    calls: list[str] = []

    def counted(query: str, limit: float = 5) -> dict[str, Any]:
        calls.append(query)
        return find(query)

    report = await prove(SHOP + "- rate: 6/hour\n", {"find": counted})

    assert len(calls) <= 6
    assert report.ok


async def test_one_seed_gives_one_report() -> None:
    """Whichever other tools are proven with it."""
    calls: list[Any] = []

    def counted(query: str, limit: float = 5) -> dict[str, Any]:
        calls.append((query, limit))
        return find(query)

    functions = {"find": counted, "count": lambda: 1}
    both = manifest(tool("count", "", "number"), FIND)
    await prove(SHOP, functions, seed=7)
    first = calls.copy()
    calls.clear()
    await prove(both, functions, seed=7, only=["find"])
    second = calls.copy()
    calls.clear()
    await prove(SHOP, functions, seed=8)

    assert first == second
    assert first != calls


async def test_a_test_that_is_ended_reports_its_results() -> None:
    """As Ctrl-C ends it."""
    text = manifest(tool("count", "", "number"), FIND)

    class Ends(Progress):
        def __init__(self, task: asyncio.Task[Any]) -> None:
            self._task = task

        def proven(self, tool: ToolReport) -> None:
            self._task.cancel()

    task = asyncio.current_task()
    assert task is not None
    report = await prove(text, {"count": lambda: 1, "find": find}, progress=Ends(task))
    task.uncancel()

    assert report.interrupted
    assert [t.name for t in report.tools] == ["count"]


async def test_a_type_that_nothing_fits_is_reported() -> None:
    """A type without values promises a tool that nobody can call."""
    text = manifest(tool("never", "- `x` (never, required)", "number"))
    report = await prove(text, {"never": lambda x: 1})

    message = proof(report, "arguments").message
    assert "no arguments could be made for `never` - a type or a schema allows nothing" in message


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "required": True},
        {"type": "object", "properties": []},
        {"type": "array", "prefixItems": True},
        {"type": "array", "items": {"enum": [1, 2]}, "minItems": 3, "uniqueItems": True},
        {"type": "number", "minimum": int("9" * 400)},
        {"type": "number", "multipleOf": 1e-320},
        {"type": "string", "pattern": "a{99999999999}"},
        {"type": "string", "pattern": "[\\ud83c-\\ud83e]"},
        {"$ref": "#/$defs/odd"},
    ],
)
async def test_a_schema_that_nobody_can_read_skips_what_it_is_for(schema: dict[str, Any]) -> None:
    """A proof that was not tried has not passed, and the other tools are proven."""
    odd = {"properties": {"x": schema}, "required": ["x"], "$defs": {"odd": {"properties": []}}}
    fence = f"### Input Schema\n```json\n{json.dumps(odd)}\n```\n\n### Behavior"
    text = manifest(tool("odd").replace("### Behavior", fence), FIND)
    report = await prove(text, {"odd": lambda x: 1, "find": find})

    skipped = proof(report, "arguments", "odd")
    assert (skipped.verdict, skipped.calls) == (Verdict.SKIPPED, 0)
    assert "`odd` - its schema cannot be read: " in skipped.message
    assert {"strings", "types"} <= {p.name for p in one(report, "odd").proofs}
    assert proof(report, "arguments", "find").verdict is Verdict.PASSED


async def test_broken_manifests_and_undeclared_functions_are_noted() -> None:
    """They explain what else is said."""
    world = World(lambda _: {"find": find}, undeclared=("extra",))
    report = await prove(SHOP + "\n## other\n\n### Params\n- words alone\n", world)

    assert "the manifest has an error" in report.remarks[0]
    assert (
        "a function `extra` that the manifest does not name - add `## extra`" in report.remarks[1]
    )


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda query: {"title": query} if query == "tea" else None, "{ title: string } | null"),
        (lambda query: {} if query == "" else None, ""),
        (lambda query: query if len(query) > 1_000 else None, ""),
    ],
)
async def test_no_type_is_concluded_from_null_empty_or_hostile_calls_alone(
    function: Any, expected: str
) -> None:
    """`--update` would write it into the manifest."""
    sample = 'await global.find("tea");' if expected else ""
    report = await prove(
        manifest(tool("find", "- `query` (string, required)", "", sample)), {"find": function}
    )

    assert report.tools[0].observed == expected


async def test_values_that_other_tools_give_are_passed() -> None:
    """The fault shows with one of their ids alone, which the sample code does not have."""
    text = manifest(
        tool("teas", "", "Array<{ slug: string; leaves: number[] }>", "await global.teas();"),
        tool(
            "tea",
            "- `slug` (string, required): As teas lists it.",
            "{ slug: string; price: number }",
            'await global.tea("assam");',
        ),
    )
    prices: dict[str, Any] = {"assam": 4.5, "sencha": "6.20"}

    def tea(slug: str) -> dict[str, Any]:
        return {"slug": slug, "price": prices[slug]}

    report = await prove(
        text, {"teas": lambda: [{"slug": one, "leaves": [1]} for one in prices], "tea": tea}
    )

    assert failed(report, "tea") == ["result"]
    assert proof(report, "result", "tea").call == 'await global.tea("sencha")'
