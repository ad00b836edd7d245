"""Completion in real shells: the words that bash, zsh and fish put on the line."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import select
import shutil
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from tests.devserver.conftest import INDEX
from tests.page_client import ClientPage
from tests.server import serving
from webagent_dev.cli.main import main

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(os.name == "nt", reason="these shells are not those of Windows"),
]

MANIFEST = """\
# Shop

## searchBooks

Find books: $(touch never),
of all kinds.

### Params

- `query` (string, required): Words.
- `limit` (number, optional): Most.

## sendMessage

### Params

- `text` (string): Words.
"""

NAMES = ("first_one", "two words", "$(touch never)")

SAID = [{"role": "user", "type": "message", "content": "find ships"}]

SHELLS = {
    "bash": ["--norc", "--noprofile", "-i"],
    "zsh": ["-f", "-i"],
    "fish": ["--no-config", "-i"],
}
SHADOWS = {
    "bash": 'webagent-dev() { printf "%s" "$*" > kept; }',
    "zsh": 'webagent-dev() { printf "%s" "$*" > kept; }',
    "fish": 'function webagent-dev; printf "%s" "$argv" > kept; end',
}
"""Functions that keep the line; completion still asks the program of that name."""

LIMIT_S = 60.0


class Shell:
    """An interactive shell on a terminal of its own, in the folder of a site."""

    def __init__(self, name: str, folder: Path) -> None:
        """Start it, and have it read the script that our command writes."""
        self._kept = folder / "kept"
        programs = str(Path(sys.executable).parent)
        environment = {**os.environ, "HOME": str(folder), "TERM": "xterm", "PS1": "$ "}
        environment.pop("XDG_STATE_HOME", None)
        environment["PATH"] = os.pathsep.join((programs, os.environ["PATH"]))
        script = subprocess.run(
            ("webagent-dev", "completion", name), env=environment, capture_output=True, check=True
        )
        (folder / "completion").write_bytes(script.stdout)
        self._terminal, theirs = pty.openpty()
        self._process = subprocess.Popen(
            (name, *SHELLS[name]),
            cwd=folder,
            env=environment,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            # Fish ends without a terminal that controls it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.shown = b""
        if name == "zsh":
            self._type("autoload -Uz compinit && compinit -D\n")
        self._type(f"{SHADOWS[name]}\nsource ./completion\n")

    def line(self, typed: str) -> str:
        """Type words of our command and Enter; return the line that the shell has run."""
        self._kept.unlink(missing_ok=True)
        self._type(f"webagent-dev {typed}\n")
        end = time.monotonic() + LIMIT_S
        while not (self._kept.exists() and self._kept.read_text()):
            assert time.monotonic() < end, self.shown.decode(errors="replace")
            if select.select([self._terminal], [], [], 0.05)[0]:
                self.shown += os.read(self._terminal, 65_536)
        return self._kept.read_text().strip()

    def _type(self, keys: str) -> None:
        os.write(self._terminal, keys.encode())

    def close(self) -> None:
        """End the shell."""
        self._process.kill()
        self._process.wait()
        os.close(self._terminal)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    (tmp_path / "webagents.md").write_text(MANIFEST)
    (tmp_path / "index.html").write_bytes(INDEX)
    (tmp_path / "my-shop").mkdir()
    (tmp_path / "my-shop" / "webagents.md").write_text("# Parcels\n\n## packParcel\n")
    cases = [{"name": name, "messages": SAID, "expectedCall": []} for name in NAMES]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    sessions = tmp_path / ".local" / "state" / "webagent" / "sessions"
    sessions.mkdir(parents=True)
    (sessions / "2nd-shop.json").write_text("{}")
    return tmp_path


@pytest.fixture(name="shell", params=SHELLS)
def _shell(request: pytest.FixtureRequest, folder: Path) -> Iterator[Shell]:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    shell = Shell(request.param, folder)
    yield shell
    shell.close()


def test_names_are_completed_in_each_shell(shell: Shell, folder: Path) -> None:
    """Tools, parameters without a space behind their `=`, rules after a comma, folders."""
    assert shell.line("call searchB\t") == "call searchBooks"
    assert shell.line("call searchBooks q\tsea li\t3") == "call searchBooks query=sea limit=3"
    assert shell.line("test --only sen\t") == "test --only sendMessage"
    assert shell.line("explain unclosed-f\t") == "explain unclosed-fence"
    assert shell.line("check --ignore no-tools,missing-o\t") == (
        "check --ignore no-tools,missing-output"
    )
    assert shell.line("run --session 2\t") == "run --session 2nd-shop"
    assert shell.line("sessions 2\t") == "sessions 2nd-shop"
    assert shell.line("eval cases.json --case f\t") == "eval cases.json --case first_one"
    assert shell.line("eval cases.json --case tw\tx") == "eval cases.json --case two words x"
    assert shell.line("test my-shop --only pack\t") == "test my-shop --only packParcel"
    assert shell.line("call --site my\t").removesuffix("/") == "call --site my-shop"
    assert not (folder / "never").exists()


async def test_open_pages_are_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their ids, with their URLs, and the tools that they have registered by plain names."""
    monkeypatch.chdir(folder)
    complete = ShellComplete(main, {}, "webagent-dev", "_WEBAGENT_DEV_COMPLETE")
    with serving(folder) as server:
        async with ClientPage(server, tools=("packParcel", "$(touch never)", "a\nb")):
            found = await asyncio.to_thread(complete.get_completions, ["run", "--tab"], "")
            tools = await asyncio.to_thread(complete.get_completions, ["call"], "")
    assert [item.help for item in found] == [server.url]
    assert [item.value for item in tools] == ["searchBooks", "sendMessage", "packParcel"]
    assert tools[0].help == "Find books: $(touch never), of all kinds."
    assert await asyncio.to_thread(complete.get_completions, ["run", "--tab"], "") == []
