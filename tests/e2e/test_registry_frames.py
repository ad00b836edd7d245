"""Tools of frames in the registry of the page on top."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.offering import FORM, HEAD, SCRIPT, component, opened, tools, until, write

pytestmark = pytest.mark.conformance


async def test_frames_show_what_they_may(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Two frames of the own origin, one allowed, one not: the list has what it may, and calls it."""
    own = serve(write(tmp_path / "own", {}))
    option = ("--component-origin", own.url)
    allowed = serve(write(tmp_path / "allowed", {}), *option)
    refused = serve(write(tmp_path / "refused", {}), *option)
    named = SCRIPT.replace('"book"', '"book_NAME"')
    inner = f"<script>{named}</script>"
    shown = inner.replace("});", "}, { exposedTo: [ORIGIN] });")
    origins = f'<meta name="webmcp-origins" content="{allowed.url}">'
    frames = f"""<iframe src="/a.html"></iframe><iframe src="/b.html"></iframe>
        <iframe src="{allowed.url}/c.html" allow="tools"></iframe>
        <iframe src="{refused.url}/d.html" allow="tools"></iframe>"""
    write(
        own.root,
        {
            "index.html": HEAD + origins + component("top") + frames,
            "a.html": HEAD + component("a") + FORM + inner.replace("NAME", "a"),
            "b.html": HEAD + component("b") + inner.replace("NAME", "b"),
        },
    )
    write(
        allowed.root,
        {
            "c.html": HEAD
            + component("c")
            + shown.replace("NAME", "c").replace("ORIGIN", json.dumps(own.url)),
        },
    )
    write(
        refused.root,
        {
            "d.html": HEAD
            + component("d")
            + shown.replace("NAME", "d").replace("ORIGIN", json.dumps(own.url)),
        },
    )
    await opened(page, own.url)
    await until(page, "tools.length === 8")
    listed = await tools(page)
    results = await page.evaluate(
        """(listed) => Promise.all(listed.map(([name, source]) => webagent.call(name, {
            modelContext: { day: "x" }, component: { id: 1 }, form: { words: "hello" } }[source])))""",
        [[name, tool["source"]] for name, tool in listed.items()],
    )
    watch.errors.clear()

    assert sorted(listed) == [
        "a_add",
        "b_add",
        "book_a",
        "book_b",
        "book_c",
        "c_add",
        "contact",
        "top_add",
    ]
    assert {name: listed[name]["origin"] for name in ("book_c", "c_add", "a_add")} == {
        "book_c": allowed.url,
        "c_add": allowed.url,
        "a_add": own.url,
    }
    assert dict(zip(listed, results, strict=True)) == {
        **{name: {"booked": "x"} for name in ("book_a", "book_b", "book_c")},
        **{f"{at}_add": {"added": 1, "at": f"/{at}.html"} for at in "abc"},
        "contact": {"sent": {"words": "hello"}},
        "top_add": {"added": 1, "at": "/"},
    }


async def test_a_frame_may_go_in_the_middle_of_its_calls(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """Each call ends at once with that reason, its tools are gone, and the others go on working."""
    begins = "(top.begun = (top.begun ?? 0) + 1, new Promise(() => {}))"
    waits = f"execute: () => {begins} }});"
    script = SCRIPT.partition("execute")[0] + waits
    part = component("part").partition("execute")[0] + waits + "</script>"
    form = FORM.replace("Promise.resolve({ sent })", begins)
    site = write(
        tmp_path / "site",
        {
            "index.html": HEAD + component("top") + '<iframe src="/frame.html"></iframe>',
            "frame.html": f"{HEAD}<script>{script}</script>{part}{form}",
        },
    )
    await opened(page, serve(site).url)
    await until(page, "tools.length === 4")
    kinds = await page.evaluate("""(async () => {
        const calls = [["book", { day: "x" }], ["part_add", { id: 1 }], ["contact", { words: "x" }]];
        const ends = calls.map(([name, input]) =>
          webagent.call(name, input).then(() => "ok", (error) => [error.kind, error.tool]));
        while (globalThis.begun !== 3) await new Promise((resolve) => setTimeout(resolve, 10));
        document.querySelector("iframe").remove();
        return Promise.all(ends);
    })()""")
    await until(page, "tools.length === 1")
    left = await page.evaluate("webagent.call('top_add', { id: 2 })")
    watch.errors.clear()

    assert kinds == [["page_gone", name] for name in ("book", "part_add", "contact")]
    assert left == {"added": 2, "at": "/"}
