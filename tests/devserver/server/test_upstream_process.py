"""`serve -- COMMAND`: the site's own server starts, answers through ours, and both end together."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from tests.devserver.conftest import INDEX
from tests.server import ServerProcess
from tests.vite import vite_command
from webagent_dev.cli.main import main
from webagent_dev.config.process import process_start
from webagent_dev.server import upstream_process

pytestmark = pytest.mark.process

PLAIN = (sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "0")
DOCUMENT = {"accept": "text/html", "sec-fetch-dest": "document"}
PAINTED = r"printf '\033[32mLocal:\033[0m http://localhost:\033[1m%s\033[22m/\n'"
END_S = 10.0


class Both(ServerProcess):
    """Our server, which has started another one."""

    def __init__(self, root: Path, *command: str, options: tuple[str, ...] = ()) -> None:
        """Start both in a folder."""
        super().__init__(root, *options, "--", *command, cwd=root)
        self.url = self.wait_for_output(r"  url +(\S+)/", limit_s=30)[1]

    def ended(self) -> int:
        """Return the exit code, once it ends by itself."""
        code = self._process.wait(END_S)
        self.kill()
        return code

    def terminate(self, number: signal.Signals) -> int:
        """Send a signal, and return the exit code."""
        self._process.send_signal(number)
        return self.ended()


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_bytes(INDEX)
    return tmp_path


@pytest.fixture(name="free_port")
def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@pytest.fixture(name="pids")
def _pids(root: Path) -> Iterator[Path]:
    """The file into which commands write their process; none may be left."""
    file = root / "pids"
    yield file
    until = time.monotonic() + END_S
    for pid in map(int, file.read_text().split()):
        while process_start(pid) is not None:
            assert time.monotonic() < until, pid
            time.sleep(0.05)


def shell(pids: Path, script: str) -> tuple[str, ...]:
    """Return a shell that notes its number, then runs a script."""
    return "sh", "-c", f"echo $$ >> {shlex.quote(str(pids))}; {script}"


def serving_in_background(pids: Path) -> str:
    """Return shell code that starts a server, as `npm run` does, and notes its number."""
    return f"{shlex.join(PLAIN)} & echo $! >> {shlex.quote(str(pids))}"


def test_the_pages_of_the_command_have_the_agent(root: Path, pids: Path) -> None:
    """Its URL is the first that it prints, its output is shown, and Ctrl-C ends both."""
    both = Both(root, *shell(pids, f"{serving_in_background(pids)}; wait"))
    page = httpx.get(both.url, headers=DOCUMENT, trust_env=False)
    both.stop()

    assert "/__webagent__/webagent.js" in page.text
    assert "Serving HTTP on 127.0.0.1" in both.output
    assert len(pids.read_text().split()) == 2


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_ours_end_both(number: signal.Signals, root: Path, pids: Path) -> None:
    """A terminal that is closed, and a supervisor that stops us."""
    both = Both(root, *shell(pids, f"{serving_in_background(pids)}; wait"))

    assert both.terminate(number) == 0


def test_the_command_ends_with_a_server_that_is_killed(root: Path, pids: Path) -> None:
    """Even then nothing is left that holds its port."""
    both = Both(root, *shell(pids, f"{serving_in_background(pids)}; wait"))
    both.kill()

    assert len(pids.read_text().split()) == 2


def test_the_end_of_the_command_ends_ours(root: Path, pids: Path) -> None:
    """With its exit code; what it has started in the background ends too."""
    os.mkfifo(root / "stop")
    script = f"{serving_in_background(pids)}; read line < stop; exit 7"
    both = Both(root, *shell(pids, script))
    (root / "stop").write_text("now\n")

    assert both.ended() == 7
    assert re.search(r"upstream +`sh .+` ended with exit code 7", both.output)


def test_a_command_that_ignores_sigterm_is_killed(root: Path, pids: Path) -> None:
    """After a while."""
    script = f"trap '' TERM; {serving_in_background(pids)}; while true; do sleep 0.1; done"
    both = Both(root, *shell(pids, script))
    began = time.monotonic()
    both.stop()

    assert time.monotonic() - began < upstream_process.STOP_S + END_S


def test_colours_inside_the_url_do_not_hide_it(root: Path, free_port: int) -> None:
    """As Vite prints it. Addresses of other machines, and ports that nobody has, do not count."""
    server = shlex.join([*PLAIN[:-1], str(free_port)])
    script = (
        f"echo http://192.0.2.1:80 http://localhost:99999; {PAINTED} {free_port}; exec {server}"
    )
    both = Both(root, "sh", "-c", script)
    both.stop()

    assert f"proxy     http://localhost:{free_port} " in both.output


def test_the_port_of_the_command_is_said_to_be_its_own(
    root: Path, pids: Path, free_port: int
) -> None:
    """People know it, and it has no agent."""
    (root / "manage.py").touch()
    server = shlex.join([*PLAIN[:-1], str(free_port)])
    both = Both(root, *shell(pids, f"exec {server}"), options=("--port", str(free_port)))
    both.stop()
    ours = both.url.rpartition(":")[2]

    assert f"{free_port} is Django's own, without the agent - open {ours}\n" in both.output
    assert "is taken" not in both.output


def test_an_address_that_is_named_comes_before_what_is_printed(root: Path, free_port: int) -> None:
    """A server that prints nothing, or another URL."""
    quiet = f"exec {shlex.join([*PLAIN[:-1], str(free_port)])} > /dev/null"
    named = f"http://127.0.0.1:{free_port}"
    both = Both(root, "sh", "-c", f"echo http://localhost:1; {quiet}", options=("--proxy", named))
    both.stop()

    assert f"proxy     {named} " in both.output


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["serve", "--port", "0", *arguments])


def typed(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `serve` until it ends by itself."""
    command = [sys.executable, "-m", "webagent_dev", "serve", "--port", "0", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def test_a_command_that_ends_before_it_serves(root: Path) -> None:
    """Its output is shown, and the error has its exit code and a remedy."""
    done = typed(root, "--", "sh", "-c", "echo port taken >&2; exit 3")

    assert done.returncode == 2
    assert "port taken" in done.stdout
    assert "ended with exit code 3 before its server answered" in done.stderr
    assert "try it without `webagent-dev serve`" in done.stderr


def test_a_command_that_does_not_exist(root: Path) -> None:
    """Nothing is served."""
    done = typed(root, "--", "no-such-program", "run")

    assert done.returncode == 2
    assert "`no-such-program run` cannot be started - no such file or directory" in done.stderr


@pytest.fixture(name="handlers")
def _handlers() -> Iterator[None]:
    """Set back what the command handles in this process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers")
@pytest.mark.parametrize(
    ("printed", "problem"),
    [("ready", "prints no URL"), ("http://localhost:1", "nothing answers at http://localhost:1")],
)
def test_a_command_that_does_not_serve(
    printed: str, problem: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait is announced, and ends with the option to write."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(upstream_process, "START_S", 1.5)
    done = run("--", "sh", "-c", f"echo {printed}; sleep 60")

    assert done.exit_code == 2
    assert re.search(r"upstream +waiting for `sh .+` to print its URL", done.stdout)
    assert problem in done.stderr
    assert "`--proxy http://localhost:5173`" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--",), "`--` has no command behind it"),
        (("--spa", "--", "true"), "leave `spa` out"),
        (("nothing", "--", "true"), "`nothing` does not exist"),
    ],
)
def test_misuse_starts_nothing(
    arguments: tuple[str, ...], sentence: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and the exit code 2."""
    monkeypatch.chdir(root)
    monkeypatch.setattr(upstream_process, "UpstreamProcess", None)
    done = run(*arguments)

    assert done.exit_code == 2
    assert sentence in done.stderr


def test_vite(root: Path) -> None:
    """`npm run dev` of a project with Vite, whose manifest is where Vite publishes it."""
    package = {"devDependencies": {"vite": "*"}, "scripts": {"dev": shlex.join(vite_command())}}
    (root / "package.json").write_text(json.dumps(package))
    (root / "public").mkdir()
    manifest = root / "public" / "webagents.md"
    manifest.write_text("# Shop\n\n## search\n\n### Params\n- `query` (string): Words.\n")
    both = Both(root, "npm", "run", "dev", "--", "--port", "0")
    page = httpx.get(both.url, headers=DOCUMENT, trust_env=False)
    both.wait_for_output(r"manifest +public/webagents\.md: 1 tool")
    manifest.write_text("# Shop\n")
    both.wait_for_output(r"manifest +public/webagents\.md: 0 tools")
    both.stop()

    assert "/@vite/client" in page.text
    assert "/__webagent__/webagent.js" in page.text
