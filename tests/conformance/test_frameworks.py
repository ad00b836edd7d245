"""`docs/how-to/frameworks.md`, typed word by word: from an empty folder to a tool that was called."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chromium import find_chromium
from tests.walkthrough import Command, Prepare, Save, pattern, steps_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "frameworks.md"
SCRIPTS = "Scripts" if os.name == "nt" else "bin"
START_S = 60
COMMAND_S = 300

_, *_PARTS = re.split(
    r"^## (Vite|Eleventy|Django|Flask)\n", PAGE.read_text("utf-8"), flags=re.MULTILINE
)
SECTIONS = dict(zip(_PARTS[::2], _PARTS[1::2], strict=True))
_OUR_ADDRESS = re.compile(r"^ +url +http://[\w.]+:(\d+)", re.MULTILINE)
"""In its line of `serve`, among those of the server that it has started."""
_PORT = re.compile(r" (?:--port[= ]|runserver )(\d+)")
_OURS = "8000"
"""The port of our server, unless another program has it."""


def vue(text: str) -> str:
    """Return the section on Vite as its first sentence says for Vue."""
    words = re.search(
        r"for Vue write `(\w+)` instead of `(\w+)`, and `(.+)` instead of `(.+)`\.", text
    )
    assert words
    new, old, new_file, old_file = words.groups()
    return text.replace(f"--template {old}", f"--template {new}").replace(old_file, new_file)


@pytest.fixture(name="terminal")
def _terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    terminal.close()


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("framework", "text"),
    [
        ("react", SECTIONS["Vite"]),
        ("vue", vue(SECTIONS["Vite"])),
        ("eleventy", SECTIONS["Eleventy"]),
        ("django", SECTIONS["Django"]),
        ("flask", SECTIONS["Flask"]),
    ],
    ids=["react", "vue", "eleventy", "django", "flask"],
)
def test_a_fresh_project_gets_a_tool_that_is_called(
    framework: str, text: str, terminal: Terminal
) -> None:
    """Each command ends well and shows what the page says; the last one calls the tool."""
    called = ""
    for step in steps_of(terminal.with_free_ports(text), framework):
        if isinstance(step, Save):
            step.do(terminal.start)
        elif isinstance(step, Prepare):
            terminal.prepare(step.line)
        else:
            assert isinstance(step, Command)
            called, shown = step.line, terminal.type(step.line)
            assert re.fullmatch(pattern(step.output), shown), f"$ {step.line}\n{shown}"

    assert called.startswith("webagent-dev call findTeas ")
    if framework in ("react", "vue", "eleventy"):
        published = terminal.start / "teas" / "public-site"
        assert "findTeas" in (published / "webagents.md").read_text("utf-8")


class Terminal:
    """A shell in an empty folder, with servers that go on."""

    def __init__(self, folder: Path) -> None:
        """Begin, with a Python environment that has nothing installed."""
        chromium = find_chromium()
        assert chromium
        environment = folder / "environment"
        venv.create(environment, with_pip=True)
        self.start = self._here = folder / "empty"
        self.start.mkdir()
        programs = (environment / SCRIPTS, Path(sys.executable).parent)
        self._environment = {
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PATH": os.pathsep.join([*map(str, programs), os.environ["PATH"]]),
            "CHROMIUM": chromium,
            "NO_COLOR": "1",
            "PIP_CACHE_DIR": str(folder / "pip"),
            "PYTHONUNBUFFERED": "1",
            "VIRTUAL_ENV": str(environment),
            "XDG_STATE_HOME": str(folder / "state"),
            "npm_config_cache": str(folder / "npm"),
            "npm_config_yes": "true",
        }
        self._servers: list[subprocess.Popen[bytes]] = []
        self._our_port = _OURS
        self._log = folder / "servers.txt"

    def with_free_ports(self, text: str) -> str:
        """Return a text whose servers listen on ports that are free here."""
        for port in sorted({match[1] for match in _PORT.finditer(text)}):
            with socket.create_server(("127.0.0.1", 0)) as free:
                text = re.sub(rf"\b{port}\b", str(free.getsockname()[1]), text)
        return text

    def prepare(self, line: str) -> None:
        """Type a command that changes the folder, starts a server, or has to end well."""
        if line.startswith("cd "):
            self._here = self._here / line.removeprefix("cd ")
        elif line.endswith(" &"):
            self._serve(line.removesuffix(" &"))
        else:
            self.type(line)

    def type(self, line: str) -> str:
        """Type a command that has to end well; return what it shows."""
        words = shlex.split(re.sub(rf":{_OURS}\b", f":{self._our_port}", line))
        done = subprocess.run(
            words,
            cwd=self._here,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_S,
            check=False,
        )
        shown = done.stdout.decode()
        servers = self._log.read_text("utf-8", "replace") if self._log.exists() else ""
        assert done.returncode == 0, f"$ {line}\n{shown}\n{servers}"
        return shown

    def _serve(self, line: str) -> None:
        """Start a server, and wait until it shows its address, as a reader does."""
        begin = self._log.stat().st_size if self._log.exists() else 0
        with self._log.open("ab") as log:
            server = subprocess.Popen(
                shlex.split(line),
                cwd=self._here,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._servers.append(server)
        self._our_port = wait_for_address(self._log, begin, server, line)

    def close(self) -> None:
        """End the servers, and the programs that they have started."""
        for server in self._servers:
            os.killpg(server.pid, signal.SIGTERM)
        for server in self._servers:
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(server.pid, signal.SIGKILL)
                server.wait()


def wait_for_address(log: Path, begin: int, server: subprocess.Popen[bytes], line: str) -> str:
    """Return the port of the address that our server shows."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.poll() is None:
        shown = log.read_bytes()[begin:].decode("utf-8", "replace")
        if found := _OUR_ADDRESS.search(shown):
            return found[1]
        time.sleep(0.05)
    raise AssertionError(f"$ {line}\n{log.read_text('utf-8', 'replace')}")
