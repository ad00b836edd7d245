"""The faults of the Python that the pages of a site share: nothing hangs, and each page says what it lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Page

from tests.e2e.conftest import Serve, Watch
from tests.e2e.offering import write
from tests.e2e.panel.conftest import OPENED
from tests.e2e.static_host import StaticHost
from tests.e2e.test_runtimes import COUNT, PAGE, python
from tests.e2e.test_runtimes import MANIFEST as SMALL
from webagent_site.config.folders import BUNDLE
from webagent_site.http.bundle_files import BundleFiles
from webagent_site.publish.publication import Publication
from webagent_site.publish.published_bundle import publish

pytestmark = [
    pytest.mark.chromium("a shared worker survives a navigation"),
    pytest.mark.timeout(300),
]

MANIFEST = f"{SMALL}\n### Behavior\n- timeout: 120s\n"
SHARED = PAGE.replace("RUNTIME", "shared")
LIMIT_S = 100
RUN = """
  window.events = [];
  webagent.addEventListener("agent", ({ detail }) => events.push(detail));
  window.run = webagent.run("wait", { approve: true, call: { tool: "wait", arguments: {} } });
  void window.run.catch(() => {});
"""
"""A goal that is under way until `window.waiting.done` is called."""
BREAK_DOWN = "import js, pyodide_js; pyodide_js._api.fatal_error(js.Error.new('broken'))"
HANGS = """
import js
try:
    while True:
        pass
finally:
    js.BroadcastChannel.new("over").postMessage(True)
"""
HEARS = """
  const channel = new BroadcastChannel("over");
  window.over = new Promise((done) => (channel.onmessage = () => done(true)));
