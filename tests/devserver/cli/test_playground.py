"""`webagent-dev playground`: serves the page on this machine, or writes it for a static host."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from http.client import HTTPResponse
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main

pytestmark = [pytest.mark.bundle, pytest.mark.process]


def test_the_page_is_served_until_ctrl_c() -> None:
    """At the root of a port of 127.0.0.1, with the scripts beside it."""
    with subprocess.Popen(
        [sys.executable, "-m", "webagent_dev", "playground", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            assert found
            url = found[0]
            page = _read(url)
            scripts = re.findall(r'(?:src|href)="([\w.]+)"', page)
            assert "<title>webagent playground</title>" in page
            assert sorted(scripts) == ["inspector.css", "playground.js"]
            for name in (*scripts, "examples/shop.md"):
                assert _read(url + name)
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130


def test_only_a_new_or_empty_folder_is_written(tmp_path: Path) -> None:
    """The page is `index.html` there; a second call is refused and changes nothing."""
    out = tmp_path / "docs" / "playground"
    first = CliRunner().invoke(main, ["playground", "--build", str(out)])
    written = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    (out / "index.html").write_text("mine")
    second = CliRunner().invoke(main, ["playground", "--build", str(out)])

    assert first.exit_code == 0
    assert first.output.startswith(f"{len(written)} files in ")
    assert {"index.html", "playground.js", "python_worker.js", "examples/good.md"} <= written
    assert not {"inspector.js", "webagent.js", "playground.html"} & written
    assert second.exit_code == 2
    assert "is not empty" in second.output
    assert (out / "index.html").read_text() == "mine"


def _read(url: str) -> str:
    response: HTTPResponse
    with urlopen(url, timeout=10) as response:
        return response.read().decode()
