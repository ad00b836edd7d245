"""The panel when the model of the site fails: its words, and how the agent goes on."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.e2e.conftest import Serve, Watch
from tests.e2e.panel.conftest import OPENED
from tests.model_server import Loopback, ModelServer, Turn, asks, refuses
from webagent_site import WebAgent
from webagent_site.llm.gateway import LlmGateway
from webagent_site.llm.ledger import Budget, Limit

MANIFEST = """# Quay Books

A small bookshop.

## findBooks

Find books by a word of their title.

### Params

- `query` (string, required): A word of the title.

### Output

```typescript
{ title: string }[]
```

### Sample Code

```js
const books = await global.findBooks("harbour");
```

### Behavior

- title: Find books
- effect: read

## addBook

Add a book to the basket.

### Params

- `title` (string, required): Title of the book.

### Output

```typescript
string
```

### Sample Code

```js
await global.addBook("Harbour Lights");
```

### Behavior

- title: Add a book to the basket
- effect: write
- done: {title} is in your basket.
"""
HTML = """<!doctype html><html lang="LANGUAGE"><meta charset="utf-8"><title>Quay Books</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<body><h1>Quay Books</h1><ul id="basket"></ul><script>
window.findBooks = (query) => [{ title: "Harbour Lights" }].filter(({ title }) => title.toLowerCase().includes(query.toLowerCase()));
window.addBook = (title) => {
  document.getElementById("basket").append(Object.assign(document.createElement("li"), { textContent: title }));
  return title;
};
</script>"""
LIMIT = "The assistant has reached its limit for now."
SILENT = "The language model does not answer right now."
GO_ON = "I go on without a language model"
CHANGED = "I had already changed something"
NO_MONEY = refuses(429, "no credit", code="insufficient_quota")
PICTURES = os.environ.get("WEBAGENT_PICTURES")
"""A folder for pictures of the panel, for people who change it."""


class Shop:
    """A site whose model is behind the gateway."""

    def __init__(self, origin: str, gateway: LlmGateway, model: ModelServer) -> None:
        """Describe a running site."""
        self.origin = origin
        self.gateway = gateway
        self.model = model


@contextmanager
def bookshop(folder: Path, *script: Turn, **limits: Any) -> Iterator[Shop]:
    """Serve a site whose provider answers by a script."""
    (folder / "webagents.md").write_text(MANIFEST)
    with ModelServer(*script) as model:
        gateway = LlmGateway.for_site(
            {"model": "openai-chat:gpt-5-mini", "base_url": model.url, "api_key_env": "KEY"},
            environment={"KEY": "sk-very-secret/0123456789"},
            **limits,
        )
        webagent = WebAgent(folder / "webagents.md", model=gateway, options={"panel": "on"})

        async def page(request: Request) -> Response:
            return HTMLResponse(HTML.replace("LANGUAGE", request.query_params.get("lang", "en")))

        async def close(_: Request) -> Response:
            # `Loopback` has no lifespan, and the connections belong to its loop.
            await webagent.close()
            return Response(status_code=204)

        running = Loopback(
            webagent.wrap(
                Starlette(routes=[Route("/", page), Route("/close", close, methods=["POST"])])
            )
        )
        try:
            yield Shop(running.origin, gateway, model)
        finally:
            httpx.post(f"{running.origin}/close").raise_for_status()
            running.stop()


class Visitor:
    """A visitor of a site, who uses the panel."""

    def __init__(self, page: Page) -> None:
        """Use a page, in which tests may look into the panel."""
        self.page = page
        self.panel = page.locator("webagent-panel .panel")

    async def ask(self, url: str, goal: str) -> None:
        """Open a page and write a goal into the panel."""
        await self.page.goto(url)
        await self.page.locator("webagent-launcher button").click()
        await self.panel.get_by_role("textbox").fill(goal)
        await self.panel.get_by_role("textbox").press("Enter")

    async def reads(self, *texts: str) -> None:
        """Wait until the panel shows all of these."""
        for text in texts:
            await expect(self.panel.get_by_role("log")).to_contain_text(text, timeout=60_000)

    async def picture(self, name: str) -> None:
        """Keep a picture, where somebody wants to look at it."""
        if PICTURES:
            await self.page.screenshot(path=f"{PICTURES}/{name}.png")


@pytest_asyncio.fixture(name="visitor", loop_scope="session")
async def _visitor(browser: Browser, watch: Watch) -> AsyncIterator[Visitor]:
    context = await browser.new_context(reduced_motion="reduce")
    await context.add_init_script(OPENED)
    page = await context.new_page()
    watch.attach(page)
    yield Visitor(page)
    await context.close()
    # The browser logs refused requests in its own console.
    watch.errors.clear()


def over_budget(shop: Shop) -> None:
    """The visitor has no request left today, which is what the gateway was made with."""


def stop_models(shop: Shop) -> None:
    """Stop them, as the owner can."""
    shop.gateway.stop()


def end_provider(shop: Shop) -> None:
    """Let nobody answer at the provider's address."""
    shop.model.stop()


