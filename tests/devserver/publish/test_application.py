"""The needs of an application of one page."""

from __future__ import annotations

from pathlib import Path

import pytest

from webagent import parse
from webagent_dev.publish.application import (
    deep_links,
    has_fallback,
    missing_manifests,
    relative_script,
)

APP = '<!doctype html><script type="module" src="/app.js"></script>'


def site(folder: Path, files: dict[str, str]) -> dict[str, Path]:
    """Write files, and return them by name."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return {name: folder / name for name in files}


@pytest.mark.parametrize(
    ("announced", "base", "missing"),
    [
        ("/webagents.md", "/", False),
        ("webagents.md", "/", True),
        ("../webagents.md", "/", False),
        ("/app/webagents.md", "/app/", False),
        ("/app/webagents.md", "/", True),
        ("/static/webagents.md", "/", True),
        ("/web%61gents.md?v=2#x", "/", False),
        ("%BASE_URL%webagents.md", "/", True),
        ("https://tools.example/webagents.md", "/", False),
        ("http://[", "/", False),
    ],
)
def test_a_manifest_that_a_page_announces_is_published(
    tmp_path: Path, announced: str, base: str, missing: bool
) -> None:
    """By the address of the page, and under the base; other origins are not the site's."""
    page = f'<!doctype html><meta name="webagents-md" content="{announced}">'
    files = site(tmp_path, {"sub/index.html": page, "webagents.md": "# Shop"})
    found = list(missing_manifests(files, base, frozenset(files)))

    assert found == ([(announced, "sub/index.html")] if missing else [])


@pytest.mark.parametrize(
    ("path", "is_deep"),
    [
        ("/", False),
        ("/about", False),
        ("/blog/", False),
        ("/blog/*", False),
        ("/typo.html", False),
        ("/repairs/*", True),
        ("/login", True),
    ],
)
def test_a_path_of_a_tool_that_no_file_answers_is_a_deep_link(path: str, is_deep: bool) -> None:
    """Hosts answer `/about` with `about.html`."""
    manifest = parse(f"# S\n\n## findIt\nDoes it.\n\n### Behavior\n- paths: {path}\n")
    names = frozenset(("index.html", "about.html", "blog/index.html", "blog/one.html"))

    assert deep_links(manifest, names) == ([path] if is_deep else [])


@pytest.mark.parametrize(
    ("files", "has_one"),
    [
        ({}, False),
        ({"404.html": APP}, True),
        ({"200.html": f"{APP}<p>more"}, True),
        ({"404.html": "<!doctype html><p>There is no such page."}, False),
        ({"_redirects": "# all\n/old /new 301\n/*    /index.html   200\n"}, True),
        ({"_redirects": "/app/* /app/ 200!\n"}, True),
        ({"_redirects": "/* /404.html 404\n# /* /index.html 200\n"}, False),
    ],
)
def test_a_fallback_is_the_first_page(tmp_path: Path, files: dict[str, str], has_one: bool) -> None:
    """A page that says that something is missing starts no application."""
    assert has_fallback(site(tmp_path, {"index.html": APP, **files})) is has_one


@pytest.mark.parametrize(
    ("page", "relative"),
    [
        (APP, None),
        ('<script src="./assets/a.js"></script>', "./assets/a.js"),
        ('<base href="/"><script src="assets/a.js"></script>', None),
        ('<script src="https://cdn.example/a.js"></script>', None),
    ],
)
def test_a_script_that_a_deep_link_does_not_find_is_named(
    tmp_path: Path, page: str, relative: str | None
) -> None:
    """Its address means another file there."""
    assert relative_script(site(tmp_path, {"index.html": page})) == relative
