"""Where the manifest comes from: a file, what a command prints, or the upstream."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import MANIFEST_PATH
from webagent_dev.http.paths import Kind, locate
from webagent_dev.terminal import Console, printable

COMMAND_S = 60.0
"""How long a command may take."""
FETCH_S = 5.0
FETCH_BYTES = 4 << 20


class ManifestSource(Protocol):
    """Where the bytes of the manifest come from."""

    def read(self) -> bytes | None:
        """Return them as they are now, None when there is no manifest. May take its time."""

    def file(self) -> Path | None:
        """Return the file in which they are written, None when they come from something else."""


class ServedFile:
    """The file that lies in the served folder, under the rules for all files there."""

    def __init__(self, root: Path) -> None:
        """Read `webagents.md` in a folder."""
        self._root = root

    def read(self) -> bytes | None:
        """Return the bytes of the file."""
        file = self.file()
        return _bytes(file) if file else None

    def file(self) -> Path | None:
        """Return the file, None when there is none that may be served."""
        located = locate(self._root, MANIFEST_PATH)
        return located.path if located.kind is Kind.FILE else None


class NamedFile:
    """A file that the configuration names, wherever it lies."""

    def __init__(self, path: Path) -> None:
        """Read one file."""
        self._path = path

    def read(self) -> bytes | None:
        """Return the bytes of the file."""
        return _bytes(self._path)

    def file(self) -> Path | None:
        """Return the file, None when it is not there."""
        return self._path if self._path.is_file() else None


class Output:
    """What a command prints."""

    def __init__(self, command: str, folder: Path, console: Console) -> None:
        """Run a command line of the system's shell in a folder, and say when it fails."""
        self._command = command
        self._folder = folder
        self._console = console
        self._last: bytes | None = None

    def read(self) -> bytes | None:
        """Return what the command prints now; if it fails, what it printed before."""
        try:
            # A line of the person's own configuration, as in the scripts of a package.json.
            done = subprocess.run(  # noqa: S602
                self._command,
                shell=True,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=COMMAND_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return self._failed(str(error))
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return self._failed(f"it ended with {done.returncode}: {said or 'it says nothing'}")
        self._last = done.stdout
        return self._last

    def file(self) -> None:
        """Nobody knows which files a command reads."""

    def _failed(self, why: str) -> bytes | None:
        self._console.labelled(
            "manifest",
            f"`{printable(self._command, 200)}` gave none - {printable(why, 500)} - "
            "run it by hand to see more",
            "red",
        )
        return self._last


class Fetched:
    """What the upstream answers at `/webagents.md`."""

    def __init__(self, origin: str) -> None:
        """Ask one server."""
        self._origin = origin
        self._last: bytes | None = None

    def read(self) -> bytes | None:
        """Return what is answered; while the server is down, what it answered before."""
        import httpcore

        from webagent_dev.config.urls import Address, tls_of

        limits = dict.fromkeys(("connect", "read", "write", "pool"), FETCH_S)
        headers = [("accept", "text/markdown, text/plain;q=0.9"), ("user-agent", "webagent-dev")]
        try:
            with (
                httpcore.ConnectionPool(ssl_context=tls_of(Address.of(self._origin))) as pool,
                pool.stream(
                    "GET",
                    self._origin + MANIFEST_PATH,
                    headers=headers,
                    extensions={"timeout": limits},
                ) as answer,
            ):
                kinds = [value for name, value in answer.headers if name.lower() == b"content-type"]
                if answer.status != 200 or any(b"html" in kind.lower() for kind in kinds):
                    # Servers of single-page applications answer everything with their page.
                    self._last = None
                    return None
                body = b""
                for chunk in answer.iter_stream():
                    body += chunk
                    if len(body) > FETCH_BYTES:
                        break
                self._last = body
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
            return self._last
        return self._last

    def file(self) -> None:
        """It is wherever that server has it."""


class FirstOf:
    """The first of several sources that has a manifest."""

    def __init__(self, *sources: ManifestSource) -> None:
        """Ask in this order."""
        self._sources = sources

    def read(self) -> bytes | None:
        """Return what the first has that has one."""
        return next((file for source in self._sources if (file := source.read()) is not None), None)

    def file(self) -> Path | None:
        """Return the file of the first that has one."""
        return next((file for source in self._sources if (file := source.file())), None)


def source_of(config: ServeConfig, console: Console) -> ManifestSource:
    """Return where the manifest of a configuration comes from."""
    if config.manifest_command:
        folder = config.file.parent if config.file else config.root
        return Output(config.manifest_command, folder, console)
    if config.manifest:
        return NamedFile(config.manifest)
    if config.proxy:
        return FirstOf(ServedFile(config.root), Fetched(config.proxy))
    return ServedFile(config.root)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
