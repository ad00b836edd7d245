"""The rule about files of another kind with the same name, such as a guide or an HTML page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from webagent.checks.sample_code.pieces import fences
from webagent.checks.tool_sections import why_like_tool
from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.json_text import read_json
from webagent.parser import Reading
from webagent.source import Span

# The bounds keep the search for comments linear.
_HTML = re.compile(
    r"\s*+(?:(?:<\?xml[^>]{0,200}>|<!--(?:(?!-->).){0,2000}+-->)\s*+)*+<(?:!doctype|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_OPENAPI = re.compile(
    r"^[ \t]*[\"']?(openapi|swagger)[\"']?[ \t]*:[ \t]*[\"']?[123]\.", re.MULTILINE
)
_YAML_KEY = re.compile(r"(?:---[ \t]*|(?:- )?[\w-]+:(?:[ \t].*)?|#.*|[ \t]+.*|- .*)\Z")
_YAML_TOOLS = re.compile(
    r"^(?:tools|actions|skills|endpoints|capabilities|agents)[ \t]*:", re.MULTILINE
)
_ROBOTS = re.compile(r"^user-agent[ \t]*:", re.MULTILINE | re.IGNORECASE)
_LINK_ITEM = re.compile(r"^[-*][ \t]+\[[^\]\n]+\]\(\S+\)", re.MULTILINE)
_FEW = 3
"""Fewest lines, links or items by which a kind of document is recognised."""


class _Kind(NamedTuple):
    """A kind of document: its name with an article, the place to report, and help."""

    name: str
    start: int
    end: int
    help: str = (
        "write `# Name of the site`, and for each function `## nameOfTheFunction` with `### Params`"
    )


FOREIGN_DOCUMENT = Rule(
    "foreign-document",
    Severity.ERROR,
    what="The file is something else of the same name: a guide in prose, an HTML page, an OpenAPI "
    "description, a list of tools in JSON.",
    why="Agents find no tool in it, so `webagent-dev check` fails. Often a server returns its start "
    "page instead of the manifest, or tools are declared in another language.",
    bad="""\
# Shop

Tools of this shop:

```json
{"tools": [{"name": "search", "description": "Find products"}]}
```
""",
    good="""\
# Shop

## search
Find products.

### Params
- `query` (string, required): Words to look for.

### Output
`string[]`
""",
)


@FOREIGN_DOCUMENT.check
def foreign_document(reading: Reading) -> Iterator[Finding]:
    """Report a file of another kind than a manifest."""
    text = reading.source.text
    if not text.strip():
        return
    # A page of HTML may contain `## pay` in an example, so it is foreign even with tools.
    kind = _html(text)
    if kind is None and not reading.manifest.tools:
        kind = _data(text) or _fence(text) or _robots(text) or _guide(reading)
    if kind is not None:
        yield FOREIGN_DOCUMENT.finding(
            Span(kind.start, kind.end),
            f"the file seems to be {kind.name}, and declares no tool",
            help=kind.help,
        )


def _first_line(text: str) -> tuple[int, int]:
    """Return start and end of the first line with text."""
    start = len(text) - len(text.lstrip("\ufeff \t\r\n"))
    return start, start + len(text[start:].splitlines()[0])


def _html(text: str) -> _Kind | None:
    if _HTML.match(text.removeprefix("\ufeff")) is None:
        return None
    return _Kind(
        "an HTML page",
        *_first_line(text),
        "save the manifest here as Markdown; if this was fetched from a server, "
        "it returns a page instead of the manifest",
    )


def _data(text: str) -> _Kind | None:
    """Return the kind of a file that is JSON or YAML as a whole, or None."""
    bare = text.lstrip("\ufeff \t\r\n")
    if bare[0] in "{[":
        kind = _json_kind(bare)
        return _Kind(kind, *_first_line(text)) if kind else None
    if _OPENAPI.match(bare):
        return _Kind("an OpenAPI description in YAML", *_first_line(text))
    lines = [line for line in bare.splitlines()[:200] if line.strip()]
    keys = any(":" in line and line[0] not in "#- \t" for line in lines)
    if len(lines) >= _FEW and keys and all(map(_YAML_KEY.match, lines)):
        return _Kind("a file in YAML", *_first_line(text))
    return None


def _fence(text: str) -> _Kind | None:
    """Return the kind of a text whose tools are declared in a fence, in another format; or None."""
    if "```" not in text and "~~~" not in text:
        return None
    for language, start, end in fences(text, 0, len(text)):
        code = text[start:end].strip()
        kind = ""
        if code[:1] in ("{", "["):
            kind = _json_kind(code)
        elif _OPENAPI.match(code):
            kind = "an OpenAPI description in YAML"
        elif language in ("yaml", "yml") and _YAML_TOOLS.search(code):
            kind = "a list of tools in YAML"
        # Other JSON may be an example in a guide.
        if kind and kind != "JSON data":
            opening = text.rfind("\n", 0, start) + 1
            return _Kind(f"a text around {kind}", opening, start)
    return None


def _json_kind(text: str) -> str:
    """Return the kind of a JSON document, or an empty text if it is not JSON."""
    try:
        value = read_json(text)
    except ValueError:
        # A description is still recognised if it is cut off, or nested too deeply to be read.
        match = _OPENAPI.search(text[:2_000])
        return "an OpenAPI description in JSON" if match else ""
    keys = value.keys() if isinstance(value, dict) else set()
    if keys & {"openapi", "swagger"}:
        return "an OpenAPI description in JSON"
    if "skills" in keys and keys & {"url", "capabilities", "supportedInterfaces"}:
        return "an agent card in JSON"
    if keys & {"tools", "actions", "functions"} or _is_tool_list(value):
        return "a list of tools in JSON"
    return "JSON data"


def _is_tool_list(value: object) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(
        isinstance(item, dict)
        and "name" in item
        and item.keys() & {"inputSchema", "input_schema", "parameters", "description"}
        for item in items[:_FEW]
    )


def _robots(text: str) -> _Kind | None:
    if _ROBOTS.search(text[:5_000]) is None:
        return None
    return _Kind("a robots.txt", *_first_line(text))


def _guide(reading: Reading) -> _Kind | None:
    """Return the kind of a text with sections, none of which looks like a tool; or None."""
    notes = reading.manifest.notes
    if not notes or any(map(why_like_tool, notes)):
        return None
    start, end = reading.title.start, reading.title.end
    links = sum(len(_LINK_ITEM.findall(note.text)) for note in notes)
    if links >= _FEW * len(notes) or (links >= _FEW and len(notes) == 1):
        return _Kind("a list of links (`llms.txt`)", start, end)
    return _Kind(
        f"a guide in prose ({len(notes)} section{'' if len(notes) == 1 else 's'})",
        start,
        end,
        "for each function that agents may call, write `## nameOfTheFunction` with `### Params`; "
        "a text that they should only read needs another name",
    )
