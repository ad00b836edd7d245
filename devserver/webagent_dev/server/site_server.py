"""A development server for tests and audits: a process of its own, on a free port, with its own notes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

_START_S = 60.0
_STOP_S = 10.0
_ADDRESS = re.compile(r"^ *url +(https?://\S+)$", re.MULTILINE)
_TOLD = 2_000
"""Characters of what it has printed that are shown when it does not start."""


class SiteServer:
    """Serves a folder, or proxies a site that runs already.

    Attributes:
        root: The folder.
    """

    def __init__(self, root: Path, state: Path, *, proxy: str | None = None) -> None:
        """Start it, and wait until it listens.

        Args:
            root: The folder of the site.
            state: Where it leaves its note, so that it takes the place of no server of the
                developer's.
            proxy: Address of a site that runs already.

        Raises:
            UsageError: It does not start.
        """
        self.root = root
        self._printed: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        command = [sys.executable, "-m", "webagent_dev.server.site_process", str(root)]
        command += [proxy] if proxy else []
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "XDG_STATE_HOME": str(state), "PYTHONIOENCODING": "utf-8"},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._entrance = self._address()

    @property
    def url(self) -> str:
        """The address of the first page, without a slash at its end."""
        return self._entrance.partition("?")[0].rstrip("/")

    @property
    def entrance(self) -> str:
        """The address to open first, with the token of a server that asks visitors for one."""
        return self._entrance

    @property
    def output(self) -> str:
        """All that it has printed."""
        with self._changed:
            return "".join(self._printed)

    def stop(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join()
        if self._process.stdout:
            self._process.stdout.close()

    def _address(self) -> str:
        from webagent_site.errors import UsageError

        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._found(), _START_S)
            found = self._found()
        if found:
            return found[1]
        self.stop()
        raise UsageError(
            f"the server of `{self.root}` does not start - it printed:\n{self.output[-_TOLD:]}\n"
            f"- try `webagent-dev serve {self.root}`"
        )

    def _found(self) -> re.Match[str] | None:
        return _ADDRESS.search("".join(self._printed))

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            with self._changed:
                self._printed.append(line)
                self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()
