"""An editor: a client of the Language Server Protocol with a server of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities


class Editor:
    """An editor with one manifest; an asynchronous context manager."""

    def __init__(self, path: Path, units: str = types.PositionEncodingKind.Utf16) -> None:
        """Start nothing yet.

        Args:
            path: Of the manifest, which is not read from there.
            units: What its columns count.
        """
        self.uri = path.as_uri()
        self.client = LanguageClient()
        self.version = 0
        self.shown: dict[int | None, list[types.Diagnostic]] = {}
        """The findings of each version."""
        self._capabilities = client_capabilities("neovim")
        self._capabilities.general = types.GeneralClientCapabilities(position_encodings=[units])
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        async def hear(params: types.PublishDiagnosticsParams) -> None:
            async with self._news:
                self.shown[params.version] = list(params.diagnostics)
                self._news.notify_all()

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def read(params: types.ShowMessageParams) -> None:
            self.client.messages.append(params)

        command = [sys.executable, "-m", "webagent_dev", "lsp"]
        await self.client.start_io(*command, env=dict(os.environ))
        params = types.InitializeParams(capabilities=self._capabilities)
        self.answer = await self.client.initialize_session(params)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.client.shutdown_session()
        await self.client.stop()

    @property
    def document(self) -> types.TextDocumentIdentifier:
        """The manifest, as requests name it."""
        return types.TextDocumentIdentifier(self.uri)

    def open(self, text: str) -> None:
        """Open the manifest with a text."""
        item = types.TextDocumentItem(self.uri, "markdown", self.version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, line: int, start: int, end: int, text: str) -> None:
        """Replace a part of a line."""
        part = types.Range(types.Position(line, start), types.Position(line, end))
        self.change(types.TextDocumentContentChangePartial(part, text))

    def change(self, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Make the next version."""
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        params = types.DidChangeTextDocumentParams(document, list(changes))
        self.client.text_document_did_change(params)

    def send_raw(self, body: bytes) -> None:
        """Send a message that no editor would."""
        assert self.client.protocol.writer
        self.client.protocol.writer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    async def findings(self) -> list[types.Diagnostic]:
        """Wait for the findings of the newest version."""
        return await self.findings_of(self.version)

    async def findings_of(self, version: int | None) -> list[types.Diagnostic]:
        """Wait for the findings of a version, None for those of a manifest that was closed."""
        async with asyncio.timeout(60), self._news:
            while version not in self.shown:
                await self._news.wait()
        return self.shown[version]

    def at(self, line: int, column: int) -> dict[str, Any]:
        """Return the arguments of a request about a place."""
        return {"text_document": self.document, "position": types.Position(line, column)}

    async def offers(self, line: int, column: int) -> list[str]:
        """Return the completions at a place."""
        params = types.CompletionParams(**self.at(line, column))
        found = await self.client.text_document_completion_async(params)
        assert isinstance(found, list)
        return [item.label for item in found]

    async def hover(self, line: int, column: int) -> str | None:
        """Return what is shown about a place."""
        params = types.HoverParams(**self.at(line, column))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def definition(self, line: int, column: int) -> list[types.Location]:
        """Return where the name at a place leads to."""
        params = types.DefinitionParams(**self.at(line, column))
        found = await self.client.text_document_definition_async(params)
        assert isinstance(found, list)
        return [one for one in found if isinstance(one, types.Location)]

    async def format(self) -> list[types.TextEdit] | None:
        """Return the edits of the standard form."""
        params = types.DocumentFormattingParams(self.document, types.FormattingOptions(2, True))
        found = await self.client.text_document_formatting_async(params)
        return None if found is None else list(found)


def edited(text: str, edits: list[types.TextEdit]) -> str:
    """Return a text of plain characters with edits made."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    for edit in sorted(edits, key=lambda one: one.range.start, reverse=True):
        start, end = (starts[at.line] + at.character for at in (edit.range.start, edit.range.end))
        text = text[:start] + edit.new_text + text[end:]
    return text


def changes_of(edit: types.WorkspaceEdit | None) -> list[types.TextEdit]:
    """Return the edits of the one document that a change of the workspace is about."""
    assert edit
    assert edit.document_changes
    (change,) = edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    return [one for one in change.edits if isinstance(one, types.TextEdit)]
