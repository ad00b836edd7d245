"""The extension in a real editor: code-server in Chromium, with the shop served and open beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, async_playwright, expect

from tests.browsers import launch
from tests.code_server import ROOT, CodeServer, install_code_server
from tests.deployed import free_port
from tests.server import ServerProcess, serving
from webagent_dev import __version__

pytestmark = [
    pytest.mark.conformance,
    pytest.mark.chromium("what differs between browsers here is the editor's own"),
    pytest.mark.timeout(1_200),
]

MISTAKE = ("(string, required): Words", "(String, required): Words")
"""A class in place of a type; the finding has a fix."""

expect.set_options(timeout=30_000)


@pytest.fixture(name="editor", scope="module")
def _editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeServer]:
    install_code_server()
    subprocess.run(("make", "--silent", "vsix"), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    extension = ROOT / "dist" / f"webagent-{__version__}.vsix"
    with CodeServer(tmp_path_factory.mktemp("editor"), free_port(), extension) as editor:
        yield editor


@pytest.fixture(name="shop")
def _shop(tmp_path: Path) -> Path:
    """A copy of the shop with a mistake, and with the programs of this environment."""
    shop = tmp_path / "shop"
    shutil.copytree(ROOT / "site_template", shop)
    programs = shop / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "webagent-dev").symlink_to(Path(sys.executable).with_name("webagent-dev"))
    manifest = shop / "webagents.md"
    manifest.write_text(manifest.read_text("utf-8").replace(*MISTAKE, 1), "utf-8")
    return shop


@pytest.fixture(name="server")
def _server(shop: Path) -> Iterator[ServerProcess]:
    with serving(shop) as server:
        yield server


@pytest_asyncio.fixture(name="window")
async def _window() -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await launch(playwright)
        context = await browser.new_context(viewport={"width": 1280, "height": 800})
        yield await context.new_page()
        await browser.close()


async def open_folder(window: Page, editor: CodeServer, folder: Path, *, trusted: bool) -> None:
    """Open a folder, and its manifest."""
    await window.goto(f"{editor.url}/?folder={folder}")
    answer = "Yes, I trust the authors" if trusted else "No, I don't trust the authors"
    await window.get_by_text(answer).click()
    await window.get_by_role("treeitem", name="webagents.md").first.dblclick()
    await window.locator(".view-lines").get_by_text("# Catchword Books").wait_for()


async def answer(window: Page, **arguments: str) -> None:
    """Write into the fields that ask for arguments, one after the other."""
    for name, text in arguments.items():
        field = window.get_by_role("textbox", name=f": {name} (")
        await field.fill(text)
        await field.press("Enter")


async def test_findings_a_fix_and_a_hover(
    editor: CodeServer, shop: Path, server: ServerProcess, window: Page
) -> None:
    """As the language server gives them; the fix is in the file."""
    site = await window.context.new_page()
    await site.goto(server.url)
    await open_folder(window, editor, shop, trusted=True)
    await expect(window.get_by_role("button", name="1 open page")).to_be_visible()

    await window.locator(".view-lines").click()
    await window.keyboard.press("F8")
    await expect(window.locator(".marker-widget")).to_contain_text(
        "`String` in the type of `query`"
    )
    await window.keyboard.press("Escape")
    await window.keyboard.press("Control+.")
    await expect(window.locator(".action-widget")).to_contain_text("write `string`")
    await window.keyboard.press("Enter")
    await expect(window.get_by_role("button", name="No Problems")).to_be_visible()
    await expect(window.locator(".tab.dirty")).to_have_count(1)
    await window.keyboard.press("Control+s")
    await expect(window.locator(".tab.dirty")).to_have_count(0)
    assert MISTAKE[0] in (shop / "webagents.md").read_text("utf-8")

    heading = window.locator(".view-line", has_text="##\xa0searchBooks")
    await heading.get_by_text("searchBooks", exact=True).hover()
    hover = window.locator(".monaco-hover:visible")
    await expect(hover).to_contain_text("searchBooks(query: string, limit?: number")
    await expect(hover).to_contain_text(f"Offered by {server.url}/")


async def test_tools_are_listed_and_called(
    editor: CodeServer, shop: Path, server: ServerProcess, window: Page
) -> None:
    """Those of the manifest and of the page; what changes something is asked for first."""
    site = await window.context.new_page()
    await site.goto(server.url)
    await open_folder(window, editor, shop, trusted=True)
    # The list is as high as there is room, and has the rows that are seen.
    await window.get_by_role("button", name="Explorer Section: shop").click()
    await window.get_by_role("button", name="Web Agent Tools Section").click()
    tree = window.get_by_role("tree", name="Web Agent Tools")
    await expect(tree.get_by_role("treeitem", name="webagents.md 15 tools")).to_be_visible()
    await tree.get_by_role("treeitem", name="webagents.md").click()
    page = tree.get_by_role("treeitem", name="/ Catchword Books")
    await expect(page).to_be_visible()

    if await page.get_attribute("aria-expanded") == "false":
        await page.click()
    await call(window, tree, "searchBooks read")
    await answer(window, query="harbour", limit="1", category="")
    await expect(window.locator(".panel .view-lines")).to_contain_text('"total"')

    await call(window, tree, "addToBasket write")
    await answer(window, bookId="the-salt-ledger", quantity="")
    dialog = window.get_by_role("dialog")
    await expect(dialog).to_contain_text("Call addToBasket?")
    await expect(dialog).to_contain_text("the-salt-ledger")
    await dialog.get_by_role("button", name="Cancel").click()
    basket = site.locator("header").get_by_text("Basket")
    await expect(basket).not_to_contain_text("1")

    await call(window, tree, "addToBasket write")
    await answer(window, bookId="the-salt-ledger", quantity="")
    await dialog.get_by_role("button", name="Call It").click()
    await expect(basket).to_contain_text("1")


async def call(window: Page, tree: Locator, name: str) -> None:
    """Press the button beside a tool."""
    row = tree.get_by_role("treeitem", name=name)
    await row.hover()
    await row.get_by_role("button", name="Call This Tool").click()


async def test_a_folder_that_is_not_trusted_starts_nothing(
    editor: CodeServer, shop: Path, window: Page
) -> None:
    """Its programs are its authors'."""
    started = shop / "started"
    program = shop / ".venv" / "bin" / "webagent-dev"
    program.unlink()
    program.write_text(f"#!/bin/sh\ntouch {started}\nexit 2\n")
    program.chmod(0o755)
    await open_folder(window, editor, shop, trusted=False)
    await window.wait_for_timeout(5_000)
    assert not started.exists()

    await window.goto("about:blank")
    await window.goto(f"{editor.url}/?folder={shop}")
    await window.get_by_role("button", name="Restricted Mode").click()
    await window.get_by_role("button", name="Trust", exact=True).click()
    await expect(window.get_by_text("ended with 2").last).to_be_visible()
    assert started.exists()
