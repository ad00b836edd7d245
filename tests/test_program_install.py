"""Installing a browser for the tests, from sources that fail and sources that do not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.program_install import Source, install_program

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")

TRACEBACK = "Error: getaddrinfo ENOTFOUND cdn.example"
FAILING = Source("a download", ((sys.executable, "-c", f"import sys; sys.exit({TRACEBACK!r})"),))


def source(path: Path, name: str, *, status: int = 0) -> Source:
    """Return a source that installs a program at a path; `status` is what it exits with."""
    script = f"#!/bin/sh\nexit {status}\n"
    write = f"import pathlib; pathlib.Path({str(path)!r}).write_text({script!r})"
    allow = f"import os; os.chmod({str(path)!r}, 0o755)"
    commands = ((sys.executable, "-c", write), (sys.executable, "-c", f"print('Done'); {allow}"))
    return Source(name, commands)


def finder(*paths: Path) -> str | None:
    return next((str(path) for path in paths if path.exists()), None)


def test_a_source_that_fails_is_not_seen_when_the_next_one_succeeds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line says what is tried."""
    program = tmp_path / "browser"
    sources = [FAILING, source(program, "a package")]
    path = install_program("fox", sources, lambda: finder(program))
    out, err = capfd.readouterr()

    assert path == str(program)
    assert (out, err) == ("fox: none found; installing a download, else a package\n", "")


def test_a_browser_that_does_not_start_gives_way_to_the_next_source(tmp_path: Path) -> None:
    """As one does whose libraries are not there."""
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    sources = [source(broken, "a download", status=127), source(whole, "a package")]

    assert install_program("fox", sources, lambda: finder(whole, broken)) == str(whole)


def test_all_output_is_shown_when_every_source_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With the name of the source before it."""
    broken = tmp_path / "broken"
    sources = [FAILING, source(broken, "a package", status=127)]
    path = install_program("fox", sources, lambda: finder(broken))
    out, err = capfd.readouterr()

    assert path is None
    assert f"fox: a download could not be installed:\n{TRACEBACK}\n" in out
    assert "fox: a package could not be installed:\nDone\n" in out
    assert err == ""


def test_without_a_source_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """The caller says what to do."""
    assert install_program("fox", [], lambda: None) is None
    assert capfd.readouterr() == ("", "")
