"""HTTP through the proxy, over real sockets."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import httpx
import pytest

from tests.devserver.proxy.conftest import raw
from tests.server import Server
from tests.upstream import RawServer, html, reply
from webagent_site.http.coding import CODINGS

PAGE = "<!doctype html><html><head><script src=own.js></script></head><body>ä</body></html>"
FIRST = re.compile(r"<head>(<meta name=.webagent-live.*?</script>)<script src=own.js>")


def test_a_page_gets_the_agent_before_its_own_scripts(
    client: httpx.Client, behind: RawServer
) -> None:
    """And nothing else of it changes."""
    behind.answer = html(PAGE, "Set-Cookie: a=1", "Set-Cookie: b=2", "X-Own: yes")

    answer = client.get("/a%20b?c=%2F&d")
    found = FIRST.search(answer.text)

    assert found
    assert "/__webagent__/global.js" in found[1]
    assert answer.text.replace(found[1], "") == PAGE
    assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"]
    assert answer.headers["x-own"] == "yes"
    assert behind.last.line == "GET /a%20b?c=%2F&d HTTP/1.1"


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_an_encoded_page_is_encoded_again(
    client: httpx.Client, behind: RawServer, coding: str
) -> None:
    """In the coding that the page has asked for."""
    writer = CODINGS[coding][1]()
    body = writer.feed(PAGE.encode()) + writer.end()
    behind.answer = reply(
        f"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: {coding}\n"
        f"Content-Length: {len(body)}",
        body,
    )
    with client.stream("GET", "/", headers={"accept-encoding": coding}) as answer:
        packed = b"".join(answer.iter_raw())
    reader = CODINGS[coding][0]()

    assert answer.headers["content-encoding"] == coding
    assert FIRST.search((reader.feed(packed) + reader.end()).decode())
    assert behind.last.one("accept-encoding") == coding


def test_a_malformed_coding_is_passed_on(
    client: httpx.Client, behind: RawServer, front: Server
) -> None:
    """The author of the page has to see it."""
    behind.answer = html(PAGE, "Content-Encoding: gzip")
    with client.stream("GET", "/odd") as answer:
        assert b"".join(answer.iter_raw()) == PAGE.encode()
    front.wait_for_output("/odd is not in the content coding of its header")


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "*/*"},
        {"accept": "text/html", "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin"},
    ],
)
def test_pieces_of_html_that_scripts_load_stay_as_they_are(
    client: httpx.Client, behind: RawServer, headers: dict[str, str]
) -> None:
    """They go into a page that has the agent already."""
    behind.answer = html(PAGE)

    assert client.get("/", headers=headers).text == PAGE


def test_other_files_pass_byte_for_byte(client: httpx.Client, behind: RawServer) -> None:
    """Packed as they are, with their length and their ETag."""
    body = gzip.compress(b"<head>")
    behind.answer = reply(
        "HTTP/1.1 200 OK\nContent-Type: text/javascript\nContent-Encoding: gzip\n"
        f'ETag: "x"\nLast-Modified: yesterday\nContent-Length: {len(body)}',
        body,
    )
    with client.stream("GET", "/own.js", headers={"accept": "*/*"}) as answer:
        assert b"".join(answer.iter_raw()) == body
    assert answer.headers["content-length"] == str(len(body))
    assert answer.headers["etag"] == '"x"'
    assert answer.headers["last-modified"] == "yesterday"


def test_a_page_is_current_only_with_our_token(client: httpx.Client, behind: RawServer) -> None:
    """A copy of an earlier run of the server is loaded anew; one of this run is not."""
    behind.answer = html(PAGE, 'ETag: W/"v1"', "Cache-Control: max-age=600")
    first = client.get("/")
    client.get(
        "/",
        headers={
            "if-none-match": f'"other-wa0123456789ab", {first.headers["etag"]}, "bare"',
            "if-modified-since": "Sun, 22 Nov 2026 05:00:00 GMT",
        },
    )
    assert first.headers["cache-control"] == "no-cache"
    assert behind.last.one("if-none-match") == 'W/"v1"'
    assert behind.last.one("if-modified-since") is None

    behind.answer = reply('HTTP/1.1 304 Not Modified\nETag: W/"v1"')
    again = client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    assert again.headers["etag"] == first.headers["etag"]


def test_no_store_is_kept(client: httpx.Client, behind: RawServer) -> None:
    """The author wants it so."""
    behind.answer = html(PAGE, "Cache-Control: no-store, private")

    assert client.get("/").headers["cache-control"] == "no-store, private"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    ("status", "headers"),
    [
        ("204 No Content", ""),
        ("304 Not Modified", 'ETag: "a"'),
        ("200 OK", "Content-Type: image/png\nContent-Length: 0"),
        ("404 Not Found", "Content-Length: 0"),
    ],
)
def test_responses_without_a_body_have_none(
    client: httpx.Client, behind: RawServer, method: str, status: str, headers: str
) -> None:
    """And the connection can be used for the next request."""
    behind.answer = reply(f"HTTP/1.1 {status}\n{headers}".strip())
    for _ in range(2):
        answer = client.request(method, "/x", headers={"accept": "*/*"})
        assert (answer.status_code, answer.content) == (int(status[:3]), b"")


def test_head_has_the_headers_of_get(client: httpx.Client, behind: RawServer) -> None:
    """The length for files; not for pages, where it is not known yet."""
    behind.answer = reply("HTTP/1.1 200 OK\nContent-Type: image/png\nContent-Length: 7000")
    assert client.head("/a.png").headers["content-length"] == "7000"
    behind.answer = reply("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 7000")
    assert "content-length" not in client.head("/").headers


def test_ranges_pass(client: httpx.Client, behind: RawServer) -> None:
    """Media players ask for them."""
    behind.answer = reply(
        "HTTP/1.1 206 Partial Content\nContent-Type: video/mp4\n"
        "Content-Range: bytes 1-3/9\nContent-Length: 3",
        b"bcd",
    )
    answer = client.get("/a.mp4", headers={"range": "bytes=1-3", "accept": "*/*"})

    assert (answer.status_code, answer.content) == (206, b"bcd")
    assert answer.headers["content-range"] == "bytes 1-3/9"
    assert behind.last.one("range") == "bytes=1-3"


def test_news_before_the_answer_are_passed_over(client: httpx.Client, behind: RawServer) -> None:
    """103 Early Hints and the like; the answer itself comes."""
    behind.answer = reply(
        "HTTP/1.1 103 Early Hints\nLink: </a.css>; rel=preload\n\nHTTP/1.1 200 OK\n"
        "Content-Type: text/plain\nContent-Length: 2",
        b"ok",
    )
    assert client.get("/").text == "ok"


def test_a_response_that_is_not_http_is_reported(client: httpx.Client, behind: RawServer) -> None:
    """To a person as a page, to a script as a sentence."""
    behind.answer = reply("SSH-2.0-OpenSSH_9")
    page = client.get("/")
    assert (page.status_code, "is not HTTP" in page.text) == (502, True)
    assert "<script" not in page.text

    said = client.get("/", headers={"accept": "*/*"})
    assert said.status_code == 502
    assert said.headers["content-type"].startswith("text/plain")
    assert "look at the terminal of that server" in said.text


def test_odd_requests_never_reach_the_upstream(front: Server, behind: RawServer) -> None:
    """A server that trusts its Host must not be reached under another."""
    behind.asked.clear()
    for request in (
        "GET / HTTP/1.1\nHost: evil.example",
        "GET http://evil.example/ HTTP/1.1\nHost: HOST",
        "GET //evil.example/ HTTP/1.1\nHost: HOST",
        "GET / HTTP/1.1\nHost: HOST\nOrigin: http://evil.example",
        "GET / HTTP/1.1\nHost: HOST\nOrigin: null",
        "POST / HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nContent-Length: 0",
        "GET /a.js HTTP/1.1\nHost: HOST\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: no-cors",
    ):
        status = int(raw(front, request).split(b" ")[1])
        assert status in (400, 403, 421), request
    assert behind.pages == []


def test_request_smuggling_is_refused(front: Server, behind: RawServer) -> None:
    """Two lengths, or a length besides chunks, could be read in two ways."""
    behind.answer = reply("HTTP/1.1 200 OK\nContent-Length: 0")
    behind.asked.clear()
    for headers in (
        "Content-Length: 4\nContent-Length: 5",
        "Content-Length: 4\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
    ):
        answer = raw(front, f"POST / HTTP/1.1\nHost: HOST\n{headers}", b"0\r\n\r\n")
        status = int(answer.split(b" ")[1]) if answer else 400
        smuggled = [asked for asked in behind.asked if len(asked.all("content-length")) > 1]
        both = [
            asked
            for asked in behind.asked
            if asked.all("content-length") and asked.all("transfer-encoding")
        ]
        assert smuggled == both == [], headers
        assert status in (200, 400, 501), headers


def test_the_policy_of_a_page_is_kept_and_its_effects_are_reported(
    client: httpx.Client, behind: RawServer, front: Server
) -> None:
    """With the directive and the source to add; its nonce is on our tags."""
    header = "script-src 'nonce-r4nd0m' 'strict-dynamic'"
    behind.answer = html(PAGE, f"Content-Security-Policy: {header}")

    page = client.get("/strict")

    assert page.headers["content-security-policy"] == header
    assert '<script src="/__webagent__/global.js" nonce="r4nd0m">' in page.text
    assert '<script type="module" src="/__webagent__/webagent.js" nonce="r4nd0m"' in page.text
    told = front.wait_for_output(r"the Content-Security-Policy of /strict forbids .*")
    assert told.group().endswith("add `'wasm-unsafe-eval'` to `script-src` while you develop")


def test_a_policy_in_the_page_is_read_too(
    client: httpx.Client, behind: RawServer, front: Server
) -> None:
    """From its meta tag."""
    meta = """<meta http-equiv="Content-Security-Policy" content="connect-src 'none'">"""
    behind.answer = html(f"<!doctype html><head>{meta}</head>")
    client.get("/meta")

    front.wait_for_output(r"of /meta forbids loading Python, and news of saves .* `connect-src`")


@pytest.mark.bundle
def test_our_own_files_come_before_the_sites(client: httpx.Client, behind: RawServer) -> None:
    """The upstream gets no request for them."""
    assert "globalThis" in client.get("/__webagent__/global.js").text
    assert client.get("/__webagent__/nothing").status_code == 404
    assert behind.pages == []


def test_the_manifest_may_come_from_the_upstream(
    behind: RawServer, client: httpx.Client, front: Server
) -> None:
    """Without one anywhere, the upstream answers itself."""
    assert client.get("/webagents.md").status_code == 404
    assert "webagents-md" not in client.get("/").text
    assert Path(front.root, "webagents.md").exists() is False
