"""The person at the terminal, as the agent's `Person`."""

from __future__ import annotations

import asyncio
import getpass
import json
import mimetypes
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from webagent.agent.person import Answer, GivenFile, Request
from webagent_dev.terminal import Console, printable

Read = Callable[[str], str]
"""Writes a prompt and returns the line that was typed."""


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
        self._console.labelled("asked", printable(request.text), "yellow")
        details = request.details
        if request.kind == "question":
            read = self._read_secret if details.get("secret") else self._read
            text = read("  answer, or nothing: ").strip()
            return Answer(yes=bool(text), text=text)
        if request.kind == "file":
            return self._file(str(details.get("filename", "")))
        for step in details.get("steps", ()):
            self._console.labelled("", f"- {printable(str(step.get('text', '')))}")
        for arguments in details.get("calls") or filter(None, [details.get("arguments")]):
            shown = json.dumps(arguments, ensure_ascii=False, default=str)
            self._console.labelled("", printable(shown, 1_000))
        session = bool(details.get("session"))
        # The first grant is what `a` allows; a number allows more than that.
        grants = dict(enumerate(details.get("grants") or (), 1))
        wider = {str(number): grant for number, grant in grants.items() if number > 1}
        for number, grant in wider.items():
            self._console.labelled("", f"{number}: always {printable(str(grant['text']))}")
        more = (", a(lways in this run)" if session else "") + "".join(f", {n}" for n in wider)
        typed = self._read(f"  y(es), n(o), s(top){more}: ")
        word = typed.strip().lower()
        if word in ("y", "yes"):
            return Answer(yes=True)
        if word in ("s", "stop"):
            return Answer(stop=True)
        if session and word in ("a", "always"):
            return Answer(yes=True, session=True)
        if word in wider:
            return Answer(yes=True, grant=str(wider[word]["key"]))
        why = "" if word in ("", "n", "no") else typed.strip()
        return Answer(text=why or "the person said no")

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
