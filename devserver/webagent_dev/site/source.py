"""Where the manifest comes from: a file, the output of a command, or the upstream."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Protocol

from webagent_dev.config.model import ServeConfig
from webagent_dev.terminal import Console
from webagent_site.config.urls import MANIFEST_NAME, MANIFEST_PATH
from webagent_site.http.paths import Kind, locate
from webagent_site.text import printable

COMMAND_S = 60.0
"""How long a command may take."""
FETCH_S = 5.0
FETCH_BYTES = 4 << 20


class ManifestSource(Protocol):
    """A source of the bytes of the manifest."""

    def read(self) -> bytes | None:
        """Return the present bytes, None when there is no manifest. This may take a while."""

    def file(self) -> Path | None:
        """Return the file that has them, None when they come from something else."""

    def places(self) -> list[str]:
        """Return where it looks, as people see it."""


class ServedFile:
    """`webagents.md` in the served folder, under the rules for all files there."""

    def __init__(self, root: Path) -> None:
        """Read the manifest of a folder."""
        self._root = root

    def read(self) -> bytes | None:
        """Return the bytes of the file."""
        file = self.file()
        return _bytes(file) if file else None

    def file(self) -> Path | None:
        """Return the file, None when there is no file that may be served."""
        located = locate(self._root, MANIFEST_PATH)
        return located.path if located.kind is Kind.FILE else None

    def places(self) -> list[str]:
        """Return the path of the file."""
        return [printable(str(self._root / MANIFEST_NAME))]


class NamedFile:
    """A file that the configuration names, wherever it is."""

    def __init__(self, path: Path) -> None:
        """Read one file."""
        self._path = path

    def read(self) -> bytes | None:
        """Return the bytes of the file."""
        return _bytes(self._path)

    def file(self) -> Path | None:
        """Return the file, None when it does not exist."""
        return self._path if self._path.is_file() else None

    def places(self) -> list[str]:
        """Return the path of the file."""
        return [printable(str(self._path))]


class CommandOutput:
    """The output of a command."""

    def __init__(self, command: str, folder: Path, console: Console) -> None:
        """Run a command line in a folder, with the shell of the system, and report when it fails."""
        self._command = command
        self._folder = folder
        self._console = console
        self._last: bytes | None = None

    def read(self) -> bytes | None:
        """Return what the command prints; if it fails, what it printed before."""
        try:
            # It is from the user's own configuration, like the scripts of a package.json.
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
            reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            return self._failed(f"it ended with {done.returncode}: {reason or 'no output'}")
        self._last = done.stdout
        return self._last

    def file(self) -> None:
        """Return None: which files a command reads is not known."""

    def places(self) -> list[str]:
        """Return the command."""
        return [f"the output of `{printable(self._command, 200)}`"]

    def _failed(self, why: str) -> bytes | None:
        self._console.labelled(
            "manifest",
            f"`{printable(self._command, 200)}` failed - {printable(why, 500)} - "
            "run it by hand to see more",
            "red",
        )
        return self._last


class UpstreamManifest:
    """The manifest that an upstream serves at `/webagents.md`."""

    def __init__(self, origin: str) -> None:
        """Read the manifest of an upstream.

        Args:
            origin: Its origin.
        """
        self._origin = origin
        self._last: bytes | None = None

    def read(self) -> bytes | None:
        """Return the response; while the upstream is down, its last response."""
        import httpcore

        from webagent_site.config.urls import Address, tls_of

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
                ) as response,
            ):
                kinds = [
                    value for name, value in response.headers if name.lower() == b"content-type"
                ]
                if response.status != 200 or any(b"html" in kind.lower() for kind in kinds):
                    # Servers of single-page applications respond to every path with their page.
                    self._last = None
                    return None
                body = b""
                for chunk in response.iter_stream():
                    body += chunk
                    if len(body) > FETCH_BYTES:
                        break
                self._last = body
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException):
            return self._last
        return self._last

    def file(self) -> None:
        """Return None: only the upstream knows its files."""

    def places(self) -> list[str]:
        """Return its address."""
        return [self._origin + MANIFEST_PATH]


class FirstOf:
    """The first of several sources that has a manifest."""

    def __init__(self, *sources: ManifestSource) -> None:
        """Read the sources in this order."""
        self._sources = sources

    def read(self) -> bytes | None:
        """Return the manifest of the first source that has one."""
        return next((file for source in self._sources if (file := source.read()) is not None), None)

    def file(self) -> Path | None:
        """Return the file of the first source that has one."""
        return next((file for source in self._sources if (file := source.file())), None)

    def places(self) -> list[str]:
        """Return those of all sources."""
        return [place for source in self._sources for place in source.places()]


def source_of(config: ServeConfig, console: Console) -> ManifestSource:
    """Return the source of the manifest for a configuration."""
    if config.manifest_command:
        folder = config.file.parent if config.file else config.root
        return CommandOutput(config.manifest_command, folder, console)
    if config.manifest:
        return NamedFile(config.manifest)
    if config.proxy:
        return FirstOf(ServedFile(config.root), UpstreamManifest(config.proxy))
    return ServedFile(config.root)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
