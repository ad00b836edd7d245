"""A real `webagent-dev serve` for a test: started, read, stopped with Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

START_LIMIT_S = 30.0
STOP_LIMIT_S = 10.0


class Server:
    """A running server, its folder, and what it has printed so far."""

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
        self.root = root
        self._output: list[str] = []
        self._changed = threading.Condition()
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

    def stop(self) -> None:
        """Press Ctrl-C and check that the server ends cleanly; one that was killed is done."""
        if self._process.returncode is not None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            code = self._process.wait(STOP_LIMIT_S)
        finally:
            self.kill()
        assert code == 0, self.output
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
            with self._changed:
                self._output.append(line)
                self._changed.notify_all()


@contextlib.contextmanager
def serving(
    root: Path,
    *options: str,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[Server]:
    """Serve `root` while the block runs, and check that Ctrl-C ends it cleanly."""
    server = Server(root, *options, environment=environment, cwd=cwd)
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    server.stop()
