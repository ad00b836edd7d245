r"""Running text of a manifest, and the escapes that keep it from being read as structure.

A backslash before a mark at the start of a line makes the line text: `\## x` is the text `## x`, and
`tool\: f(x)` does not start a tool. `guard` adds such backslashes, and `prose` removes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from webagent.markdown import Block, Fence, Heading, HtmlBlock, Paragraph, scan
from webagent.parser.passage import Passage

_GUARDED = re.compile(r"\A([ \t]*)\\(?=[#`~<>=+*|_\\-])")
_GUARDED_TOOL = re.compile(r"\A([ \t]*(?:[-+*][ \t]+)?tool)\\(?=\\*[ \t]*:)", re.IGNORECASE)
_TOOL = re.compile(r"\A([ \t]*(?:[-+*][ \t]+)?tool)(?=\\*[ \t]*:)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--(?:-?>|.*?(?:-->|\Z))", re.DOTALL)
_CLOSING_MARKS = re.compile(r"(?:^|(?<=[ \t]))(\\*)(#+)\Z")


def is_comment(block: Block) -> bool:
    """Whether a block is an HTML comment, without text after it."""
    if not isinstance(block, HtmlBlock) or block.kind != 2:
        return False
    return not _COMMENT.sub("", "\n".join(line.text for line in block.content)).strip()


def prose(passage: Passage, blocks: Sequence[Block], skipped: Collection[int] = ()) -> str:
    """Return the text of neighbouring blocks as Markdown, with the empty lines between them.

    Args:
        passage: The passage that contains the blocks.
        blocks: Blocks of it that follow one another.
        skipped: Numbers of lines to leave out.
    """
    if not blocks:
        return ""
    numbers = range(blocks[0].lines[0], blocks[-1].lines[1])
    kept = [n for n in numbers if n not in skipped] if skipped else numbers
    lines = [passage.lines[number][0] for number in kept]
    text = "\n".join(lines).strip()
    if "\\" not in text:
        return text
    # In code a backslash is the author's.
    raw = {n for b in blocks if isinstance(b, Fence) for n in range(b.lines[0], b.lines[1])}
    return "\n".join(
        line if number in raw else _unguard(line) for number, line in zip(kept, lines, strict=True)
    ).strip()


def _unguard(line: str) -> str:
    """Return a line without the backslashes of `guard`."""
    return _GUARDED_TOOL.sub(r"\1", _GUARDED.sub(r"\1", line, count=1), count=1)


def guard(
    text: str,
    *,
    deepest: int,
    is_title: Callable[[str], bool] = lambda title: False,
    is_consumed: Callable[[Block], bool] = lambda block: False,
) -> str:
    r"""Return a text with backslashes, which `prose` reads back as this text in any place.

    Args:
        text: Lines joined by `\n`, without white space around them.
        deepest: Headings up to this level would be read as structure.
        is_title: Whether a heading with this title would be, regardless of its level.
        is_consumed: Whether a fence would be removed from the text, as those with signatures are.
    """
    original = text.split("\n")
    lines = list(original)
    loose = any(
        isinstance(block, Fence | HtmlBlock) and (not block.closed or is_consumed(block))
        for block in scan(text)
    )
    # Such a block would hide structure in it from the scans below.
    if loose:
        _guard_all(lines, _HIDING)
    # A new backslash can turn the following lines into other blocks, so the text is scanned again.
    for _ in range(_PASSES):
        raw: set[int] = set()
        changed = False
        for block in scan("\n".join(lines)):
            if isinstance(block, Fence) and block.closed and not is_consumed(block):
                raw.update(range(*block.lines))
            elif (number := _structural(block, deepest, is_title)) >= 0:
                _guard_line(lines, number, original)
                changed = True
        if not changed:
            break
    else:
        lines, raw = list(original), set()
        _guard_all(lines, _MARK)
    return "\n".join(
        line if number in raw else _TOOL.sub(r"\1\\", _double(line, original[number]))
        for number, line in enumerate(lines)
    )


_PASSES = 8
"""Most scans. After them `guard` stops looking for the lines that matter, and guards all."""

_HIDING = re.compile(r"[ \t]*(?:```|~~~|<)")
_MARK = re.compile(r"[ \t]*[#`~<>=+*|_-]")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*\Z")


def _structural(block: Block, deepest: int, is_title: Callable[[str], bool]) -> int:
    """Return the number of the line that makes a block structure, or -1 if it is text."""
    if isinstance(block, Fence):
        return block.lines[0]
    if isinstance(block, Heading):
        if block.level <= deepest or is_title(block.text):
            return block.lines[1] - 1 if block.setext else block.lines[0]
    elif isinstance(block, HtmlBlock):
        if not block.closed or is_comment(block):
            return block.lines[0]
    elif (title := pseudo_heading(block)) and is_title(title):
        return block.lines[0]
    return -1


def _guard_line(lines: list[str], number: int, original: Sequence[str]) -> None:
    """Put a backslash before a line, and before underlines below it.

    The line becomes text, which an underline would make a heading. A line that already has a
    backslash from here stays as it is: one scan may report it twice.
    """
    if lines[number] == original[number]:
        lines[number] = _with_backslash(lines[number])
    number += 1
    while number < len(lines) and _UNDERLINE.match(lines[number]):
        lines[number] = _with_backslash(lines[number])
        number += 1


def _guard_all(lines: list[str], pattern: re.Pattern[str]) -> None:
    """Put a backslash before each line that a pattern matches."""
    for number, line in enumerate(lines):
        if pattern.match(line):
            lines[number] = _with_backslash(line)


def _with_backslash(line: str) -> str:
    stripped = line.lstrip(" \t")
    return f"{line[: len(line) - len(stripped)]}\\{stripped}"


def _double(line: str, original: str) -> str:
    """Put a second backslash before one of the author's, which `prose` would remove."""
    return _GUARDED.sub(r"\1\\\\", line, count=1) if line == original else line


def pseudo_heading(block: Block) -> str:
    """Return the title, in lower case, of a paragraph that is one bold line; or an empty text."""
    if not isinstance(block, Paragraph) or len(block.content) != 1:
        return ""
    text = block.content[0].text.strip()
    for mark in ("**", "__"):
        if text.startswith(mark) and text.rstrip(":").endswith(mark) and len(text) > 4:
            return text.strip("*_: ").lower()
    return ""


def guard_title(text: str) -> str:
    """Return a title with a backslash before `#` at its end, which would close the heading."""
    return _CLOSING_MARKS.sub(r"\1\\\2", text)


def unguard_title(text: str) -> str:
    """Undo `guard_title`."""
    match = _CLOSING_MARKS.search(text) if text.endswith("#") else None
    if match is None or not match[1]:
        return text
    return text[: match.start()] + match[1][1:] + match[2]
