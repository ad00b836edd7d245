r"""Running text: what of it counts, and how it is kept from being read as structure.

A backslash before a mark at the start of a line says that the line is text: `\## x` is the text
`## x`, and `tool\: f(x)` starts no tool. `guard` writes such backslashes, `prose` takes them off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from webagent.markdown import Block, Fence, Heading, HtmlBlock, Paragraph, scan
from webagent.parser.passage import Passage

_GUARDED = re.compile(r"([ \t]*)\\(?=[#`~<>=+*|_\\-])")
_GUARDED_TOOL = re.compile(r"([ \t]*(?:[-+*][ \t]+)?tool)\\(?=\\*[ \t]*:)", re.IGNORECASE)
_TOOL = re.compile(r"([ \t]*(?:[-+*][ \t]+)?tool)(?=\\*[ \t]*:)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))(\\*)(#+)\Z")


def is_comment(block: Block) -> bool:
    """Whether a block is a comment and nothing else."""
    if not isinstance(block, HtmlBlock) or block.kind != 2:
        return False
    return not _COMMENT.sub("", "\n".join(line.text for line in block.content)).strip()


def prose(passage: Passage, blocks: Sequence[Block], skipped: Collection[int] = ()) -> str:
    """Return the text of neighbouring blocks, with the empty lines between them.

    Args:
        passage: What the blocks are the blocks of.
        blocks: Some of its blocks, in order.
        skipped: Numbers of lines to leave out.
    """
    if not blocks:
        return ""
    first, last = blocks[0].lines[0], blocks[-1].lines[1]
    raw = {n for b in blocks if isinstance(b, Fence) for n in range(b.lines[0], b.lines[1])}
    lines = []
    for number in range(first, last):
        if number not in skipped:
            text = passage.lines[number][0]
            lines.append(text if number in raw or "\\" not in text else _unguard(text))
    return "\n".join(lines).strip()


def _unguard(line: str) -> str:
    return _GUARDED_TOOL.sub(r"\1", _GUARDED.sub(r"\1", line, count=1), count=1)


def guard(
    text: str,
    *,
    deepest: int,
    is_title: Callable[[str], bool] = lambda title: False,
    is_consumed: Callable[[Block], bool] = lambda block: False,
) -> str:
    r"""Return a text that `prose` reads back as this text, wherever it is put.

    Args:
        text: Lines joined by `\n`, without white space around them.
        deepest: Headings up to this level would be read as structure.
        is_title: Tells the titles of headings that would be, whatever their level.
        is_consumed: Tells the fences that would be taken out of the text.
    """
    lines = text.split("\n")
    loose = any(
        isinstance(block, Fence | HtmlBlock) and (not block.closed or is_consumed(block))
        for block in scan(text)
    )
    for _ in range(2):
        raw: set[int] = set()
        for block in scan("\n".join(lines)):
            first, last = block.lines
            if isinstance(block, Fence):
                if not loose:
                    raw.update(range(first, last))
            elif isinstance(block, Heading):
                if block.level <= deepest or is_title(block.text):
                    _mark(lines, last - 1 if block.setext else first)
            elif isinstance(block, HtmlBlock):
                if not block.closed or is_comment(block):
                    _mark(lines, first)
            elif (title := pseudo_heading(block)) and is_title(title):
                _mark(lines, first)
        if not loose:
            break
        # What the unclosed block hid has to be looked at again, without any fences.
        lines = [re.sub(r"^([ \t]*)(?=```|~~~|<)", r"\1\\", line) for line in lines]
        loose = False
    return "\n".join(
        line if number in raw else _TOOL.sub(r"\1\\", _double(line, text.split("\n")[number]))
        for number, line in enumerate(lines)
    )


def _mark(lines: list[str], number: int) -> None:
    stripped = lines[number].lstrip(" \t")
    lead = lines[number][: len(lines[number]) - len(stripped)]
    lines[number] = f"{lead}\\{stripped}"


def _double(line: str, original: str) -> str:
    """Guard a backslash that was there before."""
    return _GUARDED.sub(r"\1\\\\", line, count=1) if line == original else line


def pseudo_heading(block: Block) -> str:
    """Return the title of a paragraph that is one bold line, in lower case; else nothing."""
    if not isinstance(block, Paragraph) or len(block.content) != 1:
        return ""
    text = block.content[0].text.strip()
    for mark in ("**", "__"):
        if text.startswith(mark) and text.rstrip(":").endswith(mark) and len(text) > 4:
            return text.strip("*_: ").lower()
    return ""


def guard_title(text: str) -> str:
    """Return a title whose last `#` are not taken for the end of the heading."""
    return _CLOSING_MARKS.sub(r"\1\\\2", text)


def unguard_title(text: str) -> str:
    """Return the title that `guard_title` was given."""
    match = _CLOSING_MARKS.search(text)
    if match is None or not match[1]:
        return text
    return text[: match.start()] + match[1][1:] + match[2]
