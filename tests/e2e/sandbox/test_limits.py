"""A program that takes too much is ended, and the page and the next program go on."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page

from tests.browsers import BROWSER
from tests.e2e.sandbox.conftest import run

ENDED_BY_TIME = {
    "an endless loop": "for (;;);",
    "an endless wait": "await new Promise(() => {})",
    "endless microtasks": "const next = () => Promise.resolve().then(next); await next()",
    "endless timers": "await new Promise(() => { setInterval(() => {}, 0) })",
    "a call that never ends": "await global.never()",
    "an endless getter in the value": "return { get a() { for (;;); } }",
    "an endless iterator": "return [...{ *[Symbol.iterator]() { for (;;) yield 1 } }].length",
    "a toJSON without an end": "return { toJSON() { for (;;); } }",
    "a loop that eats the memory": ("const a = []; for (;;) a.push(new Array(10_000).fill({ a }))"),
    "buffers that eat the address space": (
        "const a = []; for (;;) { try { a.push(new ArrayBuffer(2 ** 30)) } catch {} }"
    ),
    "a poisoned `then` that never goes on": (
        "Object.prototype.then = function () {}; return { a: 1 }"
    ),
}


BUFFERS = "buffers that eat the address space"
ENDS_THE_TAB = pytest.mark.chromium("Firefox ends the whole tab where memory ends")


QUICK = ("an endless loop", "a call that never ends", BUFFERS)
"""Those of `make test`: one that computes, one that waits, and one that takes memory."""


def marks_of(fact: str) -> list[pytest.MarkDecorator]:
    """Return when and where a program is tried."""
    marks = [ENDS_THE_TAB] if fact == BUFFERS else []
    return marks if fact in QUICK else [*marks, pytest.mark.conformance]


@pytest.mark.parametrize("fact", [pytest.param(f, marks=marks_of(f)) for f in ENDED_BY_TIME])
async def test_a_program_without_an_end_is_ended(programs: Page, fact: str) -> None:
    """It ends by its time, as a timeout; the page answers, and so does the next program."""
    result = await run(programs, ENDED_BY_TIME[fact], timeout_ms=700)

    assert result["ok"] is False
    assert result["error"]["kind"] in ("timeout", "threw", "too_large"), result
    if "eat" not in fact and "iterator" not in fact:
        assert result["error"]["message"] == "the program did not finish within 700 ms"
    assert await programs.evaluate("1 + 1") == 2
    assert (await run(programs, "1 + 2"))["value"] == 3


SANDBOXES = 40
"""In Firefox, 3 of 40 did not start when the program's worker was created by another worker."""


@pytest.mark.conformance
@pytest.mark.timeout(300)
async def test_each_sandbox_starts(programs: Page) -> None:
    """A program that is ended by its time leaves its sandbox unusable; the next gets a new one."""
    for _ in range(SANDBOXES):
        assert (await run(programs, "for (;;);", timeout_ms=50))["error"]["kind"] == "timeout"
        assert (await run(programs, "1 + 2")).get("value") == 3


TOO_DEEP = {"chromium": "Maximum call stack", "firefox": "too much recursion"}
TOO_MUCH: dict[str, tuple[str, str, str]] = {
    "a text of a gigabyte": ("'x'.repeat(2 ** 29 - 100)", "too_large", "the value is too large"),
    "a list of 100 million": ("return new Array(1e8)", "too_large", "the value is too large"),
    "a value nested 10,000 levels": (
        "let a = {}; for (let i = 0; i < 1e4; i++) a = { a }; return a",
        "too_large",
        "nested deeper",
    ),
    "arguments of 100 MB": (
        "await global.echo('x'.repeat(1e8))",
        "too_large",
        "the value is too large",
    ),
    "2,000 calls at the same time": (
        "await Promise.all(Array.from({ length: 2000 }, () => global.never()))",
        "rate_limited",
        "calls at the same time",
    ),
    "a million calls one by one": (
        "for (let i = 0; i < 1e6; i++) await global.add(i, 1)",
        "rate_limited",
        "called tools 10000 times",
    ),
    "recursion without an end": ("const f = () => f() + 1; f()", "threw", TOO_DEEP[BROWSER]),
}


SLOW = "a million calls one by one"
BIG = (
    pytest.mark.conformance,
    pytest.mark.timeout(300),
    pytest.mark.chromium(
        "calls one by one do not come so fast in Firefox that it is too many in a second"
    ),
)


@pytest.mark.parametrize(
    "fact",
    [pytest.param(fact, marks=BIG) if fact == SLOW else fact for fact in TOO_MUCH],
)
async def test_too_much_is_an_error_that_says_so(programs: Page, fact: str) -> None:
    """Each limit has its kind and its words."""
    code, kind, words = TOO_MUCH[fact]
    result = await run(programs, code, timeout_ms=240_000)

    assert result["ok"] is False, result
    assert result["error"]["kind"] == kind, result["error"]
    assert words in result["error"]["message"]
    assert (await run(programs, "1 + 2"))["value"] == 3


async def test_a_million_prints_are_a_thousand_lines(programs: Page) -> None:
    """Lines printed beyond the limit are not kept, and the last line says so."""
    result = await run(programs, "for (let i = 0; i < 1e6; i++) console.log(i); 'done'")

    assert result["value"] == "done"
    assert len(result["logs"]) == 1000
    assert result["logs"][-1] == {
        "level": "warn",
        "text": "what the program prints after this is not kept",
    }