"""
FAULTS = {
    "crash": (BREAK_DOWN, "Python has crashed"),
    "endless loop": ("while True: pass", "Python does not answer"),
    "out of memory": (
        "kept = bytearray(1_050_000_000)",
        "Python has used up its memory",
    ),
}


async def evaluate(page: Page, code: str, *arguments: Any) -> Any:
    """Evaluate a script; nothing in this table may hang."""
    async with asyncio.timeout(LIMIT_S):
        return await page.evaluate(code, *arguments)


async def begin(page: Page) -> None:
    """Begin a goal that waits."""
    await page.evaluate(RUN)
    await page.wait_for_function("!!window.waiting", timeout=LIMIT_S * 1000)


async def outcome(page: Page) -> dict[str, Any]:
    """Return the result of the goal under way."""
    result: dict[str, Any] = await evaluate(page, "window.run")
    return result


async def reaches_a_goal(page: Page) -> bool:
    """Whether a goal can be reached now."""
    call = {"tool": "greet", "arguments": {"name": "you"}}
    result = await evaluate(page, "call => webagent.run('greet', { approve: true, call })", call)
    return result["ok"] is True


async def met(one: Page, two: Page) -> bool:
    """Whether two pages share Python."""
    await python(one, "import sys; sys.met = True")
    return (await python(two, "import sys; hasattr(sys, 'met')")) is True


def pages_of(root: Path) -> Path:
    return write(root / "site", {"index.html": SHARED, "webagents.md": MANIFEST})


@pytest.mark.parametrize(
    "fault",
    [pytest.param(fault, marks=[pytest.mark.conformance] * (fault != "crash")) for fault in FAULTS],
)
async def test_a_lost_python_is_replaced_in_all_pages(
    context: BrowserContext, tmp_path: Path, serve: Serve, watch: Watch, fault: str
) -> None:
    """The goal under way ends, each page says what it lost, and all share the next Python."""
    code, why = FAULTS[fault]
    url = serve(pages_of(tmp_path)).url
    one, two = await context.new_page(), await context.new_page()
    for tab in (one, two):
        await tab.goto(url)
        await python(tab, "1")
    await begin(one)
    await two.evaluate("code => void (window.lost = webagent.python(code))", code)
    result = await outcome(one)
    if fault != "out of memory":
        kind = await evaluate(two, "window.lost.catch((error) => error.kind)")
        assert kind == "runtime_lost"
    await two.wait_for_function("webagent.problems.length > 0", timeout=LIMIT_S * 1000)
    problems = [await tab.evaluate("webagent.problems") for tab in (one, two)]
    ended = await one.evaluate("events.filter(({ type }) => type === 'finished')")
    kept = await one.evaluate("sessionStorage.getItem('webagent.run')")
    goals = [await reaches_a_goal(tab) for tab in (one, two)]
    ways = [await tab.evaluate("webagent.way.runtime") for tab in (one, two)]
    watch.errors.clear()

    assert not result["ok"]
    assert result["error"]["kind"] == "runtime_lost"
    assert [event["error"]["kind"] for event in ended] == ["runtime_lost"]
    assert kept is None
    assert [[problem["phase"] for problem in each] for each in problems] == [["runtime"]] * 2
    said = [each[0]["message"] for each in problems]
    assert any(why in message for message in said)
    assert all("the goal under way, transcript and files are lost" in message for message in said)
    assert goals == [True, True]
    assert ways == ["shared", "shared"]
    assert await met(one, two)


@pytest.mark.conformance
async def test_a_page_that_meets_a_hanging_python_gets_another(
    context: BrowserContext, tmp_path: Path, serve: Serve
) -> None:
    """The page that made it hang was closed before it noticed; what hangs is interrupted."""
    url = serve(pages_of(tmp_path)).url
    one, two = await context.new_page(), await context.new_page()
    await one.goto(url)
    await python(one, "1")
    await one.evaluate("code => void webagent.python(code)", HANGS)
    await one.close()
    await two.goto(url)
    await two.evaluate(HEARS)
    greeting = await evaluate(two, "webagent.call('greet', 'you')")

    assert greeting == "hello you on /"
    assert await evaluate(two, "window.over")
    assert await two.evaluate("webagent.way.runtime") == "shared"


async def test_another_build_loses_nothing(
    context: BrowserContext, tmp_path: Path, serve: Serve, watch: Watch
) -> None:
    """An old page and a new one have a Python each."""
    root = pages_of(tmp_path)
    files = BundleFiles(BUNDLE)
    for name in files.names():
        there = root / "new" / name
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(files.read(name))
    build = json.loads(files.read("bundle.json"))["build"]
    for name in ("far.js", "python_worker.js"):
        script = root / "new" / name
        script.write_text(script.read_text("utf-8").replace(build, build[::-1]), "utf-8")
    (root / "new.html").write_text(SHARED.replace("/__webagent__/", "/new/"), "utf-8")
    url = serve(root).url
    old, new = await context.new_page(), await context.new_page()
    await old.goto(url)
    await new.goto(f"{url}/new.html")
    apart = not await met(old, new)
    await begin(new)
    await old.evaluate("code => void webagent.python(code).catch(() => {})", BREAK_DOWN)
    await old.wait_for_function("webagent.problems.length > 0", timeout=LIMIT_S * 1000)
    await new.evaluate("window.waiting.done('late')")
    result = await outcome(new)
    watch.errors.clear()

    assert apart
    assert result["ok"], result
    assert await new.evaluate("webagent.problems") == []
    assert await reaches_a_goal(old)


async def test_the_last_page_leaves_nothing_behind(
    context: BrowserContext, tmp_path: Path, serve: Serve
) -> None:
    """The next page has no run, and is the only one of its Python."""
    url = serve(pages_of(tmp_path)).url
    one = await context.new_page()
    await one.goto(url)
    await begin(one)
    await one.close()
    two = await context.new_page()
    await two.goto(url)

    assert await reaches_a_goal(two)
    async with asyncio.timeout(LIMIT_S):
        # The page that is gone is noticed when it does not answer.
        while await python(two, COUNT) != 1:  # noqa: ASYNC110 - nothing reports it
            await asyncio.sleep(0.5)
    assert await two.evaluate("webagent.transcript('markdown')") != ""


def published(root: Path, accounts: dict[str, str]) -> Path:
    """Publish a page for each account, as it goes live in the application of a site."""
    bundle = publish(BUNDLE, root)
    html = SHARED.partition('<script type="module"')[0]
    for name, account in accounts.items():
        options = {"panel": "on"} | ({"account": account} if account else {})
        pages = Publication(
            "/", bundle, has_manifest=True, uses_model_context=False, options=options
        )
        (root / name).write_bytes(pages.page(html.encode()))
    (root / "webagents.md").write_text(MANIFEST, "utf-8")
    return root


ACCOUNTS = {"index.html": "", "ada.html": "a1", "ben.html": "b2"}
KEPT = """[
  sessionStorage.getItem("webagent.recent"),
  JSON.parse(sessionStorage.getItem("webagent.panel.talk") ?? "null")?.events.length ?? 0,
]"""


ENDED = """
  JSON.parse(sessionStorage.getItem("webagent.panel.talk") ?? "null")?.events.at(-1)?.type === "finished"
