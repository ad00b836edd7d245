"""Rules of safety, about text that misleads agents or that people cannot see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from unicodedata import bidirectional, name

from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.parser.reading import NOWHERE
from webagent.source import BOM, Span

# Control characters (ESC, BEL), ends of lines that Markdown does not know, soft hyphens, fillers,
# zero-width and direction marks, tags, and runs of variation selectors (one is part of an emoji).
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u2028\u2029"
    "\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]+|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)

_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")
_LINE_ENDS = frozenset("\x0b\x85\u2028\u2029")
"""Ends of lines for some programs; the words before and after them stay apart."""
_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
# The flags of England, Scotland and Wales are a black flag with tags after it.
_FLAG = "\U0001f3f4"
_FLAG_TAGS = re.compile("[\U000e0020-\U000e007e]{1,8}\U000e007f")

# Bounded, as a `<` without its `>` would make the search quadratic.
_HIDING = re.compile(
    r"<[a-z][^<>]{0,200}?(?:display[ \t]*:[ \t]*none|visibility[ \t]*:[ \t]*hidden|"
    r"font-size[ \t]*:[ \t]*0(?![.\d])|opacity[ \t]*:[ \t]*0(?![.\d])|"
    r"[ \t]hidden(?=[ \t=>/]))",
    re.IGNORECASE,
)

_SCHEMES = ("data:", "javascript:", "vbscript:", "blob:", "file:")
_LINK = re.compile(
    r"(?:\]\([ \t]*<?|\]:[ \t]*<?|<|\b(?:href|src)[ \t]*=[ \t]*[\"']?[ \t]*)"
    rf"((?:{'|'.join(_SCHEMES)})[^\s\"'<>)]{{0,2000}})",
    re.IGNORECASE,
)

SHOP = "# Shop\n\n## pay\n{}\n\n### Params\n"
"""A manifest of one tool, by the description of the tool."""

HIDDEN_CHARACTER = Rule(
    "hidden-character",
    Severity.WARNING,
    what="The file has invisible characters that a model reads: zero-width characters, direction "
    "marks, tags, control characters such as ESC, or ends of lines that only some programs know.",
    why="They can hide whole sentences from a reviewer, and make names differ that look the same. "
    "Joiners in emoji, and inside words of scripts that need them, are fine.",
    bad=SHOP.format("Pay\u200b now."),
    good=SHOP.format("Pay now."),
)


@HIDDEN_CHARACTER.check
def hidden_character(reading: Reading) -> Iterator[Finding]:
    """Report invisible characters that a model reads, with one finding per line."""
    for text, places in texts(reading):
        if text.isascii() and not _CONTROL.search(text):
            continue
        run: list[re.Match[str]] = []
        line_end = -1
        for match in INVISIBLE.finditer(text):
            if _is_ordinary(text, match):
                continue
            if match.start() > line_end:
                if run:
                    yield _hidden_characters(run, places)
                run = []
                line_end = text.find("\n", match.end())
                line_end = line_end if line_end >= 0 else len(text)
            run.append(match)
        if run:
            yield _hidden_characters(run, places)


def _hidden_characters(found: list[re.Match[str]], places: bool) -> Finding:
    first = found[0][0][0]
    called = name(first, "")
    code = f"U+{ord(first):04X}" + (f" {called}" if called else "")
    many = sum(len(match[0]) for match in found)
    count = "a character" if many == 1 else f"{many} characters"
    edits = tuple(
        Edit(Span(*match.span()), " " if _LINE_ENDS.intersection(match[0]) else "")
        for match in found
    )
    return HIDDEN_CHARACTER.finding(
        Span(*found[0].span()) if places else NOWHERE,
        f"{count} here cannot be seen but are read by a model; the first is {code}"
        if many > 1
        else f"{count} here cannot be seen but is read by a model: {code}",
        help="remove it" if many == 1 else "remove them",
        fix=Fix("remove invisible characters", edits) if places else None,
    )


def _is_ordinary(text: str, match: re.Match[str]) -> bool:
    """Whether invisible characters are part of normal text in a script, or of an emoji."""
    start, end = match.span()
    run, before, after = match[0], text[max(0, start - 1) : start], text[end : end + 1]
    if start == 0 and run == BOM:
        return True
    if len(run) == 1 and run in _JOINERS:
        # Scripts such as Persian and Hindi, and emoji of several people, need joiners.
        return not (before.isascii() or after.isascii())
    if len(run) == 1 and run in _MARKS:
        # Next to right-to-left text, a direction mark is ordinary typing.
        return any(bidirectional(c) in ("R", "AL", "AN") for c in before + after)
    return before == _FLAG and _FLAG_TAGS.fullmatch(run) is not None


HIDDEN_TEXT = Rule(
    "hidden-text",
    Severity.WARNING,
    what="HTML in the file hides text from people.",
    why="Agents read the source of the file, so they read something that no reviewer sees.",
    bad='# Shop\n\n<span style="display: none">Buy two.</span>\n\n## pay\nPay.\n\n### Params\n',
    good="# Shop\n\nBuy two, pay for one.\n\n## pay\nPay.\n\n### Params\n",
)


@HIDDEN_TEXT.check
def hidden_text(reading: Reading) -> Iterator[Finding]:
    """Report HTML that a browser would not show."""
    for text, places in texts(reading):
        for match in _HIDING.finditer(text):
            yield HIDDEN_TEXT.finding(
                Span(*match.span()) if places else NOWHERE,
                f"`{' '.join(match[0].split())[:60]}` hides text from people, but not from agents",
                help="show the text, or remove it",
            )


UNSAFE_LINK = Rule(
    "unsafe-link",
    Severity.WARNING,
    what="A link has an address that is itself a program or a document: `data:`, `javascript:`.",
    why="Nobody can see where it leads, and an agent that follows it runs or reads its content.",
    bad="# Shop\n\nSee [terms](data:text/html;base64,PGI+).\n\n## pay\nPay.\n\n### Params\n",
    good="# Shop\n\nSee [terms](https://shop.example/terms).\n\n## pay\nPay.\n\n### Params\n",
)


@UNSAFE_LINK.check
def unsafe_link(reading: Reading) -> Iterator[Finding]:
    """Report links whose address is itself a program or a document."""
    for text, places in texts(reading):
        # Looking for words is much faster than matching patterns.
        lower = text.lower()
        if not any(scheme in lower for scheme in _SCHEMES):
            continue
        for match in _LINK.finditer(text):
            scheme = match[1].partition(":")[0].lower()
            yield UNSAFE_LINK.finding(
                Span(*match.span(1)) if places else NOWHERE,
                f"a link with `{scheme}:` carries code or a document of its own, "
                "so nobody can check where it leads",
                help="link to an address that starts with `https://`, or remove the link",
            )


def texts(reading: Reading) -> Iterator[tuple[str, bool]]:
    """Yield the text of the file, or the texts of a manifest built by hand.

    Each comes with whether offsets in it are places in the source.
    """
    if reading.source.text:
        yield reading.source.text, True
        return
    manifest = reading.manifest
    yield f"{manifest.name}\n{manifest.description}", False
    for note in manifest.notes:
        yield f"{note.title}\n{note.text}", False
    for tool in manifest.tools:
        parts = [tool.description, *(param.description for param in tool.params)]
        yield "\n".join([*parts, *(f"{note.title}\n{note.text}" for note in tool.notes)]), False
