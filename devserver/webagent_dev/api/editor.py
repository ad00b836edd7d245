"""The editor of whoever runs the server: which one it is, and how it is told a line and a column."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response

from webagent.json_text import read_json
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import MANIFEST_NAME, is_local
from webagent_dev.http.auth import TOKEN_HEADER
from webagent_dev.http.pages import sentence
from webagent_dev.http.paths import Kind, locate
from webagent_dev.http.request_body import Left, TooLong, read_body
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, printable

_COLONS = ("{file}:{line}:{column}",)

_GOTO = ("--goto", "{file}:{line}:{column}")

_OPTIONS = ("--line", "{line}", "--column", "{column}", "{file}")

_PLUS = ("+{line}:{column}", "{file}")

EDITORS: Mapping[str, tuple[str, ...]] = {
    "code": _GOTO,
    "cursor": _GOTO,
    "windsurf": _GOTO,
    "codium": _GOTO,
    "vscodium": _GOTO,
    "code-insiders": _GOTO,
    "zed": _COLONS,
    "zeditor": _COLONS,
    "subl": _COLONS,
    "sublime_text": _COLONS,
    "idea": _OPTIONS,
    "webstorm": _OPTIONS,
    "pycharm": _OPTIONS,
    "phpstorm": _OPTIONS,
    "goland": _OPTIONS,
    "mate": ("--line", "{line}:{column}", "{file}"),
    "kate": _OPTIONS,
    "kwrite": _OPTIONS,
    "gedit": _PLUS,
    "gvim": ("+call cursor({line},{column})", "{file}"),
    "mvim": ("+call cursor({line},{column})", "{file}"),
    "notepad++": ("-n{line}", "-c{column}", "{file}"),
    "bbedit": ("+{line}", "{file}"),
    "mousepad": ("--line={line}", "--column={column}", "{file}"),
    "geany": _OPTIONS,
}
"""Editors with a window of their own, by command, and what they are given; the first that is
installed is used when none is named."""

TERMINAL_EDITORS = frozenset(
    ("vi", "vim", "nvim", "ex", "ed", "nano", "pico", "emacs", "micro", "hx", "helix", "kak", "joe")
)
"""Those that would take over the terminal in which the server runs."""

_PLACE = re.compile(r"\{(file|line|column)\}")

_SHELL_FILES = (".cmd", ".bat")

_SHELL_CHARACTERS = frozenset('&|<>^%!"\r\n')

_DETACHED = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
    subprocess, "CREATE_NEW_PROCESS_GROUP", 0
)
"""What Windows calls a session of its own; nothing anywhere else."""


class EditorError(Exception):
    """No editor opens; the message says why, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Editor:
    """A program with a window of its own, and what it is given."""

    command: tuple[str, ...]
    """The program's path, and arguments that always stand there."""
    places: tuple[str, ...]
    """Arguments with `{file}`, `{line}` and `{column}` in them."""

    def arguments(self, file: Path, line: int, column: int) -> list[str]:
        """Return the command line that opens a file, an absolute path, at a place.

        Raises:
            EditorError: The program is a batch file, and the path would be read as commands by it.
        """
        if self.command[0].lower().endswith(_SHELL_FILES) and _SHELL_CHARACTERS & set(str(file)):
            raise EditorError(
                f"`{printable(file.name)}` is not opened - the editor is a batch file, which would "
                "read the name as commands - rename the file, or open it yourself"
            )
        values = {"file": str(file), "line": str(line), "column": str(column)}
        return [*self.command, *(_filled(place, values) for place in self.places)]


def choose(
    said: str | None,
    environment: Mapping[str, str],
    *,
    which: Callable[[str], str | None] = shutil.which,
) -> Editor:
    """Return the editor to use.

    Args:
        said: What the configuration says: a command, perhaps with `{file}`, `{line}`, `{column}`.
        environment: Variables: `WEBAGENT_EDITOR` comes after the configuration, then `VISUAL` and
            `EDITOR` if they name one with a window.
        which: Finds the path of a command.

    Raises:
        EditorError: What is named is not installed or has no window, or there is none at all.
    """
    for setting, text in (
        ("editor", said),
        ("WEBAGENT_EDITOR", environment.get("WEBAGENT_EDITOR")),
    ):
        if text and text.strip():
            return _named(setting, text, which)
    for variable in ("VISUAL", "EDITOR"):
        words = _words(environment.get(variable, ""))
        if words and _name(words[0]) in EDITORS and (program := which(words[0])):
            return Editor((program, *words[1:]), EDITORS[_name(words[0])])
    for name, places in EDITORS.items():
        if program := which(name):
            return Editor((program,), places)
    raise EditorError(
        "no editor with a window was found - a link opens files in one - start the server with "
        "`--editor code`, or set `WEBAGENT_EDITOR`"
    )


def file_to_edit(site: Site, path: str) -> Path:
    """Return the file that a page means: the manifest, or one that is served.

    Raises:
        EditorError: It is none of these.
    """
    if path.removeprefix("/") == MANIFEST_NAME:
        if file := site.manifest_file:
            return file
        raise EditorError(
            "the manifest is no file here - a command or the server behind makes it - "
            "change what makes it"
        )
    located = locate(site.root, "/" + path.removeprefix("/"))
    if located.kind is not Kind.FILE:
        raise EditorError(
            f"`{printable(path, 300)}` is not opened - only the manifest and files that are served "
            "are - open it yourself"
        )
    return located.path


