"""The edits that an editor can make of a report: fixes, new names, the standard form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from webagent.checks import Report
from webagent.diagnostics import Edit
from webagent.diagnostics.fixes import apply_fixes
from webagent.parser.names import is_identifier
from webagent.source import Span, line_end
from webagent_dev.editor.diagnostics import diagnostic
from webagent_dev.editor.document import Document
from webagent_dev.editor.names import mentions_of
from webagent_dev.site import documents
from webagent_dev.site.reprinting import reprinted
from webagent_site.errors import UsageError

FIX_ALL = "source.fixAll.webagent"
"""The kind of the action that makes all fixes; editors can run it on each save."""


def actions(document: Document, report: Report, chosen: Span) -> Iterator[types.CodeAction]:
    """Yield the fix of each finding in the chosen text, and one of all findings that have one."""
    fixable = [finding for finding in report.findings if finding.fix]
    for finding in fixable:
        fix, span = finding.fix, finding.span
        if fix and span.start <= chosen.end and chosen.start <= span.end:
            yield types.CodeAction(
                fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[diagnostic(document, finding)],
                is_preferred=True,
                edit=_change(document, fix.edits),
            )
    # As `check --fix` does: of two fixes that touch, one is made.
    if applied := apply_fixes(document.source.text, fixable).applied:
        edits = [edit for finding in applied if finding.fix for edit in finding.fix.edits]
        yield types.CodeAction(
            "Fix all that can be fixed", kind=FIX_ALL, edit=_change(document, edits)
        )


def renamed(document: Document, report: Report, name: str, new: str) -> types.WorkspaceEdit:
    """Return the edit that gives a tool a new name wherever the manifest has the old one.

    Raises:
        UsageError: The new name is not one, or another tool has it.
    """
    if not is_identifier(new):
        raise UsageError(f"`{new}` is not the name of a function - write one such as `searchBooks`")
    if new != name and new in report.manifest.tool_names:
        raise UsageError(f"`{new}` is declared already - two tools need two names")
    edits = [Edit(mention.span, new) for mention in mentions_of(report, name)]
    return _change(document, edits)


def formatted(document: Document) -> list[types.TextEdit]:
    """Return the edit that gives a manifest the form of `fmt`.

    Raises:
        NotFormatted: Something of the text would be lost.
    """
    text = document.source.text
    after = reprinted(documents.Document(document.source.path, text.encode("utf-8")))
    everything = document.range(Span(0, len(text)))
    return [types.TextEdit(everything, after)] if after != text else []


def _change(document: Document, edits: Sequence[Edit]) -> types.WorkspaceEdit:
    """Return edits of the document's text, with its own line ends."""
    newline = line_end(document.source.text)
    made: list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit] = [
        types.TextEdit(document.range(edit.span), edit.text.replace("\n", newline))
        for edit in edits
    ]
    identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, made)])
