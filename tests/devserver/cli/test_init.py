"""`webagent-dev init`: a site to start from, or what a site lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from webagent.checks import check_bytes
from webagent_dev.cli.init import template
from webagent_dev.cli.main import main

PAGE = "<!doctype html>\r\n<html>\r\n<head>\r\n\t<title>Caf\xe9 &amp; Bar</title>\r\n"
TAG = '<meta name="webagents-md" content="/webagents.md">'


def init(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["init", *map(str, arguments)])


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    (site / "sub").mkdir(parents=True)
    (site / "node_modules").mkdir()
    (site / "node_modules/doc.html").write_text("<!doctype html>")
    (site / "index.html").write_bytes(PAGE.encode("cp1252"))
    (site / "sub/old.HTM").write_text("<html><body></body></html>")
    (site / "sub/part.html").write_text("<p>part</p>")
    (site / "sub/done.html").write_text("<link rel=webagents-md href=/tools.md><html>")
    (site / "app.js").write_text("<html>")
    return site


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_bookshop_is_written_into_a_new_folder(tmp_path: Path) -> None:
    """It is the template, file by file."""
    result = init(tmp_path / "deep" / "shop")

    assert result.exit_code == 0
    assert files(tmp_path / "deep" / "shop") == files(template())
    assert f"webagent-dev serve {tmp_path}" in result.output


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """One file of the same name stops it before anything is written."""
    (tmp_path / "webagents.md").write_text("# Mine")
    result = init(tmp_path)

    assert result.exit_code == 2
    assert "nothing of yours is overwritten" in result.output
    assert files(tmp_path) == {"webagents.md": b"# Mine"}


def test_changes_are_shown_before_they_are_written(site: Path) -> None:
    """Where nobody can be asked, `--yes` has to be said."""
    before = files(site)
    result = init("--into", site)

    assert result.exit_code == 1
    assert files(site) == before
    assert f"+\t{TAG}" in result.output
    assert "Café" in result.output
    assert "sub/part.html: left as it is" in result.output
    assert "node_modules" not in result.output
    assert "nothing was written" in result.output


def test_a_site_gets_a_manifest_and_the_tag_and_nothing_else(site: Path) -> None:
    """Encoding and line ends stay; files without a need are not touched."""
    before = files(site)
    result = init("--into", site, "--yes")
    after = files(site)
    added = f"\r\n\t{TAG}".encode("ascii")

    assert result.exit_code == 0
    assert after["index.html"] == before["index.html"].replace(b"<head>", b"<head>" + added)
    assert after["sub/old.HTM"] == before["sub/old.HTM"].replace(b"<html>", f"<html>{TAG}".encode())
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {"index.html", "sub/old.HTM", "webagents.md"}


def test_the_manifest_has_the_words_of_the_first_page(site: Path) -> None:
    """Its title, decoded; the manifest has no error."""
    init("--into", site, "--yes")
    text = (site / "webagents.md").read_bytes()

    assert text == "# Café & Bar\n".encode()
    assert not check_bytes(text, path="webagents.md").broken


def test_the_second_time_there_is_nothing_to_add(site: Path) -> None:
    """Running it again changes nothing."""
    init("--into", site, "--yes")
    before = files(site)
    result = init("--into", site, "--yes")

    assert result.exit_code == 0
    assert "nothing to add" in result.output
    assert files(site) == before


def test_an_existing_manifest_stays(site: Path) -> None:
    """Only the tag is added beside it."""
    (site / "webagents.md").write_text("# Mine")
    init("--into", site, "--yes")

    assert (site / "webagents.md").read_text() == "# Mine"
    assert TAG.encode() in (site / "index.html").read_bytes()


def test_links_out_of_the_site_are_not_followed(site: Path, tmp_path: Path) -> None:
    """A page that only looks as if it were of the site is not changed."""
    outside = tmp_path / "outside.html"
    outside.write_text("<!doctype html>")
    (site / "link.html").symlink_to(outside)
    init("--into", site, "--yes")

    assert outside.read_text() == "<!doctype html>"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--into", "missing"], "`missing` is not a folder"),
        (["here", "--into", "there"], "two folders"),
    ],
)
def test_a_usage_error_names_the_remedy(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 2, and the sentence says what to write."""
    monkeypatch.chdir(tmp_path)
    result = init(*arguments)

    assert result.exit_code == 2
    assert words in result.output
    assert "write" in result.output
