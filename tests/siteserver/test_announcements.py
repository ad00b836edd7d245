"""The announcements of an application, and its pages as Markdown."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask import Response as FlaskResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from webagent_site import WebAgent
from webagent_site.errors import ConfigError

PAGE = (
    "<!doctype html><title>Shop</title><body><h1>Books</h1><p>About <a href='two?a=1'>two</a>.</p>"
    "<p data-agent=ignore>secret</p></body>"
)
MARKDOWN = "# Books\n\nAbout [two](http://testserver/two?a=1).\n"
READER = {"accept": "text/markdown, text/html;q=0.9, */*;q=0.1"}
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
INDEX = "/.well-known/agent-skills/index.json"
CATALOG = "/.well-known/ai-catalog.json"

Make = Callable[..., WebAgent]


@pytest.fixture(name="agent")
def _agent(root: Path, bundle: Path) -> Make:
    def make(**options: Any) -> WebAgent:
        return WebAgent(root / "webagents.md", bundle=bundle, **options)

    return make


async def _page(request: Request) -> Response:
    headers = {"etag": '"v1"', "vary": "cookie", "cache-control": "private, max-age=5"}
    if request.headers.get("if-none-match") == '"v1"':
        return Response(status_code=304, headers=headers)
    response = HTMLResponse(PAGE, headers=headers)
    response.set_cookie("session", "s1")
    return response


def _client(agent: WebAgent, *routes: Any) -> TestClient:
    return TestClient(agent.wrap(Starlette(routes=[Route("/", _page), *routes])))


def test_files(agent: Make) -> None:
    """Each has its type, may be read from anywhere, and fits the digest of the index."""
    client = _client(agent())
    index = client.get(INDEX)
    catalog = client.get(CATALOG)
    text = client.get("/llms.txt")

    assert index.headers["content-type"] == "application/json"
    assert catalog.headers["content-type"] == "application/ai-catalog+json"
    assert text.headers["content-type"] == "text/plain; charset=utf-8"
    assert text.headers["access-control-allow-origin"] == "*"
    assert text.text.startswith("# Shop\n\n> Sells books.\n")
    [skill] = index.json()["skills"]
    file = client.get(f"/.well-known/agent-skills/{skill['url']}")
    assert skill["digest"] == f"sha256:{hashlib.sha256(file.content).hexdigest()}"
    assert file.headers["content-type"] == "text/markdown; charset=utf-8"
    [entry] = catalog.json()["entries"]
    assert entry["url"] == "http://testserver/.well-known/agent-skills/shop/SKILL.md"
    assert client.head(INDEX).headers["content-length"] == str(len(index.content))
    assert client.get("/.well-known/agent-skills/other/SKILL.md").status_code == 404
    link = client.get("/").headers["link"]
    assert '</.well-known/ai-catalog.json>; rel="ai-catalog"' in link


def test_the_files_of_the_application_come_first(agent: Make) -> None:
    """A file of its own, a redirect to a login; but not a page for every address."""

    async def own(_: Request) -> Response:
        return PlainTextResponse("# Own\n")

    async def login(_: Request) -> Response:
        return Response(status_code=302, headers={"location": "/login"})

    client = _client(
        agent(), Route("/llms.txt", own), Route(INDEX, login), Route("/{x:path}", _page)
    )

    assert client.get("/llms.txt").text == "# Own\n"
    assert client.get(INDEX, follow_redirects=False).status_code == 302
    assert client.get(CATALOG).json()["specVersion"] == "1.0"


def test_a_mount_of_the_application_changes_nothing(agent: Make) -> None:
    """A folder of its own for `/.well-known`, such as that for certificates, lacks our files."""
    client = _client(agent(), Mount("/.well-known", routes=[Route("/acme", _page)]))

    assert client.get("/.well-known/acme").text.startswith("<!doctype html>")
    assert client.get(CATALOG).json()["specVersion"] == "1.0"
    assert client.get(INDEX).json()["skills"]
    assert client.post("/llms.txt").status_code == 405


def test_below_a_mount(agent: Make) -> None:
    """The addresses are those below the mount."""
    app = agent().wrap(Starlette(routes=[Route("/", _page)]))
    client = TestClient(app, root_path="/app")

    entry = client.get(CATALOG).json()["entries"][0]
    assert entry["url"] == "http://testserver/app/.well-known/agent-skills/shop/SKILL.md"
    assert "(http://testserver/app/webagents.md)" in client.get("/llms.txt").text


@pytest.mark.parametrize("path", ["/llms.txt", CATALOG, INDEX])
@pytest.mark.parametrize("host", ["x> y", "x/../", 'x"', "user@x", "x" * 300])
def test_a_wrong_host(agent: Make, path: str, host: str) -> None:
    """Clients write no text of theirs into the files."""
    response = _client(agent()).get(path, headers={"host": host})

    # Starlette takes the address of the server in place of some of them.
    assert response.status_code == 400 or host not in response.text


def test_each_can_be_turned_off(agent: Make) -> None:
    """Then the address is the application's own, and pages are HTML for everyone."""
    client = _client(agent(announce=()))

    for path in ("/llms.txt", CATALOG, INDEX):
        assert client.get(path).status_code == 404
    page = client.get("/", headers=READER)
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["vary"] == "cookie"
    assert "ai-catalog" not in page.headers["link"]


