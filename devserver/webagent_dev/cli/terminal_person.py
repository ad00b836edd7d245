"""The person at the terminal, as the agent's `Person`."""

from __future__ import annotations

import asyncio
import getpass
import json
import mimetypes
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from webagent.agent.person import Answer, GivenFile, Request
from webagent.confusables import mixed_words
from webagent.visible_text import visible
from webagent_dev.terminal import Console
from webagent_site.text import printable

_LARGE = 200
"""Characters from which on the length of a text is stated."""

_PAGE_ROWS = 30
"""Rows of a terminal that are shown before the person asks for more."""

_COLUMNS = 80
"""Columns where the terminal has no width."""

_MOST_EXPLAINED = 10
"""Words with letters of two scripts that are explained."""

Read = Callable[[str], str]
"""Writes a prompt and returns the line that was typed."""


_NO = "the person said no"


class TerminalPerson:
    """Shows requests in the terminal, and reads the answers there."""

    def __init__(
        self, console: Console, *, read: Read = input, read_secret: Read = getpass.getpass
    ) -> None:
        """Ask in a terminal.

        Args:
            console: Where requests are shown.
            read: Reads a line.
            read_secret: Reads a line that is not shown.
        """
        self._console = console
        self._read = read
        self._read_secret = read_secret

    async def ask(self, request: Request) -> Answer:
        """Return the answer; the end of the input means no."""
        restore = _terminal_state()
        try:
            # A thread reads it, so that the page goes on meanwhile.
            return await _in_thread(lambda: self._answer(request))
        except EOFError:
            return Answer(text="nobody answered")
        except asyncio.CancelledError:
            # The thread may still read a secret, while the terminal does not show what is typed.
            restore()
            raise

    def _answer(self, request: Request) -> Answer:
        self._console.labelled("asked", visible(request.text), "yellow")
        details = request.details
        if request.kind == "question":
            read = self._read_secret if details.get("secret") else self._read
            text = read("  answer, or nothing: ").strip()
            return Answer(yes=bool(text), text=text)
        if request.kind == "file":
            return self._file(str(details.get("filename", "")))
        for step in details.get("steps", ()):
            self._console.labelled("", f"- {visible(str(step.get('text', '')))}")
        if not self._show([*_about(request)]):
            return Answer(text=_NO)
        return self._yes_or_no(details)

    def _yes_or_no(self, details: Mapping[str, Any]) -> Answer:
        session = bool(details.get("session"))
        typed = self._read(
            f"  y(es), n(o), s(top){', a(lways in this run)' if session else ''}: "
        ).strip()
        match typed.lower():
            case "y" | "yes":
                return Answer(yes=True)
            case "s" | "stop":
                return Answer(text=_NO, stop=True)
            case "a" | "always" if session:
                return self._grant(details.get("grants") or ())
            case "" | "n" | "no":
                return Answer(text=_NO)
        return Answer(text=typed)

    def _grant(self, grants: Sequence[Mapping[str, Any]]) -> Answer:
        """Return the answer that allows more than this once; with several grants, the chosen one."""
        if len(grants) < 2:
            return Answer(yes=True, session=True)
        for number, grant in enumerate(grants, 1):
            self._console.labelled("", f"{number}  {visible(str(grant.get('text', '')))}")
        typed = self._read(f"  which of them, 1 to {len(grants)}, or n(o): ").strip()
        if not typed.isdecimal() or not 1 <= int(typed) <= len(grants):
            return Answer(text=_NO)
        return Answer(yes=True, grant=str(grants[int(typed) - 1].get("key", "")))

    def _show(self, lines: list[str]) -> bool:
        """Show lines, a page at a time; return whether the person has seen all of them."""
        columns = max((self._console.width or _COLUMNS) - 12, 20)
        rows = 0
        for number, line in enumerate(lines):
            for start in range(0, max(len(line), 1), columns * _PAGE_ROWS):
                part = line[start : start + columns * _PAGE_ROWS]
                taken = len(part) // columns + 1
                if rows + taken > _PAGE_ROWS and rows:
                    left = sum(len(each) for each in lines[number:]) - start
                    typed = self._read(f"  Enter shows more ({left:,} characters), n(o) refuses: ")
                    if typed.strip():
                        return False
                    rows = 0
                self._console.labelled("", part)
                rows += taken
        return True

    def _file(self, name: str) -> Answer:
        typed = self._read(f"  path of {printable(name) or 'a file'}, or nothing: ").strip()
        if not typed:
            return Answer(text="the person gave no file")
        path = Path(typed).expanduser()
        try:
            data = path.read_bytes()
        except OSError as error:
            return Answer(text=f"the file cannot be read: {error.strerror or error}")
        kind = mimetypes.guess_type(path.name)[0] or ""
        return Answer(yes=True, files=(GivenFile(path.name, kind, data),))


def _about(request: Request) -> Iterator[str]:
    """Yield what a person has to see before they allow an action, line by line."""
    details = request.details
    tool = str(details.get("tool") or "")
    calls = details.get("calls") or [details.get("arguments") or {}]
    sends = details.get("sends") or {}
    for other in details.get("similar", ()):
        yield f"note: `{visible(tool)}` looks like `{visible(str(other))}`, which is another tool"
    whole = "\n".join([request.text, tool, *map(_text, [*calls, sends])])
    odd = {letter.word: letter for letter in mixed_words(whole)}
    for letter in [*odd.values()][:_MOST_EXPLAINED]:
        yield f"note: in `{visible(letter.word)}` {letter}"
    for number, arguments in enumerate(calls, 1):
        if len(calls) > 1:
            yield f"call {number} of {len(calls)}:"
        for name, value in arguments.items():
            yield from _argument(name, value)
    if sends:
        yield "also sent, but not shown on the page:"
        for name, value in sends.items():
            yield from _argument(name, value)


def _argument(name: str, value: Any) -> Iterator[str]:
    """Yield an argument; a bar before its further lines shows that they are part of it."""
    text = _text(value)
    size = f" ({len(text):,} characters)" if len(text) >= _LARGE else ""
    if isinstance(value, list | dict) and len(value) >= 10:
        size = f" ({len(value):,} items{size and f', {len(text):,} characters'})"
    first, *rest = visible(text).split("\n")
    yield f"{visible(name)}{size}: {first}"
    for line in rest:
        yield f"| {line}"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _terminal_state() -> Callable[[], None]:
    """Return a function that restores the present modes of the terminal, such as echo."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return lambda: None
    import termios

    terminal = sys.stdin.fileno()
    modes = termios.tcgetattr(terminal)
    return lambda: termios.tcsetattr(terminal, termios.TCSANOW, modes)


async def _in_thread(answer: Callable[[], Answer]) -> Answer:
    """Return the answer of a thread that is abandoned when the run is cancelled.

    Python waits for threads of `asyncio.to_thread`: after Ctrl-C until somebody types a line.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Answer] = loop.create_future()

    def settle(result: Answer | BaseException) -> None:
        if future.done():
            return
        if isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    def work() -> None:
        result: Answer | BaseException
        try:
            result = answer()
        except Exception as error:
            result = error
        with suppress(RuntimeError):  # the loop is closed: the run was cancelled
            loop.call_soon_threadsafe(settle, result)

    threading.Thread(target=work, daemon=True).start()
    return await future
