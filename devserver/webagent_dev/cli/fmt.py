"""`webagent-dev fmt`: writes a manifest anew, in the order and the form that all tools read."""

from __future__ import annotations

from collections.abc import Sequence

from webagent.checks import check_bytes
from webagent.serializer import to_markdown
from webagent.source import line_end
from webagent_dev.cli.diff import difference
from webagent_dev.commands.loss import lost
from webagent_dev.site.documents import Document, Misuse, read_documents
from webagent_dev.terminal import Console

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
        Misuse: A target cannot be read or written.
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
        raise Misuse(
            f"`{document.path}` cannot be written - {error.strerror or error} - "
            "make it writable, or use `--check`"
        ) from None
