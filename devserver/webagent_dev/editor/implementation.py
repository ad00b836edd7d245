"""The JavaScript of a tool, in the files beside its manifest."""

from __future__ import annotations

import asyncio

from lsprotocol import types

from webagent.source import Span
from webagent_dev.browser.open_pages import running_for
from webagent_dev.editor.document import Document
from webagent_dev.site.implementations import implementations


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
