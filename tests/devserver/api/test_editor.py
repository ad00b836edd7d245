"""Which editor opens a file, and its arguments."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from webagent_dev.api.editor import (
    EDITORS,
    TERMINAL_EDITORS,
    Editor,
    EditorError,
    choose,
    file_to_edit,
    start,
)
from webagent_dev.live.messages import current_findings
from webagent_dev.site.source import CommandOutput, NamedFile
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

FILE = Path("/site/-rf {line} $(x).md")


def installed(*names: str) -> Callable[[str], str | None]:
    """Return a function that finds only these commands."""
    return lambda name: name if name.startswith("/") else f"/bin/{name}" if name in names else None


def opened(said: str | None, *names: str, **variables: str) -> list[str]:
    """Return the command line that opens the file at line 12, column 5."""
    return choose(said, variables, which=installed(*names)).arguments(FILE, 12, 5)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("code", ["--goto", f"{FILE}:12:5"]),
        ("zed", [f"{FILE}:12:5"]),
        ("webstorm", ["--line", "12", "--column", "5", str(FILE)]),
        ("gedit", ["+12:5", str(FILE)]),
        ("gvim", ["+call cursor(12,5)", str(FILE)]),
        ("notepad++", ["-n12", "-c5", str(FILE)]),
    ],
)
def test_each_editor_gets_the_place_in_its_own_way(name: str, arguments: list[str]) -> None:
    """The path is one argument, whatever its characters are."""
    assert opened(name, name) == [f"/bin/{name}", *arguments]


@pytest.mark.parametrize("name", EDITORS)
def test_no_name_of_a_file_is_read_as_an_option(name: str) -> None:
    """It is in the arguments once, as a whole path."""
    found = [word for word in opened(name, name) if str(FILE) in word]

    assert len(found) == 1
    assert found[0].startswith(str(FILE))


def test_settings_come_before_variables_and_those_before_installed_editors() -> None:
    """Of `VISUAL` and `EDITOR` only those with a window count."""
    variables = {"WEBAGENT_EDITOR": "zed", "VISUAL": "subl --wait", "EDITOR": "kate"}
    names = ("code", "cursor", "zed", "subl", "kate")

    assert opened("cursor", *names, **variables)[0] == "/bin/cursor"
    assert opened(None, *names, **variables)[0] == "/bin/zed"
    del variables["WEBAGENT_EDITOR"]
    assert opened(None, *names, **variables) == ["/bin/subl", "--wait", f"{FILE}:12:5"]
    assert opened(None, *names, VISUAL="vim", EDITOR="/bin/kate")[0] == "/bin/kate"
    assert opened(None, *names, VISUAL="vim", EDITOR="nano 'x")[0] == "/bin/code"
    assert opened(None, "kate", EDITOR="subl")[0] == "/bin/kate"


def test_an_unknown_editor_gets_the_file_or_the_written_arguments() -> None:
    """`{file}`, `{line}` and `{column}` are placeholders."""
    assert opened("mine -x", "mine") == ["/bin/mine", "-x", str(FILE)]
    assert opened("mine -a{line}:{column} '{file}' {}", "mine") == [
        "/bin/mine",
        "-a12:5",
        str(FILE),
        "{}",
    ]


@pytest.mark.parametrize("name", sorted(TERMINAL_EDITORS))
def test_an_editor_in_the_terminal_is_refused(name: str) -> None:
    """The sentence names the setting and what to write."""
    sentence = r"`WEBAGENT_EDITOR` is `.*needs a terminal.*such as `code`"
    with pytest.raises(EditorError, match=sentence):
        opened(None, name, WEBAGENT_EDITOR=f"/usr/bin/{name}")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("absent", "`editor` is `absent`, and there is no such program"),
        ("'code", "`editor` is not a command line"),
        (None, "no editor with a window was found - .* `--editor code`"),
    ],
)
def test_an_editor_that_is_not_there_is_named(said: str | None, sentence: str) -> None:
    """With what to do."""
    with pytest.raises(EditorError, match=sentence):
        opened(said)


def test_a_batch_file_is_not_given_names_that_it_would_run() -> None:
    """Windows hands its arguments to a shell."""
    editor = Editor((r"C:\bin\code.CMD",), EDITORS["code"])

    assert editor.arguments(Path("/a b.md"), 1, 1)[-1] == "/a b.md:1:1"
    with pytest.raises(EditorError, match="would run a part of the name as a command"):
        editor.arguments(Path("/a&calc.md"), 1, 1)


def test_only_the_manifest_and_served_files_are_opened(root: Path, tmp_path: Path) -> None:
    """The rules for files of the site hold; links out of it are refused."""
    (root / ".env").write_text("secret")
    (root / "out.md").symlink_to(tmp_path)
    site = Site(root)

    assert file_to_edit(site, "webagents.md") == root / "webagents.md"
    assert file_to_edit(site, "/style.css") == root / "style.css"
    for path in ("/.env", "..", "/../x", "//etc/passwd", "/out.md", "/none", "/", "-x", "a\0b"):
        with pytest.raises(EditorError, match="only the manifest and files that are served"):
            file_to_edit(site, path)


@pytest.mark.process
def test_the_manifest_is_the_configured_file_or_none(root: Path, tmp_path: Path) -> None:
    """A manifest that a command prints has no file."""
    named = tmp_path / "tools.md"
    named.write_text("# Site")

    assert file_to_edit(Site(root, source=NamedFile(named)), "webagents.md") == named
    made = Site(root, source=CommandOutput("echo '# Site'", root, Console(io.StringIO())))
    assert not current_findings(made).editable
    with pytest.raises(EditorError, match="the manifest is not a file here"):
        file_to_edit(made, "webagents.md")


class Written(io.StringIO):
    """A terminal that signals when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def flush(self) -> None:
        self.written.set()


@pytest.mark.process
def test_an_editor_runs_in_a_session_without_a_terminal(tmp_path: Path) -> None:
    """The arguments arrive unchanged, and a failure is reported later."""
    terminal = Written()
    out = tmp_path / "out"
    program = (
        "import os, sys; own = os.name == 'nt' or os.getsid(0) == os.getpid();"
        "open(sys.argv[1], 'w').write(f'{sys.argv[2:]} {own} {sys.stdin.read()!r}'); sys.exit(3)"
    )
    start([sys.executable, "-c", program, str(out), "; $(x) `y`", "--goto"], Console(terminal))
    assert terminal.written.wait(20)

    assert out.read_text() == "['; $(x) `y`', '--goto'] True ''"
    assert "ended with 3" in terminal.getvalue()


@pytest.mark.process
def test_an_editor_that_cannot_be_started_is_reported(tmp_path: Path) -> None:
    """As for a file without the right to run it."""
    with pytest.raises(EditorError, match="cannot be started"):
        start([str(tmp_path)], Console(io.StringIO()))
