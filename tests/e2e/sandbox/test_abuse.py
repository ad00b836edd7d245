"""The page goes on while a program abuses it, wherever Python runs."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from tests.browsers import launch
from tests.e2e.conftest import ONLY_LOCAL
from tests.e2e.offering import write
from tests.server import Server, hosting
from tests.trace import Trace

pytestmark = pytest.mark.conformance

LONGEST_MS = 100
LIMIT_MS = 3000
"""How long each program may run."""
LATE_MS = 1000
"""How much later its end may be reported."""
MOST_CALL_CHARS = 2_000_000
"""Most characters of `calls` after any program, as JSON."""
ROUNDS = 4
"""A machine that is busy with other things ends a program late too."""

MANIFEST = """# Abused

## take
Take anything.

### Params
- `value` (unknown, required): Anything.

## give
Give much.

### Params
- `kind` (string, required): What.

## fail
Fail.

### Params
- `text` (string, required): The message.
"""

PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>abused</title>
<link rel=icon href="data:,">
<script>
const kept = {
  text: "x".repeat(15e6),
  list: Array.from({ length: 15e5 }, (_, i) => [i]),
  keys: Object.fromEntries(Array.from({ length: 7e3 }, (_, i) => ["key" + i, i])),
};
window.taken = [];
globalThis.take = (value) => { taken.push(typeof value); return 1; };
globalThis.give = (kind) => kept[kind];
globalThis.fail = (text) => { throw new Error(text); };

/** Run `work`, and return its result with the longest time that a timer of the page waited. */
window.watched = async (work) => {
  let gap = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    gap = Math.max(gap, performance.now() - last);
    last = performance.now();
  }, 4);
  const result = await work();
  await new Promise((resolve) => setTimeout(resolve, 50));
  clearInterval(timer);
  return { result, gap };
};
</script>
<script type=module src=/__webagent__/webagent.js data-panel=off data-runtime=RUNTIME></script>
"""


@dataclass(frozen=True)
class Abuse:
    """A program, and how it may end."""

    code: str
    kinds: tuple[str | None, ...]
    """Kinds of its error; None if it ends well."""


def parallel(call: str) -> str:
    """Return code that makes 64 calls at the same time and waits for them."""
    return f"await Promise.allSettled(Array.from({{ length: 64 }}, () => {call}))"


ABUSES = {
    "64 parallel calls with 15 MB": Abuse(
        f"const big = 'x'.repeat(15e6); {parallel('global.take(big)')}", (None,)
    ),
    "64 parallel calls with the longest text": Abuse(
        f"const big = 'x'.repeat(9.9e5); for (;;) {parallel('global.take(big)')}", ("timeout",)
    ),
    "64 parallel calls with the most values": Abuse(
        f"const big = Array.from({{ length: 6e4 }}, () => []); for (;;) {parallel('global.take(big)')}",
        ("timeout",),
    ),
    "64 parallel calls with the most keys": Abuse(
        "const big = Object.fromEntries(Array.from({ length: 7e3 }, (_, i) => ['key' + i, i]));"
        f"for (;;) {parallel('global.take(big)')}",
        ("timeout",),
    ),
    "calls without an end, none awaited": Abuse(
        "for (;;) { global.take(1).catch(() => {}); await null }", ("rate_limited", "timeout")
    ),
    "a flood of lines": Abuse("for (;;) { console.log('x'); await null }", ("timeout",)),
    "lines of a megabyte": Abuse(
        "const line = 'x'.repeat(1e6); for (;;) { console.log(line, [line]); await null }",
        ("timeout",),
    ),
    "deep JSON": Abuse(
        "let deep = []; for (let i = 0; i < 190; i++) deep = [deep, i];"
        f"const many = Array(100).fill(deep); for (;;) {parallel('global.take(many)')}",
        ("timeout",),
    ),
    "very many small calls": Abuse(
        f"for (let i = 0; ; i++) {parallel('global.take(i)')}", ("rate_limited", "timeout")
    ),
    "a giant text from a tool": Abuse(parallel("global.give('text')"), (None,)),
    "a giant list from a tool": Abuse(
        "for (let i = 0; i < 5; i++) await global.give('list').catch(() => {})", (None,)
    ),
    "the largest result from a tool": Abuse(
        "for (;;) " + parallel("global.give('keys')"), ("timeout",)
    ),
    "an endless loop": Abuse("for (;;);", ("timeout",)),
    "a giant error message": Abuse(
        "const big = 'x'.repeat(9.9e5);"
        f"{parallel('global.fail(big)')}; throw new Error('x'.repeat(2 ** 28))",
        ("threw", "timeout"),
    ),
    "recursion in getters and toJSON": Abuse(
        "const more = () => ({ get a() { return more() }, toJSON() { return [more(), more()] } });"
        f"for (;;) {parallel('global.take(more())')}",
        ("timeout",),
    ),
    "a storm of promises": Abuse(
        "const storm = () => { for (let i = 0; i < 10; i++) Promise.resolve().then(storm) }; storm();"
        "await new Promise(() => {})",
        ("timeout", "sandbox"),
    ),
    "a storm of timers": Abuse(
        "for (let i = 0; i < 1e4; i++) setInterval(() => { global.take(i).catch(() => {}); console.log(i) });"
        "await new Promise(() => {})",
        ("rate_limited", "timeout"),
    ),
}

