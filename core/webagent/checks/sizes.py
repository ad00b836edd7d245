"""Whether a manifest leaves a model room to work."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.parser import Reading
from webagent.types import Note, Tool

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
