"""What is in a file and not read as its author may think: hidden text, and marks that are none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from webagent.diagnostics import Finding, Severity
from webagent.markdown import (
    MAX_DEPTH,
    Block,
    Fence,
    HtmlBlock,
    ListBlock,
    ListItem,
    Paragraph,
    Quote,
)
from webagent.parser.findings import out_of_step, swallowing_fence, unclosed_fence
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment
from webagent.source import Span

_NO_SPACE = re.compile(r"#{2,6}[^#\s]")
_MARKER = re.compile(r">|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|\Z)")
_MANY_MARKERS = re.compile(rf"^[ \t>+*\-0-9.)]{{{MAX_DEPTH}}}", re.MULTILINE)
"""The start of a line that may stand in so many containers: each takes a character at least."""


def unread(passage: Passage, in_tools: Collection[int]) -> Iterator[Finding]:
    """Yield what is not read as its author may think.

    Args:
        passage: A whole file.
        in_tools: Numbers of the lines that belong to tools of the compact format.
    """
    yield from _nested_too_deep(passage)
    suspicious = out_of_step(passage)
    for block in passage.blocks:
        if block.lines[0] in in_tools:
            continue
        if isinstance(block, Fence) and not block.closed:
            yield unclosed_fence(passage, block)
        elif isinstance(block, Fence):
            if suspicious:
                yield from swallowing_fence(passage, block)
        elif isinstance(block, HtmlBlock):
            yield from _hidden(passage, block)
        elif isinstance(block, Paragraph) and _NO_SPACE.match(block.text):
            yield Finding(
                "heading-without-space",
                Severity.WARNING,
                f"`{block.content[0].text[:60]}` is text, because no space follows the `#`",
                "write a space behind the `#`, as in `## search`",
                Span(block.start, block.start + len(block.content[0].text)),
            )


def _hidden(passage: Passage, block: HtmlBlock) -> Iterator[Finding]:
    if not block.closed:
        opening = passage.lines[block.lines[0]][0].strip()
        yield Finding(
            "unclosed-html",
            Severity.ERROR,
            f"`{opening[:40]}` is never closed, so everything below it is hidden",
            "write `-->` where the comment ends" if block.kind == 2 else "close it",
            block.span if is_comment(block) else Span(block.start, block.start + len(opening)),
        )
    elif is_comment(block):
        yield Finding(
            "hidden-comment",
            Severity.INFO,
            "a comment is not shown to agents",
            "nothing has to be done; text that agents need must not stand in a comment",
            block.span,
        )


def _nested_too_deep(passage: Passage) -> Iterator[Finding]:
    """Yield the first quote or list that is text because it stands in too many others."""
    if not _MANY_MARKERS.search(passage.text):
        return
    inside: list[tuple[Block, int]] = [(block, 0) for block in reversed(passage.blocks)]
    while inside:
        block, depth = inside.pop()
        if isinstance(block, ListBlock):
            inside += [(item, depth) for item in reversed(block.items)]
        elif isinstance(block, Quote | ListItem):
            inside += [(inner, depth + 1) for inner in reversed(block.blocks)]
        elif depth == MAX_DEPTH and isinstance(block, Paragraph) and _MARKER.match(block.text):
            yield Finding(
                "nested-too-deep",
                Severity.WARNING,
                f"a quote or list stands in {MAX_DEPTH} others, so it is read as text",
                "write it further out; nobody can follow so many",
                Span(block.start, block.start + len(block.content[0].text)),
            )
            return