FAILURES: list[Any] = [
    pytest.param([], Limit(requests=0), over_budget, LIMIT, id="over budget"),
    pytest.param([], None, stop_models, SILENT, id="stopped"),
    pytest.param([refuses(401, "bad key")], None, over_budget, SILENT, id="key refused"),
    # These are tried five times, within 15 s.
    pytest.param([], None, end_provider, SILENT, id="down", marks=pytest.mark.conformance),
    pytest.param(
        [refuses(500, "broken")] * 5, None, over_budget, SILENT, id="500",
        marks=pytest.mark.conformance,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("script", "day", "fail", "words"), FAILURES)
async def test_a_goal_is_reached_without_the_model(
    visitor: Visitor,
    tmp_path: Path,
    script: list[Turn],
    day: Limit | None,
    fail: Callable[[Shop], None],
    words: str,
) -> None:
    """The visitor reads which of two it was, and gets the answer all the same."""
    limits = {} if day is None else {"visitor": Budget(day=day)}
    with bookshop(tmp_path, *script, **limits) as site:
        fail(site)
        await visitor.ask(site.origin, "find books about harbour")
        await visitor.reads(f"{words} {GO_ON}", "Harbour Lights")
        await expect(visitor.panel.locator(".outcome.bad")).to_have_count(0)
        await visitor.picture(f"goes-on-{words.split()[1]}")
        assert "secret" not in await visitor.panel.inner_text()


async def test_nothing_is_done_twice(visitor: Visitor, tmp_path: Path) -> None:
    """After a change the run ends; the visitor may try without the model, and is asked again."""
    added = asks(("addBook", {"title": "Harbour Lights"}))
    with bookshop(tmp_path, added, NO_MONEY) as site:
        await visitor.ask(site.origin, "add Harbour Lights to the basket, and find books about tea")
        await visitor.panel.get_by_role("button", name="Allow once").click()
        await visitor.reads(LIMIT, CHANGED, "Harbour Lights is in your basket.")
        await visitor.picture("changed")
        await expect(visitor.page.locator("#basket li")).to_have_count(1)
        await expect(visitor.panel.get_by_role("button", name="Try again")).to_have_count(0)

        await visitor.panel.get_by_role("button", name="Try without a language model").click()
        await expect(visitor.panel.locator(".request")).to_be_visible(timeout=60_000)
        await expect(visitor.page.locator("#basket li")).to_have_count(1)
        assert len(site.model.requests) == 2


async def test_the_words_are_in_the_language_of_the_page(visitor: Visitor, tmp_path: Path) -> None:
    """In Arabic, from right to left."""
    with bookshop(tmp_path, visitor=Budget(day=Limit(requests=0))) as site:
        await visitor.ask(f"{site.origin}/?lang=ar", "findBooks harbour")
        await visitor.reads("بلغ المساعد حدّه في الوقت الحالي.")
        await visitor.picture("arabic")


async def test_the_development_server_does_the_same(
    page: Page, serve: Serve, shop: Path, watch: Watch
) -> None:
    """Its gateway is the site's own."""
    with ModelServer(NO_MONEY) as model:
        server = serve(shop, "--llm-base-url", model.url, "--llm-model", "scripted-1")
        await page.goto(server.url)
        result, texts = await page.evaluate(
            """async () => {
              const texts = [];
              const onEvent = ({ type, text }) => type === "switched" && texts.push(text);
              return [await webagent.run("find books about harbour", { onEvent }), texts];
            }"""
        )

    assert result["ok"], result
    assert [call["name"] for call in result["calls"]] == ["searchBooks"]
    assert [text.startswith(LIMIT) for text in texts] == [True]
    watch.errors.clear()
