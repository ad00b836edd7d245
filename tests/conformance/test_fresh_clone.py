"""The two commands of the README, one after the other, where nobody has set anything up."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chromium import find_chromium
from webagent_dev.browser.chromium import NAMES

ROOT = Path(__file__).parents[2]


@pytest.fixture(name="clone")
def _clone(tmp_path: Path) -> Path:
    """A clone of what is committed, without packages, caches or a bundle."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    return clone


@pytest.fixture(name="no_browser")
def _no_browser(tmp_path: Path) -> dict[str, str]:
    """The environment of this machine, without a Chromium that could be found."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*"):
            if program.name not in NAMES and not (programs / program.name).is_symlink():
                (programs / program.name).symlink_to(program)
    browsers = str(tmp_path / "browsers")
    environment = {**os.environ, "PATH": str(programs), "PLAYWRIGHT_BROWSERS_PATH": browsers}
    for name in ("CHROMIUM", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"):
        environment.pop(name, None)
    return environment


@pytest.mark.timeout(1200)
def test_make_serve_and_then_make_test_need_one_bundle(
    clone: Path, no_browser: dict[str, str]
) -> None:
    """The first builds it with its snapshot, without a Chromium; the second does not build it."""
    served = output(["make", "serve"], clone, no_browser, lambda line: "http://" in line)
    bundle = clone / "siteserver" / "webagent_site" / "bundle"
    listed = (bundle / "bundle.json").read_text(encoding="utf-8")
    built = (bundle / "bundle.json").stat().st_mtime_ns
    chromium = find_chromium()
    assert chromium is not None
    # As if it had been installed meanwhile.
    browser = {**no_browser, "CHROMIUM": chromium}
    tested = output(
        ["make", "test"], clone, browser, lambda line: line.startswith("test: the page")
    )

    assert "bundle: making the snapshot\n" in served
    image = json.loads(listed)["snapshot"]["image"]
    assert (bundle / f"{image}.zst").is_file()
    assert f"chromium: {chromium}\n" in tested
    # Only the tests need the packages of these two.
    more = ("setup: Node packages into npm/", "setup: Node packages into editors/")
    again = [line for line in tested if line.startswith(("bundle:", "setup:"))]
    assert not [line for line in again if not line.startswith(more)]
    assert (bundle / "bundle.json").read_text(encoding="utf-8") == listed
    assert (bundle / "bundle.json").stat().st_mtime_ns == built


def output(
    command: list[str], folder: Path, environment: dict[str, str], last: Callable[[str], bool]
) -> list[str]:
    """Run a command up to a line of its output, then interrupt it; return the lines."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        lines = list(_up_to(process, last))
        assert last(lines[-1]), "".join(lines[-40:])
        return lines
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _up_to(process: subprocess.Popen[str], last: Callable[[str], bool]) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line
        if last(line):
            return
