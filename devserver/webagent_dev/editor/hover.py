"""The help of an editor on a tool: its declaration, and the open pages that offer it."""

from __future__ import annotations

from pathlib import Path

from webagent.checks import Report
from webagent.codegen import generate_typescript
from webagent_dev.browser.open_pages import running_for


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


def _unfenced(code: str) -> str:
    """Return code that does not end its fence: a comment may have one of its own."""
    return code.replace("```", "`\u200b``")
