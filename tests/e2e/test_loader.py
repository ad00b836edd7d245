"""The start of a published page: its moment, its cost, and the faults that it survives."""

from __future__ import annotations

import asyncio
import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import Watch
from tests.e2e.panel.conftest import OPENED
from tests.e2e.static_host import StaticHost
from webagent_site.config.folders import BUNDLE
from webagent_site.publish.publication import Publication
from webagent_site.publish.published_bundle import FOLDER, publish

MANIFEST = "# Small\n\nA small site.\n\n## greet\nSay hello.\n\n### Output\n`string`\n"
PAGE = (
    b"<!doctype html><html><head><link rel=icon href=data:,></head>"
    b"<body><script>global.greet = () => 'hello'</script><p>small"
)
MOST_BYTES = 14_950


def published(folder: Path, **options: str) -> None:
    """Write a site of one page as it goes live."""
    bundle = publish(BUNDLE, folder)
    pages = Publication("/", bundle, has_manifest=True, uses_model_context=False, options=options)
    (folder / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    (folder / "index.html").write_bytes(pages.page(PAGE))
    (folder / "other.html").write_bytes(b"<!doctype html><link rel=icon href=data:,><p>other")


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published")
    published(folder)
    return folder


@pytest.fixture(name="host", scope="module")
def _host(folder: Path) -> Iterator[StaticHost]:
    with StaticHost(folder) as host:
        yield host


FETCHED = "performance.getEntriesByType('resource').map((entry) => entry.name)"


async def test_a_page_without_a_use_of_the_agent_takes_little(
    page: Page, host: StaticHost, folder: Path
) -> None:
    """No Python, and of ours at most 15 KB as servers send them; the first use starts it."""
    await page.goto(host.url)
    # Work that waits for an idle moment has had two.
    idle = "new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))"
    await page.evaluate(idle)
    paths = [urlsplit(url).path for url in await page.evaluate(FETCHED)]
    sent = sum(len(gzip.compress((folder / path[1:]).read_bytes(), 9)) for path in set(paths))
    state = await page.evaluate("webagent.state")
    greeting = await page.evaluate("webagent.call('greet')")

    assert {path.rpartition("/")[2] for path in paths} == {"global.js", "webagent.js"}
    assert sent <= MOST_BYTES
    assert state == "idle"
    assert greeting == "hello"


THRIFTY = "Object.defineProperty(Navigator.prototype, 'connection', { get: () => (%s) })"


@pytest.mark.conformance
@pytest.mark.parametrize("line", ["{ saveData: true }", "{ effectiveType: '3g' }"])
async def test_a_paid_or_slow_line_waits_for_the_first_use(
    page: Page, tmp_path: Path, line: str
) -> None:
    """Also where the site lets pages start when they are idle; elsewhere they do."""
    published(tmp_path, start="idle")
    other = await page.context.new_page()
    with StaticHost(tmp_path) as host:
        await other.goto(host.url)
        await other.wait_for_function("webagent.state !== 'idle'")
        await other.close()
        await page.add_init_script(THRIFTY % line)
        await page.goto(host.url)
        idle = "new Promise((done) => requestIdleCallback(() => requestIdleCallback(done)))"
        await page.evaluate(f"new Promise((done) => setTimeout(done)).then(() => {idle})")
        assert await page.evaluate("webagent.state") == "idle"
        assert await page.evaluate("webagent.call('greet')") == "hello"


@pytest.mark.conformance
async def test_two_tabs_start_at_once(browser: Browser, host: StaticHost) -> None:
    """With nothing in the cache, each from the snapshot."""
    context = await browser.new_context()
    tabs = [await context.new_page() for _ in range(2)]
    await asyncio.gather(*(tab.goto(host.url) for tab in tabs))
    greetings = await asyncio.gather(*(tab.evaluate("webagent.call('greet')") for tab in tabs))
    ways = [await tab.evaluate("webagent.way.path") for tab in tabs]
    await context.close()

    assert greetings == ["hello", "hello"]
    assert ways == ["snapshot", "snapshot"]


MARK = """() => {
  globalThis.mark = 1;
  addEventListener("pageshow", (event) => { globalThis.back = event.persisted; });
}"""


@pytest.mark.conformance
async def test_a_page_that_comes_back_has_its_agent(host: StaticHost) -> None:
    """From the browser's cache of pages the same Python goes on; one left while it started begins anew."""
    async with async_playwright() as playwright:
        # Playwright switches that cache off.
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, "--enable-features=BackForwardCache"],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await browser.new_page()
        # Nothing more is fetched once it is ready: browsers keep no page that waits for a file.
        await page.add_init_script(THRIFTY % "{ saveData: true }")
        for start in ("webagent.ready", "void webagent.ready.catch(() => {})"):
            await page.goto(host.url)
            await page.evaluate(start)
            await page.evaluate(MARK)
            await page.goto(f"{host.url}/other.html")
            await page.go_back(wait_until="commit")
            back = "globalThis.back === true || globalThis.mark === undefined"
            await page.wait_for_function(f"globalThis.webagent && ({back})")
            assert await page.evaluate("webagent.call('greet')") == "hello"
            if start == "webagent.ready":
                assert await page.evaluate("[globalThis.mark, globalThis.back]") == [1, True]
        await browser.close()


