"""The editor of whoever runs the server: which one it is, and how it is told a line and a column."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from webagent_dev.config.model import MANIFEST_NAME
from webagent_dev.http.paths import Kind, locate
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
