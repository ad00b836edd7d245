"""The language server: requests of editors, by the Language Server Protocol."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.uris import to_fs_path

from webagent.checks import Report
from webagent_dev import __version__
from webagent_dev.browser.open_pages import running_for
from webagent_dev.editor import edits
from webagent_dev.editor.completion import completions
from webagent_dev.editor.diagnostics import diagnostic
from webagent_dev.editor.document import Document
from webagent_dev.editor.hover import about_tool, implementing
from webagent_dev.editor.names import Mention, mention_at
from webagent_dev.editor.outline import outline
from webagent_dev.site.reprinting import NotFormatted
from webagent_site.config.urls import MANIFEST_NAME
from webagent_site.errors import UsageError

_log = logging.getLogger(__name__)

_TRIGGERS = ["#", ".", "{", "(", ":", "`"]
"""The characters after which editors ask for completions on their own."""


class _Protocol(LanguageServerProtocol):
    """The protocol, with documents of our own.

    Those of pygls end a line at characters such as `U+2028`, which the protocol does not.
    """

    _server: ManifestServer

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.open(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.close(params.text_document.uri)


class ManifestServer(LanguageServer):
    """A language server for manifests."""

    def __init__(self) -> None:
        """Prepare a server; `start_io` runs it."""
        super().__init__("webagent", __version__, protocol_cls=_Protocol)
        self.documents: dict[str, Document] = {}
        self._reports: set[asyncio.Task[None]] = set()
        for method, (answer, options) in _ANSWERS.items():
            self.feature(method, options)(answer)
        for name, command in COMMANDS.items():
            self.command(name)(command)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error; the editor shows its log where people look for it."""
        _log.error("%s", error)

    def open(self, item: types.TextDocumentItem) -> None:
        """Take over a manifest; other files that an editor sends are left alone."""
        if item.uri.endswith(MANIFEST_NAME):
            encoding = self.workspace.position_encoding or "utf-16"
            document = Document(item.uri, item.version, item.text, encoding)
            self.documents[item.uri] = document
            self._show_findings(document)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply changes of an open manifest."""
        document = self.documents.get(params.text_document.uri)
        if document is not None:
            document.change(params.content_changes, params.text_document.version)
            self._show_findings(document)

    def close(self, uri: str) -> None:
        """Forget a manifest and its findings."""
        if self.documents.pop(uri, None) is not None:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def _show_findings(self, document: Document) -> None:
        task = asyncio.ensure_future(self._publish(document, document.version))
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)

    async def _publish(self, document: Document, version: int) -> None:
        """Send the findings of a version, unless a newer one has come meanwhile."""
        try:
            report = await document.checked()
            if version != document.version or self.documents.get(document.uri) is not document:
                return
            found = [diagnostic(document, finding) for finding in report.findings]
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(document.uri, found, version)
            )
        except Exception:
            # No manifest may end the server: the next change is checked again.
            _log.exception("%s cannot be checked", document.uri)

    async def checked(self, uri: str) -> tuple[Document, Report] | None:
        """Return an open manifest with the report on its newest text, None for another file."""
        document = self.documents.get(uri)
        return (document, await document.checked()) if document else None

    async def mention(
        self, uri: str, position: types.Position
    ) -> tuple[Document, Report, Mention] | None:
        """Return the mention of a tool at a position, None without one."""
        if (found := await self.checked(uri)) is None:
            return None
        document, report = found
        mention = mention_at(report, document.offset(position))
        return (document, report, mention) if mention else None


async def _actions(
    ls: ManifestServer, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    if (found := await ls.checked(params.text_document.uri)) is None:
        return None
    document, report = found
    wanted = params.context.only or [types.CodeActionKind.QuickFix, edits.FIX_ALL]
    made = edits.actions(document, report, document.span(params.range))
    return [one for one in made if any(_is_of(str(one.kind), str(kind)) for kind in wanted)]


async def _completions(
    ls: ManifestServer, params: types.CompletionParams
) -> list[types.CompletionItem] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    # Names of a moment ago are good enough, and an author does not wait for them.
    report = document.report or await document.checked()
    return completions(document, params.position, report)


async def _hover(ls: ManifestServer, params: types.HoverParams) -> types.Hover | None:
    if (found := await ls.mention(params.text_document.uri, params.position)) is None:
        return None
    document, report, mention = found
    shown = document.range(mention.span)
    folder = document.path.parent if document.path else None
    text = await about_tool(report, mention.name, folder)
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text), shown)


async def _definition(
    ls: ManifestServer, params: types.DefinitionParams
) -> list[types.Location] | None:
    if (found := await ls.mention(params.text_document.uri, params.position)) is None:
        return None
    document, report, mention = found
    headings = [
        types.Location(document.uri, document.range(place.name))
        for tool, place in zip(report.manifest.tools, report.tools, strict=True)
        if tool.name == mention.name
    ]
    if any(params.position.line == heading.range.start.line for heading in headings):
        return await _implementation(ls, params) or headings
    return headings


async def _implementation(
    ls: ManifestServer, params: types.ImplementationParams | types.DefinitionParams
) -> list[types.Location] | None:
    if (found := await ls.mention(params.text_document.uri, params.position)) is None:
        return None
    document, _, mention = found
    return await implementing(document, mention.name)


async def _outline(
    ls: ManifestServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | None:
    found = await ls.checked(params.text_document.uri)
    return outline(*found) if found else None


async def _renamable(
    ls: ManifestServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    if (found := await ls.mention(params.text_document.uri, params.position)) is None:
        return None
    document, _, mention = found
    return types.PrepareRenamePlaceholder(document.range(mention.span), mention.name)


async def _rename(ls: ManifestServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    if (found := await ls.mention(params.text_document.uri, params.position)) is None:
        return None
    document, report, mention = found
    try:
        return edits.renamed(document, report, mention.name, params.new_name)
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from None


async def _format(
    ls: ManifestServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    try:
        return await asyncio.to_thread(edits.formatted, document)
    except NotFormatted as reason:
        message = f"The manifest is left as it is: {reason}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, message))
        return None


async def _open_pages(uri: str) -> dict[str, Any] | None:
    """Return the server of a manifest with its open pages and their tools, None without one."""
    path = to_fs_path(uri)
    running = await running_for(str(Path(path).parent)) if path else None
    return running._asdict() if running else None


def _is_of(kind: str, wanted: str) -> bool:
    """Whether a kind of action is a wanted one, or one of its kinds: `source.fixAll`."""
    return f"{kind}.".startswith(f"{wanted}.")


_ANSWERS: dict[str, tuple[Callable[..., Any], Any]] = {
    types.TEXT_DOCUMENT_CODE_ACTION: (
        _actions,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, edits.FIX_ALL]),
    ),
    types.TEXT_DOCUMENT_COMPLETION: (_completions, types.CompletionOptions(_TRIGGERS)),
    types.TEXT_DOCUMENT_HOVER: (_hover, None),
    types.TEXT_DOCUMENT_DEFINITION: (_definition, None),
    types.TEXT_DOCUMENT_IMPLEMENTATION: (_implementation, None),
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: (_outline, None),
    types.TEXT_DOCUMENT_PREPARE_RENAME: (_renamable, None),
    types.TEXT_DOCUMENT_RENAME: (_rename, types.RenameOptions(prepare_provider=True)),
    types.TEXT_DOCUMENT_FORMATTING: (_format, None),
}
"""The function for each request, and the options that the server announces."""

COMMANDS: dict[str, Callable[..., Any]] = {"webagent.openPages": _open_pages}
"""The function for each command of `workspace/executeCommand`."""
