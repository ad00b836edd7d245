"""Rules about the file as a whole: its encoding, its title, its tools and its size."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.source import Span
from webagent.types import Note, Tool

# A line of dashes alone is a thematic break, so the next one has to look like YAML.
_FRONT_MATTER = re.compile(
    r"\ufeff?(---[ \t]*+)(?:\r\n?|\n)"
    r"(?=[\w-]+[ \t]*:)(?:(?:[\w-]+[ \t]*:|#|- |[ \t])[^\r\n]*+(?:\r\n?|\n)|(?:\r\n?|\n))++"
    r"(?:---|\.\.\.)[ \t]*+(?:[\r\n]|\Z)"
)

BYTES_PER_TOKEN = 4
"""Bytes of UTF-8 per token: a rough average for English, code and most other languages."""

TOOL_TOKENS = 2_000
"""Most tokens of a tool, by estimate. Models follow longer texts badly, and each request pays."""

MANIFEST_TOKENS = 20_000
"""Most tokens of a manifest, by estimate. More leaves small models no room to work."""

NOT_UTF_8 = Rule(
    "not-utf-8",
    Severity.ERROR,
    what="The file is not encoded as UTF-8.",
    why="Agents read manifests as UTF-8. Characters in another encoding become `�`, so names and "
    "texts change.",
    # A lone surrogate is how Python keeps a byte that is not UTF-8.
    bad="# Caf\udce9\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
    good="# Café\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
)

EMPTY_MANIFEST = Rule(
    "empty-manifest",
    Severity.ERROR,
    what="The file is empty.",
    why="To an agent, a page with an empty manifest has no tools.",
    bad="\n",
    good="# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
)


@EMPTY_MANIFEST.check
def empty_manifest(reading: Reading) -> Iterator[Finding]:
    """Report a file without text."""
    manifest = reading.manifest
    if not (manifest.name or manifest.description or manifest.tools or manifest.notes):
        yield EMPTY_MANIFEST.finding(
            reading.title,
            "the manifest is empty, so there is nothing an agent could use",
            help="start with `# Name of the site`, then a `## tool` for each function",
        )


FRONT_MATTER = Rule(
    "front-matter",
    Severity.WARNING,
    what="The file starts with data between two lines of dashes.",
    why="Front matter is not part of the format. Markdown reads its last line as a heading, so "
    "agents see the data as a section, and the title below it as another one. "
    "`webagent-dev fmt` refuses such files.",
    bad="---\ntitle: Shop\nversion: 2.0\n---\n\n# Shop\n\n## search\nFind.\n\n### Params\n",
    good="# Shop\n\n*Version: 2.0*\n\n## search\nFind.\n\n### Params\n",
)


@FRONT_MATTER.check
def front_matter(reading: Reading) -> Iterator[Finding]:
    """Report front matter: data between two lines of dashes at the start."""
    if match := _FRONT_MATTER.match(reading.source.text):
        yield FRONT_MATTER.finding(
            Span(*match.span(1)),
            "the file starts with front matter, which is not part of the format, so agents read it "
            "as text",
            help="remove it: the name belongs in `# Name of the site`, the version below that in "
            "`*Version: 1.0*`",
        )


def front_matter_end(text: str) -> int:
    """Return the offset of the end of the front matter, 0 if there is none."""
    match = _FRONT_MATTER.match(text)
    return match.end() if match else 0


MISSING_TITLE = Rule(
    "missing-title",
    Severity.WARNING,
    what="The file has no heading of the first level.",
    why="The title is the name of the site. Without it an agent cannot say whose tools it uses.",
    bad="## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
    good="# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
)


@MISSING_TITLE.check
def missing_title(reading: Reading) -> Iterator[Finding]:
    """Report a file with text and no title. Front matter has a rule of its own."""
    manifest = reading.manifest
    if front_matter_end(reading.source.text):
        return
    if not manifest.name and (manifest.description or manifest.tools or manifest.notes):
        yield MISSING_TITLE.finding(
            reading.title,
            "the manifest has no title, so an agent cannot say whose tools these are",
            help="start the file with `# Name of the site`",
        )


NO_TOOLS = Rule(
    "no-tools",
    Severity.WARNING,
    what="The file declares no tool.",
    why="An agent can read it, but has nothing to call.",
    bad="# Shop\n\nWe sell shoes.\n",
    good="# Shop\n\nWe sell shoes.\n\n## search\nFind shoes.\n\n### Params\n\n### Output\n`void`\n",
)


@NO_TOOLS.check
def no_tools(reading: Reading) -> Iterator[Finding]:
    """Report a file with text and no tool."""
    manifest = reading.manifest
    if not manifest.tools and (manifest.name or manifest.description or manifest.notes):
        yield NO_TOOLS.finding(
            reading.title,
            "the manifest declares no tool, so an agent has nothing to call",
            help="write `## nameOfTheFunction` with `### Params` below, empty if it takes none",
        )


LARGE_MANIFEST = Rule(
    "large-manifest",
    Severity.WARNING,
    what="The whole manifest takes more than 20,000 tokens of a model's context, by estimate.",
    why="The model reads all of it before it does anything. Small models have no room left to work, "
    "and every request costs more.",
    bad="# Shop\n\n" + "Everything about our shoes. " * 3_000 + "\n\n## pay\nPay.\n\n### Params\n",
    good="# Shop\n\nOur shoes are described on their pages.\n\n## pay\nPay.\n\n### Params\n",
)

LARGE_TOOL = Rule(
    "large-tool",
    Severity.WARNING,
    what="A tool takes more than 2,000 tokens of a model's context, by estimate.",
    why="All of it is sent with every request, and the more there is, the worse a model follows it.",
    bad="# Shop\n\n## pay\n" + "All there is to say about payments. " * 300 + "\n\n### Params\n",
    good="# Shop\n\n## pay\nPay for what is in the cart.\n\n### Params\n",
)


@LARGE_TOOL.check
@LARGE_MANIFEST.check
def large_texts(reading: Reading) -> Iterator[Finding]:
    """Report a manifest or a tool that takes too much of a model's context."""
    manifest = reading.manifest
    tools = [_tool_tokens(tool) for tool in manifest.tools]
    tokens = estimate_tokens(manifest.name + manifest.description)
    tokens += sum(map(_note_tokens, manifest.notes)) + sum(tools)
    if tokens > MANIFEST_TOKENS:
        yield LARGE_MANIFEST.finding(
            reading.title,
            f"the manifest takes about {tokens:,} tokens of a model's context, "
            f"more than {MANIFEST_TOKENS:,}",
            help="remove tools that few visitors need, and move long texts to pages of the site",
        )
    for tool, place, size in zip(manifest.tools, reading.tools, tools, strict=True):
        if size > TOOL_TOKENS:
            yield LARGE_TOOL.finding(
                place.name,
                f"`{tool.name}` takes about {size:,} tokens of a model's context, "
                f"more than {TOOL_TOKENS:,}",
                help="shorten its texts, types and sample code, or make two tools of it",
                tool=tool.name,
            )


def estimate_tokens(text: str) -> int:
    """Return an estimate of the number of tokens of a text."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // BYTES_PER_TOKEN)


def _tool_tokens(tool: Tool) -> int:
    texts = [tool.name, tool.description, tool.returns, tool.sample_code]
    for param in tool.params:
        texts += [param.name, param.type, param.description, param.default or ""]
    tokens = estimate_tokens(" ".join(texts))
    return tokens + sum(map(_note_tokens, tool.notes)) if tool.notes else tokens


def _note_tokens(note: Note) -> int:
    return estimate_tokens(f"{note.title} {note.text}")
