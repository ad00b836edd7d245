"""The help of an editor on a tool: its declaration, and the open pages that offer it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from webagent.checks import Report
from webagent.codegen import generate_typescript
from webagent_dev.browser.running_server import RunningServer, note_of
from webagent_site.errors import UsageError

LOOK_S = 1.0
"""How long to wait for a running server; an editor shows nothing until then."""


async def about_tool(report: Report, name: str, folder: Path | None) -> str:
    """Return Markdown about a declared tool."""
    tool = report.manifest.get_tool(name)
    assert tool
    declared = generate_typescript(report.manifest.model_copy(update={"tools": [tool]}))
    parts = [f"```typescript\n{_unfenced(declared)}```"]
    if sentences := tool.behavior.sentences():
        parts.append(sentences)
    pages = await _open_pages(folder) if folder else {}
    offering = [url for url, names in pages.items() if name in names]
    if offering:
        parts.append("Offered by " + ", ".join(f"<{url}>" for url in offering))
    elif pages:
        parts.append("No open page offers it.")
    return "\n\n".join(parts)


def _unfenced(code: str) -> str:
    """Return code that does not end its fence: a comment may have one of its own."""
    return code.replace("```", "`\u200b``")


async def _open_pages(folder: Path) -> dict[str, set[str]]:
    """Return the tools of each open page of the folder's server, by the page's URL.

    Without a server, or if it does not answer in time, there are none.
    """
    try:
        note = await asyncio.to_thread(note_of, str(folder))
        if note is None:
            return {}
        async with asyncio.timeout(LOOK_S), RunningServer(note) as running:
            pages = (await running.state()).get("pages", ())
            found: dict[str, set[str]] = {}
            for page in pages:
                names = {tool["name"] for tool in await running.tools(page["page_id"])}
                found.setdefault(page["url"], set()).update(names)
            return found
    except (TimeoutError, httpx.HTTPError, UsageError):
        return {}
