"""Rules about the file as a whole: its encoding, its fences, and what it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.source import Span
from webagent.types import Note, Tool

DOCUMENT = (
    Rule(
        "not-utf-8",
        Severity.ERROR,
        "The file is not encoded as UTF-8.",
        "Agents read manifests as UTF-8. Characters in another encoding become `�`, so names and "
        "texts change.",
        "# Caf\udce9\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
        "# Café\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
    ),
    Rule(
        "foreign-document",
        Severity.ERROR,
        "The file is something else of the same name: a guide in prose, an HTML page, an OpenAPI "
        "description, a list of tools in JSON.",
        "Agents find no tool in it, so `webagent-dev check` fails. Often a server answers with its start page where the manifest "
        "should be, or tools are declared in a language of their own.",
        """\
# Shop

Tools of this shop:

```json
{"tools": [{"name": "search", "description": "Find products"}]}
```
""",
        """\
# Shop

## search
Find products.

### Params
- `query` (string, required): Words to look for.

### Output
`string[]`
""",
    ),
    Rule(
        "empty-manifest",
        Severity.ERROR,
        "The file holds nothing.",
        "A page that announces an empty manifest tells agents that it can do nothing.",
        "\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
    ),
    Rule(
        "front-matter",
        Severity.WARNING,
        "The file starts with data between two lines of dashes.",
        "Front matter is no part of the format. Markdown reads its last line as a heading, so the "
        "data becomes a section that agents are shown, and the title below it a section as well. "
        "`webagent-dev fmt` refuses such files.",
        "---\ntitle: Shop\nversion: 2.0\n---\n\n# Shop\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\n*Version: 2.0*\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "missing-title",
        Severity.WARNING,
        "The file has no heading of the first level.",
        "The title is the name of the site; without it an agent cannot say whose tools it uses.",
        "## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
    ),
    Rule(
        "no-tools",
        Severity.WARNING,
        "The file declares no tool.",
        "An agent can read it, but call nothing.",
        "# Shop\n\nWe sell shoes.\n",
        "# Shop\n\nWe sell shoes.\n\n## search\nFind shoes.\n\n### Params\n\n### Output\n`void`\n",
    ),
    Rule(
        "unclosed-fence",
        Severity.ERROR,
        "A fence of code is opened and never closed.",
        "Markdown reads everything below it as code, so the tools there do not exist.",
        "# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n",
        "# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n```\n",
    ),
    Rule(
        "fence-swallows-heading",
        Severity.ERROR,
        "A fence of code holds headings, because the fence that closes it belongs to later code.",
        "The sections in it are read as code. One forgotten fence puts all that follow out of step.",
        """\
# Shop

## search
Find.

### Output
```typescript
string[]

### Sample Code
```js
await global.search();
```
""",
        """\
# Shop

## search
Find.

### Output
```typescript
string[]
```

### Sample Code
```js
await global.search();
```
""",
    ),
    Rule(
        "unclosed-html",
        Severity.ERROR,
        "A comment or another HTML block is opened and never closed.",
        "Markdown reads everything below it as HTML, so agents are not shown it.",
        "# Shop\n\n<!-- to do\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\n<!-- to do -->\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "hidden-comment",
        Severity.INFO,
        "The file has an HTML comment.",
        "Comments are for the authors of the file: agents are not shown them. Text that agents need "
        "must not stand in one. `webagent-dev fmt` refuses files with comments, as it would lose them.",
        "# Shop\n\n<!-- Prices are in euros. -->\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\nPrices are in euros.\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "heading-without-space",
        Severity.WARNING,
        "A line starts with `##` and no space.",
        "Markdown reads it as text, so the tool or subsection does not exist.",
        "# Shop\n\n##search\nFind.\n\n## pay\nPay.\n\n### Params\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n\n## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "large-manifest",
        Severity.WARNING,
        "The whole manifest takes more than 20,000 tokens of a model's context, by estimate.",
        "The model reads all of it before it does anything; small ones have no room left to work, "
        "and every request costs more.",
        "# Shop\n\n" + "Everything about our shoes. " * 3_000 + "\n\n## pay\nPay.\n\n### Params\n",
        "# Shop\n\nOur shoes are described on their pages.\n\n## pay\nPay.\n\n### Params\n",
    ),
)

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 that make a token, roughly, for English, code and most other languages."""

TOOL_TOKENS = 2_000
"""Estimated tokens of one tool beyond which agents read it badly, and pay for it each time."""

MANIFEST_TOKENS = 20_000
"""Estimated tokens of a whole manifest beyond which small models have no room to work."""

RULES = ("large-tool", "large-manifest")
"""Findings of this module."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads a text as."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)


