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


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a model reads a text as."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def large_tool(reading: Reading) -> Iterator[Finding]:
    """A tool takes more of a model's context than a tool should."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        tokens = _tool_tokens(tool)
        if tokens > TOOL_TOKENS:
            yield Finding(
                "large-tool",
                Severity.WARNING,
                f"`{tool.name}` takes about {tokens:,} tokens of a model's context, "
                f"more than {TOOL_TOKENS:,}",
                "shorten its texts, types and sample code, or make two tools of it",
                place.name,
                tool.name,
            )


def large_manifest(reading: Reading) -> Iterator[Finding]:
    """All of a manifest takes more of a model's context than there may be."""
    manifest = reading.manifest
    tokens = estimate_tokens(manifest.name + manifest.description)
    tokens += sum(map(_note_tokens, manifest.notes))
    tokens += sum(map(_tool_tokens, manifest.tools))
    if tokens > MANIFEST_TOKENS:
        yield Finding(
            "large-manifest",
            Severity.WARNING,
            f"the manifest takes about {tokens:,} tokens of a model's context, "
            f"more than {MANIFEST_TOKENS:,}",
            "leave out tools that few visitors need, and move long texts to pages of the site",
            reading.title,
        )


def _tool_tokens(tool: Tool) -> int:
    texts = [tool.name, tool.description, tool.returns, tool.sample_code]
    for param in tool.params:
        texts += [param.name, param.type, param.description, param.default or ""]
    return estimate_tokens(" ".join(texts)) + sum(map(_note_tokens, tool.notes))


def _note_tokens(note: Note) -> int:
    return estimate_tokens(f"{note.title} {note.text}")
