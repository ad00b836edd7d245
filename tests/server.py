"""The development server for a test: as a process that Ctrl-C stops, or in a thread of the test's.

Both listen on a port and run the same code. A thread is there twenty times as fast; what is about
the process itself, its command line, memory, signals or end, takes a process.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import pytest

from webagent_dev.cli.main import main
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import resolve_config
from webagent_dev.server.runner import DevServer
from webagent_dev.terminal import Console

START_LIMIT_S = 30.0
STOP_LIMIT_S = 10.0
_S = TypeVar("_S", bound="Server")


class Server(ABC):
    """A running server, its folder, and what it has printed so far."""

    url: str

    def __init__(self, root: Path) -> None:
        """Begin with nothing printed."""
        self.root = root
        self._output: list[str] = []
        self._changed = threading.Condition()

    @property
    def output(self) -> str:
        """All that the server has printed."""
        with self._changed:
            return "".join(self._output)

    def wait_for_output(self, pattern: str, *, limit_s: float = 10.0) -> re.Match[str]:
        """Wait until the server has printed something that matches."""
        deadline = time.monotonic() + limit_s
        with self._changed:
            while not (found := re.search(pattern, "".join(self._output))):
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    text = "".join(self._output)
                    raise AssertionError(f"the server never printed {pattern!r}, but:\n{text}")
        return found

    @abstractmethod
    def stop(self) -> None:
        """End the server and check that it ends cleanly."""

    @abstractmethod
    def kill(self) -> None:
        """End the server after a failure."""

    def _printed(self, text: str) -> None:
        with self._changed:
            self._output.append(text)
            self._changed.notify_all()


class ServerProcess(Server):
    """A `webagent-dev serve` of its own."""

    def __init__(
        self,
        root: Path,
        *options: str,
        command: tuple[str, ...] = (sys.executable, "-m", "webagent_dev"),
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        """Start serving `root` on a free port.

        Args:
            root: The folder.
            options: More of the command line.
            command: What is run; this environment's own server by default.
            environment: Variables beside those of this process.
            cwd: Where it is run.
        """
        super().__init__(root)
        self._process = subprocess.Popen(
            [*command, "serve", str(root), "--port", "0", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            env={**os.environ, **(environment or {})},
            cwd=cwd,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        printed = self.wait_for_output(r"https?://[^\s?]+", limit_s=START_LIMIT_S)
        self.url = printed.group().rstrip("/")

    def stop(self) -> None:
        """Press Ctrl-C and check that the server ends cleanly; one that was killed is done."""
        if self._process.returncode is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(STOP_LIMIT_S)
        finally:
            self.kill()
        assert code == 130, self.output
        assert "Traceback" not in self.output, self.output

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._process.pid

    def peak_bytes(self) -> int:
        """Return the most memory that the server has had at a time (Linux)."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        match = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert match
        return int(match[1]) * 1024

    def kill(self) -> None:
        """End the server at once, as a crash would."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._printed(line)


class HostedServer(Server):
    """The same server in a thread of this process."""

    def __init__(
        self, root: Path, *options: str, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start serving `root` on a free port.

        Args:
            root: The folder.
            options: More of the command line.
            environment: Variables that this process has as well until the server ends.
        """
        super().__init__(root)
        started_s = time.perf_counter()
        self._environment = pytest.MonkeyPatch()
        for name, value in (environment or {}).items():
            self._environment.setenv(name, value)
        log = logging.getLogger("uvicorn.error")
        self._log = (log, log.handlers[:], log.propagate)
        self._server = DevServer(
            _configuration(root, options), Console(_Printed(self)), started_s=started_s
        )
        # The log is the process's; entries of other threads do not belong to this server.
        log.handlers[0].addFilter(lambda record: record.thread == self._thread.ident)
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        printed = self.wait_for_output(r"https?://[^\s?]+", limit_s=START_LIMIT_S)
        self.url = printed.group().rstrip("/")

    def stop(self) -> None:
        """End the server and check that it ends cleanly."""
        self.kill()
        assert not self._thread.is_alive(), self.output
        if self._failure:
            raise self._failure
        assert "Traceback" not in self.output, self.output

    def kill(self) -> None:
        """End the server after a failure."""
        self._server.stop()
        self._thread.join(STOP_LIMIT_S)
        log, log.handlers[:], log.propagate = self._log
        self._environment.undo()

    def _run(self) -> None:
        try:
            self._server.run()
        except BaseException as failure:
            self._failure = failure
            self._printed(f"{failure!r}\n")


def _configuration(root: Path, options: tuple[str, ...]) -> ServeConfig:
    typed = main.commands["serve"].make_context("serve", [str(root), "--port", "0", *options])
    said = typed.params
    assert not said.pop("upstream_command"), "only a process of its own starts another server"
    return resolve_config(said.pop("root"), **said)


class _Printed(io.StringIO):
    """Standard output of a hosted server."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self._server = server

    def write(self, text: str) -> int:
        self._server._printed(text)
        return len(text)


@contextlib.contextmanager
def serving(
    root: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[ServerProcess]:
    """Serve `root` by a process while the block runs, and check that Ctrl-C ends it cleanly."""
    with _stopped(ServerProcess(root, *options, environment=environment, cwd=cwd)) as server:
        yield server


@contextlib.contextmanager
def hosting(
    root: Path, *options: str, environment: Mapping[str, str] | None = None
) -> Iterator[HostedServer]:
    """Serve `root` in this process while the block runs, and check that it ends cleanly."""
    with _stopped(HostedServer(root, *options, environment=environment)) as server:
        yield server


@contextlib.contextmanager
def _stopped(server: _S) -> Iterator[_S]:
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    server.stop()