"""


async def talk(page: Page) -> list[Any]:
    """Reach a goal in the panel; return what the tab keeps of it."""
    await page.locator("webagent-launcher button").click()
    await page.locator("webagent-panel .panel").wait_for()
    assert await reaches_a_goal(page)
    # The tab keeps the end of a run a moment after the page has it.
    await page.wait_for_function(ENDED)
    kept: list[Any] = await page.evaluate(KEPT)
    return kept


@pytest.mark.parametrize("next_page", ["index.html", "ben.html"])
async def test_another_account_meets_nothing_of_the_one_before(
    context: BrowserContext, tmp_path: Path, next_page: str
) -> None:
    """After logging out, or as somebody else; the other open page loses its goal and says so."""
    await context.add_init_script(OPENED)
    with StaticHost(published(tmp_path, ACCOUNTS)) as host:
        one, two = await context.new_page(), await context.new_page()
        await one.goto(f"{host.url}/ada.html")
        before = await talk(one)
        await two.goto(f"{host.url}/ada.html")
        await talk(two)
        await begin(two)
        await one.goto(f"{host.url}/{next_page}")
        after = await one.evaluate(KEPT)
        result = await outcome(two)
        log = two.locator("webagent-panel [role=log]")
        await log.get_by_text("You were signed out").wait_for()
        shown = await log.inner_text()
        here = await two.evaluate("sessionStorage.getItem('webagent.recent')")
        goals = [await reaches_a_goal(tab) for tab in (one, two)]
        problems = [await tab.evaluate("webagent.problems") for tab in (one, two)]
        await two.goto(f"{host.url}/{next_page}")
        again = await two.evaluate(KEPT)

    assert before[1] > 0
    assert after == [None, 0]
    assert result["error"]["kind"] == "runtime_lost"
    assert "the agent has forgotten the visitor" in result["error"]["message"]
    assert "greet" not in shown
    assert "I had to start again" in shown
    assert here is None
    assert goals == [True, True]
    # To forget is not a fault.
    assert problems == [[], []]
    # It is the same visitor now, who keeps what they have said since.
    assert again[1] > 0


async def test_a_visitor_keeps_the_conversation_at_the_login(
    context: BrowserContext, tmp_path: Path
) -> None:
    """A stranger who becomes somebody, and goes to the next page as the same."""
    await context.add_init_script(OPENED)
    with StaticHost(published(tmp_path, ACCOUNTS)) as host:
        page = await context.new_page()
        await page.goto(host.url)
        before = await talk(page)
        kept = []
        for _ in range(2):
            await page.goto(f"{host.url}/ada.html")
            kept.append(await page.evaluate(KEPT))

    assert [each[1] for each in kept] == [before[1]] * 2


@pytest.mark.parametrize("runtime", ["shared", "page"])
async def test_a_site_lets_the_agent_forget(
    context: BrowserContext, tmp_path: Path, serve: Serve, runtime: str
) -> None:
    """`webagent.forget()` clears results, permissions and secrets, wherever Python runs."""
    root = pages_of(tmp_path)
    (root / "index.html").write_text(PAGE.replace("RUNTIME", runtime), "utf-8")
    page = await context.new_page()
    await page.goto(serve(root).url)
    await python(page, "1")
    await page.evaluate("sessionStorage.setItem('webagent.allowed', '[\"press\"]')")
    allowed = [await page.evaluate("webagent.allowed()")]
    await begin(page)
    await evaluate(page, "webagent.forget()")
    result = await outcome(page)
    allowed.append(await page.evaluate("webagent.allowed()"))
    transcript = await page.evaluate("webagent.transcript()")

    assert [len(each) for each in allowed] == [1, 0]
    assert result["error"]["kind"] == "runtime_lost"
    assert transcript == ""
    assert await python(page, COUNT) == 1
    assert await reaches_a_goal(page)


async def test_published_pages_share_python(context: BrowserContext, tmp_path: Path) -> None:
    """By default, and the next page finds it ready."""
    with StaticHost(published(tmp_path, {"index.html": "", "two.html": ""})) as host:
        page = await context.new_page()
        ways = []
        for path in ("index.html", "two.html"):
            await page.goto(f"{host.url}/{path}")
            await evaluate(page, "webagent.ready")
            ways.append(await page.evaluate("webagent.way"))
        await page.add_init_script("delete globalThis.SharedWorker")
        await page.reload()
        await evaluate(page, "webagent.ready")
        alone = await page.evaluate("webagent.way")

    assert ways == [{"path": "snapshot", "runtime": "shared"}] * 2
    assert alone == {"path": "snapshot", "runtime": "page"}
