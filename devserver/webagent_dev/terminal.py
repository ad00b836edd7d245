"""The output in the terminal: plain text, with colour only for a person."""

from __future__ import annotations

import logging
import os
import re
import sys
import traceback
from typing import TextIO

AGENT_VARIABLES = (
    "AI_AGENT",
    "CLAUDECODE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
)
"""Environment variables that coding agents set for the commands that they run."""

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
_LABEL_WIDTH = 10
_MARGIN = 2
_LEAST_TEXT = 20
"""The smallest number of columns for which lines are broken."""
_ESCAPE = re.compile("\x1b\\[[0-9;]*m")


class Console:
    """Writes lines to a stream."""

    def __init__(
        self,
        stream: TextIO,
        *,
        color: bool = False,
        width: int | None = None,
        for_agent: bool = False,
    ) -> None:
        """Write to a stream.

        Args:
            stream: Where the text is written.
            color: Whether it is coloured.
            width: Columns; by default those of the terminal, without a limit for other streams.
            for_agent: Whether a coding agent reads it: each event is one line.
        """
        self._stream = stream
        self._width = width
        self.color = color
        self.for_agent = for_agent

    @classmethod
    def for_terminal(cls) -> Console:
        """Return a console on standard output, coloured on a terminal unless NO_COLOR is set.

        Elsewhere a coding agent reads it, if one has started this process.
        """
        stream = sys.stdout
        if not stream.isatty():
            return cls(stream, for_agent=any(map(os.environ.get, AGENT_VARIABLES)))
        plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        return cls(stream, color=not plain)

    @property
    def is_private(self) -> bool:
        """Whether only a person reads it: a terminal, and not the log of a build."""
        return self._stream.isatty() and not os.environ.get("CI")

    @property
    def width(self) -> int | None:
        """The present columns of the terminal, None where lines may have any length."""
        if self._width is not None or not self._stream.isatty():
            return self._width
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or None
        except OSError:
            return None

    def folded(self, line: str, indent: int) -> str:
        """Return a line with breaks between words, where the terminal would break it.

        Args:
            line: Text, perhaps with colours.
            indent: Columns by which the further lines are indented.
        """
        width = self.width
        if width is None or width - indent < _LEAST_TEXT or _columns(line) <= width:
            return line
        rows, row = [], ""
        for word in re.split(r"(?<=\S) ", line):
            if _columns(row) > indent and _columns(row) + 1 + _columns(word) > width:
                rows.append(row)
                row = " " * indent + word
            else:
                row = f"{row} {word}" if row else word
        return "\n".join([*rows, row])

    def paint(self, style: str, text: str) -> str:
        """Return text in one of the styles, or as it is without colour."""
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self.color else text

    def line(self, text: str = "") -> None:
        """Write one line; characters that the stream cannot encode become `?`."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Write a text as it is, without a line end."""
        encoding = self._stream.encoding or "utf-8"
        safe = text.encode(encoding, "replace").decode(encoding)
        try:
            self._stream.write(safe)
            self._stream.flush()
        except OSError:
            # A closed pipe or terminal: nobody reads any more, but the server goes on.
            return

    def labelled(self, label: str, text: str, style: str = "cyan") -> None:
        """Write a line that starts with a short label in its own column."""
        # A space ends the label, also where it is as wide as the column.
        cell = f"{label:<{_LABEL_WIDTH - 1}} "
        line = f"{' ' * _MARGIN}{self.paint(style, cell)}{text}"
        self.line(self.folded(line, _MARGIN + _LABEL_WIDTH))


def _columns(text: str) -> int:
    """Return the width of a text, without its colours."""
    return len(_ESCAPE.sub("", text))


class ServerLog(logging.Handler):
    """Shows errors of our own that the HTTP server logs, and nothing else.

    Transfers that ended early, by Ctrl-C or because a file changed meanwhile, are not errors.
    """

    _EXPECTED = ("Cancel ", "ASGI callable returned without completing")

    def __init__(self, console: Console) -> None:
        super().__init__(logging.ERROR)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, with its traceback if it has one."""
        # Every command has a console, and few of them need asyncio.
        from asyncio import CancelledError

        message = record.getMessage().strip()
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, CancelledError) or message.startswith(self._EXPECTED):
            return
        self._console.labelled("bug", message, "red")
        if error is not None:
            self._console.line("".join(traceback.format_exception(error)).rstrip())
