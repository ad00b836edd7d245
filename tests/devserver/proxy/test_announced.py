"""The announcements of a site behind the proxy, and its pages as Markdown."""

from __future__ import annotations

import gzip

import httpx

from tests.upstream import RawServer, html, reply

READER = {"accept": "text/markdown"}
PAGE = "<!doctype html><h1>One</h1><a href=/b>b</a><p data-agent=ignore>no</p>"


def test_a_page_as_markdown(client: httpx.Client, behind: RawServer) -> None:
    """With the cookies and the caching of the upstream, and its compression undone."""
    body = gzip.compress(PAGE.encode())
    behind.answer = reply(
        "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\nSet-Cookie: a=1\n"
        f'ETag: "e1"\nCache-Control: private\nVary: cookie\nContent-Length: {len(body)}',
        body,
    )
    answer = client.get("/x", headers=READER)

    assert answer.text == f"# One\n\n[b]({str(client.base_url).rstrip('/')}/b)\n"
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["content-length"] == str(len(answer.content))
    assert answer.headers["etag"] == 'W/"e1-md"'
    assert answer.headers["vary"] == "cookie, accept"
    assert answer.headers["cache-control"] == "private"
    assert answer.headers["set-cookie"] == "a=1"
    assert "content-encoding" not in answer.headers
    assert behind.last.one("accept") == "text/markdown, text/html;q=0.5"


def test_a_browser_gets_html(client: httpx.Client, behind: RawServer) -> None:
    """Caches keep both apart."""
    behind.answer = html(PAGE)

    answer = client.get("/x")

    assert "<h1>One" in answer.text
    assert answer.headers["vary"] == "accept"


def test_errors_and_streams_stay(client: httpx.Client, behind: RawServer) -> None:
    """A page that is too long for Markdown comes as it is."""
    behind.answer = reply(
        f"HTTP/1.1 404 Not Found\nContent-Type: text/html\nContent-Length: {len(PAGE)}",
        PAGE.encode(),
    )
    missing = client.get("/x", headers=READER)
    body = f"{PAGE}{'<p>more</p>' * 200_000}".encode()
    behind.answer = reply(
        f"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: {len(body)}", body
    )
    long = client.get("/x", headers=READER)

    assert (missing.status_code, missing.headers["content-type"]) == (404, "text/html")
    assert long.headers["content-type"] == "text/html"
    assert long.text.count("more") == 200_000


def test_a_copy_is_confirmed(client: httpx.Client, behind: RawServer) -> None:
    """The upstream is asked with the ETag of its HTML."""
    behind.answer = reply('HTTP/1.1 304 Not Modified\nETag: "e1"')

    answer = client.get("/x", headers=READER | {"if-none-match": 'W/"e1-md"'})

    assert (answer.status_code, answer.headers["etag"]) == (304, 'W/"e1-md"')
    assert behind.last.one("if-none-match") == '"e1"'


def test_the_file_of_the_upstream_comes_first(client: httpx.Client, behind: RawServer) -> None:
    """Without a manifest, nothing is made."""
    behind.answer = reply(
        "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 6", b"# Own\n"
    )
    own = client.get("/llms.txt")
    behind.answer = html(PAGE)

    assert own.text == "# Own\n"
    assert client.get("/llms.txt").status_code == 404