def start(arguments: list[str], console: Console) -> None:
    """Start an editor that outlives the server, has no terminal and is not waited for.

    Raises:
        EditorError: It cannot be started.
    """
    try:
        # No shell, and the only argument from outside is the path of a file that exists.
        process = subprocess.Popen(  # noqa: S603
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            creationflags=_DETACHED,
        )
    except OSError as error:
        raise EditorError(
            f"`{printable(arguments[0], 300)}` cannot be started - {error.strerror or error} - "
            "name another editor with `--editor`"
        ) from None

    def wait() -> None:
        if code := process.wait():
            console.labelled(
                "editor",
                f"`{printable(arguments[0], 300)}` ended with {code} - "
                "name another editor with `--editor`",
                "yellow",
            )

    Thread(target=wait, daemon=True).start()


def _named(setting: str, text: str, which: Callable[[str], str | None]) -> Editor:
    """Return the editor that a setting names."""
    words = _words(text)
    if not words:
        raise EditorError(
            f"`{setting}` is no command line - a quotation mark is never closed - write `code`"
        )
    name = _name(words[0])
    if name in TERMINAL_EDITORS:
        raise EditorError(
            f"`{setting}` is `{printable(name)}`, which needs a terminal - the server's is taken - "
            f"name an editor with a window, such as `code`, or open one: "
            f"`xterm -e {printable(name)} {{file}}`"
        )
    program = which(words[0])
    if program is None:
        raise EditorError(
            f"`{setting}` is `{printable(words[0], 300)}`, and there is no such program - links "
            "open files with it - write its whole path, or install it"
        )
    if any(_PLACE.search(word) for word in words[1:]):
        return Editor((program,), tuple(words[1:]))
    return Editor((program, *words[1:]), EDITORS.get(name, ("{file}",)))


def _words(text: str) -> list[str]:
    """Return the words of a command line; none if it is not one."""
    try:
        # A backslash separates folders on Windows, and means nothing there.
        return shlex.split(text.replace("\\", "\\\\") if os.name == "nt" else text)
    except ValueError:
        return []


def _name(program: str) -> str:
    """Return what a program is called, without its folder and ending."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")


def _filled(place: str, values: Mapping[str, str]) -> str:
    """Put values where they belong, in one pass: a name with braces in it stays a name."""
    return _PLACE.sub(lambda match: values[match[1]], place)


BODY_BYTES = 8_192

PAUSE_S = 0.3
"""The least time between two windows: a script that asks in a loop opens few."""

_MOST = 10_000_000


class OpenEditor:
    """Answers at `/__webagent__/editor`."""

    def __init__(
        self,
        config: ServeConfig,
        console: Console,
        site: Site,
        *,
        open_with: Callable[[list[str], Console], None] = start,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open files of a site.

        Args:
            config: With what they are opened.
            console: Where it is said when an editor fails later.
            site: Which files.
            open_with: Starts a command line.
            clock: Seconds that only grow.
        """
        self._config = config
        self._console = console
        self._site = site
        self._open_with = open_with
        self._clock = clock
        self._free_from = 0.0

    async def endpoint(self, request: Request) -> Response:
        """Open what the page asks for, `{path, line, column}`, or say why not in one sentence."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        try:
            asked = _place(await read_body(request, BODY_BYTES))
        except (TooLong, Left):
            asked = None
        if asked is None:
            return sentence(
                "the request names no place - an editor opens at one - "
                'send `{"path": "webagents.md", "line": 1, "column": 1}`',
                400,
            )
        now = self._clock()
        if now < self._free_from:
            return sentence("an editor was opened just now - try again in a moment", 429)
        self._free_from = now + PAUSE_S
        try:
            await run_sync(self._open, *asked)
        except EditorError as error:
            self._free_from = now
            return sentence(str(error), 409)
        return Response(status_code=204, headers={"cache-control": "no-store"})

    def _open(self, path: str, line: int, column: int) -> None:
        file = file_to_edit(self._site, path)
        editor = choose(self._config.editor, os.environ)
        self._open_with(editor.arguments(file, line, column), self._console)

    def _refusal(self, request: Request) -> Response | None:
        """Return why a request is not for us; the guard has judged where it comes from."""
        tokens = request.headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not secrets.compare_digest(
            tokens[0].encode("utf-8", "replace"), self._config.page_token.encode()
        ):
            return sentence(
                f"the editor opens for pages of this server only - the header `{TOKEN_HEADER}` lacks "
                "the token that is in the page, or the server was restarted since - reload the page",
                403,
            )
        if not self._is_here(request):
            return sentence(
                "the editor opens only for pages on the machine where the server runs - it would "
                "open there - open the file yourself",
                403,
            )
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            return sentence(
                "the request is no JSON - nothing else is read here - "
                "send it with `content-type: application/json`",
                415,
            )
        return None

    def _is_here(self, request: Request) -> bool:
        """Whether the page is on this machine, and not at the other end of a network or a tunnel."""
        # A socket for both families names IPv4 addresses so.
        client = (request.client.host if request.client else "").removeprefix("::ffff:")
        return is_local(client) and is_local((request.url.hostname or "").lower())


def _place(body: bytes) -> tuple[str, int, int] | None:
    """Return path, line and column, None for anything else."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    path, line, column = (data.get(name) for name in ("path", "line", "column"))
    if not isinstance(path, str) or type(line) is not int or type(column) is not int:
        return None
    if not path or not (1 <= line <= _MOST and 1 <= column <= _MOST):
        return None
    return path, line, column