def test_an_unknown_name(agent: Make) -> None:
    """It is reported, with those that there are."""
    with pytest.raises(ConfigError, match=r"`announce` has `llms`.*`llms.txt`"):
        agent(announce=["llms"]).check()


def test_a_page_as_markdown(agent: Make) -> None:
    """It keeps its cookies and its caching, and has a length, a type and an ETag of its own."""
    client = _client(agent())
    response = client.get("/", headers=READER)

    assert response.text == MARKDOWN
    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert response.headers["content-length"] == str(len(response.content))
    assert response.headers["cache-control"] == "private, max-age=5"
    assert response.headers["vary"] == "cookie, accept"
    assert response.headers["etag"] == 'W/"v1-md"'
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.cookies["session"] == "s1"
    html = client.get("/", headers=BROWSER)
    assert html.headers["vary"] == "cookie, accept"
    assert html.headers["etag"] not in ('"v1"', 'W/"v1-md"')
    assert "<h1>Books" in html.text


def test_a_copy_as_markdown_is_confirmed(agent: Make) -> None:
    """That of a browser is not: its ETag is another one."""
    client = _client(agent())
    tag = client.get("/", headers=BROWSER).headers["etag"]

    known = client.get("/", headers=READER | {"if-none-match": 'W/"v1-md"'})
    other = client.get("/", headers=READER | {"if-none-match": tag})
    raw = client.get("/", headers=READER | {"if-none-match": '"v1"'})

    assert (known.status_code, known.headers["etag"]) == (304, 'W/"v1-md"')
    assert known.headers["vary"] == "cookie, accept"
    assert other.status_code == raw.status_code == 200
    assert client.get("/", headers=BROWSER | {"if-none-match": 'W/"v1-md"'}).status_code == 200


def test_head(agent: Make) -> None:
    """The headers of the Markdown, without a length that nobody knows."""
    response = _client(agent()).head("/", headers=READER)

    assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    assert "content-length" not in response.headers
    assert response.content == b""


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/markdown", "text/markdown"),
        ("text/markdown;q=0.5, text/html;q=0.4", "text/markdown"),
        ("text/markdown, */*", "text/markdown"),
        ("TEXT/Markdown ; Q=1", "text/markdown"),
        ("text/markdown;q=0.5, text/html;q=0.5", "text/html"),
        ("text/markdown;q=0.5, text/html", "text/html"),
        ("text/markdown;q=0", "text/html"),
        ("text/markdown;q=x", "text/html"),
        ("text/*", "text/html"),
        ("*/*", "text/html"),
        ("text/plain", "text/html"),
        ("", "text/html"),
    ],
)
def test_markdown_is_preferred(agent: Make, accept: str, kind: str) -> None:
    """Only who prefers it to HTML."""
    response = _client(agent()).get("/", headers={"accept": accept})

    assert response.headers["content-type"].startswith(kind)


