"""Python in a worker of the page's own, in one that the pages of a site share, and where neither can be."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext, Page, Route, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.agent.hands import hands_for
from tests.e2e.agent.test_goal import GOAL, titles
from tests.e2e.conftest import ONLY_LOCAL, Serve, Watch
from tests.e2e.offering import write

MANIFEST = """# Small

## greet
Say hello.

### Params
- `name` (string, required): Who.

## wait
Wait until the page says so.

### Params
"""
PAGE = """<!doctype html><link rel="icon" href="data:,">
<script>
  globalThis.greet = (name) => `hello ${name} on ${location.pathname}`;
  globalThis.wait = () => new Promise((done) => (window.waiting = { done }));
</script>
<script type="module" src="/__webagent__/webagent.js" data-runtime="RUNTIME"></script>
"""
OTHER = (
    '<meta name="webagents-md" content="/other.md"><script>globalThis.signIn = () => "in"</script>'
)
OTHER_MANIFEST = """# Other

## signIn
### Params
- `password` (string, required): Of the visitor.
"""
NO_SHARED_WORKERS = "delete globalThis.SharedWorker"
COUNT = """
import gc, sys
from webagent.inpage import InPage

# The last error that JavaScript was told of has all that was under way then.
sys.last_exc = sys.last_value = sys.last_traceback = None
gc.collect()
sum(isinstance(thing, InPage) for thing in gc.get_objects())
"""


def site(root: Path, runtime: str) -> Path:
    page = PAGE.replace("RUNTIME", runtime)
    return write(
        root / "site",
        {
            "index.html": page,
            "two.html": page,
            "other.html": page + OTHER,
            "strict.html": "<meta http-equiv=Content-Security-Policy content=\"worker-src 'none'\">"
            + page,
            "webagents.md": MANIFEST,
            "other.md": OTHER_MANIFEST,
        },
    )


async def python(page: Page, code: str) -> object:
    result = await page.evaluate("code => webagent.python(code)", code)
    assert result["ok"], result
    return result["value"]


@pytest.mark.conformance
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "without SharedWorker"])
async def test_a_run_goes_on_on_the_next_page(
    page: Page, shop: Path, serve: Serve, shared: bool
) -> None:
    """With one Python for both pages; without SharedWorker with one for each, and it is said why."""
    (shop / "webagent.toml").write_text('[page]\nruntime = "shared"\n', encoding="utf-8")
    if not shared:
        await page.add_init_script(NO_SHARED_WORKERS)
    hands = await hands_for("in the page", page)
    await page.goto(f"{serve(shop).url}/article.html")
    before = await python(
        page, "import sys; sys.walked = True; __import__('js').self.constructor.name"
    )
    outcome = await hands.run(GOAL, person=lambda request: True)

    assert outcome.ok, outcome.result
    assert page.url.endswith("/basket.html")
    assert await titles(hands) == ["Farmer Giles of Ham"]
    assert await python(page, "import sys; hasattr(sys, 'walked')") is shared
    way = await page.evaluate("webagent.way")
    if shared:
        assert (before, way) == (
            "SharedWorkerGlobalScope",
            {"path": "snapshot", "runtime": "shared"},
        )
    else:
        assert before == "Window"
        assert (way["runtime"], way["reason"]) == ("page", "this browser has no shared workers")


async def test_two_tabs_share_python_and_nothing_else(
    context: BrowserContext, tmp_path: Path, serve: Serve
) -> None:
    """Each has its own tools, names, secrets and runs; one that is closed leaves nothing behind."""
    server = serve(site(tmp_path, "shared"))
    one, two = await context.new_page(), await context.new_page()
    await one.goto(server.url)
    await two.goto(f"{server.url}/other.html")
    names = [
        await tab.evaluate("webagent.tools().then((all) => all.map((tool) => tool.name))")
        for tab in (one, two)
    ]
    await two.evaluate("webagent.call('signIn', 'swordfish')")
    logs = [
        await tab.evaluate(
            "webagent.execute('console.log(`swordfish`)').then((result) => result.logs[0].text)"
        )
        for tab in (one, two)
    ]
    await python(two, "import sys; sys.met = mine = True")
    met = await python(one, "import sys; [hasattr(sys, 'met'), 'mine' in globals()]")
    await one.evaluate("void webagent.call('wait').catch(() => {})")
    await one.wait_for_function("!!window.waiting")
    both = await python(two, COUNT)
    await one.close()
    async with asyncio.timeout(30):
        while await python(two, COUNT) != 1:
            pass
    again = await two.evaluate("webagent.call('signIn', 'swordfish')")
    await two.close()

    assert names == [["greet", "wait"], ["signIn"]]
    assert logs == ["swordfish", "•••"]
    assert met == [True, False]
    assert both == 2
    assert again == "in"


@pytest.mark.conformance
async def test_a_page_out_of_the_back_forward_cache_goes_on(tmp_path: Path, serve: Serve) -> None:
    """It is the same page with the same Python, and what it was about is finished."""
    server = serve(site(tmp_path, "shared"))
    # Playwright switches this cache off.
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(),
            args=[*ARGS, ONLY_LOCAL],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        page = await browser.new_page()
        await page.goto(server.url)
        # Later, the reports after the start might still be sent to the page that sleeps.
        await python(page, "1")
        await page.evaluate("void webagent.call('wait').then((value) => (window.given = value))")
        await page.wait_for_function("!!window.waiting")
        await page.goto(f"{server.url}/two.html")
        there = await page.evaluate("webagent.call('greet', 'you')")
        await page.evaluate("void setTimeout(() => history.back())")
        await page.wait_for_function("!!window.waiting")
        await page.evaluate("window.waiting.done('late')")
        await page.wait_for_function("window.given === 'late'")
        here = await page.evaluate("webagent.call('greet', 'you')")
        await browser.close()

    assert (there, here) == ("hello you on /two.html", "hello you on /")


async def test_a_worker_leaves_the_page_its_thread(
    page: Page, tmp_path: Path, serve: Serve
) -> None:
    """The page lives on while Python does nothing else than work."""
    await page.goto(serve(site(tmp_path, "worker")).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    ticks = await page.evaluate(
        """(async () => {
             let ticks = 0;
             const ticking = setInterval(() => ticks++, 10);
             await webagent.python("import time; time.sleep(1)");
             clearInterval(ticking);
             return ticks;
           })()"""
    )

    assert greeting == "hello you on /"
    assert await page.evaluate("webagent.way") == {"path": "snapshot", "runtime": "worker"}
    assert ticks > 3


async def missing(route: Route) -> None:
    await route.fulfill(status=404, body="not here")


async def silent(route: Route) -> None:
    await route.fulfill(content_type="text/javascript", body="")


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("runtime", "path", "said"),
    [
        ("worker", "/strict.html", "see that the page's policy allows it (worker-src)"),
        pytest.param("shared", "/strict.html", "worker-src", marks=pytest.mark.conformance),
    ],
)
async def test_where_no_worker_may_be_python_runs_on_the_page(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch, runtime: str, path: str, said: str
) -> None:
    """A policy that forbids workers costs nothing but the worker."""
    await page.goto(serve(site(tmp_path, runtime)).url + path)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    way = await page.evaluate("webagent.way")
    watch.errors.clear()

    assert greeting == f"hello you on {path}"
    assert way["runtime"] == "page"
    assert said in way["reason"]


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("answer", "said"), [(missing, "does not run"), (silent, "does not answer")]
)
async def test_a_worker_that_does_not_come_is_not_waited_for(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch, answer: object, said: str
) -> None:
    """Its script is not there, or never says a word."""
    await page.route(re.compile(r"/python_worker\.js$"), answer)  # type: ignore[arg-type]
    await page.goto(serve(site(tmp_path, "worker")).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    way = await page.evaluate("webagent.way")
    watch.errors.clear()

    assert greeting == "hello you on /"
    assert way["runtime"] == "page"
    assert said in way["reason"]


HERE = Path(__file__).parent
SAME = (
    "test_page.py",
    "test_registry.py",
    "test_registry_frames.py",
    "agent/test_goal.py",
    "relay",
)


@pytest.mark.conformance
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("runtime", ["worker", "shared"])
def test_tests_of_the_page_pass_in_other_runtimes(runtime: str) -> None:
    """The tests of the page, of its tools, of goals and of calls from outside pass there too."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", "0", "-q", *(str(HERE / name) for name in SAME)],
        env={**os.environ, "WEBAGENT_RUNTIME": runtime},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout[-5000:]
