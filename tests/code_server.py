"""code-server: Visual Studio Code in a browser, from npm, for tests of the extension.

Its own installer fetches programs that no registry has, so it is installed without scripts, and what has
to be compiled is compiled here.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.request import urlopen

from tests.program_install import debian_sources, install_program

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / ".cache" / "code-server"
PACKAGES = {"argon2": "0.44.0", "code-server": "4.100.3", "node-gyp": "11.5.0"}
COMPILED = ("@parcel/watcher", "@vscode/spdlog", "native-watchdog", "node-pty")
START_LIMIT_S = 60.0

_PROGRAM = FOLDER / "node_modules" / "code-server"
_NPM = ("npm", "install", "--ignore-scripts", "--silent", "--no-audit", "--no-fund")


def find_ripgrep() -> str | None:
    """Return the path of ripgrep, by which the editor finds files."""
    return shutil.which("rg")


def install_code_server() -> None:
    """Install the editor, unless it is there; the compiler takes minutes."""
    if (FOLDER / "ready").exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    described = {"private": True, "dependencies": PACKAGES}
    (FOLDER / "package.json").write_text(json.dumps(described))
    editor = _PROGRAM / "lib" / "vscode"
    subprocess.run(_NPM, cwd=FOLDER, check=True)
    subprocess.run((*_NPM, "--omit=dev"), cwd=editor, check=True)
    compiler = (FOLDER / "node_modules" / ".bin" / "node-gyp", "rebuild", "--silent", *_headers())
    for name in COMPILED:
        subprocess.run(compiler, cwd=editor / "node_modules" / name, check=True)
    # The version that the editor wants has no binary in its package.
    shutil.rmtree(_PROGRAM / "node_modules" / "argon2")
    shutil.copytree(FOLDER / "node_modules" / "argon2", _PROGRAM / "node_modules" / "argon2")
    found = find_ripgrep() or install_program("rg", debian_sources("ripgrep"), find_ripgrep)
    assert found, "the editor needs ripgrep; install it (on Debian: apt install ripgrep)"
    search = editor / "node_modules" / "@vscode" / "ripgrep" / "bin"
    search.mkdir(exist_ok=True)
    (search / "rg").symlink_to(found)
    (FOLDER / "ready").touch()


def _headers() -> tuple[str, ...]:
    """Return the argument that names Node's own headers, so that the compiler fetches none."""
    node = shutil.which("node")
    assert node
    prefix = Path(node).resolve().parents[1]
    return (f"--nodedir={prefix}",) if (prefix / "include" / "node").is_dir() else ()


class CodeServer:
    """An editor with one extension; a context manager."""

    def __init__(self, home: Path, port: int, extension: Path) -> None:
        """Install the extension.

        Args:
            home: A folder for all that the editor keeps.
            port: Of 127.0.0.1.
            extension: Its `.vsix`.
        """
        self.url = f"http://127.0.0.1:{port}"
        self._log = home / "log"
        settings = home / "data" / "User" / "settings.json"
        settings.parent.mkdir(parents=True)
        set_to = {
            "files.autoSave": "off",
            "telemetry.telemetryLevel": "off",
            "workbench.startupEditor": "none",
        }
        settings.write_text(json.dumps(set_to))
        kept = ("--user-data-dir", home / "data", "--extensions-dir", home / "extensions")
        self._command = ("node", _PROGRAM / "out" / "node" / "entry.js", *kept)
        self._environment = {**os.environ, "HOME": str(home)}
        install = (*self._command, "--install-extension", extension)
        subprocess.run(install, env=self._environment, check=True, stdout=subprocess.DEVNULL)

    def __enter__(self) -> Self:
        address = self.url.removeprefix("http://")
        quiet = ("--disable-telemetry", "--disable-update-check")
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                (*self._command, "--auth", "none", "--bind-addr", address, *quiet),
                env=self._environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        end = time.monotonic() + START_LIMIT_S
        while not self._answers():
            assert self._process.poll() is None, self._log.read_text()
            assert time.monotonic() < end, self._log.read_text()
            time.sleep(0.2)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        # The hosts of its extensions are processes of their own.
        os.killpg(self._process.pid, signal.SIGTERM)
        self._process.wait(START_LIMIT_S)

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False
