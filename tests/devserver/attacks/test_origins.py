"""Other sites: reading, sockets, forms, scripts, names that were made to point here."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.devserver.attacks.conftest import get, handshake, page_token, send, status
from tests.server import Server
from tests.upstream import RawServer

EVIL = ("http://evil.example", "https://evil.example", "null", "file://", "http://[", "")
LIVE = "/__webagent__/live"
CONTROL = (
    "/__webagent__/webagent.js",
    "/__webagent__/bundle.json",
    "/__webagent__/llm/v1/chat/completions",
    "/__webagent__/upstream",
    "/__webagent__/",
)


@pytest.mark.parametrize("origin", [*EVIL, "http://localhost:1", "http://127.0.0.1"])
@pytest.mark.parametrize("target", ["/", "/webagents.md", *CONTROL])
def test_no_other_origin_reads_anything(server: Server, origin: str, target: str) -> None:
    """Row 1: CORS. No answer allows an origin, and the request is refused as well."""
    answer = get(server, target, f"Origin: {origin}")

    assert status(answer) == 403
    assert b"access-control-" not in answer.lower()


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_no_preflight_is_granted(server: Server, method: str) -> None:
    """Row 1: CORS. A preflight request is refused."""
    answer = get(
        server,
        "/__webagent__/llm/v1/chat/completions",
        "Origin: http://evil.example",
        f"Access-Control-Request-Method: {method}",
        "Access-Control-Request-Headers: x-webagent-token, content-type",
        "Access-Control-Request-Private-Network: true",
        method="OPTIONS",
    )
    assert status(answer) == 403
    assert b"access-control-" not in answer.lower()


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:PORT",
        "127.0.0.1.evil.example:PORT",
        "localhost.evil.example:PORT",
        "localhost:1",
        "localhost",
        "0.0.0.0:PORT",
        "127.1:PORT",
        "0x7f000001:PORT",
        "[::ffff:127.0.0.1]:PORT",
        "user@localhost:PORT",
        "localhost:PORT@evil.example",
        "localhost:PORT, evil.example",
        "localhost.:PORT",
    ],
)
@pytest.mark.parametrize("target", ["/", LIVE])
def test_a_foreign_name_is_refused(server: Server, host: str, target: str) -> None:
    """Row 2: DNS rebinding. Also for sockets."""
    named = f"Host: {host.replace('PORT', server.url.rpartition(':')[2])}"
    answers = [get(server, target, named), handshake(server, target, named)]

    assert [status(answer) in (400, 421) for answer in answers] == [True, True]


def test_there_is_one_host_and_it_counts(server: Server) -> None:
    """Row 2: DNS rebinding. A second name, or one in the target, does not help."""
    for request in (
        b"GET / HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.0\r\nConnection: close\r\n\r\n",
        b"GET http://HOST/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : HOST\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\n Host: HOST\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.1\r\nX-Forwarded-Host: HOST\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ):
        assert status(send(server, request)) in (0, 400, 421), request


@pytest.mark.parametrize("origin", [*EVIL, "http://localhost:1", "http://127.0.0.1:1"])
def test_no_other_origin_gets_a_socket(server: Server, origin: str, behind: RawServer) -> None:
    """Row 3: cross-site WebSocket hijacking. Not even with the right token."""
    behind.asked.clear()
    target = f"{LIVE}?token={page_token(server)}"
    behind.asked.clear()

    assert status(handshake(server, target, f"Origin: {origin}")) == 403
    assert status(handshake(server, "/hmr", f"Origin: {origin}")) == 403
    assert behind.pages == []


@pytest.mark.parametrize(
    "query",
    ["", "?token=", "?token=WRONG", "?token=TOKEN&token=TOKEN", "?Token=TOKEN", "?token=%C3%A4"],
)
def test_our_channel_opens_with_the_token_alone(server: Server, query: str) -> None:
    """Row 3 and row 10: no token, a wrong one, two of them."""
    token = page_token(server)
    answer = handshake(server, LIVE + query.replace("TOKEN", token), f"Origin: {server.url}")

    assert status(answer) == 403
    assert token.encode() not in answer


def test_our_channel_opens_for_our_pages(server: Server) -> None:
    """Row 3, the other way round: the tests above fail for no other reason."""
    target = f"{LIVE}?token={page_token(server)}"

    assert status(handshake(server, target, f"Origin: {server.url}")) == 101


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "*/*"])
@pytest.mark.parametrize("named", ["", "Origin: http://evil.example", "Sec-Fetch-Site: cross-site"])
def test_a_simple_request_has_no_effect(server: Server, kind: str, named: str) -> None:
    """Row 4: request forgery. A form has no effect."""
    headers = [f"Content-Type: {kind}", named, "Content-Length: 2"]
    answer = send(
        server,
        "\r\n".join(
            [
                "POST /__webagent__/llm/v1/chat/completions HTTP/1.1",
                "Host: HOST",
                *[header for header in headers if header and not header.endswith(": ")],
                "Connection: close",
                "",
                "{}",
            ]
        ).encode(),
    )
    assert status(answer) == 403


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_no_other_method_has_an_effect(server: Server, method: str) -> None:
    """Row 4: request forgery. A link or an image does nothing."""
    token = page_token(server)
    answer = get(
        server,
        "/__webagent__/llm/v1/chat/completions",
        f"x-webagent-token: {token}",
        method=method,
    )
    assert status(answer) in (404, 405)


@pytest.mark.parametrize(
    "dest", ["script", "style", "image", "iframe", "object", "empty", "worker"]
)
@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
@pytest.mark.parametrize("target", ["/app.js", "/webagents.md", "/", "/__webagent__/webagent.js"])
def test_no_other_site_embeds_anything(server: Server, dest: str, site: str, target: str) -> None:
    """Row 5: a script tag that reads source. So for images, frames, workers."""
    mode = "navigate" if dest == "iframe" else "no-cors"
    sent = (f"Sec-Fetch-Site: {site}", f"Sec-Fetch-Mode: {mode}", f"Sec-Fetch-Dest: {dest}")

    assert status(get(server, target, *sent)) == 403


@pytest.mark.parametrize("target", ["/", "/app.js", "/nothing", "/.env", "/%5c", *CONTROL])
def test_every_response_is_for_our_origin_alone(server: Server, target: str) -> None:
    """Row 5: for browsers that send no `Sec-Fetch-Site`."""
    answer = get(server, target).lower()

    assert b"\r\ncross-origin-resource-policy: same-origin\r\n" in answer
    assert b"\r\nx-content-type-options: nosniff\r\n" in answer
    assert b"access-control-" not in answer


@pytest.mark.parametrize("target", ["/__webagent__/webagent.js", "/__webagent__/global.js"])
def test_no_script_holds_the_token(server: Server, target: str) -> None:
    """Row 5: in an old browser any site can load a script."""
    assert page_token(server).encode() not in get(server, target)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["Host", "Origin", "Sec-Fetch-Site", "Referer", "Cookie", "Upgrade"]),
    value=st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f")),
    target=st.sampled_from(["/", LIVE, "/__webagent__/nothing"]),
)
def test_no_header_makes_it_fail(server: Server, name: str, value: str, target: str) -> None:
    """Row 8: a malformed header. It is refused, or has no meaning; there is no 500."""
    answer = get(server, target, f"{name}: {value}")

    assert 200 <= status(answer) < 500 or status(answer) == 0


def test_no_page_can_impersonate_another(server: Server) -> None:
    """Row 9: taking over a session. The id of a page is not a credential; the token is."""
    answer = handshake(server, f"{LIVE}?page_id=known&document_id=known", f"Origin: {server.url}")

    assert status(answer) == 403


def test_every_token_has_256_bits_and_ends_with_its_process(server: Server) -> None:
    """Row 10: a weak token."""
    assert len(page_token(server)) >= 43
    assert httpx.get(server.url, headers={"accept": "text/html"}).headers["cache-control"] in (
        "no-cache",
        "no-store",
    )
