"""A server under measurement: started by its command, asked, weighed, stopped with Ctrl-C."""

from __future__ import annotations

import functools
import http.client
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.vite import vite_command

START_LIMIT_S = 60.0
STOP_LIMIT_S = 20.0
POLL_S = 0.002
QUIET_S = 0.3
QUIET_CPU = 0.1
"""A server is at rest when it uses less than this part of a core for that long."""

_bytecode = tempfile.TemporaryDirectory(prefix="bench-bytecode-")

Command = Callable[[Path, int], list[str]]
"""Makes the command that serves a folder on a port."""


def ours(root: Path, port: int) -> list[str]:
    """Return the command of `webagent-dev serve`."""
    return [sys.executable, "-m", "webagent_dev", "serve", str(root), "--port", str(port)]


def ours_before(upstream: str) -> Command:
    """Return what makes the command of `webagent-dev serve --proxy`."""
    return lambda root, port: [*ours(root, port), "--proxy", upstream]


def vite(root: Path, port: int) -> list[str]:
    """Return the command of Vite."""
    options = ["--host", "127.0.0.1", "--port", str(port), "--strictPort"]
    return [*vite_command(), str(root), *options]


def bundled(root: Path, port: int) -> list[str]:
    """Return the command of Vite in its bundled mode."""
    return [*vite(root, port), "--experimentalBundle"]


def plain(root: Path, port: int) -> list[str]:
    """Return the command of Python's own `http.server`, which watches nothing."""
    return [sys.executable, "-m", "http.server", "-b", "127.0.0.1", "-d", str(root), str(port)]


LIBRARIES = """
import sys
import click
import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

async def page(request):
    return PlainTextResponse("page")

app = Starlette(routes=[Route("/", page)])
uvicorn.run(app, port=int(sys.argv[1]), loop="asyncio", http="h11", ws="none", log_config=None)
"""


def libraries(_: Path, port: int) -> list[str]:
    """Return the command of an application with one line of text, of the libraries that ours has."""
    return [sys.executable, "-c", LIBRARIES, str(port)]


class Memory(NamedTuple):
    """Megabytes (of 10⁶ bytes) of a server and the processes it has started."""

    rss: float
    pss: float


class Running:
    """A server that runs, and how long its first answer took."""

    def __init__(self, command: Command, root: Path) -> None:
        """Start it and wait for its first answer."""
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server runs
        words = command(root, self.port)
        as_installed()
        # A shell that runs this in the background has it ignored, and so would the server.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.started_s = time.perf_counter()
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=as_installed(),
        )
        try:
            self.first_answer_ms = self._first_answer_ms()
        except BaseException:
            self.kill()
            raise

    def get(self, path: str = "/", accept: str = "text/html") -> str:
        """Return the text that is answered."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path, headers={"Accept": accept})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status != 200:
            raise SystemExit(f"bench: {self.url}{path} answered {answer.status}\n{text}")
        return text

    def cpu_s(self) -> float:
        """Return the seconds of CPU that it has used."""
        return sum(map(_cpu_s, family(self._process.pid)))

    def wait_until_quiet(self) -> None:
        """Wait until it has nothing more to do."""
        deadline_s = time.perf_counter() + START_LIMIT_S
        used_s = -1.0
        while (now_s := self.cpu_s()) - used_s > QUIET_CPU * QUIET_S:
            if time.perf_counter() > deadline_s:
                raise SystemExit(f"bench: {self._process.args!r} does not come to rest")
            used_s = now_s
            time.sleep(QUIET_S)

    def memory(self) -> Memory:
        """Return what it has in memory now."""
        each = [memory_of(pid) for pid in family(self._process.pid)]
        return Memory(sum(one.rss for one in each), sum(one.pss for one in each))

    def stop_ms(self) -> float:
        """Press Ctrl-C and return the milliseconds until it is gone."""
        # `wait` with a limit looks again and again, up to 50 ms apart; the kernel says it at once.
        end = os.pidfd_open(self._process.pid)
        started = time.perf_counter()
        # Ctrl-C reaches the whole group, as in a terminal.
        os.killpg(self._process.pid, signal.SIGINT)
        ended, *_ = select.select([end], [], [], STOP_LIMIT_S)
        took_ms = (time.perf_counter() - started) * 1000
        os.close(end)
        self.kill()
        if not ended:
            raise SystemExit(f"bench: Ctrl-C did not stop {self._process.args!r}")
        return took_ms

    def kill(self) -> None:
        """End it at once; one that has ended is done."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._log.close()

    def _first_answer_ms(self) -> float:
        while time.perf_counter() - self.started_s < START_LIMIT_S:
            if self._process.poll() is not None:
                break
            try:
                self.get()
            except (ConnectionError, TimeoutError, http.client.HTTPException):
                time.sleep(POLL_S)
            else:
                return (time.perf_counter() - self.started_s) * 1000
        self._log.seek(0)
        said = self._log.read().decode(errors="replace")
        raise SystemExit(f"bench: no answer from {self._process.args!r}, which said:\n{said}")


LOADED = (
    "http.server",
    "webagent.checks",
    "webagent_dev.app.services",
    "webagent_dev.proxy.reverse_proxy",
    "webagent_dev.proxy.websockets",
    "webagent_dev.server.runner",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
)
"""The modules that the measured servers import."""


@functools.cache
def as_installed() -> dict[str, str]:
    """Return an environment in which Python's modules are compiled, as pip leaves them."""
    # pip compiles what it installs; an editable checkout is perhaps compiled at each start.
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": _bytecode.name}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    load = f"import {', '.join(LOADED)}"
    subprocess.run([sys.executable, "-c", load], env=environment, check=True)
    return environment


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def family(pid: int) -> list[int]:
    """Return a process and all that came from it and still run (Linux)."""
    found = [pid]
    for parent in found:
        for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, tasks.read_text().split())
    return found


def _cpu_s(pid: int) -> float:
    # After the name, which may hold anything: field 3 and on (proc_pid_stat(5)).
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> Memory:
    """Return what one process has in memory now (Linux)."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    kilobytes = {name: int(value) for name, value in re.findall(r"(\w+): +(\d+) kB", text)}
    return Memory(kilobytes["Rss"] * 1024 / 1e6, kilobytes["Pss"] * 1024 / 1e6)
