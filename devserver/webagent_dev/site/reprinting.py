"""A manifest in the order and the form that all tools read, without the loss of a word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from webagent_dev.site.documents import Document

if TYPE_CHECKING:
    from webagent.source import Span
    from webagent.types import Manifest

MISREAD = frozenset(
    (
        "not-utf-8",
        "foreign-document",
        "front-matter",
        "unclosed-fence",
        "unclosed-html",
        "fence-swallows-heading",
        "unreadable-param",
    )
)
"""Rules for texts that are read in another way than they were meant: printing would keep that."""

_WORD = re.compile(r"\w+|[^\w\s\x00-\x7f]")

_NUMBERING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+)?([0-9]+)[.)](?=[ \t])", re.MULTILINE)
"""The number of an item of a list, or of a heading."""

_LANGUAGE = re.compile(
    r"^[ \t]*(?:(?:[-+*]|[0-9]+[.)])[ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s`]+)", re.MULTILINE
)
"""The language of a code fence."""

_TITLE = re.compile(r"^ {0,3}(?:#{3,6}[ \t]+|(?=\*\*|__))([^\n]+)", re.MULTILINE)
"""A line that may be the title of a subsection."""

_FORM = frozenset(
    """
    arg args argument arguments array async await behavior behaviour boolean code const d declare
    default defaults description dts example examples export false field function global globalthis
    input_schema is javascript js json jsonc jsx meaning mjs n na name no none notes null nullable
    number o object of optional or output output_schema outputs param parameter parameters params
    promise required return returns sample sample_code string summary to tool true ts tsx type types
    typescript undefined usage value version void window x y yes – — ✓ ✔ ✅
    """.split()  # noqa: SIM905 - a list of eighty strings is harder to read
)
"""Words and signs in lower case that belong to the form: printing may add and remove them."""


class NotFormatted(Exception):
    """A document is left as it is; the message says why."""


def reprinted(document: Document) -> str:
    """Return the text of a document in the standard form, with its own line ends.

    Raises:
        NotFormatted: Something of the text would be lost.
    """
    from webagent.checks import check_bytes
    from webagent.serializer import to_markdown
    from webagent.source import line_end

    report = check_bytes(document.data, path=document.name)
    source = report.source
    for finding in report.findings:
        line = source.position(finding.span.start).line
        if finding.rule in MISREAD:
            raise NotFormatted(f"line {line}: {finding.message} [{finding.rule}]")
        if finding.rule == "hidden-comment":
            raise NotFormatted(
                f"line {line}: the comment would be lost - write it as text, or remove it"
            )
    text = to_markdown(report.manifest)
    if missing := lost(source.text, text, report.manifest):
        place = source.position(missing.start)
        word = source.text[missing.start : missing.end]
        raise NotFormatted(
            f"line {place.line}, column {place.column}: `{word}` would be lost - write it "
            "where a text is read, such as the description of a tool, or remove it"
        )
    return text.replace("\n", line_end(source.text))


def lost(before: str, after: str, manifest: Manifest) -> Span | None:
    """Return the place of the first word that one text has more often than the other.

    Words of the form (headings, `required`, numbers of items, the languages of fences) do not count.
    Names and types may be both in a signature and in a list before, so one of them is enough after.
    """
    from webagent.source import BOM, Span

    form = _form(before)
    formal = [word for span in form for word in _WORD.findall(before, *span)]
    kept = [word for span in _form(after) for word in _WORD.findall(after, *span)]
    left = Counter(_WORD.findall(after)) - (Counter(formal) & Counter(kept))
    once = _declared(manifest)
    for match in _WORD.finditer(before, len(BOM) if before.startswith(BOM) else 0):
        word = match[0]
        at = bisect_right(form, (match.start(), len(before))) - 1
        if at >= 0 and match.end() <= form[at].end:
            continue
        if left[word] > 0:
            left[word] -= word not in once
        elif word.lower() not in _FORM:
            return Span(*match.span())
    return None


def _form(text: str) -> list[Span]:
    """Return the passages of a text, in order, that belong to the form whatever words they have."""
    from webagent.parser.subsections import SUBSECTIONS, title_key
    from webagent.source import Span

    text = text.replace("\r\n", " \n").replace("\r", "\n")
    found = [match for pattern in (_NUMBERING, _LANGUAGE) for match in pattern.finditer(text)]
    titles = _TITLE.finditer(text)
    found += [title for title in titles if title_key(title[1].strip("*_:# \t")) in SUBSECTIONS]
    return sorted(Span(*match.span(1)) for match in found)


def _declared(manifest: Manifest) -> set[str]:
    """Return the words of the names, types and defaults that tools declare."""
    texts = []
    for tool in manifest.tools:
        texts += [tool.name, tool.returns]
        for param in tool.params:
            texts += [param.name, param.type, param.default or ""]
    return set(_WORD.findall(" ".join(texts)))
