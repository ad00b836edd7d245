"""How the inspector opens: by a link with a code, and never next to a service worker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Browser, expect

from tests.e2e.conftest import Serve, Watch
from tests.page_client import PLAIN, owner_token
from tests.server import Server

WORKER = """\
const seen = [];
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => event.source.postMessage(seen));
addEventListener("fetch", (event) => {
  const { method, url, headers } = event.request;
  seen.push([method, url, headers.get("authorization")]);
  event.respondWith(fetch(event.request));
});
"""
"""What another project may have left on the port: it sees all that pages of this address send."""
REGISTER = """\
navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready)
  .then(() => navigator.serviceWorker.controller ||
    new Promise((go) => navigator.serviceWorker.addEventListener("controllerchange", go)))
  .then(() => true)
"""
SEEN = """\
new Promise((resolve) => {
  navigator.serviceWorker.addEventListener("message", (event) => resolve(event.data));
  navigator.serviceWorker.startMessages();
  navigator.serviceWorker.controller.postMessage("");
})
"""


def link(server: Server) -> str:
    """Return a link as the terminal prints it."""
    headers = {"authorization": f"Bearer {owner_token(server)}"}
    answer = httpx.post(f"{server.url}/__webagent__/api/codes", headers=headers, verify=PLAIN)
    return f"{server.url}/__webagent__/#code={answer.json()['code']}"


async def test_a_link_opens_the_inspector_once(serve: Serve, browser: Browser, shop: Path) -> None:
    """Without a trace of it in the address; the second time it says what prints another one."""
    server = serve(shop)
    address = link(server)
    context = await browser.new_context()
    first, second = await context.new_page(), await context.new_page()
    await first.goto(address)
    await first.get_by_role("link", name="Tools", exact=True).wait_for()
    await second.goto(address)
    alert = second.get_by_role("alert")
    await expect(alert).to_contain_text("was used already")
    await expect(alert).to_contain_text("`webagent-dev token` prints another one")

    assert "code" not in first.url + second.url
    await second.get_by_label("Address or token").fill(link(server))
    await second.keyboard.press("Enter")
    await second.get_by_role("link", name="Tools", exact=True).wait_for()
    await context.close()


async def test_a_service_worker_that_another_project_left_sees_no_token(
    serve: Serve, browser: Browser, shop: Path, tmp_path: Path, watch: Watch
) -> None:
    """The inspector does not open next to it, and the code stays unused until it is removed."""
    (tmp_path / "index.html").write_text("<!doctype html><title>Another project</title>")
    (tmp_path / "sw.js").write_text(WORKER)
    before = serve(tmp_path, process=True)
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(before.url)
    assert await page.evaluate(REGISTER)
    before.stop()
    server = serve(shop, "--port", before.url.rpartition(":")[2], process=True)
    assert server.url == before.url
    watch.attach(page)

    await page.goto(link(server))
    await expect(page.get_by_role("alert")).to_contain_text("A service worker is registered")
    assert await page.get_by_label("Address or token").count() == 0
    seen: list[list[Any]] = await page.evaluate(SEEN)
    assert any("/__webagent__/" in url for _, url, _ in seen)
    assert owner_token(server) not in str(seen)
    assert not any("/api/" in url for _, url, _ in seen)

    await page.get_by_role("button", name="Remove it and go on").click()
    await page.get_by_role("link", name="Tools", exact=True).wait_for()
    assert await page.evaluate("navigator.serviceWorker.controller") is None
    await context.close()


async def test_a_service_worker_that_takes_over_later_closes_the_inspector(
    serve: Serve, browser: Browser, tmp_path: Path
) -> None:
    """As the worker of a site does that claims all pages of its address."""
    (tmp_path / "index.html").write_text("<!doctype html><title>With a worker</title>")
    (tmp_path / "sw.js").write_text(WORKER)
    server = serve(tmp_path)
    context = await browser.new_context()
    inspector, page = await context.new_page(), await context.new_page()
    await inspector.goto(link(server))
    await inspector.get_by_role("link", name="Tools", exact=True).wait_for()
    await page.goto(server.url)
    assert await page.evaluate(REGISTER)

    await expect(inspector.get_by_role("alert")).to_contain_text("A service worker is registered")
    await context.close()
