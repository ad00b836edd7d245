"""A small bookshop in an application, and a visitor who uses the panel in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Page, expect
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.model_server import Loopback, ModelServer, Turn
from webagent_site import WebAgent
from webagent_site.llm.gateway import LlmGateway
from webagent_site.usage.usage_endpoint import Viewer

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
PICTURES = os.environ.get("WEBAGENT_PICTURES")
"""A folder for pictures of the panel, for people who change it."""


class Bookshop:
    """A small site with the agent in its page."""

    def __init__(self, origin: str, gateway: LlmGateway, model: ModelServer) -> None:
        """Describe a running site."""
        self.origin = origin
        self.gateway = gateway
        self.model = model


@contextmanager
def bookshop(
    folder: Path, *script: Turn, usage: Viewer | None = None, **limits: Any
) -> Iterator[Bookshop]:
    """Serve a site whose provider answers by a script.

    Args:
        folder: Where its manifest is written.
        script: The turns of the provider.
        usage: Who may see how the tools are used.
        limits: What else `LlmGateway.for_site` takes.
    """
    (folder / "webagents.md").write_text(MANIFEST)
    with ModelServer(*script) as model:
        gateway = LlmGateway.for_site(
            {"model": "openai-chat:gpt-5-mini", "base_url": model.url, "api_key_env": "KEY"},
            environment={"KEY": "sk-very-secret/0123456789"},
            **limits,
        )
        webagent = WebAgent(
            folder / "webagents.md", model=gateway, usage=usage, options={"panel": "on"}
        )

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
            yield Bookshop(running.origin, gateway, model)
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
        await self.tell(goal)

    async def tell(self, goal: str) -> None:
        """Write a goal into the panel that is open."""
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
