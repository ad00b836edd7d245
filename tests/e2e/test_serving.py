"""The responses to a real browser before the agent is ready."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve
from tests.test_sizes import MOST_BYTES_SENT

SENT = """webagent.ready.then(() => performance.getEntriesByType('resource')
  .filter(({ name }) => name.includes('/assets/'))
  .map(({ name, encodedBodySize, decodedBodySize }) => [name, encodedBodySize, decodedBodySize]))"""


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    (root / "index.html").write_text("<!doctype html><link rel=icon href=data:,>", "utf-8")
    # Without this, the page would send more requests after it is ready.
    (root / "webagent.toml").write_text('[page]\nstart = "use"\n', "utf-8")
    return root


@pytest.mark.parametrize("way", ["snapshot", pytest.param("bundle", marks=pytest.mark.conformance)])
async def test_a_start_takes_no_more_from_the_wire_than_its_budget(
    page: Page, small: Path, serve: Serve, way: str
) -> None:
    """The browser counts what came, still compressed; WebAssembly is compiled while it comes."""
    if way == "bundle":
        await page.add_init_script("delete WebAssembly.Suspending")
    streamed: list[str] = []
    page.on("console", lambda message: streamed.append(message.text))
    await page.goto(serve(small).url)
    sent = await page.evaluate(SENT)
    reached = await page.evaluate("webagent.way.path")
    answers = await page.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.wasm'))"
        ".map(({ name }) => fetch(name).then(async (answer) => [answer.headers.get('content-type'),"
        " answer.headers.get('content-encoding'),"
        " (await WebAssembly.compileStreaming(answer)) instanceof WebAssembly.Module]))"
        ".reduce(async (all, one) => [...(await all), await one], [])"
    )

    assert reached == way
    assert sum(size for _, size, _ in sent) <= MOST_BYTES_SENT[way]
    assert all(size < whole * 0.6 for _, size, whole in sent if whole > 1024)
    assert answers
    assert all(answer == ["application/wasm", "zstd", True] for answer in answers)
    assert not [text for text in streamed if "falling back" in text]
