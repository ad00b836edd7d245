"""The text of a manifest with more tools at its end."""

from __future__ import annotations

from collections.abc import Sequence

from webagent import parse
from webagent.serializer import to_markdown
from webagent.source import line_end
from webagent.types import Manifest, Tool
from webagent_site.errors import UsageError


def with_tools(text: str, tools: Sequence[Tool]) -> str:
    """Return a manifest's text with tools at its end; nothing else changes.

    Args:
        text: The text, as a person wrote it.
        tools: Normalized tools, with names that the text does not have.

    Raises:
        UsageError: They would not be read as tools there.
    """
    if not tools:
        return text
    written = parse(text)
    end = line_end(text)
    added = to_markdown(Manifest(tools=[*tools])).replace("\n", end)
    gap = "" if not text.strip() else end * (1 if text.endswith("\n") else 2)
    result = f"{text}{gap}{added}"
    if parse(result).tools != [*written.tools, *tools]:
        raise UsageError(
            "nothing can be added to the end of the file - what follows is not read as tools there, "
            "as behind a fence that is never closed - see `webagent-dev check`"
        )
    return result
