"""Small sites that offer tools in each of the four ways, and what tests ask of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Page

HEAD = '<!doctype html><link rel="icon" href="data:,"><title>A shop</title>'
MANIFEST = """# Shop

## search
Find books.

### Params
- `query` (string, required): Words.

### Output
```typescript
string[]
```
"""
FUNCTION = "global.search = async (query) => [query, location.pathname];"
SCRIPT = """
document.modelContext.registerTool({
  name: "book",
  description: "Book a table.",
  inputSchema: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
  annotations: { readOnlyHint: true },
  execute: async ({ day }) => ({ booked: day }),
});
"""
COMPONENT = """
import webmcp from "/__webagent__/components.js";
webmcp.registerTool({
  name: "add", component: COMPONENT, description: "Add to the cart.",
  inputSchema: { type: "object", properties: { id: { type: "number" } } },
  execute: async ({ id }) => ({ added: id, at: location.pathname }),
});
"""
FORM = """
<form toolname="contact" tooldescription="Write to us." toolautosubmit>
  <label>Words <input name="words" required></label><button>Send</button>
</form>
<script>
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    const sent = Object.fromEntries(new FormData(event.target));
    event.respondWith?.(Promise.resolve({ sent }));
  });
</script>
"""


def component(name: str) -> str:
    """Return a module that registers a tool `add` of a component."""
    return f'<script type="module">{COMPONENT.replace("COMPONENT", json.dumps(name))}</script>'


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files into a folder."""
    root.mkdir(exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    return root


async def opened(page: Page, url: str) -> Page:
    """Open a page and wait for its agent."""
    await page.goto(url)
    await page.evaluate("webagent.ready")
    return page


async def tools(page: Page) -> dict[str, dict[str, Any]]:
    """Return the registry's tools by name."""
    listed = await page.evaluate("webagent.tools()")
    return {tool["name"]: tool for tool in listed}


async def until(page: Page, condition: str) -> None:
    """Wait until something holds for `tools`, the registry's list."""
    await page.evaluate(f"""(async () => {{
        const holds = (tools) => {condition};
        while (!holds(await webagent.tools())) await new Promise(requestAnimationFrame);
    }})()""")
