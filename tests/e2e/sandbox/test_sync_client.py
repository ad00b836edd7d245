"""`SyncAgentClient`: the same over pages of Playwright's synchronous interface."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.chromium import ARGS, find_chromium
from tests.server import Server
from webagent import SyncAgentClient


@pytest.fixture(name="shop_page", scope="module")
def _shop_page(template: Server) -> Iterator[Page]:
    """A page of a browser of its own: the others' event loop is not this one's."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=[*ARGS])
        page = browser.new_page()
        page.goto(template.url)
        yield page
        browser.close()


@pytest.fixture(name="client")
def _client(template: Server, shop_page: Page) -> Iterator[SyncAgentClient]:
    with SyncAgentClient() as client:
        client.detect(template.url)
        yield client


def test_a_program_calls_tools_at_the_same_time(shop_page: Page, client: SyncAgentClient) -> None:
    """Nothing waits for another: calls run while the program does, also several at once."""
    result = client.run_code(
        shop_page,
        "const found = await Promise.all(['harbour', 'sea'].map((word) => global.searchBooks(word)));"
        "found.length",
    )

    assert result.ok, result.error
    assert result.value == 2
    assert [call.name for call in result.calls] == ["searchBooks", "searchBooks"]


def test_a_call_and_a_failure(shop_page: Page, client: SyncAgentClient) -> None:
    """Calls, tools, drift and the SDK's text are those of the asynchronous client."""
    assert client.call(shop_page, "searchBooks", query="harbour").value["total"] >= 1
    assert "searchBooks" in [tool["name"] for tool in client.tools(shop_page)]
    assert {finding.severity.value for finding in client.drift(shop_page)} <= {"info"}
    assert client.execute(shop_page, "return 1 + 1") == "2"
    endless = client.run_code(shop_page, "for (;;);", timeout_s=0.2)
    assert endless.error is not None
    assert endless.error.kind == "timeout"


def test_the_sandbox_is_closed_and_the_page_is_as_before(
    shop_page: Page, client: SyncAgentClient
) -> None:
    """The sandbox's context goes with the client; the page's own interface is untouched."""
    browser = shop_page.context.browser
    assert browser is not None
    before = len(browser.contexts)
    client.run_code(shop_page, "1")
    opened = len(browser.contexts)
    client.close()

    assert (opened, len(browser.contexts)) == (before + 1, before)
    assert shop_page.main_frame.page is shop_page
    assert shop_page.title() != ""
    with pytest.raises(RuntimeError, match="closed"):
        client.detect(shop_page.url)


def test_a_page_of_another_interface_is_refused(client: SyncAgentClient) -> None:
    """The message says which client takes it."""
    with pytest.raises(TypeError, match=r"use `AgentClient` with `await`"):
        client.tools(object())  # type: ignore[arg-type]
