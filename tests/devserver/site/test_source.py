"""Where the manifest comes from, apart from the file in the folder."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import httpx
import pytest

from tests.server import serving
from tests.upstream import listening, reply
from webagent_dev.site.source import CommandOutput, FirstOf, NamedFile, ServedFile, UpstreamManifest
from webagent_dev.terminal import Console

ONE = "# Shop\n\nBooks.\n\n## getCart\n### Params\n"


@pytest.mark.process
def test_a_command_that_fails_keeps_what_it_printed_last(tmp_path: Path) -> None:
    """And the reason is said."""
    terminal = io.StringIO()
    program = tmp_path / "make.py"
    program.write_text("print('# Shop')")
    source = CommandOutput(f'"{sys.executable}" make.py', tmp_path, Console(terminal))
    assert source.read() == b"# Shop\n"

    program.write_text("import sys; sys.exit('no such table')")
    assert source.read() == b"# Shop\n"
    assert "failed - it ended with 1: no such table - run it by hand" in terminal.getvalue()


@pytest.mark.process
def test_a_command_that_never_worked_has_no_manifest(tmp_path: Path) -> None:
    """There is nothing to keep."""
    source = CommandOutput("exit 3", tmp_path, Console(io.StringIO()))

    assert source.read() is None


def test_the_first_source_that_has_one_counts(tmp_path: Path) -> None:
    """An empty file is one."""
    (tmp_path / "other.md").write_bytes(b"")
    sources = ServedFile(tmp_path), NamedFile(tmp_path / "other.md")

    assert FirstOf(*sources).read() == b""
    (tmp_path / "webagents.md").write_bytes(b"# Shop")
    assert FirstOf(*sources).read() == b"# Shop"
    assert FirstOf(NamedFile(tmp_path / "none")).read() is None


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("HTTP/1.1 200 OK\nContent-Type: text/markdown\nContent-Length: 6", b"# Shop"),
        ("HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nContent-Length: 6", None),
        ("HTTP/1.1 404 Not Found\nContent-Length: 6", None),
        ("HTTP/1.1 302 Found\nLocation: /login\nContent-Length: 6", None),
    ],
)
def test_a_page_is_not_a_manifest(answer: str, found: bytes | None) -> None:
    """Servers of single-page applications answer everything with their page."""
    with listening() as behind:
        behind.manifest = reply(answer, b"# Shop")
        assert UpstreamManifest(behind.url).read() == found


def test_the_manifest_of_an_upstream_that_goes_away_stays() -> None:
    """It is about to come back."""
    with listening() as behind:
        behind.manifest = reply("HTTP/1.1 200 OK\nContent-Length: 6", b"# Shop")
        source = UpstreamManifest(behind.url)
        assert source.read() == b"# Shop"
    assert source.read() == b"# Shop"
    assert UpstreamManifest(behind.url).read() is None


def test_a_command_runs_at_the_start_and_at_saves(tmp_path: Path) -> None:
    """Also if it writes files itself: that does not make it run for ever."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "tools.txt").write_text("getCart")
    (tmp_path / "make.py").write_text(
        "from pathlib import Path\n"
        "runs = Path('runs'); runs.write_text(runs.read_text() + 'x' if runs.exists() else 'x')\n"
        "Path('site/made.txt').write_text(runs.read_text())\n"
        "print('# Shop\\n\\nBooks.\\n')\n"
        "for name in Path('site/tools.txt').read_text().split():\n"
        "    print(f'## {name}\\n### Params\\n')\n"
    )
    command = f"'{sys.executable}' make.py"
    (tmp_path / "webagent.toml").write_text(
        f'[site]\nroot = "site"\nmanifest_command = "{command}"\n'
    )
    with (
        serving(site, cwd=tmp_path) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        server.wait_for_output("webagents.md: 1 tool")
        (site / "tools.txt").write_text("getCart addToCart")
        server.wait_for_output("webagents.md: 2 tools")
        assert "## addToCart" in client.get("/webagents.md").text
        (site / "tools.txt").write_text("getCart addToCart clearCart")
        server.wait_for_output("webagents.md: 3 tools")
    assert len((tmp_path / "runs").read_text()) < 20


def test_a_manifest_may_be_outside_of_the_folder(tmp_path: Path) -> None:
    """It is served at the usual place, and its saves are seen."""
    site, docs = tmp_path / "site", tmp_path / "docs"
    site.mkdir()
    docs.mkdir()
    (site / "index.html").write_text("<!doctype html><title>Shop</title>")
    (docs / "tools.md").write_text(ONE)
    (tmp_path / "webagent.toml").write_text('[site]\nmanifest = "docs/tools.md"\n')
    with (
        serving(site, cwd=tmp_path) as server,
        httpx.Client(base_url=server.url) as client,
    ):
        server.wait_for_output("webagents.md: 1 tool")
        assert client.get("/webagents.md").text == ONE
        (docs / "tools.md").write_text(ONE + "\n## addToCart\n### Params\n")
        server.wait_for_output("webagents.md: 2 tools")
        (docs / "other.md").write_text("x")
        (site / "a.txt").write_text("x")
        server.wait_for_output("a.txt")
        assert "other.md" not in server.output
