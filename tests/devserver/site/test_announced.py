"""The announcements of a folder that is served, and its pages as Markdown."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.site.announced import listed_pages
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.http.assets import Assets

READER = {"accept": "text/markdown, text/html;q=0.9"}
FILES = ("/llms.txt", "/.well-known/ai-catalog.json", "/.well-known/agent-skills/index.json")


async def test_files(client: httpx.AsyncClient, root: Path) -> None:
    """They follow the manifest and the pages, and name the card of the server."""
    (root / "about.html").write_text("<!doctype html><title>About</title><p>us")
    text, catalog, index = [await client.get(path) for path in FILES]

    assert "- [About](http://127.0.0.1:8000/about.html)\n" in text.text
    assert text.text.startswith("# Shop\n")
    assert [one["type"] for one in catalog.json()["entries"]][
        1
    ] == "application/a2a-agent-card+json"
    assert index.json()["skills"][0]["name"] == "shop"
    assert 'rel="ai-catalog"' in (await client.get("/")).headers["link"]


async def test_the_files_of_the_folder_come_first(client: httpx.AsyncClient, root: Path) -> None:
    """The ones that it lacks are made."""
    (root / "llms.txt").write_text("# Own\n")
    (root / ".well-known").mkdir()
    (root / ".well-known/ai-catalog.json").write_text('{"specVersion": "1.0", "entries": []}')

    assert (await client.get("/llms.txt")).text == "# Own\n"
    assert (await client.get(FILES[1])).json()["entries"] == []
    assert (await client.get(FILES[2])).status_code == 200


async def test_pages_as_markdown(client: httpx.AsyncClient, root: Path) -> None:
    """For who prefers it, with an ETag of its own; a page that is missing stays HTML."""
    (root / "page.html").write_text(
        "<!doctype html><h1>One</h1><p data-agent=ignore>no</p><a href=b>b</a>"
    )
    page = await client.get("/page.html", headers=READER)
    again = await client.get("/page.html", headers=READER | {"if-none-match": page.headers["etag"]})
    html = await client.get("/page.html")
    head = await client.head("/page.html", headers=READER)

    assert page.text == "# One\n\n[b](http://127.0.0.1:8000/b)\n"
    assert page.headers["content-type"] == "text/markdown; charset=utf-8"
    assert page.headers["vary"] == html.headers["vary"] == "accept"
    assert head.headers["content-length"] == str(len(page.content))
    assert again.status_code == 304
    assert html.headers["etag"] != page.headers["etag"]
    missing = await client.get("/absent", headers=READER)
    assert (missing.status_code, missing.headers["content-type"]) == (
        404,
        "text/html; charset=utf-8",
    )


@pytest.mark.parametrize("left_out", ["llms.txt", "ai-catalog", "agent-skills", "markdown"])
async def test_each_can_be_turned_off(root: Path, bundle: Path, left_out: str) -> None:
    """By its name in `[site] announce`."""
    names = ("llms.txt", "ai-catalog", "agent-skills", "markdown")
    config = ServeConfig(root=root, announce=tuple(one for one in names if one != left_out))
    site = Site(root)
    app = create_app(config, site, Assets(bundle), Console(io.StringIO()))
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        found = [(await client.get(path)).status_code for path in FILES]
        page = await client.get("/", headers=READER)

    missing = dict(zip(names, FILES, strict=False)).get(left_out)
    assert found == [404 if path == missing else 200 for path in FILES]
    assert page.headers["content-type"].startswith(
        "text/html" if left_out == "markdown" else "text/markdown"
    )
    assert ("link" in page.headers) == (left_out != "ai-catalog")


async def test_without_a_manifest(root: Path, make_app: Callable[[], tuple[ASGIApp, Site]]) -> None:
    """A site that offers nothing announces nothing."""
    (root / "webagents.md").unlink()
    transport = httpx.ASGITransport(make_app()[0])
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        assert [(await client.get(path)).status_code for path in FILES] == [404, 404, 404]


def test_listed_pages(tmp_path: Path) -> None:
    """Whole pages, the first one first; not those of hosts, and none that asks not to be found."""
    pages = {
        "a/index.html": "<!doctype html><title>A</title><meta name=description content=Letters>",
        "404.html": "<!doctype html><title>Missing</title>",
        "index.html": "<html><title>Home</title>",
        "part.html": "<p>a part</p>",
        "z o.html": "<!doctype html><p>no title",
        "old.html": "<!doctype html><meta name=robots content='noindex, follow'><title>Old</title>",
        "style.css": "p {}",
    }
    files = {}
    for name, text in pages.items():
        files[name] = tmp_path / name
        files[name].parent.mkdir(exist_ok=True)
        files[name].write_text(text)

    found = [(page.path, page.title, page.description) for page in listed_pages(files)]

    assert found == [("", "Home", ""), ("a/", "A", "Letters"), ("z%20o.html", "z o.html", "")]