async def test_one_long_print_is_cut(programs: Page) -> None:
    """A line keeps ten thousand characters."""
    result = await run(programs, "console.log('x'.repeat(1e7)); 'done'")

    assert len(result["logs"][0]["text"]) == 10_000


async def test_timers_and_open_calls_end_with_their_program(programs: Page) -> None:
    """Timers and calls that were not awaited happen no more once the result is there."""
    await programs.evaluate("called.length = 0")
    result = await run(
        programs,
        "setInterval(() => global.add(1, 1), 1);"
        "setTimeout(() => global.echo('late'), 0); Promise.resolve().then(() => {}); 'done'",
    )
    made = await programs.evaluate("called.length")
    await run(programs, "await new Promise((ok) => setTimeout(ok, 100))")

    assert result["value"] == "done"
    assert await programs.evaluate("called.length") == made


async def test_a_signal_ends_a_program(programs: Page) -> None:
    """An aborted program is cancelled at once, also one that loops."""
    told: dict[str, Any] = await programs.evaluate("""async () => {
      const end = new AbortController();
      const running = run("console.log('begun'); for (;;);", { signal: end.signal });
      setTimeout(() => end.abort(), 300);
      return running;
    }""")

    assert told["error"] == {"kind": "cancelled", "message": "the program was cancelled"}
    assert (await run(programs, "1 + 2"))["value"] == 3


TOLD_ALL_THE_SAME: dict[str, list[str]] = {"chromium": [], "firefox": ["lost"]}
"""The console of Firefox hears of rejections in workers, prevented or not."""


async def test_rejections_that_nobody_handles_are_lines(programs: Page) -> None:
    """They neither end the program nor reach the page's console."""
    errors: list[str] = []
    programs.on("pageerror", lambda error: errors.append(str(error)))
    result = await run(
        programs,
        "Promise.reject(new Error('lost')); setTimeout(() => { throw new TypeError('late') }, 0);"
        "await new Promise((ok) => setTimeout(ok, 20)); 'done'",
    )

    assert result["value"] == "done"
    assert {log["level"] for log in result["logs"]} == {"error"}
    assert sorted(log["text"] for log in result["logs"]) == [
        "nobody caught: TypeError: late",
        "nobody caught: lost",
    ]
    assert errors == TOLD_ALL_THE_SAME[BROWSER]


POISONED = {
    "Array.prototype.toJSON": "Array.prototype.toJSON = () => 'poison'; return [1, { a: [2] }]",
    "Object.prototype.toJSON": "Object.prototype.toJSON = 1; return [1, { a: [2] }]",
    "JSON.stringify": "JSON.stringify = () => { throw 1 }; return [1, { a: [2] }]",
    "Map.prototype.get": "Map.prototype.get = undefined; return [1, { a: [2] }]",
    "MessagePort": "self.MessagePort = class {}; return [1, { a: [2] }]",
    "names of messages": (
        "for (const k of ['type', 'ok', 'id', 'outcome', 'error']) Object.prototype[k] = 'end';"
        "return [1, { a: [2] }]"
    ),
}


@pytest.mark.parametrize("fact", POISONED)
async def test_poisoned_prototypes_do_not_change_the_result(programs: Page, fact: str) -> None:
    """Changes of a program to its own realm stay there; the value is as it was returned."""
    result = await run(programs, POISONED[fact])

    assert result.get("value") == [1, {"a": [2]}], result
    assert await programs.evaluate("JSON.stringify([({}).type, [].toJSON])") == "[null,null]"


async def test_keys_of_prototypes_are_data(programs: Page) -> None:
    """A value with a key `__proto__` or `constructor` arrives as data and changes nothing."""
    result = await run(
        programs,
        """const v = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": 1}}');
        await global.echo(v); return v""",
    )

    assert result["ok"]
    assert sorted(result["value"]) == ["__proto__", "constructor"]
    assert await programs.evaluate("({}).polluted === undefined")


async def test_programs_at_the_same_time_do_not_meet(programs: Page) -> None:
    """Each has a global object of its own; what one leaves there no other finds."""
    told = await programs.evaluate("""() => Promise.all([1, 2, 3, 4].map((n) =>
      run(`globalThis.left ??= ${n}; await global.add(1, ${n}); globalThis.left`)))""")

    assert [result["value"] for result in told] == [1, 2, 3, 4]
    assert (await run(programs, "globalThis.left"))["value"] == {"$type": "undefined"}


async def test_a_program_reads_the_file_of_a_tool(programs: Page) -> None:
    """A tool may return a file; the program gets a `File`, and goes on."""
    result = await programs.evaluate(
        """() => run("const file = await global.note(); return [file.name, await file.text()]", {
          tools: new Map([["note", "manifest"]]),
          call: async () => ({
            ok: true,
            value: { $type: "file", value: "aGVsbG8=", name: "note.txt", type: "text/plain" },
            logs: [],
            calls: [],
            duration_ms: 0,
          }),
          timeout_ms: 5_000,
        })"""
    )

    assert result.get("value") == ["note.txt", "hello"], result