FETCHED_FIRST = """() => {
  const [image, agent] = ["/python.image", "/webagent_core-"].map((name) =>
    performance.getEntriesByType("resource").find((entry) => entry.name.includes(name)));
  return agent && image.responseEnd <= agent.startTime;
}"""


@pytest.mark.conformance
async def test_an_open_panel_fetches_the_agent_while_python_starts(
    page: Page, tmp_path: Path
) -> None:
    """Behind the files of the start itself; a page that only calls tools fetches it when it is idle."""
    # Requests of a shared worker cannot be held up.
    published(tmp_path, runtime="page", panel="on")
    release = asyncio.Event()

    async def held(route: Route) -> None:
        await release.wait()
        await route.continue_()

    await page.add_init_script(OPENED)
    caller = await page.context.new_page()
    for each in (page, caller):
        await each.route("**/webagents.md", held)
    with StaticHost(tmp_path) as host:
        await caller.goto(host.url)
        await caller.evaluate(
            "new Promise((done) => { webagent.addEventListener('progress',"
            " ({ detail }) => detail.phase === 'manifest' && done()); void webagent.ready; })"
        )
        fetched = " ".join(await caller.evaluate(FETCHED))
        await page.goto(host.url)
        await page.locator("webagent-launcher button").click()
        await page.wait_for_function(FETCHED_FIRST)
        state = await page.evaluate("webagent.state")
        release.set()
        for each in (page, caller):
            assert await each.evaluate("webagent.call('greet')") == "hello"
        await caller.close()

    assert "/python.image" in fetched
    assert "/webagent_core-" not in fetched
    assert state == "starting"


@pytest.mark.conformance
async def test_a_page_of_a_bundle_that_is_gone_says_what_to_do(
    page: Page, tmp_path: Path, watch: Watch
) -> None:
    """One that had started goes on, and what would follow says so; one that had not says so too."""
    published(tmp_path)
    await page.add_init_script(THRIFTY % "{ saveData: true }")
    late = await page.context.new_page()
    with StaticHost(tmp_path) as host:
        await page.goto(host.url)
        await page.evaluate("webagent.ready")
        await late.goto(host.url)
        shutil.rmtree(tmp_path / FOLDER)
        greeting = await page.evaluate("webagent.call('greet')")
        run = await page.evaluate(
            "webagent.run('greet').then((outcome) => JSON.stringify(outcome), (error) => error.message)"
        )
        message = await late.evaluate("webagent.ready.then(() => '', (error) => error.message)")
        await late.close()

    assert greeting == "hello"
    for text in (run, message):
        assert "reload the page" in text, text
    watch.errors.clear()


@pytest.mark.conformance
async def test_a_line_that_stops_for_seconds_is_waited_for(page: Page, tmp_path: Path) -> None:
    """No file is thought to be missing because it takes longer than the others."""
    # Requests of a shared worker cannot be held up.
    published(tmp_path, runtime="page")
    await page.add_init_script(THRIFTY % "{ saveData: true }")

    async def held(route: Route) -> None:
        # Longer than what is taken for a stall; see `downloads.ts`.
        await asyncio.sleep(4)
        await route.continue_()

    for name in ("python.image", "pyodide.asm.wasm", "pyodide-lock.json"):
        await page.route(f"**/{name}", held)
    with StaticHost(tmp_path) as host:
        await page.goto(host.url)
        greeting = await page.evaluate("webagent.call('greet')")

    assert greeting == "hello"
    assert await page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "page"}
