"""The catalogue of a page's tools as clients get it: in pages, cut, searched, and read in parts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Tool

from webagent.agent.toolset import tokens_in
from webagent.registry.tool_search import ToolTexts, search_texts
from webagent_site.mcp.page_tools import DESCRIBE_PAGE_TOOL, FIND_PAGE_TOOLS, PageTool

PAGE_TOKENS = 10_000
"""Estimated tokens of one page of `tools/list`, our own tools included."""

TOOL_TOKENS = 1_000
"""Estimated tokens of one tool in a list. A longer one is cut."""

LONGEST_PART = 16_000
"""Characters of a description that `describe_page_tool` returns at once."""

MOST_FOUND = 10
"""Tools that a search returns."""

_LONGEST_DESCRIPTION = 1_500
_LONGEST_TITLE = 200
_LONGEST_INNER = 200
"""Characters of a description inside of a schema that was cut."""

_LONGEST_LINE = 200
_LONGEST_LINES = 20_000
"""Characters of all lines of `lines_of`."""

_CURSOR = re.compile(r"([0-9a-f]{16})-(\d{1,6})")

_NEVER_CUT = ("type", "x-mcp-header")
"""Keys of a schema that stay when it is cut to its names; without the header, a call is refused."""


class Catalogue:
    """The tools of one page for one kind of client."""

    def __init__(self, tools: Mapping[str, PageTool], own: Sequence[Tool], *, modern: bool) -> None:
        """Cut each tool that is too long for a list.

        Args:
            tools: The page's tools by their names for clients.
            own: Our own, which come after those of the first page of the list.
            modern: Whether the client takes results of any type, not only objects.
        """
        listed = [tool.listed(modern=modern) for tool in tools.values()]
        cut = [_cut(tool) for tool in listed]
        self._texts = [*map(_texts, listed)]
        self._cut = cut
        pages = [*_pages(cut, PAGE_TOKENS - sum(map(_tokens, own)))]
        if len(pages) < 2 and cut == listed:
            # Everything is in the list as it is, so that there is nothing to find or to read.
            own = [tool for tool in own if tool not in (FIND_PAGE_TOOLS, DESCRIBE_PAGE_TOOL)]
        # Many clients read the first page alone; there they get what finds the rest.
        self._pages = [[*pages[0], *own], *pages[1:]]
        names = json.dumps([tool.model_dump(mode="json") for tool in cut], sort_keys=True)
        self._version = hashlib.sha256(names.encode("utf-8", "replace")).hexdigest()[:16]

    def page(self, cursor: str | None) -> tuple[list[Tool], str | None]:
        """Return a page of the list, and the cursor of the next one.

        Args:
            cursor: Of this page; None for the first one.

        Raises:
            MCPError: It is not a cursor, or the tools have changed since.
        """
        number = 0
        if cursor is not None:
            match = _CURSOR.fullmatch(cursor[:100])
            number = int(match[2]) if match and match[1] == self._version else 0
            if not 0 < number < len(self._pages):
                raise MCPError(
                    INVALID_PARAMS,
                    "the cursor leads nowhere - the tools have changed since the list began - "
                    "list them again from the start",
                )
        following = number + 1
        is_last = following == len(self._pages)
        return self._pages[number], None if is_last else f"{self._version}-{following}"

    def find(self, query: str) -> list[Tool]:
        """Return the tools that share words with a query, the best match first; up to `MOST_FOUND`."""
        return [self._cut[index] for index in search_texts(self._texts, query, MOST_FOUND)]


def described(tool: PageTool, offset: int) -> dict[str, Any]:
    """Return a part of everything that is known of a tool.

    Args:
        tool: The tool.
        offset: Characters before the part.
    """
    listed = tool.listed(modern=True)
    parts = [listed.title or "", listed.description or ""]
    parts.append(f"Input schema: {json.dumps(listed.input_schema, ensure_ascii=False)}")
    if listed.output_schema:
        parts.append(f"Output schema: {json.dumps(listed.output_schema, ensure_ascii=False)}")
    text = "\n\n".join(filter(None, parts))
    end = offset + LONGEST_PART
    return {
        "name": tool.name,
        "text": text[offset:end],
        "next_offset": end if end < len(text) else None,
        "characters": len(text),
    }


def lines_of(tools: Iterable[PageTool]) -> list[dict[str, str]]:
    """Return each tool with the first line of its description, as long as there is room for lines."""
    left = _LONGEST_LINES
    lines = []
    for tool in tools:
        text = (tool.listed(modern=True).description or "").partition("\n")[0][:_LONGEST_LINE]
        left -= len(text)
        lines.append({"name": tool.name, "description": text if left >= 0 else ""})
    return lines


def _pages(tools: Sequence[Tool], first: int) -> Iterator[list[Tool]]:
    """Yield the tools in pages; the first has room for fewer tokens."""
    page: list[Tool] = []
    left = first
    for tool in tools:
        size = _tokens(tool)
        if size > left and page:
            yield page
            page, left = [], PAGE_TOKENS
        page.append(tool)
        left -= size
    yield page


def _cut(tool: Tool) -> Tool:
    """Return a tool that is short enough for a list, with a note of how to read the rest."""
    description = tool.description or ""
    title = (tool.title or "")[:_LONGEST_TITLE] or None
    annotations = tool.annotations
    if annotations is not None and annotations.title is not None:
        annotations = annotations.model_copy(update={"title": annotations.title[:_LONGEST_TITLE]})
    if len(description) > _LONGEST_DESCRIPTION:
        description = description[:_LONGEST_DESCRIPTION] + "…"
    short = tool.model_copy(
        update={"description": description, "title": title, "annotations": annotations}
    )
    for schemas in (
        {},
        {"output_schema": None},
        {"input_schema": _shorter(tool.input_schema)},
        {"input_schema": _names_alone(tool.input_schema)},
        {"input_schema": {"type": "object"}},
    ):
        short = short.model_copy(update=schemas)
        if _tokens(short) <= TOOL_TOKENS:
            break
    if short == tool:
        return tool
    note = f"(Cut: `{DESCRIBE_PAGE_TOOL.name}` returns all of it, also the schemas.)"
    return short.model_copy(update={"description": f"{short.description}\n{note}".strip()})


def _shorter(schema: Any) -> Any:
    """Return a schema whose descriptions are cut."""
    if isinstance(schema, list):
        return [_shorter(inner) for inner in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: inner[:_LONGEST_INNER]
        if key == "description" and isinstance(inner, str)
        else _shorter(inner)
        for key, inner in schema.items()
    }


def _names_alone(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with the names and types of its properties, and no more."""
    found = {key: schema[key] for key in _NEVER_CUT if isinstance(schema.get(key), str)}
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        inner = {name: one for name, one in properties.items() if isinstance(one, Mapping)}
        found["properties"] = {name: _names_alone(one) for name, one in inner.items()}
        if isinstance(required := schema.get("required"), list):
            found["required"] = required
    return found


def _tokens(tool: Tool) -> int:
    return tokens_in(tool.model_dump_json(by_alias=True, exclude_none=True))


def _texts(tool: Tool) -> ToolTexts:
    properties = tool.input_schema.get("properties")
    named = properties.items() if isinstance(properties, Mapping) else ()
    parameters = [
        f"{name} {inner.get('description', '')}" if isinstance(inner, Mapping) else str(name)
        for name, inner in named
    ]
    return ToolTexts(tool.name, tool.title or "", tool.description or "", parameters)
