"""Opens files in the editor of the developer, at a line and a column."""

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
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME, is_local
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.paths import Kind
from webagent_site.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_site.http.sentences import sentence
from webagent_site.text import printable

MAX_BODY_BYTES = 8_192
PAUSE_S = 0.3
"""The least time between two windows, in case a script asks in a loop."""

_MOST_LINE = 10_000_000

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
"""Editors with a window of their own, by command, and their arguments. Without a setting, the first
one that is installed is used."""

TERMINAL_EDITORS = frozenset(
    ("vi", "vim", "nvim", "ex", "ed", "nano", "pico", "emacs", "micro", "hx", "helix", "kak", "joe")
)
"""Editors that would take over the terminal of the server."""

_PLACEHOLDER = re.compile(r"\{(file|line|column)\}")
_SHELL_FILES = (".cmd", ".bat")
_SHELL_CHARACTERS = frozenset('&|<>^%!"\r\n')

_DETACHED = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
    subprocess, "CREATE_NEW_PROCESS_GROUP", 0
)
"""The flags for a session of its own on Windows; 0 anywhere else."""


class EditorError(Exception):
    """No editor can be opened; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Editor:
    """An editor with a window of its own, and its arguments."""

    command: tuple[str, ...]
    """The path of the program, and arguments that are always the same."""
    places: tuple[str, ...]
    """Arguments with `{file}`, `{line}` and `{column}` in them."""

    def arguments(self, file: Path, line: int, column: int) -> list[str]:
        """Return the command line that opens a file, an absolute path, at a place.

        Raises:
            EditorError: The program is a batch file, which would run a part of the path as a command.
        """
        if self.command[0].lower().endswith(_SHELL_FILES) and _SHELL_CHARACTERS & set(str(file)):
            raise EditorError(
                f"`{printable(file.name)}` is not opened - the editor is a batch file, which would "
                "run a part of the name as a command - rename the file, or open it yourself"
            )
        values = {"file": str(file), "line": str(line), "column": str(column)}
        return [*self.command, *(_filled(place, values) for place in self.places)]


def choose(
    setting: str | None,
    environment: Mapping[str, str],
    *,
    which: Callable[[str], str | None] = shutil.which,
) -> Editor:
    """Return the editor to use.

    Args:
        setting: Of the configuration: a command, perhaps with `{file}`, `{line}`, `{column}`.
        environment: Variables: `WEBAGENT_EDITOR` comes after the configuration, then `VISUAL` and
            `EDITOR` if they name one with a window.
        which: Finds the path of a command.

    Raises:
        EditorError: The named editor is not installed or has no window, or there is none at all.
    """
    for name, text in (
        ("editor", setting),
        ("WEBAGENT_EDITOR", environment.get("WEBAGENT_EDITOR")),
    ):
        if text and text.strip():
            return _named(name, text, which)
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
    """Return the file for a path of a page: the manifest, or a file that is served.

    Raises:
        EditorError: It is neither.
    """
    if path.removeprefix("/") == MANIFEST_NAME:
        if file := site.manifest_file:
            return file
        raise EditorError(
            "the manifest is not a file here - a command or the upstream makes it - change that"
        )
    located = site.locate("/" + path.removeprefix("/"))
    if located.kind is not Kind.FILE:
        raise EditorError(
            f"`{printable(path, 300)}` is not opened - only the manifest and files that are served "
            "are - open it yourself"
        )
    return located.path


def start(arguments: list[str], console: Console) -> None:
    """Start an editor that outlives the server and has no terminal, without waiting for it.

    Raises:
        EditorError: It cannot be started.
    """
    try:
        # No shell, and the only argument from outside is the path of an existing file.
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
            f"`{setting}` is not a command line - a quotation mark is not closed - write `code`"
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
    if any(_PLACEHOLDER.search(word) for word in words[1:]):
        return Editor((program,), tuple(words[1:]))
    return Editor((program, *words[1:]), EDITORS.get(name, ("{file}",)))


def _words(text: str) -> list[str]:
    """Return the words of a command line; an empty list if it is malformed."""
    try:
        # On Windows a backslash separates folders, and escapes nothing.
        return shlex.split(text.replace("\\", "\\\\") if os.name == "nt" else text)
    except ValueError:
        return []


def _name(program: str) -> str:
    """Return the name of a program, without its folder and extension."""
    name = program.replace("\\", "/").rpartition("/")[2].lower()
    return name.removesuffix(".exe").removesuffix(".cmd").removesuffix(".bat")


def _filled(place: str, values: Mapping[str, str]) -> str:
    """Fill in values in one pass, because a file name may have braces in it."""
    return _PLACEHOLDER.sub(lambda match: values[match[1]], place)


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
            config: Names the editor.
            console: Where it is shown that an editor fails later.
            site: Has the files.
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
        """Open the `{path, line, column}` of a request, or say in one sentence why not."""
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal
        try:
            place = _place(await read_body(request, MAX_BODY_BYTES))
        except (BodyTooLarge, ClientGone):
            place = None
        if place is None:
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
            await run_sync(self._open, *place)
        except EditorError as error:
            self._free_from = now
            return sentence(str(error), 409)
        return Response(status_code=204, headers={"cache-control": "no-store"})

    def _open(self, path: str, line: int, column: int) -> None:
        file = file_to_edit(self._site, path)
        editor = choose(self._config.editor, os.environ)
        self._open_with(editor.arguments(file, line, column), self._console)

    def _refusal(self, request: Request) -> Response | None:
        """Return why a request is refused; the guard has checked its origin."""
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
                "the request is not JSON - nothing else is read here - "
                "send it with `content-type: application/json`",
                415,
            )
        return None

    def _is_here(self, request: Request) -> bool:
        """Whether the page is on this machine, and not at the other end of a network or a tunnel."""
        # A socket for IPv4 and IPv6 writes IPv4 addresses with this prefix.
        client = (request.client.host if request.client else "").removeprefix("::ffff:")
        return is_local(client) and is_local((request.url.hostname or "").lower())


def _place(body: bytes) -> tuple[str, int, int] | None:
    """Return path, line and column; None for anything else."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    path, line, column = (data.get(name) for name in ("path", "line", "column"))
    if not isinstance(path, str) or type(line) is not int or type(column) is not int:
        return None
    if not path or not (1 <= line <= _MOST_LINE and 1 <= column <= _MOST_LINE):
        return None
    return path, line, column
