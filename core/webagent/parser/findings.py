"""Findings about the blocks of a file: unclosed fences and comments, headings that are not headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from webagent.diagnostics import Edit, Finding, Fix
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
from webagent.markdown.patterns import FENCE_OPEN
from webagent.parser.passage import Passage
from webagent.parser.prose import is_comment
from webagent.parser.rules import (
    FENCE_SWALLOWS_HEADING,
    HEADING_WITHOUT_SPACE,
    HIDDEN_COMMENT,
    NESTED_TOO_DEEP,
    UNCLOSED_FENCE,
    UNCLOSED_HTML,
)
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.source import Span

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)", re.DOTALL)

_NO_HEADINGS = frozenset(
    ("ts", "typescript", "tsx", "js", "javascript", "mjs", "jsx", "json", "jsonc", "css", "html")
)
"""Languages in which no line of code starts with `#` and a space."""

_NO_SPACE = re.compile(r"#{2,6}[^#\s]")
_MARKER = re.compile(r">|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|\Z)")

_MANY_MARKERS = re.compile(rf"^[ \t>+*\-0-9.)]{{{MAX_DEPTH}}}", re.MULTILINE)
"""The start of a line that may be in `MAX_DEPTH` containers. Each takes one character or more."""


def block_findings(passage: Passage, in_tools: Collection[int]) -> Iterator[Finding]:
    """Yield findings about blocks that are probably not what their author meant.

    Args:
        passage: A whole file.
        in_tools: Numbers of the lines of tools in the compact format, which may look like anything.
    """
    yield from _nested_too_deep(passage)
    unclosed = has_unclosed_fence(passage)
    for block in passage.blocks:
        if block.lines[0] in in_tools:
            continue
        if isinstance(block, Fence) and not block.closed:
            yield unclosed_fence(passage, block)
        elif isinstance(block, Fence):
            # A heading inside a fence is fine in a file whose fences all match.
            if unclosed:
                yield from unclosed_before_heading(passage, block)
        elif isinstance(block, HtmlBlock):
            yield from _hidden_html(passage, block)
        elif isinstance(block, Paragraph) and _NO_SPACE.match(block.text):
            yield HEADING_WITHOUT_SPACE.finding(
                Span(block.start, block.start + len(block.content[0].text)),
                f"`{block.content[0].text[:60]}` is text, because no space follows the `#`",
                help="write a space after the `#`, as in `## search`",
            )


def unclosed_fence(passage: Passage, fence: Fence) -> Finding:
    """Return the finding about a fence that is never closed."""
    opening, mark = _opening(passage, fence)
    heading = _hidden_heading(passage, fence)
    at = heading.before if heading else fence.end
    also = f", also the heading `{heading.text}` at line {heading.number + 1}" if heading else ""
    where = f"before line {heading.number + 1}" if heading else "where the code ends"
    return UNCLOSED_FENCE.finding(
        Span(fence.start, fence.start + len(opening)),
        f"the fence {opening} is never closed, so everything below it is code{also}",
        help=f"write {mark} on a line of its own {where}",
        fix=_close_fence(at, mark),
    )


def unclosed_before_heading(passage: Passage, fence: Fence) -> Iterator[Finding]:
    """Yield a finding if the closing fence seems to belong to later code."""
    heading = _hidden_heading(passage, fence)
    if heading is None:
        return
    opening, mark = _opening(passage, fence)
    line, number = fence.lines[0] + 1, heading.number + 1
    yield FENCE_SWALLOWS_HEADING.finding(
        fence.span,
        f"the fence {opening} opened at line {line} seems not to be closed before the heading "
        f"`{heading.text}` at line {number}, which is read as code",
        help=f"write {mark} on a line of its own before line {number}; "
        "if it is code, write ````markdown before it and ```` after it",
        fix=_close_fence(heading.before, mark),
    )


def has_unclosed_fence(passage: Passage) -> bool:
    """Whether a fence of a file is not closed, or contains the opening of another one."""
    fences = (block for block in passage.blocks if isinstance(block, Fence))
    return any(not fence.closed or _contains_opening(passage, fence) for fence in fences)


def _contains_opening(passage: Passage, fence: Fence) -> bool:
    """Whether a line of code would open a fence that the closing one could close."""
    _, mark = _opening(passage, fence)
    for line in fence.content:
        if mark in line.text and (match := FENCE_OPEN.match(line.text.lstrip(" "))):
            marks, info = (match[1], match[2]) if match[1] else (match[3], match[4])
            # Without a language it could be a closing fence with more marks.
            if info.strip() and marks.startswith(mark):
                return True
    return False


class _HiddenHeading(NamedTuple):
    """A heading inside a fence."""

    text: str
    number: int
    """0-based line."""
    before: int
    """Offset of the end of the last line of code before it."""


def _hidden_heading(passage: Passage, fence: Fence) -> _HiddenHeading | None:
    """Return the first line of code that must be meant as a heading, or None.

    In TypeScript, JavaScript, JSON, CSS and HTML that is any heading. In code without a language it
    is a heading such as `### Params`, and in other languages no line.
    """
    # In a shell or in Python, `# text` is a comment.
    typed = fence.language in _NO_HEADINGS
    if not typed and fence.language:
        return None
    before = fence.span.start + len(_opening(passage, fence)[0])
    for index, line in enumerate(fence.content):
        if match := _HEADING.match(line.text):
            known = match[1] == "###" and title_key(match[2].rstrip(" \t#")) in SUBSECTIONS
            if typed or known:
                return _HiddenHeading(line.text.strip()[:60], fence.lines[0] + 1 + index, before)
        if line.text.strip():
            before = line.start + len(line.text)
    return None


def _opening(passage: Passage, fence: Fence) -> tuple[str, str]:
    """Return the opening line of a fence, and its marks."""
    opening = passage.lines[fence.lines[0]][0].strip()
    return opening, opening[: len(opening) - len(opening.lstrip("`~"))]


def _close_fence(at: int, mark: str) -> Fix:
    return Fix(f"close the fence with {mark}", (Edit(Span(at, at), f"\n{mark}"),))


def _hidden_html(passage: Passage, block: HtmlBlock) -> Iterator[Finding]:
    """Yield a finding about HTML that is never closed, or about a comment."""
    if not block.closed:
        opening = passage.lines[block.lines[0]][0].strip()
        yield UNCLOSED_HTML.finding(
            block.span if is_comment(block) else Span(block.start, block.start + len(opening)),
            f"`{opening[:40]}` is never closed, so everything below it is hidden",
            help="write `-->` where the comment ends" if block.kind == 2 else "close it",
        )
    elif is_comment(block):
        yield HIDDEN_COMMENT.finding(
            block.span,
            "a comment is not shown to agents",
            help="nothing has to be done; text that agents need must not be in a comment",
        )


def _nested_too_deep(passage: Passage) -> Iterator[Finding]:
    """Yield a finding about the first quote or list that is read as text for its depth."""
    if not _MANY_MARKERS.search(passage.text):
        return
    # A stack, not recursion: the depth is that of the author's text.
    open_blocks: list[tuple[Block, int]] = [(block, 0) for block in reversed(passage.blocks)]
    while open_blocks:
        block, depth = open_blocks.pop()
        if isinstance(block, ListBlock):
            open_blocks += [(item, depth) for item in reversed(block.items)]
        elif isinstance(block, Quote | ListItem):
            open_blocks += [(inner, depth + 1) for inner in reversed(block.blocks)]
        elif depth == MAX_DEPTH and isinstance(block, Paragraph) and _MARKER.match(block.text):
            yield NESTED_TOO_DEEP.finding(
                Span(block.start, block.start + len(block.content[0].text)),
                f"a quote or list is inside {MAX_DEPTH} others, so it is read as text",
                help="move it further out; no reader follows that many levels",
            )
            return
