"""Finds the redis-server that tests start, or gets one: `$REDIS_SERVER`, else one on PATH.

With `--install`, where there is none: the package `redis-server` on Debian as root, else one sentence
that says what to do.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.program_install import debian_sources, install_program

NONE = (
    "redis: none found, so tests of the broker are skipped; install one (on Debian: apt install "
    "redis-server) or name it: REDIS_SERVER=/path/to/redis-server make test"
)


def find_redis() -> str | None:
    """Return the path of a redis-server, or None; raise when `$REDIS_SERVER` names none."""
    named = os.environ.get("REDIS_SERVER")
    found = shutil.which(named or "redis-server")
    if named and found is None:
        raise SystemExit(f"redis: $REDIS_SERVER names `{named}`, which is not a program")
    return found


class RedisServer:
    """A Redis of a test, on a free port of 127.0.0.1, that keeps nothing on disk."""

    def __init__(
        self,
        path: str,
        folder: Path,
        options: Sequence[str] = (),
        *,
        config: Path | None = None,
    ) -> None:
        """Start it.

        Args:
            path: Of the program.
            folder: Where it works.
            options: More of its command line.
            config: The file of a Sentinel, which starts instead.
        """
        self._path = path
        self._folder = folder
        kept = ("--save", "", "--appendonly", "no")
        self._options = (config, "--sentinel") if config else (*kept, *options)
        self.port = _free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        """Start it, or again after `kill`, and wait until it answers."""
        self._process = subprocess.Popen(
            [self._path, *self._options, "--port", str(self.port), "--bind", "127.0.0.1"],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)

    def kill(self) -> None:
        """Kill it: all that it holds is lost."""
        self._process.kill()
        self._process.wait()

    def pause(self) -> None:
        """Let it answer nothing until `go_on`."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        self._process.send_signal(signal.SIGCONT)


def _free_port() -> int:
    """Return a port that no connection of a client gets, with room for that of a cluster above it."""
    while True:
        port = random.randrange(10_000, 30_000)
        with socket.socket() as free, contextlib.suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port


if __name__ == "__main__":
    path = find_redis()
    if path is None and "--install" in sys.argv:
        path = install_program("redis", debian_sources("redis-server"), find_redis)
    print(f"redis: {path}" if path else NONE)
