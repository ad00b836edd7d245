"""Built sites under a path of a plain static server, with the policy that the build prints."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import TEMPLATE, Watch
from tests.e2e.offering import HEAD, write
from tests.e2e.panel.conftest import OPENED
from tests.e2e.static_host import Headers, StaticHost
from tests.e2e.test_runtimes import NO_SHARED_WORKERS

BASE = "/app/"
TOOL = """\
# Paths

## pathLength
How long the path to a place is.

### Params
- `place` (string, required): Name of the place.

### Output
`string`

### Behavior
- effect: read
"""
NESTED = f"""{HEAD}<button id="handled" onclick="this.textContent = 'handled'">Go</button>
<script>global.pathLength = async (place) => `${{place}}: 12 km`;</script>"""


def built(site: Path, folder: Path, base: str) -> Headers:
    """Build a site under a path of a host; return the headers that the build prints."""
    command = [sys.executable, "-m", "webagent_dev", "build", str(site)]
    printed = subprocess.run(
        [*command, "--out", str(folder / base.strip("/")), "--base", base],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    pages, sandbox = re.findall(r"Content-Security-Policy: (.+)", printed)

    def headers(path: str) -> Mapping[str, str]:
        policy = sandbox if path.partition("?")[0].endswith("/sandbox.html") else pages
        return {"content-security-policy": policy}

    return headers


@pytest.fixture(name="host", scope="module")
def _host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticHost]:
    folder = tmp_path_factory.mktemp("host")
    with StaticHost(folder, built(TEMPLATE, folder, BASE)) as host:
        yield host


async def test_the_agent_works_on_a_static_host(page: Page, host: StaticHost, watch: Watch) -> None:
    """It finds the manifest, calls a tool, and runs a program in the sandbox; nothing is blocked."""
    await page.goto(f"{host.url}{BASE}")
    await page.evaluate("webagent.ready")

    manifest = await page.evaluate("webagent.manifest().then((found) => found.name)")
    found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
    ran = await page.evaluate(
        "webagent.execute('const { books } = await global.searchBooks(\"harbour\"); books.length')"
    )

    way = await page.evaluate("webagent.way.runtime")
    live = await page.evaluate("document.querySelector('meta[name=webagent-live]')")
    # The page's list has no requests of a shared worker.
    await page.add_init_script(NO_SHARED_WORKERS)
    await page.reload()
    await page.evaluate("webagent.ready")
    sent = await page.evaluate(
        "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))"
        ".map(({ name, encodedBodySize, decodedBodySize }) => [name, encodedBodySize / decodedBodySize])"
    )

    # The host sends the compressed copies; files smaller than a packet have none.
    assert [name for name, part in sent if part > 0.6] == [
        name for name, _ in sent if name.endswith("/no_stdlib.zip")
    ]
    assert len(sent) > 5
    assert manifest == "Catchword Books"
    assert ran["ok"], ran
    assert ran["value"] == len(found["books"]) > 0
    assert (way, live) == ("shared", None)


@pytest.mark.conformance
async def test_a_goal_is_reached_in_the_panel_on_a_static_host(
    page: Page, tmp_path: Path, watch: Watch
) -> None:
    """The path has a space and non-ASCII letters; the page is nested and has inline handlers."""
    site = write(
        tmp_path / "site", {"webagent.toml": '[page]\npanel = "on"\n', "webagents.md": TOOL}
    )
    nested = site / "über uns" / "tage"
    nested.mkdir(parents=True)
    (nested / "seite 1.html").write_text(NESTED, "utf-8")
    (site / "404.html").write_text(HEAD, "utf-8")
    base = "/mein café/"
    headers = built(site, tmp_path / "host", base)
    came = threading.Event()

    def noted(path: str) -> Mapping[str, str]:
        if "_rest" in path:
            came.set()
        return headers(path)

    with StaticHost(tmp_path / "host", noted) as host:
        await page.add_init_script(OPENED)
        await page.goto(f"{host.url}{base}über uns/tage/seite 1.html")
        await page.click("#handled")
        await page.evaluate("webagent.ready")
        await page.get_by_role("button", name="Open the assistant").click()
        await page.get_by_label("What should be done").fill("path length of Holm")
        await page.keyboard.press("Enter")
        await expect(page.locator("webagent-panel .outcome")).to_contain_text("12 km")
        handled = await page.text_content("#handled")
        await page.goto(f"{host.url}{base}404.html")
        await page.evaluate("webagent.ready")
        # The panel's chunks, and the rest that the worker of both pages loads, before the host stops.
        await page.wait_for_load_state("networkidle")
        assert await asyncio.to_thread(came.wait, 30)

    assert handled == "handled"


@pytest.mark.conformance
async def test_components_in_frames_offer_their_tools_there_too(
    page: Page, host: StaticHost
) -> None:
    """A script of the site can import one of ours."""
    await page.goto(f"{host.url}{BASE}contact.html")
    await page.evaluate("webagent.ready")
    await page.wait_for_function(
        "webagent.tools().then((tools) => tools.some((tool) => tool.name === 'visit_arrange' && tool.available))"
    )


async def test_before_its_first_use_the_agent_costs_nearly_nothing(
    page: Page, host: StaticHost
) -> None:
    """Python is downloaded only when it is needed."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.goto(f"{host.url}{BASE}")
    await page.evaluate("webagent.state")

    assert not [url for url in asked if "/assets/" in url]


async def test_a_bundle_that_was_changed_does_not_run(
    page: Page, host: StaticHost, watch: Watch
) -> None:
    """The hash in the tag is that of the built file."""

    async def changed(route: object) -> None:
        answer = await route.fetch()  # type: ignore[attr-defined]
        await route.fulfill(response=answer, body=await answer.text() + ";")  # type: ignore[attr-defined]

    await page.route(re.compile(r"/webagent\.js$"), changed)
    await page.goto(f"{host.url}{BASE}")

    assert await page.evaluate("typeof webagent") == "undefined"
    assert "integrity" in watch.errors[0]
    watch.errors.clear()
