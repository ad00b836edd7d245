"""The help of an editor on a tool: its declaration, the open pages that offer it, its JavaScript."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lsprotocol import types

from webagent.checks import Report
from webagent.codegen import generate_typescript
from webagent.source import Span
from webagent_dev.browser.open_pages import running_for
from webagent_dev.editor.document import Document
from webagent_dev.site.implementations import implementations


async def about_tool(report: Report, name: str, folder: Path | None) -> str:
    """Return Markdown about a declared tool."""
    tool = report.manifest.get_tool(name)
    assert tool
    declared = generate_typescript(report.manifest.model_copy(update={"tools": [tool]}))
    parts = [f"```typescript\n{_unfenced(declared)}```"]
    if sentences := tool.behavior.sentences():
        parts.append(sentences)
    running = await running_for(str(folder)) if folder else None
    pages = running.pages if running else []
    offering = {
        page["url"]: None for page in pages if name in (tool["name"] for tool in page["tools"])
    }
    if offering:
        parts.append("Offered by " + ", ".join(f"<{url}>" for url in offering))
    elif pages:
        parts.append("No open page offers it.")
    return "\n\n".join(parts)


async def implementing(document: Document, name: str) -> list[types.Location]:
    """Return where the tool of a manifest is written, if an open page offers it."""
    folder = document.path.parent if document.path else None
    running = await running_for(str(folder)) if folder else None
    pages = running.pages if running else []
    tools = [tool for page in pages for tool in page["tools"] if tool["name"] == name]
    if folder is None or not tools:
        return []
    places = await asyncio.to_thread(implementations, folder, tools)
    found = []
    for path, text, offset in places:
        file = Document(path.as_uri(), 0, text, document.encoding)
        found.append(types.Location(file.uri, file.range(Span(offset, offset))))
    return found


def _unfenced(code: str) -> str:
    """Return code that does not end its fence: a comment may have one of its own."""
    return code.replace("```", "`\u200b``")
