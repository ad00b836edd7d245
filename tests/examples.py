"""The applications of `docs/examples`, started by the commands of their READMEs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.async_api import Page, expect

from tests.lock import constraints_file

EXAMPLES = Path(__file__).parent.parent / "docs/examples"
START_S = 90
PASSWORD = "a-long-one-1815"
_SCRIPTS = "Scripts" if os.name == "nt" else "bin"
_COMMANDS = re.compile(r"```sh\npip install (.+)\n(.+)\n```")


def requirements(name: str) -> list[str]:
    """Return what the README of an example installs."""
    return shlex.split(_commands(name)[0])


def _commands(name: str) -> tuple[str, str]:
    found = _COMMANDS.search((EXAMPLES / name / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1], found[2]


def environment_with(folder: Path, *packages: str) -> str:
    """Return the interpreter of an empty environment with packages, in the versions of the lock."""
    venv.create(folder, with_pip=True)
    python = str(folder / _SCRIPTS / "python")
    install = ["-m", "pip", "install", "--quiet", "--no-compile"]
    pinned = ["--constraint", str(constraints_file())]
    subprocess.run([python, *install, *pinned, *packages], check=True)
    return python


@contextmanager
def served(
    name: str, folder: Path, python: str = sys.executable, *, begin: str = "", **variables: str
) -> Iterator[str]:
    """Serve a copy of an example; yield its address.

    Args:
        name: The folder of the example.
        folder: Where its copy and its log are made.
        python: The interpreter, whose environment has what the README installs.
        begin: Code at the beginning of its `app.py`.
        variables: Of its environment.
    """
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    *before, server = _commands(name)[1].split(" && ")
    site = shutil.copytree(EXAMPLES / name, folder / name)
    if begin:
        app = site / "app.py"
        app.write_text(f"{begin}\n{app.read_text('utf-8')}", "utf-8")
    environment = os.environ | variables
    log = folder / "server.log"
    for command in before:
        program, *arguments = shlex.split(command)
        assert program == "python"
        subprocess.run([python, *arguments], cwd=site, env=environment, check=True)
    with log.open("wb") as output:
        running = subprocess.Popen(
            [python, "-m", *shlex.split(server), "--port", str(port)],
            cwd=site,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        until = time.monotonic() + START_S
        while not _answers(port):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        running.terminate()
        running.wait(START_S)


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


async def log_in(page: Page, name: str) -> None:
    """Log in as Ada on the first page of an example; with Django, join before."""
    if name == "django":
        await page.get_by_role("link", name="Join").click()
        await page.get_by_label("Username").fill("Ada")
        await page.get_by_label("Password:").fill(PASSWORD)
        await page.get_by_label("Password confirmation").fill(PASSWORD)
        await page.get_by_role("button", name="Continue").click()
        await page.wait_for_url("**/login")
        await page.get_by_label("Username").fill("Ada")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Continue").click()
    else:
        await page.get_by_label("Name").fill("Ada")
        await page.get_by_role("button", name="Log in").click()
    await expect(page.get_by_text(" of Ada")).to_be_visible()
    await page.wait_for_load_state()
