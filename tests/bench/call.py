"""Calls from Python to a function of the page, against a bare proxy of Pyodide in the same page."""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Page, async_playwright

from tests.bench.table import table
from tests.chromium import ARGS, find_chromium, install_chromium
from tests.server import Server, ServerProcess

TITLE = "Calls, µs each: Python → the page's function → Python"
ROUNDS = 7
SMALL_CALLS = 300
LARGE_CALLS = 5
MANY_CALLS = 10_000

PAGE = """<!doctype html><title>calls</title><script>
const row = { id: 17, name: "Harbour lights", price: 9.5, tags: ["sea", "night"] };
const rows = Array.from({ length: 12_000 }, (_, id) => ({ ...row, id }));
global.small = async (query, limit) => ({ query, limit, found: [row] });
global.large = async () => rows;
</script>"""
MANIFEST = """# Calls

## small
Gives a little.

### Params
- `query` (string, required): Words.
- `limit` (number, required): How many.

### Output
```typescript
{ query: string; limit: number; found: Array<{ id: number; name: string; price: number; tags: string[] }> }
```

## large
Gives a megabyte.

### Params

### Output
```typescript
Array<{ id: number; name: string; price: number; tags: string[] }>
```
"""
PYTHON = """
import gc, sys, time
import js

async def timed(call, times):
    start = time.perf_counter()
    for _ in range(times):
        await call()
    return (time.perf_counter() - start) / times * 1e6

async def bare_small():
    return (await js.small("red", 5)).to_py()

async def bare_large():
    return (await js.large()).to_py()

async def ours_small():
    return await page.call("small", "red", 5)

async def ours_large():
    return await page.call("large")

async def left_behind(times):
    await timed(ours_small, 200)
    gc.collect()
    before = sys.getallocatedblocks()
    await timed(ours_small, times)
    gc.collect()
    return sys.getallocatedblocks() - before

assert await bare_small() == await ours_small()
assert await bare_large() == await ours_large()
"""


async def run() -> str:
    """Return the tables of small and of large results, and what many calls leave behind."""
    async with opened() as (_, page):
        await python(page, PYTHON)
        size = await page.evaluate("JSON.stringify(rows).length")
        small = await rounds(page, "small", SMALL_CALLS)
        large = await rounds(page, "large", LARGE_CALLS)
        left = await python(page, f"await left_behind({MANY_CALLS})")
    return "\n\n".join(
        [
            table("a small result", small),
            table(f"a result of {size / 1e6:.2f} MB", large),
            f"After {MANY_CALLS:,} calls in a row Python holds {left:,} more blocks of memory.",
        ]
    )


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[Server, Page]]:
    """Yield a server, and its page in a browser."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "index.html").write_text(PAGE, encoding="utf-8")
        (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
        path = find_chromium() or install_chromium()
        server = ServerProcess(root)
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=path, args=list(ARGS))
            page = await browser.new_page()
            await page.goto(server.url)
            yield server, page
            await browser.close()
        server.stop()


async def rounds(page: Page, name: str, calls: int) -> dict[str, list[float]]:
    """Return microseconds per call of the bare proxy and of ours, measured in turn."""
    found: dict[str, list[float]] = {"bare Pyodide proxy": [], "webagent": []}
    for _ in range(ROUNDS):
        found["bare Pyodide proxy"].append(await python(page, f"await timed(bare_{name}, {calls})"))
        found["webagent"].append(await python(page, f"await timed(ours_{name}, {calls})"))
    return found


async def python(page: Page, code: str) -> Any:
    """Run Python in the page and return the value of its last expression."""
    result = await page.evaluate(f"webagent.python({json.dumps(code)})")
    assert result["ok"], result["error"]["message"]
    return result["value"]
