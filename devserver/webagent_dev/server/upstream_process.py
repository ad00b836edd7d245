"""The site's own development server as a child of this one: `serve -- npm run dev`."""

from __future__ import annotations

import codecs
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from webagent_dev.terminal import Console
from webagent_site.config.urls import Address, normal_origin
from webagent_site.errors import ConfigError
from webagent_site.text import printable

START_S = 60.0
"""How long the command may take until its server answers."""
QUIET_S = 1.0
"""How long nothing is said about the wait."""
STOP_S = 5.0
"""How long it may take to end."""
_POLL_S = 0.1
_CONNECT_S = 1.0
_LONGEST_LINE = 10_000
_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[a-zA-Z]")
_URL = re.compile(
    r"\b(https?)://(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d{1,5})(?!\d)", re.IGNORECASE
)
_ANY_HOST = ("0.0.0.0", "[::]")  # noqa: S104 - read in the output of others


class UpstreamProcess:
    """A command that serves the site, in a session of its own; a context manager that ends it."""

    def __init__(self, command: Sequence[str], console: Console) -> None:
        """Start the command, whose output goes to the console.

        Raises:
            ConfigError: There is no such program.
        """
        self._console = console
        self._name = printable(shlex.join(command), 100)
        self._origins: list[str] = []
        self._ending = False
        self.exit_code: int | None = None
        """How the command ended by itself, as shells have it; None while it runs, or was stopped."""
        # A server that reads its input ends with ours: a pipe closes, a terminal does not. Python
        # would keep lines back in a pipe, and Node would leave the colours out.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        if console.color:
            environment["FORCE_COLOR"] = "1"
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command that was typed
                [shutil.which(command[0]) or command[0], *command[1:]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ConfigError(
                f"`{self._name}` cannot be started - {(error.strerror or str(error)).lower()} - "
                "write the command behind `--` as in your shell, such as `-- npm run dev`"
            ) from None
        self._guard = None if sys.platform == "win32" else _guard(self._process.pid)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the command and all that it has started."""
        self._ending = True
        if self._guard:
            _end_group(self._guard, signal.SIGKILL)
            self._guard.communicate()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._end()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_S)
        # Its own children may outlive it.
        self._end(at_once=True)
        self._process.wait()
        self._reader.join(STOP_S)

    def wait_for_origin(self, origin: str | None) -> str:
        """Return the origin of the server, as soon as it answers there.

        Args:
            origin: Where it is; None for the first one of this machine that the command prints.

        Raises:
            ConfigError: The command ends, or no server answers in time.
        """
        started_s = time.monotonic()
        wanted = f"to answer at {origin}" if origin else "to print its URL"
        is_announced = False
        while True:
            ended = self._process.poll() is not None
            candidates = [origin] if origin else [*self._origins]
            for candidate in candidates:
                if _answers(candidate):
                    return candidate
            if ended:
                self._reader.join(_CONNECT_S)
                raise ConfigError(
                    f"`{self._name}` ended with exit code {_shell_code(self._process.returncode)} "
                    "before its server answered - its output is above - try it without "
                    "`webagent-dev serve`"
                )
            waited_s = time.monotonic() - started_s
            if waited_s > START_S:
                if candidates:
                    raise ConfigError(
                        f"nothing answers at {candidates[0]} - `{self._name}` has had "
                        f"{START_S:.0f} s - write where its server is: `--proxy http://localhost:5173`"
                    )
                raise ConfigError(
                    f"`{self._name}` prints no URL - {START_S:.0f} s have passed - "
                    "write where its server is: `--proxy http://localhost:5173`"
                )
            if waited_s > QUIET_S and not is_announced:
                is_announced = True
                self._console.labelled("upstream", f"waiting for `{self._name}` {wanted}")
            time.sleep(_POLL_S)

    def on_end(self, stop: Callable[[], None]) -> None:
        """Call a function when the command ends by itself."""

        def wait() -> None:
            code = _shell_code(self._process.wait())
            if not self._ending:
                self.exit_code = code
                self._console.labelled(
                    "upstream", f"`{self._name}` ended with exit code {code}", "yellow"
                )
                stop()

        threading.Thread(target=wait, daemon=True).start()

    def _read(self) -> None:
        """Show the output, and look for the origins in it."""
        rest = ""
        for text in self._output():
            self._console.write(text)
            *lines, rest = (rest + text).split("\n")
            rest = rest[-_LONGEST_LINE:]
            for line in lines:
                self._origins += _origins_in(line)

    def _output(self) -> Iterator[str]:
        assert self._process.stdout is not None
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with self._process.stdout as stream:
            while data := stream.read1():  # type: ignore[attr-defined]
                yield decoder.decode(data)

    def _end(self, *, at_once: bool = False) -> None:
        """End the command and all that it has started."""
        if sys.platform == "win32":
            tree = ["taskkill", "/T", "/F", "/PID", str(self._process.pid)]
            subprocess.run(tree, capture_output=True, check=False)  # noqa: S603
            return
        _end_group(self._process, signal.SIGKILL if at_once else signal.SIGTERM)


def _guard(group: int) -> subprocess.Popen[bytes]:
    """Start a program that ends a group of processes when this process is gone, even if it is killed."""
    # Only this process holds the other end of its input.
    script = f"cat > /dev/null; kill -s TERM -- -{group}"
    return subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _end_group(leader: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Send a signal to a process and all that it has started."""
    # The group may be gone, or may have only processes that have ended.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader.pid, number)


def _origins_in(line: str) -> Iterator[str]:
    """Yield the origins of this machine in a line of output."""
    for scheme, host, port in _URL.findall(_COLOUR.sub("", line)):
        if 0 < int(port) < 65_536:
            yield normal_origin(f"{scheme}://{'localhost' if host in _ANY_HOST else host}:{port}")


def _answers(origin: str) -> bool:
    """Whether a server listens at an origin."""
    address = Address.of(origin)
    try:
        socket.create_connection((address.host, address.port), _CONNECT_S).close()
    except OSError:
        return False
    return True


def _shell_code(code: int) -> int:
    """Return an exit code as shells have it, also after a signal."""
    return 128 - code if code < 0 else code