RUNTIMES = ["page", "worker", "shared"]


@pytest.fixture(name="abused", scope="module", params=RUNTIMES)
def _abused(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    page = PAGE.replace("RUNTIME", request.param)
    root = tmp_path_factory.mktemp("abused") / "site"
    with hosting(write(root, {"index.html": page, "webagents.md": MANIFEST})) as server:
        yield server


@pytest_asyncio.fixture(name="victim", scope="module", loop_scope="session")
async def _victim(browser: Browser, abused: Server) -> AsyncIterator[Page]:
    """A page that has run a program, so that all parts are loaded."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(abused.url)
    await page.wait_for_function("window.webagent !== undefined")
    result = await page.evaluate("webagent.execute('await global.take(1)')")
    assert result["ok"], result
    yield page
    await context.close()


async def watched(page: Page, code: str, limit_ms: int = LIMIT_MS) -> dict[str, Any]:
    """Run a program; return its result and how long the page waited."""
    text: str = await page.evaluate(
        """async ([code, timeout_ms]) => {
          taken.length = 0;
          const { result, ...waited } = await watched(() => webagent.execute(code, { timeout_ms }));
          const calls = JSON.stringify(result.calls).length;
          return JSON.stringify({ ...result, calls, count: result.calls.length, value: null, logs: 0, ...waited, error: result.error && { ...result.error, message: result.error.message.slice(0, 100) } });
        }""",
        [code, limit_ms],
    )
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.mark.chromium("only its trace has the processor's time of each task")
@pytest.mark.parametrize("fact", ABUSES)
async def test_no_task_of_the_page_is_long(browser: Browser, victim: Page, fact: str) -> None:
    """No task takes 100 ms, and `calls` stays small.

    The processor's time counts, as other programs of the machine may hold up any task.
    """
    abuse = ABUSES[fact]
    async with Trace(browser) as idle:
        await victim.evaluate("ms => watched(() => new Promise((r) => setTimeout(r, ms)))", 1000)
    async with Trace(browser) as trace:
        found = await watched(victim, abuse.code)

    print(f"{trace.longest_ms:.0f} ms at most, {idle.longest_ms:.0f} ms at rest: {fact}")
    assert found.get("error", {}).get("kind") in abuse.kinds
    assert found["calls"] < MOST_CALL_CHARS
    assert trace.longest_ms <= LONGEST_MS


IDLE = "await new Promise(() => {})"
"""A program that does nothing until its time is up."""


@pytest.mark.parametrize("fact", ABUSES)
async def test_a_program_that_abuses_the_page_ends_in_time(victim: Page, fact: str) -> None:
    """Its end is reported within a second of that of a program that does nothing."""
    abuse = ABUSES[fact]
    for _ in range(ROUNDS):
        found = await watched(victim, abuse.code)
        assert found.get("error", {}).get("kind") in abuse.kinds
        if found["duration_ms"] <= LIMIT_MS + LATE_MS:
            return
        idle = await watched(victim, IDLE)
        if found["duration_ms"] <= idle["duration_ms"] + LATE_MS:
            return
    pytest.fail(f"{found['duration_ms']:.0f} ms, doing nothing {idle['duration_ms']:.0f} ms")


EATS_MEMORY = """
const kept = [];
for (;;) kept.push(Array.from({ length: 1e4 }, (_, i) => ({ i })));
"""


EATS_THEN_GOES_ON = """
async (eats) => {
  await webagent.execute("1");
  const eaten = await webagent.execute(eats, { timeout_ms: 8000 });
  const next = await webagent.execute("await global.take(2)");
  localStorage.setItem("found", JSON.stringify([eaten.error.kind, next.value]));
}
"""


@pytest.mark.chromium("Firefox may end the whole tab where memory ends")
async def test_a_program_that_eats_all_memory_leaves_the_page_alone(abused: Server) -> None:
    """It is ended, the page is not held up, and the next program runs.

    Where the heap ends at once, the process of the sandbox's frame ends. The driver takes this for a
    crash of the page and evaluates nothing more in it, so another page of the same
    origin reads the result.
    """
    async with async_playwright() as playwright:
        browser = await launch(playwright, ONLY_LOCAL, "--js-flags=--max-old-space-size=400")
        context = await browser.new_context()
        reader = await context.new_page()
        await reader.goto(f"{abused.url}/webagents.md")
        page = await context.new_page()
        await page.goto(abused.url)
        await page.wait_for_function("window.webagent !== undefined")
        async with Trace(browser) as trace:
            await page.evaluate(f"eats => {{ ({EATS_THEN_GOES_ON})(eats) }}", EATS_MEMORY)
            found = await reader.wait_for_function("localStorage.getItem('found')", polling=100)
            kind, value = json.loads(await found.json_value())
        await browser.close()
    assert kind in ("sandbox", "timeout")
    assert value == 1
    assert trace.longest_ms <= LONGEST_MS
