"""`webagent-dev fmt`: writes a manifest anew, in the order and the form that all tools read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from webagent.checks import check_bytes
from webagent.parser.subsections import SUBSECTIONS, title_key
from webagent.serializer import to_markdown
from webagent.source import BOM, Span, line_end
from webagent.types import Manifest
from webagent_dev.cli.diff import difference
from webagent_dev.errors import UsageError
from webagent_dev.site.documents import Document, read_documents
from webagent_dev.terminal import Console

_WORD = re.compile(r"\w+|[^\w\s\x00-\x7f]")

_NUMBERING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+)?([0-9]+)[.)](?=[ \t])", re.MULTILINE)
"""The number of an item of a list, or of a heading."""

_LANGUAGE = re.compile(
    r"^[ \t]*(?:(?:[-+*]|[0-9]+[.)])[ \t]+)?(?:`{3,}|~{3,})[ \t]*([^\s`]+)", re.MULTILINE
)

_TITLE = re.compile(r"^ {0,3}(?:#{3,6}[ \t]+|(?=\*\*|__))([^\n]+)", re.MULTILINE)
"""What may be the title of a subsection."""

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
"""Words and signs, in lower case, of which the form of a manifest may hold more or fewer."""


def lost(before: str, after: str, manifest: Manifest) -> Span | None:
    """Return the place of the first word that stands more often in one text than in the other.

    Words of the form (headings, `required`, numbers of items, the languages of fences) may come and
    go. Names and types may stand in a signature and in a list before, so they have to be there once
    only.
    """
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
    """Return the stretches of a text, in order, that are form whatever words they hold."""
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    found = [match for rule in (_NUMBERING, _LANGUAGE) for match in rule.finditer(text)]
    titles = _TITLE.finditer(text)
    found += [title for title in titles if title_key(title[1].strip("*_:# \t")) in SUBSECTIONS]
    return sorted(Span(*match.span(1)) for match in found)


def _declared(manifest: Manifest) -> set[str]:
    texts = []
    for tool in manifest.tools:
        texts += [tool.name, tool.returns]
        for param in tool.params:
            texts += [param.name, param.type, param.default or ""]
    return set(_WORD.findall(" ".join(texts)))


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
"""Rules after which printing anew would make a misreading final."""


class Refused(Exception):
    """A document is left as it is; the message says why."""


def run(targets: Sequence[str], console: Console, *, check: bool = False) -> int:
    """Write all targets anew; return 1 if one is refused, or would change and must not.

    Files are written only where something changes; standard input goes to standard output.

    Args:
        targets: Paths, folders or `-`; by default this folder.
        console: Where to write.
        check: Whether to show what would change and change nothing.

    Raises:
        UsageError: A target cannot be read or written.
    """
    code = 0
    for document in read_documents(targets):
        try:
            text = reprinted(document)
        except Refused as refusal:
            console.line(f"{document.name}: left as it is: {refusal}")
            code = 1
            continue
        changed = text.encode("utf-8") != document.data
        if check:
            if changed:
                before = document.data.decode("utf-8")
                console.write(difference(before, text, document.name))
                code = 1
        elif document.path is None:
            console.write(text)
        elif changed:
            _write(document, text)
            console.line(f"{document.name}: formatted")
    return code


def reprinted(document: Document) -> str:
    """Return the text of a document printed anew, with its own line ends.

    Raises:
        Refused: Something of the text would be lost.
    """
    report = check_bytes(document.data, path=document.name)
    source = report.source
    for finding in report.findings:
        if finding.rule in MISREAD:
            line = source.position(finding.span.start).line
            raise Refused(f"line {line}: {finding.message} [{finding.rule}]")
        if finding.rule == "hidden-comment":
            line = source.position(finding.span.start).line
            raise Refused(
                f"line {line}: the comment would be lost - write it as text, or take it out"
            )
    text = to_markdown(report.manifest)
    if missing := lost(source.text, text, report.manifest):
        place = source.position(missing.start)
        word = source.text[missing.start : missing.end]
        raise Refused(
            f"line {place.line}, column {place.column}: `{word}` would be lost - write it "
            "where a text is read, such as the description of a tool, or take it out"
        )
    return text.replace("\n", line_end(source.text))


def _write(document: Document, text: str) -> None:
    assert document.path is not None
    try:
        document.path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise UsageError(
            f"`{document.path}` cannot be written - {error.strerror or error} - "
            "make it writable, or use `--check`"
        ) from None