@pytest.mark.parametrize("status", [201, 401, 404, 500])
def test_other_responses_stay(agent: Make, status: int) -> None:
    """Errors are what they are, with their status and their text."""

    async def page(_: Request) -> Response:
        return HTMLResponse(PAGE, status)

    response = _client(agent(), Route("/x", page)).get("/x", headers=READER)

    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    "headers",
    [
        {"cache-control": "public, no-transform"},
        {"content-disposition": "attachment; filename=a.html"},
        {"content-type": "text/plain"},
        {"content-encoding": "unknown"},
    ],
)
def test_other_files_stay(agent: Make, headers: dict[str, str]) -> None:
    """A download, text, and what nobody may change or can read."""

    async def page(_: Request) -> Response:
        return Response(PAGE, headers={"content-type": "text/html"} | headers)

    response = _client(agent(), Route("/x", page)).get("/x", headers=READER)

    assert "<h1>Books" in response.content.decode()


def test_a_compressed_page(agent: Make) -> None:
    """It is read, and what is sent is not compressed."""

    async def page(_: Request) -> Response:
        body = gzip.compress(PAGE.encode())
        return Response(body, headers={"content-type": "text/html", "content-encoding": "gzip"})

    response = _client(agent(), Route("/x", page)).get("/x", headers=READER)

    assert response.text == MARKDOWN
    assert "content-encoding" not in response.headers


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html; charset=iso-8859-1", "<p>caf\xe9 \u201cx\u201d".encode("cp1252")),
        ("text/html", "<meta charset=windows-1252><p>caf\xe9 \u201cx\u201d".encode("cp1252")),
        ("text/html; charset=utf-16", "\ufeff<p>caf\xe9 \u201cx\u201d".encode("utf-16-le")),
        ("text/html; charset=nonsense", "<p>caf\xe9 \u201cx\u201d".encode()),
        ("text/html; charset=rot13", "<p>caf\xe9 \u201cx\u201d".encode()),
    ],
)
def test_encodings(agent: Make, kind: str, body: bytes) -> None:
    """Pages are read as browsers read them, and Markdown is UTF-8."""

    async def page(_: Request) -> Response:
        return Response(body, headers={"content-type": kind})

    response = _client(agent(), Route("/x", page)).get("/x", headers=READER)

    assert response.text == "caf\xe9 \u201cx\u201d\n"


@pytest.mark.parametrize("known", [True, False])
def test_a_large_page_stays_html(agent: Make, known: bool) -> None:
    """It streams, whether its length was announced or not."""
    parts = [PAGE, *["<p>more</p>" * 10_000] * 30]

    async def chunks() -> AsyncIterator[bytes]:
        for part in parts:
            yield part.encode()
            await asyncio.sleep(0)

    async def page(_: Request) -> Response:
        length = {"content-length": str(sum(map(len, parts)))} if known else {}
        return StreamingResponse(chunks(), media_type="text/html", headers=length)

    response = _client(agent(), Route("/x", page)).get("/x", headers=READER)

    assert response.headers["content-type"].startswith("text/html")
    assert response.text.count("more") == 300_000
    assert response.headers["vary"] == "accept"


def test_wsgi(agent: Make) -> None:
    """Flask: its own files come first, and pages are Markdown for who prefers it."""
    app = Flask(__name__)

    @app.get("/")
    def page() -> FlaskResponse:
        return FlaskResponse(PAGE, headers={"vary": "cookie"})

    @app.get("/llms.txt")
    def own() -> FlaskResponse:
        return FlaskResponse("# Own\n", mimetype="text/plain")

    agent().init_app(app)
    client = app.test_client()

    assert client.get("/llms.txt").text == "# Own\n"
    assert client.get(INDEX).json is not None
    response = client.get("/", headers=READER)
    assert response.text == MARKDOWN.replace("testserver", "localhost")
    assert response.headers["content-length"] == str(len(response.data))
    assert response.headers.getlist("vary") == ["cookie", "accept"]
    assert client.head("/", headers=READER).headers["content-type"].startswith("text/markdown")
