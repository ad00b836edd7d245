"""The inspector's way in for agent programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import Serve
from tests.e2e.inspector.conftest import Inspect, Inspector
from webagent_dev.config.owner import Owner


async def test_the_connection_of_a_program_is_chosen_and_copied(inspector: Inspector) -> None:
    """By keyboard; with what is offered, the way to the token, and no token."""
    page, keys = inspector.page, inspector.page.keyboard
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await inspector.show("Doors")
    await expect(inspector.main).to_contain_text(f"{inspector.server.url}/mcp")
    tools = await inspector.shop.evaluate(
        "webagent.tools().then((all) => all.filter((tool) => tool.available).length)"
    )
    await expect(inspector.main).to_contain_text(f"{tools} tools of the page in focus")
    await page.get_by_role("tab", name="Claude Code").focus()
    await keys.press("ArrowRight")
    panel = page.get_by_role("tabpanel", name="VS Code")
    await expect(panel).to_contain_text(".vscode/mcp.json")
    await inspector.button("Copy").click()
    await expect(inspector.button("Copied")).to_be_visible()
    copied = json.loads(await page.evaluate("navigator.clipboard.readText()"))
    root = inspector.server.root.resolve()
    assert copied["servers"]["webagent"]["url"] == f"{inspector.server.url}/mcp"
    await expect(panel).to_contain_text(f"webagent-dev connect vscode {root} --write")
    await expect(panel).to_contain_text(f"webagent-dev token {root}")
    for _ in range(5):
        assert Owner(root).token not in await inspector.main.inner_text()
        await page.get_by_role("tab", selected=True).press("ArrowRight")


@pytest.mark.conformance
async def test_doors_that_are_off_are_said_to_be(
    inspect: Inspect, serve: Serve, tmp_path: Path
) -> None:
    """With how they are opened."""
    (tmp_path / "index.html").write_text("<title>Empty</title>")
    inspector = await inspect(serve(tmp_path, "--doors", "off"), query="?view=doors")

    await expect(inspector.main).to_contain_text("The doors are off")
    await expect(inspector.main).to_contain_text("--doors token")
