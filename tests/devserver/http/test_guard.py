"""The guard: which requests pass, and how others are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webagent_dev.config.model import ServeConfig
from webagent_dev.http.access import Guard
from webagent_dev.site.state import Site

NAVIGATION = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
}


async def nothing(scope: Scope, receive: Receive, send: Send) -> None:
    raise AssertionError("the guard let it through")


def ask(
    host: str = "127.0.0.1",
    *,
    headers: dict[str, str] | list[tuple[str, str]] | None = None,
    scope: dict[str, Any] | None = None,
    component_origins: tuple[str, ...] = (),
    allow_host: tuple[str, ...] = (),
    visit_token: str = "",
) -> int | None:
    """Return the status of the refusal, None when the request passes."""
    pairs = list(headers.items()) if isinstance(headers, dict) else headers
    if pairs is None:
        pairs = []
    if not any(name == "host" for name, _ in pairs):
        pairs = [("host", "127.0.0.1:8000"), *pairs]
    config = ServeConfig(
        Path("/"),
        host=host,
        component_origins=component_origins,
        allow_host=allow_host,
        visit_token=visit_token,
    )
    guard = Guard(nothing, config)
    refusal = guard.check(
        {
            "type": "http",
            "method": "GET",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in pairs],
            **(scope or {}),
        }
    )
    return refusal and refusal.status


@pytest.mark.parametrize(
    ("bound", "host", "status"),
    [
        ("127.0.0.1", "127.0.0.1:8000", None),
        ("127.0.0.1", "LocalHost:8000", None),
        ("127.0.0.1", "[::1]:8000", None),
        ("127.0.0.1", "shop.localhost:8000", None),
        ("127.0.0.1", "localhost", 421),
        ("127.0.0.1", "localhost:8001", 421),
        ("127.0.0.1", "evil.example:8000", 421),
        ("127.0.0.1", "127.0.0.1.evil.example:8000", 421),
        ("127.0.0.1", "localhost.evil.example:8000", 421),
        ("127.0.0.1", "evillocalhost:8000", 421),
        ("127.0.0.1", "127.0.0.2:8000", 421),
        ("127.0.0.1", "2130706433:8000", 421),
        ("127.0.0.1", "", 400),
        ("127.0.0.1", "localhost:8000:8000", 400),
        ("127.0.0.1", "user@localhost:8000", 400),
        ("127.0.0.1", "localhost:8000/", 400),
        ("127.0.0.1", "localhost:8000, evil.example", 400),
        ("127.0.0.1", "[::1:8000", 400),
        ("127.0.0.1", "[:8000", 400),
        ("127.0.0.1", "localhost:٨٠٠٠".encode().decode("latin-1"), 400),
        ("127.0.0.1", "localhost:99999999999999999999", 400),
        ("127.0.0.1", "\xe9:8000", 400),
        ("box.example", "box.example:8000", 401),
        ("0.0.0.0", "192.0.2.7:8000", 401),
        ("0.0.0.0", "[2001:db8::1]:8000", 401),
        ("0.0.0.0", "evil.example:8000", 421),
        ("192.0.2.7", "192.0.2.8:8000", 421),
    ],
)
def test_the_host_must_be_ours(bound: str, host: str, status: int | None) -> None:
    """A name that was made to point to us is still not ours."""
    assert ask(bound, headers={"host": host}) == status


def test_there_is_exactly_one_host() -> None:
    """None and two are malformed."""
    twice = [("host", "localhost:8000"), ("host", "localhost:8000")]
    guard = Guard(nothing, ServeConfig(Path("/")))
    bare = {"type": "http", "path": "/", "raw_path": b"/", "query_string": b"", "headers": []}

    assert ask(headers=twice) == 400
    assert (refusal := guard.check(bare))
    assert refusal.status == 400


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:8000", None),
        ("http://localhost:8000", 403),
        ("https://127.0.0.1:8000", 403),
        ("http://127.0.0.1:8001", 403),
        ("http://127.0.0.1", 403),
        ("http://evil.example", 403),
        ("http://127.0.0.1:8000.evil.example", 403),
        ("null", 403),
        ("", 403),
        ("http://[", 403),
        ("http://127.0.0.1:8000, http://evil.example", 403),
    ],
)
@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_origin_must_be_that_of_the_request(origin: str, status: int | None, kind: str) -> None:
    """Also for WebSockets, which no other rule of browsers protects."""
    assert ask(headers={"origin": origin}, scope={"type": kind}) == status


def test_two_origins_are_refused() -> None:
    """Whichever of them is right."""
    ours = ("origin", "http://127.0.0.1:8000")

    assert ask(headers=[ours, ours]) == 403


@pytest.mark.parametrize(
    ("headers", "scope", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, {}, None),
        ({"sec-fetch-site": "none"}, {}, None),
        ({"sec-fetch-site": "same-site"}, {}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, {}, 403),
        ({"sec-fetch-site": "nonsense"}, {}, 403),
        (NAVIGATION, {}, None),
        (NAVIGATION | {"sec-fetch-dest": "iframe"}, {}, 403),
        (NAVIGATION | {"sec-fetch-mode": "cors"}, {}, 403),
        (NAVIGATION, {"method": "POST"}, 403),
        (NAVIGATION, {"type": "websocket"}, 403),
        (NAVIGATION, {"path": "/__webagent__/webagent.js"}, 403),
        (NAVIGATION, {"path": "/__webagent__"}, 403),
        (NAVIGATION, {"path": "/__webagent__x"}, None),
    ],
)
def test_other_sites_may_link_to_pages_and_nothing_else(
    headers: dict[str, str], scope: dict[str, Any], status: int | None
) -> None:
    """Scripts, images, frames and our own files are for our own pages."""
    assert ask(headers=headers, scope=scope) == status


@pytest.mark.parametrize(
    ("raw", "path", "query", "status"),
    [
        (b"/a%20b", "/a b", b"x=1", None),
        (b"/%2fevil.example", "//evil.example", b"", None),
        (b"//evil.example", "//evil.example", b"", 400),
        (b"http://127.0.0.1:8000/", "http://127.0.0.1:8000/", b"", 400),
        (b"*", "*", b"", 400),
        (b"", "", b"", 400),
        (b"/a#b", "/a#b", b"", 400),
        (b"/a", "/a", b"x#y", 400),
        (b"/a\\b", "/a\\b", b"", 400),
        (b"/a%5cb", "/a\\b", b"", 400),
        (b"/a%00b", "/a\0b", b"", 400),
        (b"/\xff", "/\ufffd", b"", 400),
        (b"/a\r\nb", "/a\r\nb", b"", 400),
    ],
)
def test_the_target_is_a_plain_path(raw: bytes, path: str, query: bytes, status: int) -> None:
    """A path that can be read in two ways is refused."""
    scope = {"raw_path": raw, "path": path, "query_string": query}

    assert ask(scope=scope) == status


async def test_refusals_are_sentences_with_a_remedy(client: httpx.AsyncClient) -> None:
    """The name that was asked for is repeated as plain text only."""
    response = await client.get("/", headers={"host": "evil.example:8000"})

    assert response.status_code == 421
    assert response.headers["content-type"].startswith("text/plain")
    assert "`evil.example:8000` is not the name of this server" in response.text
    assert "open http://127.0.0.1:8000/" in response.text


@pytest.mark.parametrize("path", ["/", "/nothing", "/.env", "/__webagent__/nothing", "/%5c"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "OPTIONS"])
async def test_every_response_keeps_other_sites_out(
    client: httpx.AsyncClient, path: str, method: str
) -> None:
    """Also refusals and errors; and none of them allows another origin."""
    response = await client.request(method, path)

    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("extensions", [{}, {"websocket.http.response": {}}])
async def test_a_refused_websocket_is_never_accepted(
    make_app: Callable[[], tuple[ASGIApp, Site]], extensions: dict[str, Any]
) -> None:
    """Servers that can answer with a sentence do; the others close."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    app, _ = make_app()
    scope = {
        "type": "websocket",
        "path": "/__webagent__/live",
        "raw_path": b"/__webagent__/live",
        "query_string": b"token=secret-token",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"origin", b"http://evil.example")],
        "extensions": extensions,
    }
    await app(scope, receive, send)

    if extensions:
        assert sent[0]["type"] == "websocket.http.response.start"
        assert sent[0]["status"] == 403
    else:
        assert [message["type"] for message in sent] == ["websocket.close"]


@pytest.mark.parametrize(
    ("referer", "dest", "status"),
    [
        ("http://shop.example:5173/", "iframe", None),
        ("http://shop.example:5173", "iframe", None),
        ("http://shop.example:5173/", "script", 403),
        ("http://shop.example:51733/", "iframe", 403),
        ("http://other.example/http://shop.example:5173/", "iframe", 403),
        (None, "iframe", 403),
    ],
)
def test_pages_of_the_same_application_may_show_ours_in_a_frame(
    referer: str | None, dest: str, status: int | None
) -> None:
    """By the origin that was named, and for frames alone."""
    headers = {**NAVIGATION, "sec-fetch-dest": dest}
    if referer is not None:
        headers["referer"] = referer

    assert ask(headers=headers, component_origins=("http://shop.example:5173",)) == status
    assert ask(headers=headers) == 403


def test_a_frame_reaches_no_control_path() -> None:
    """Origins that may show our pages may not show the server's own."""
    headers = {**NAVIGATION, "sec-fetch-dest": "iframe", "referer": "http://shop.example/"}
    scope = {"path": "/__webagent__/webagent.js", "raw_path": b"/__webagent__/webagent.js"}

    assert ask(headers=headers, scope=scope, component_origins=("http://shop.example",)) == 403
