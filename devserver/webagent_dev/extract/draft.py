"""Makes one manifest of what the pages of a site offer."""

from __future__ import annotations

from collections.abc import Sequence, Set

from webagent import parse
from webagent.checks import check
from webagent.diagnostics import Severity
from webagent.serializer import to_markdown
from webagent.types import Manifest, Tool
from webagent_dev.extract.naming import meaning
from webagent_dev.extract.page_reader import PageReading
from webagent_site.tools.manifest_text import with_tools


def draft(declared: Manifest, readings: Sequence[PageReading]) -> tuple[str, list[str]]:
    """Return a manifest as Markdown, and the names of tools that it cannot hold.

    A tool that only some pages offer says so under `### Behavior`.

    Args:
        declared: What the site has already; it stays, and comes first.
        readings: What its pages offer, the first one first.
    """
    tools: dict[str, Tool] = {}
    places: dict[str, set[str]] = {}
    registered = {
        meaning(tool.name)
        for reading in readings
        for tool in reading.tools
        if tool.name not in reading.functions
        and all(tool.name != form.name for form in reading.forms)
    }
    for reading in readings:
        for tool in reading.tools:
            if tool.name in reading.functions and meaning(tool.name) in registered:
                # The site has made a tool of it, with its own description and schema.
                continue
            tools.setdefault(tool.name, tool)
            places.setdefault(tool.name, set()).add(reading.path)
    known = {tool.name for tool in declared.tools}
    everywhere = {reading.path for reading in readings}
    new = [
        _placed(tool, places[name], everywhere) for name, tool in tools.items() if name not in known
    ]
    first = readings[0]
    update = {
        "name": declared.name or first.title or "Site",
        "description": declared.description or first.description,
    }
    manifest = declared.model_copy(update=update)
    left_out: list[str] = []
    while True:
        text = to_markdown(manifest.model_copy(update={"tools": [*declared.tools, *new]}))
        names = {tool.name for tool in new}
        bad = {
            finding.tool
            for finding in check(text).findings
            if finding.severity is Severity.ERROR and finding.tool in names
        }
        if not bad:
            return text, left_out
        left_out += sorted(name for name in bad if name)
        new = [tool for tool in new if tool.name not in bad]


def merged(text: str, declared: Manifest, readings: Sequence[PageReading]) -> tuple[str, list[str]]:
    """Return a manifest's text with the tools that it lacks at its end; nothing else changes.

    Args:
        text: The text, as a person wrote it.
        declared: What the site has already, perhaps in another file.
        readings: What its pages offer.

    Raises:
        UsageError: What follows the text would not be read as tools.
    """
    written = parse(text)
    known = {*written.tool_names}
    offered, left_out = draft(declared, readings)
    tools = [tool for tool in parse(offered).tools if tool.name not in known]
    return with_tools(text, tools), left_out


def _placed(tool: Tool, paths: Set[str], everywhere: Set[str]) -> Tool:
    if paths == everywhere or tool.behavior.paths:
        return tool
    behavior = tool.behavior.model_copy(update={"paths": tuple(patterns(paths, everywhere))})
    return tool.model_copy(update={"behavior": behavior})


def patterns(paths: Set[str], everywhere: Set[str]) -> list[str]:
    """Return paths as an author would write them: `/shop/1`, `/shop/2` as `/shop/*`.

    Args:
        paths: Where a tool is.
        everywhere: All pages that were read.
    """
    found: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        alike = {
            one for one in everywhere if one.rpartition("/")[0] == folder and one != f"{folder}/"
        }
        if folder and len(alike) > 1 and alike <= paths and not _is_file(path):
            # `/shop/*` stands for `/shop` too.
            found.add(f"{folder}/**" if folder in everywhere - paths else f"{folder}/*")
        else:
            found.add(path)
    return sorted(found)


def _is_file(path: str) -> bool:
    return "." in path.rpartition("/")[2]
