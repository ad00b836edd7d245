"""`AgentClient` on a page without webagent, in a browser that has `document.modelContext` itself."""

from __future__ import annotations

import pytest
from playwright.async_api import Route, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.modelcontext.conftest import NATIVE, ONLY_LOCAL
from webagent import AgentClient

URL = "http://localhost:7357/"
PAGE = """<!doctype html><html lang=en><title>plain</title>
<form toolname="subscribe" tooldescription="Subscribe." toolautosubmit>
  <input name="email" required>
</form>
<script>
document.modelContext.registerTool({
  name: "find", description: "Find.",
  inputSchema: {type: "object", properties: {word: {type: "string"}}, required: ["word"]},
  annotations: {readOnlyHint: true},
  execute: async ({word}) => ({found: word.length}),
});
</script>"""


@pytest.mark.conformance
@pytest.mark.chromium("Firefox has no `modelContext` of its own")
async def test_tools_of_the_browser_are_the_pages_own() -> None:
    """Tools that a stranger's page registers are listed, called and refused like any other."""

    async def answer(route: Route) -> None:
        await route.fulfill(body=PAGE, content_type="text/html")

    async with async_playwright() as playwright, AgentClient() as client:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, ONLY_LOCAL, NATIVE],
        )
        page = await browser.new_page()
        await page.route(f"{URL}**", answer)
        await page.goto(URL)
        tools = {tool["name"]: tool for tool in await client.tools(page)}
        found = await client.call(page, "find", word="harbour")
        wrong = await client.call(page, "find", word=5)
        program = await client.run_code(page, "(await global.find({word: 'sea'})).found")
        await browser.close()

    assert {name: tool["source"] for name, tool in tools.items()} == {
        "find": "modelContext",
        "subscribe": "form",
    }
    assert tools["find"]["effect"] == "read"
    assert found.value == {"found": 7}
    assert wrong.error is not None
    assert wrong.error.kind == "invalid_arguments"
    assert program.value == 3
