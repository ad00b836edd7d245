"""Pages with the panel and with runs, driven by scripted events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page

from tests.e2e.conftest import Watch
from tests.e2e.panel.site import Site, panel_scripts
from tests.e2e.turns import Turns

RUNS = """<title>runs</title><body><script type="module">
import { RunKeeper } from "/run_keeper.js";
// An agent that does nothing but say what it is told.
const seen = window.seen = [];
const owner = {
  resume: () => seen.push(`resumed ${keeper.load()}`),
  abandon: () => seen.push("abandoned"),
};
const keeper = window.keeper = new RunKeeper(owner);
window.taken = await keeper.takeUp();
if (window.taken) owner.resume();
window.looked = true;
</script>"""


@pytest.fixture(name="site", scope="session")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(panel_scripts(tmp_path_factory.mktemp("scripts")))
    yield site
    site.stop()


@pytest.fixture(name="runs")
def _runs(site: Site) -> Iterator[str]:
    """URL of a page that resumes runs, as the pages `two` and `three` next to it do."""
    site.headers.clear()
    for path in ("/one", "/two", "/three"):
        site.page(path, RUNS)
    yield f"{site.origin}/one"
    site.headers.clear()


OPENED = """
const attach = Element.prototype.attachShadow;
Element.prototype.attachShadow = function (options) {
  return attach.call(this, { ...options, mode: "open" });
};
"""
"""Lets a test look into the panel, whose shadow root is closed."""

PAGE = """<title>A shop</title><meta name="viewport" content="width=device-width">
<main><h1>A shop</h1><label>Search <input id="search"></label></main>"""


class Talk:
    """A page with the panel and a scripted agent."""

    def __init__(self, page: Page, url: str) -> None:
        """Wrap a page, which is at `url`."""
        self.page = page
        self.url = url
        self.panel: Locator = page.locator("webagent-panel .panel")
        self.pill: Locator = page.locator("webagent-panel .pill")
        self.log: Locator = self.panel.get_by_role("log")
        self.goal: Locator = self.panel.get_by_label("What should be done")

    async def load(self, url: str = "") -> None:
        """Reload the page, or load another."""
        await self.page.goto(url or self.url)
        await self.page.wait_for_function("window.loaded")

    async def open(self) -> None:
        """Open the panel, with its looks."""
        await self.page.evaluate("void openPanel()")
        await self.page.locator("webagent-panel .dressed").wait_for(state="attached")

    async def start(self, goal: str) -> None:
        """Write a goal and send it."""
        await self.goal.fill(goal)
        await self.goal.press("Enter")

    async def tell(self, *events: dict[str, Any]) -> None:
        """Let the agent fire events."""
        await self.page.evaluate("text => agent.tell(...JSON.parse(text))", json.dumps(events))

    async def request(self, request: dict[str, Any]) -> None:
        """Let the agent ask the person."""
        await self.page.evaluate("request => agent.request(request)", request)
        # The first one loads the script that shows it.
        await self.page.locator("webagent-panel .request").wait_for(state="attached")

    async def answers(self, count: int = 1) -> list[dict[str, Any]]:
        """Wait for this many answers and return all."""
        await self.page.wait_for_function("count => agent.answers.length >= count", arg=count)
        found: list[dict[str, Any]] = await self.page.evaluate("agent.answers")
        return found

    async def focused(self) -> str:
        """Return the focused element of the panel or the page, by its label or text."""
        text: str = await self.page.evaluate(
            """(() => {
              let at = document.activeElement;
              while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
              return at.getAttribute("aria-label") || at.id || at.textContent || at.tagName;
            })()"""
        )
        return text


STILL = {"reduced_motion": "reduce"}
"""Options of the page that tests share: nothing in it moves."""

Open = Callable[..., Any]
"""Opens a page with the panel; with options, or `alone`, in a context of its own."""


@pytest_asyncio.fixture(name="turns", scope="session", loop_scope="session")
async def _turns(browser: Browser) -> AsyncIterator[Turns]:
    context = await browser.new_context(**STILL)
    await context.add_init_script(OPENED)
    yield Turns(context)
    await context.close()


@pytest_asyncio.fixture(name="talk_on", loop_scope="session")
async def _talk_on(site: Site, browser: Browser, turns: Turns, watch: Watch) -> AsyncIterator[Open]:
    contexts = []
    turn = AsyncExitStack()
    free = True
    site.headers.clear()

    async def talk_on(html: str = PAGE, *, alone: bool = False, **options: Any) -> Talk:
        nonlocal free
        url = site.page("/panel", f'{html}<script type="module" src="/agent.js"></script>')
        site.page("/next", f'{html}<script type="module" src="/agent.js"></script>')
        if free and not alone and options in ({}, STILL):
            free = False
            page = await turn.enter_async_context(turns.turn())
        else:
            context = await browser.new_context(**options)
            contexts.append(context)
            await context.add_init_script(OPENED)
            page = await context.new_page()
        watch.attach(page)
        talk = Talk(page, url)
        await talk.load()
        return talk

    yield talk_on
    await turn.aclose()
    for context in contexts:
        await context.close()
    site.headers.clear()
    watch.check()


@pytest_asyncio.fixture(name="talk", loop_scope="session")
async def _talk(talk_on: Open) -> Talk:
    """A page whose panel is open."""
    talk: Talk = await talk_on()
    await talk.open()
    return talk