def large_texts(reading: Reading) -> Iterator[Finding]:
    """Yield what takes more of a model's context than it should: all of it, and single tools."""
    manifest = reading.manifest
    tools = [_tool_tokens(tool) for tool in manifest.tools]
    tokens = estimate_tokens(manifest.name + manifest.description)
    tokens += sum(map(_note_tokens, manifest.notes)) + sum(tools)
    if tokens > MANIFEST_TOKENS:
        yield Finding(
            "large-manifest",
            Severity.WARNING,
            f"the manifest takes about {tokens:,} tokens of a model's context, "
            f"more than {MANIFEST_TOKENS:,}",
            "leave out tools that few visitors need, and move long texts to pages of the site",
            reading.title,
        )
    for tool, place, size in zip(manifest.tools, reading.tools, tools, strict=True):
        if size > TOOL_TOKENS:
            yield Finding(
                "large-tool",
                Severity.WARNING,
                f"`{tool.name}` takes about {size:,} tokens of a model's context, "
                f"more than {TOOL_TOKENS:,}",
                "shorten its texts, types and sample code, or make two tools of it",
                place.name,
                tool.name,
            )


def _tool_tokens(tool: Tool) -> int:
    texts = [tool.name, tool.description, tool.returns, tool.sample_code]
    for param in tool.params:
        texts += [param.name, param.type, param.description, param.default or ""]
    tokens = estimate_tokens(" ".join(texts))
    return tokens + sum(map(_note_tokens, tool.notes)) if tool.notes else tokens


def _note_tokens(note: Note) -> int:
    return estimate_tokens(f"{note.title} {note.text}")


_FRONT_MATTER = re.compile(
    r"\ufeff?(---[ \t]*+)(?:\r\n?|\n)"
    r"(?=[\w-]+[ \t]*:)(?:(?:[\w-]+[ \t]*:|#|- |[ \t])[^\r\n]*+(?:\r\n?|\n)|(?:\r\n?|\n))++"
    r"(?:---|\.\.\.)[ \t]*+(?:[\r\n]|\Z)"
)


def empty_manifest(reading: Reading) -> Iterator[Finding]:
    """The file has no text."""
    manifest = reading.manifest
    if not (manifest.name or manifest.description or manifest.tools or manifest.notes):
        yield Finding(
            "empty-manifest",
            Severity.ERROR,
            "the manifest is empty, so there is nothing an agent could use",
            "start with `# Name of the site`, then a `## tool` for each function",
            reading.title,
        )


def front_matter_end(text: str) -> int:
    """Return where the front matter of a text ends, 0 if it has none."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


def front_matter(reading: Reading) -> Iterator[Finding]:
    """The file starts with data between lines of dashes, which Markdown reads as text."""
    if match := _FRONT_MATTER.match(reading.source.text):
        yield Finding(
            "front-matter",
            Severity.WARNING,
            "the file starts with front matter, which is no part of the format, so agents read it "
            "as text",
            "take it out: the name stands in `# Name of the site`, the version below that in "
            "`*Version: 1.0*`",
            Span(*match.span(1)),
        )


def missing_title(reading: Reading) -> Iterator[Finding]:
    """The file has text and no title; of one below front matter, that rule tells."""
    manifest = reading.manifest
    if front_matter_end(reading.source.text):
        return
    if not manifest.name and (manifest.description or manifest.tools or manifest.notes):
        yield Finding(
            "missing-title",
            Severity.WARNING,
            "the manifest has no title, so an agent cannot say whose tools these are",
            "start the file with `# Name of the site`",
            reading.title,
        )


def no_tools(reading: Reading) -> Iterator[Finding]:
    """The file has text and no tool."""
    manifest = reading.manifest
    if not manifest.tools and (manifest.name or manifest.description or manifest.notes):
        yield Finding(
            "no-tools",
            Severity.WARNING,
            "the manifest declares no tool, so an agent can read it but call nothing",
            "write `## nameOfTheFunction` with `### Params` below, empty if it takes none",
            reading.title,
        )
