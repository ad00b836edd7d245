"""`AgentClient` on pages of other origins than its manifest, and what it says of tools and drift."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.e2e.conftest import Serve
from tests.server import Server
from webagent import AgentClient
from webagent.errors import OriginMismatch

EVIL = """<!doctype html><html lang=en><link rel=icon href="data:,"><title>other</title>
<script>
var origin = "{template}", self = {{ origin }};
var called = 0; var searchBooks = addToBasket = listCategories = () => {{ called += 1 }}
</script>"""


@pytest.fixture(name="other")
def _other(serve: Serve, tmp_path: Path, template: Server) -> str:
    """A site of another origin with functions of the same names, which says that it is the first."""
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "index.html").write_text(EVIL.format(template=template.url), encoding="utf-8")
    return serve(folder).url


async def test_a_manifest_never_acts_on_another_origin(
    shop_page: Page, client: AgentClient, other: str, template: Server
) -> None:
    """Neither calls nor programs reach functions of the same names there, whichever way they run."""
    assert client.origin == template.url
    await shop_page.goto(other)
    program = "await global.searchBooks('harbour')"
    results = [
        await client.call(shop_page, "searchBooks", "harbour"),
        await client.run_code(shop_page, program),
        await client.run_code(shop_page, "called += 1", isolation="page"),
    ]

    for result in results:
        assert result.error is not None
        assert result.error.kind == "origin_mismatch"
        assert template.url in result.error.message
        assert other in result.error.message
    text = await client.execute(shop_page, "called += 1; return called")
    assert list(json.loads(text)) == ["error"]
    with pytest.raises(OriginMismatch):
        await client.tools(shop_page)
    assert await shop_page.evaluate("called") == 0


async def test_a_page_cannot_hide_its_origin(
    shop_page: Page, client: AgentClient, other: str
) -> None:
    """Errors that say nothing are refusals too."""
    await shop_page.goto(other)
    await shop_page.evaluate("Error.stackTraceLimit = 0; location.toString = () => ''; origin = ''")
    result = await client.call(shop_page, "searchBooks", "harbour")

    assert result.error is not None
    assert result.error.kind == "origin_mismatch"
    assert await shop_page.evaluate("called") == 0


async def test_a_site_may_call_something_else_origin(shop_page: Page, client: AgentClient) -> None:
    """Such as where a journey begins."""
    await shop_page.evaluate("window.origin = 'BER'; window.self = 'BER'")

    assert (await client.call(shop_page, "listCategories")).ok
    assert await client.execute(shop_page, "return origin") == "BER"


async def test_a_page_that_goes_elsewhere_is_not_called_there(
    shop_page: Page, client: AgentClient, other: str
) -> None:
    """A program that goes on meets the other origin's refusal, with a manifest of no origin too."""
    assert client.manifest is not None
    client.load_manifest(client.manifest)
    await shop_page.evaluate(
        "(url) => { window.listCategories = () => { setTimeout(() => location.href = url); "
        "return [] } }",
        other,
    )
    ended = await client.run_code(
        shop_page,
        # The page may be gone before the first answer is back.
        "await global.listCategories().catch(() => []); let kind;"
        "while (kind !== 'origin_mismatch')"
        " try { await global.addToBasket('x', 1) } catch (error) { kind = error.kind } kind",
    )

    assert ended.value == "origin_mismatch", ended
    await shop_page.wait_for_load_state()
    assert await shop_page.evaluate("called") == 0
    client.load_manifest(client.manifest)
    assert (await client.call(shop_page, "listCategories")).ok


async def test_a_call_has_python_values_and_a_shape(shop_page: Page, client: AgentClient) -> None:
    """Arguments go in order or by name; what is wrong with them is in the result, with its path."""
    found = await client.call(shop_page, "searchBooks", "harbour")
    named = await client.call(shop_page, "searchBooks", query="harbour", limit=1)
    wrong = await client.call(shop_page, "searchBooks", 5)

    assert found.ok
    assert found.value["total"] >= 1
    assert [call.arguments for call in named.calls] == [["harbour", 1]]
    assert wrong.error is not None
    assert (wrong.error.kind, wrong.error.path) == ("invalid_arguments", "query")
    both = await client.call(shop_page, "searchBooks", "harbour", limit=1)
    assert both.error is not None
    assert "in order and by name" in both.error.message


async def test_tools_and_drift_of_a_page(shop_page: Page, client: AgentClient) -> None:
    """Missing tools, and results other than the declared ones, are findings."""
    listed = {tool["name"]: tool for tool in await client.tools(shop_page)}
    before = await client.drift(shop_page)
    await shop_page.evaluate("() => { delete window.getBasket; window.listCategories = () => 5 }")
    await client.call(shop_page, "listCategories")
    rules = {(finding.rule, finding.tool) for finding in await client.drift(shop_page)}

    assert listed["searchBooks"]["effect"] == "read"
    assert [f for f in before if f.rule != "undeclared-function"] == []
    assert {("missing-function", "getBasket"), ("result-mismatch", "listCategories")} <= rules
