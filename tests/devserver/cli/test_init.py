"""`webagent-dev init`: a site to start from, or what a site lacks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
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


@pytest.mark.process
def test_the_readme_works_where_it_is_written(tmp_path: Path) -> None:
    """Each of its commands serves the shop, from its own folder."""
    shop = tmp_path / "shop"
    init(shop)
    text = (shop / "README.md").read_text("utf-8")
    ours, theirs = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    programs = os.pathsep.join([str(tmp_path / "bin"), os.path.dirname(sys.executable), os.defpath])
    for line in (f"{ours} --port 0", f"{theirs} 0"):
        with subprocess.Popen(
            line.split(),
            cwd=shop,
            env={**os.environ, "PATH": programs, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdout is not None
            printed = (re.search(r"http://[\d.:]+", line) for line in server.stdout)
            url = next(found[0] for found in printed if found)
            page = httpx.get(url.replace("0.0.0.0", "127.0.0.1"), trust_env=False)
            server.terminate()

        assert "<title>Catchword Books" in page.text


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


def test_the_next_command_comes_with_what_it_lacks(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser that `extract` opens is an extra."""
    monkeypatch.setitem(sys.modules, "playwright", None)
    result = init("--into", site, "--yes")

    assert "webagent-dev extract" in result.output
    assert 'after `pip install "webagent-dev[browser]"`' in result.output


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


BASE = "<!doctype html>\n<html>\n<head>\n<title>{{ title }}</title>\n</head>\n</html>\n"


def test_in_a_project_the_manifest_is_where_its_server_publishes_it(tmp_path: Path) -> None:
    """The tag names its URL; what tools install and write is left alone."""
    site = tmp_path / "site"
    for name, text in {
        "app.py": "from flask import Flask\napp = Flask(__name__)\n",
        "templates/base.jinja": BASE,
        "templates/index.html": "{% extends 'base.jinja' %}",
        "build/index.html": BASE,
        "env/pyvenv.cfg": "",
        "env/lib/index.html": BASE,
    }.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    before = files(site)
    result = init("--into", site, "--yes")
    after = files(site)

    assert result.exit_code == 0
    assert {name for name in after if after[name] != before.get(name)} == {
        "static/webagents.md",
        "templates/base.jinja",
    }
    assert b'content="/static/webagents.md"' in after["templates/base.jinja"]
    assert f"`webagent-dev serve -- flask --app app.py run`, typed in {site}," in result.output
    assert init("--into", site, "--yes").exit_code == 0
    assert files(site) == after


@pytest.mark.parametrize(
    ("name", "config", "expected"),
    [
        (
            "eleventy.config.mjs",
            None,
            "export default function (eleventyConfig) {\n"
            '  eleventyConfig.addPassthroughCopy("webagents.md");\n'
            '  eleventyConfig.ignores.add("webagents.md");\n'
            "}\n",
        ),
        (
            ".eleventy.js",
            "module.exports = (config) => {\r\n\treturn { dir: {} };\r\n};\r\n",
            "module.exports = (config) => {\r\n"
            '  config.addPassthroughCopy("webagents.md");\r\n'
            '  config.ignores.add("webagents.md");\r\n'
            "\treturn { dir: {} };\r\n};\r\n",
        ),
        (
            "eleventy.config.js",
            "// Größe\nexport default async function(e) {\n}\n",
            "// Größe\nexport default async function(e) {\n"
            '  e.addPassthroughCopy("webagents.md");\n  e.ignores.add("webagents.md");\n}\n',
        ),
    ],
)
def test_eleventy_copies_the_manifest_and_does_not_render_it(
    tmp_path: Path, name: str, config: str | None, expected: str
) -> None:
    """Otherwise it makes a page of each Markdown file."""
    (tmp_path / "package.json").write_text('{"dependencies": {"@11ty/eleventy": "3.1.8"}}')
    (tmp_path / "_includes").mkdir()
    (tmp_path / "_includes/base.njk").write_text(BASE)
    if config is not None:
        (tmp_path / name).write_bytes(config.encode())
    init("--into", tmp_path, "--yes")

    assert (tmp_path / name).read_bytes().decode() == expected
    assert TAG in (tmp_path / "_includes/base.njk").read_text()
    assert "nothing to add" in init("--into", tmp_path, "--yes").output


def test_a_configuration_of_another_shape_is_left_as_it_is(tmp_path: Path) -> None:
    """What to write into it is printed; so is where a manifest has to be, and a missing page."""
    (tmp_path / "package.json").write_text('{"dependencies": {"@11ty/eleventy": "3.1.8"}}')
    (tmp_path / "eleventy.config.js").write_text("export default configure;\n")
    result = init("--into", tmp_path, "--yes")
    vite = tmp_path / "vite"
    vite.mkdir()
    (vite / "package.json").write_text('{"devDependencies": {"vite": "8"}}')
    (vite / "webagents.md").write_text("# Mine")
    moved = init("--into", vite, "--yes")

    assert (tmp_path / "eleventy.config.js").read_text() == "export default configure;\n"
    assert '`eleventyConfig.addPassthroughCopy("webagents.md");`' in result.output
    assert f"no page was found - write `{TAG}`" in result.output
    assert "move it to public/webagents.md" in moved.output
    assert not (vite / "public").exists()
