"""Fresh projects with the packages of npm, installed from their tarballs."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.chromium import ARGS, find_chromium
from tests.npm_kit import alone

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"
_START_S = 60.0


class Project:
    """A project of npm in a folder.

    Attributes:
        folder: The folder.
        output: All that its server has printed.
    """

    def __init__(self, folder: Path) -> None:
        """Take a folder as it is."""
        self.folder = folder
        self.output = ""

    def run(self, *command: str | Path, fails: bool = False) -> str:
        """Run a command in the folder, and return what it has printed."""
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )
        assert (done.returncode != 0) is fails, done.stdout
        return done.stdout

    def node(self, program: str, *arguments: str | Path, fails: bool = False) -> str:
        """Run a program of one of the installed packages, by the path of its script."""
        return self.run("node", f"node_modules/{program}", *arguments, fails=fails)

    def write(self, name: str, text: str) -> Path:
        """Write a file; return its path."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        """Return the text of a file."""
        return (self.folder / name).read_text("utf-8")

    @contextmanager
    def serving(self, program: str, *arguments: str) -> Iterator[str]:
        """Run a server of an installed package on a free port, and give its address."""
        port = _free_port()
        log = self.folder / "server.log"
        command = [
            "node",
            f"node_modules/{program}",
            *arguments,
            "--port",
            str(port),
            "--strictPort",
        ]
        with log.open("wb") as out:
            process = subprocess.Popen(
                command, cwd=self.folder, stdout=out, stderr=subprocess.STDOUT
            )
            try:
                _await_start(process, log)
                yield f"http://localhost:{port}/"
            finally:
                process.terminate()
                process.wait(30)
                self.output = log.read_text("utf-8", "replace")

    def until(self, name: str, wanted: str, limit_s: float = 30.0) -> str:
        """Wait until a file has a text, and return all that it has."""
        end = time.monotonic() + limit_s
        path = self.folder / name
        while time.monotonic() < end:
            text = path.read_text("utf-8", "replace") if path.is_file() else ""
            if wanted in text:
                return text
            time.sleep(0.05)
        raise AssertionError(f"{name} has no `{wanted}`")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port


def _await_start(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end and process.poll() is None:
        if "Local:" in log.read_text("utf-8", "replace"):
            return
        time.sleep(0.05)
    raise AssertionError(f"the server does not start:\n{log.read_text('utf-8', 'replace')}")


@pytest.fixture(scope="session", name="tarballs")
def _tarballs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The packages as `npm pack` makes them, by name."""
    # The processes of a run build in one folder, so the first builds for all.
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    out = shared / "tarballs"
    with alone(shared):
        if not out.exists():
            source = Project(ROOT / "npm")
            source.run("node", "build.mjs", "--python", sys.executable)
            out.mkdir()
            source.run("npm", "pack", "--silent", "--workspaces", "--pack-destination", out)
    return {re.sub(r"-\d.*", "", path.name): path for path in out.glob("*.tgz")}


def new_project(
    folder: Path, template: str | None, tarballs: dict[str, Path], *names: str, other: str = ""
) -> Project:
    """Make a project as `npm create vite` does, or an empty one, and install packages of ours.

    Args:
        folder: The folder, which is made.
        template: Of create-vite; None for an empty project.
        tarballs: Our packages.
        names: The ones to install.
        other: Packages of the registry, with spaces between them.
    """
    if template is None:
        folder.mkdir()
        project = Project(folder)
        project.write("package.json", '{"name": "site", "private": true, "type": "module"}\n')
    else:
        made = Project(folder.parent)
        options = ("--template", template, "--no-interactive")
        made.run("npm", "create", "--yes", "vite@9.3.0", folder.name, "--", *options)
        project = Project(folder)
        # A template has a page of its own, with styles.
        shutil.rmtree(folder / "src" / "components", ignore_errors=True)
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    ours = [tarballs[name] for name in ("webagent-page", *names)]
    project.run("npm", "install", *quiet, *ours, *other.split())
    for path in FILES.rglob("*"):
        if path.is_file() and template and path.relative_to(FILES).parts[0] in (template, "any"):
            project.write("/".join(path.relative_to(FILES).parts[1:]), path.read_text("utf-8"))
    return project


# Until it ends, no test of this process can run a loop of asyncio.
@pytest.fixture(scope="module", name="chromium")
def _chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(ARGS))
        yield browser
        browser.close()


@pytest.fixture(name="tab")
def _tab(chromium: Browser) -> Iterator[Page]:
    """A page in which nothing may go wrong."""
    context = chromium.new_context()
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda line: problems.append(line.text) if line.type == "error" else None)
    yield page
    context.close()
    assert problems == []
