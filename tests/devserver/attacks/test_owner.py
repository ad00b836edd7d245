"""The owner's interface, the inspector and the editor under attack by clients without the token."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import httpx
import pytest

from tests.devserver.attacks.conftest import get, handshake, page_token, send, status
from tests.page_client import PLAIN, owner_token
from tests.server import Server, ServerProcess
from tests.upstream import RawServer

API = "/__webagent__/api"
CALL = f"{API}/pages/focused/call"
GUARDED = (f"{API}/state", CALL, f"{API}/timeline", "/__webagent__/", "/__webagent__/editor")
BODY = b'{"name": "x", "arguments": {}}'


@pytest.fixture(name="bearer")
def _bearer(server: Server) -> str:
    return f"Authorization: Bearer {owner_token(server)}"


def post(server: Server, target: str, *headers: str, body: bytes = BODY) -> bytes:
    """Send a body with one request line and headers."""
    lines = [f"POST {target} HTTP/1.1", "Host: HOST", *filter(None, headers)]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return send(server, "\r\n".join(lines).encode("latin-1") + body)


@pytest.mark.parametrize(
    "header",
    [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1",
        "Origin: http://localhost:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ],
)
@pytest.mark.parametrize("target", GUARDED)
def test_no_other_site_reaches_it_even_with_the_token(
    server: Server, bearer: str, target: str, header: str
) -> None:
    """Rows 1, 4 and 5: reading, writing, embedding. The token of a careless owner does not help."""
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        answer = get(server, target, header, bearer, method=method)
        assert status(answer) == 403
        assert b"access-control-" not in answer.lower()
        assert owner_token(server).encode() not in answer


@pytest.mark.parametrize("dest", ["document", "iframe", "script", "empty"])
def test_no_link_of_another_site_opens_it(server: Server, dest: str) -> None:
    """Row 5: links to pages of the site work, links to ours do not."""
    for target in ("/__webagent__/", "/__webagent__/#token=x", f"{API}/state"):
        sent = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", f"Sec-Fetch-Dest: {dest}")
        assert status(get(server, target.partition("#")[0], *sent)) == 403


@pytest.mark.parametrize("target", GUARDED)
def test_a_foreign_name_leads_nowhere(server: Server, bearer: str, target: str) -> None:
    """Row 2: DNS rebinding. Not even with the token."""
    port = urlsplit(server.url).port
    for host in (f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", "localhost:1"):
        assert status(get(server, target, f"Host: {host}", bearer)) == 421


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "*/*"])
def test_a_simple_request_has_no_effect(server: Server, bearer: str, kind: str) -> None:
    """Row 4: a form. Without the token it is not even read."""
    header = f"Content-Type: {kind}" if kind else ""

    assert status(post(server, CALL, header)) == 401
    assert status(post(server, CALL, header, bearer)) == 415


@pytest.mark.parametrize("path", ["pages/focused/call", "pages/focused/run", "runs/x/answer"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE"])
def test_nothing_is_done_by_another_method(
    server: Server, bearer: str, path: str, method: str
) -> None:
    """Row 4: a link or an image does nothing."""
    assert status(get(server, f"{API}/{path}", bearer, method=method)) == 404


def test_the_token_counts_once_and_in_its_header_alone(server: Server, bearer: str) -> None:
    """Row 10: none, a wrong one, two of them, in the address, of another scheme."""
    token = owner_token(server)
    for headers in (
        (),
        ("Authorization: Bearer wrong",),
        (bearer, bearer),
        (bearer, "Authorization: Bearer wrong"),
        (f"Authorization: Basic {token}",),
        (f"Authorization: Bearer {token[:-1]}",),
        (f"Authorization: Bearer {token}x",),
        ("Authorization: Bearer \xff\xfe",),
    ):
        answer = get(server, f"{API}/state?token={token}&access_token={token}", *headers)
        assert status(answer) == 401, headers
        assert token.encode() not in answer
    assert status(get(server, f"{API}/state", bearer)) == 200


def test_neither_token_replaces_the_other(server: Server, bearer: str) -> None:
    """Row 9 and row 10: any script of the site has the token of pages; it grants nothing here."""
    mine, theirs = owner_token(server), page_token(server)
    origin = f"Origin: {server.url}"
    for header in (f"Authorization: Bearer {theirs}", f"X-Webagent-Token: {theirs}"):
        assert status(get(server, f"{API}/state", header)) == 401
    assert status(handshake(server, f"/__webagent__/live?token={mine}", origin)) == 403
    assert status(handshake(server, "/__webagent__/live", origin, bearer)) == 403
    json_type = "Content-Type: application/json"
    for target in ("/__webagent__/llm/v1/chat/completions", "/__webagent__/editor"):
        for header in (bearer, f"X-Webagent-Token: {mine}"):
            assert status(post(server, target, header, json_type)) in (401, 403)


def test_the_token_of_the_owner_is_never_sent(server: Server, bearer: str) -> None:
    """Row 5 and row 10: in no page, no script, no header, no error, and not in the terminal."""
    token = owner_token(server).encode()
    for target in (
        *("/", "/webagents.md", "/nothing", "/__webagent__/", "/__webagent__/webagent.js"),
        *("/__webagent__/dev.js", "/__webagent__/inspector.js", "/__webagent__/bundle.json"),
        *("/__webagent__/live", "/__webagent__/upstream", "/__webagent__/nothing"),
    ):
        for headers in (("Accept: text/html",), ("Accept: text/html", bearer)):
            assert token not in get(server, target, *headers)
    for target in (
        "state",
        "manifest",
        "timeline",
        "pages/x/tools",
        "nothing",
        f"x{token.decode()[:9]}",
    ):
        assert token not in get(server, f"{API}/{target}", bearer)

    assert re.search(r" +inspector +http://", server.output)
    assert "webagent_owner_" not in server.output
    assert "code=" not in server.output


def test_only_the_owner_sees_paths_of_the_machine(server: Server, bearer: str) -> None:
    """The path of the folder is in the state, and in no response without the token."""
    path = str(server.root).encode()

    assert path in get(server, f"{API}/state", bearer)
    for target in (
        "/__webagent__/",
        f"{API}/state",
        f"{API}/manifest",
        f"{API}/nothing",
        "/nothing",
    ):
        assert path not in get(server, target)


def test_a_body_is_not_read_without_the_token(server_process: ServerProcess) -> None:
    """Row 11: 30 MB, or a body that never comes; the answer is there before it."""
    before = server_process.peak_bytes()
    parts = urlsplit(server_process.url)
    assert parts.hostname
    head = (
        f"POST {CALL} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {30 << 20}\r\n\r\n"
    )
    with socket.create_connection((parts.hostname, parts.port or 80), timeout=20) as slow:
        slow.sendall(head.encode())
        assert slow.recv(10_000).startswith(b"HTTP/1.1 401 ")
    with contextlib.suppress(httpx.TransportError):
        httpx.post(
            server_process.url + CALL, content=(b"x" * (1 << 20) for _ in range(30)), verify=PLAIN
        )
    assert server_process.peak_bytes() - before < 16 << 20


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'{"name":' * 50_000,
        b'{"name": "\\ud800", "arguments": {"\\udfff": "\\ud800"}}',
        b'{"name": "x", "arguments": {}, "timeout_ms": ' + b"9" * 5_000 + b"}",
        b'{"name": "x", "arguments": {"n": -1e400}}',
        b'{"name": "' + b"x" * (4 << 20) + b'", "arguments": {}}',
        b"\x00",
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda body: repr(body[:14]),
)
def test_no_body_makes_it_fail(server: Server, bearer: str, body: bytes) -> None:
    """Row 11: depth, halves of characters, numbers without end, too much of it."""
    answer = post(server, CALL, bearer, "Content-Type: application/json", body=body)

    assert status(answer) in (0, 200, 400, 413)
    assert "Traceback" not in server.output


@pytest.mark.bundle
@pytest.mark.parametrize("name", ["", "inspector.html"])
def test_the_inspector_trusts_nothing_but_its_own_files(server: Server, name: str) -> None:
    """Row 12: no script in the page, none of elsewhere, no frame around it, nothing sent on."""
    answer = httpx.get(
        f"{server.url}/__webagent__/{name}?x=<script>alert(1)</script>", verify=PLAIN
    )
    policy = {
        name: sources.split()
        for name, _, sources in (
            part.strip().partition(" ")
            for part in answer.headers["content-security-policy"].split(";")
        )
    }

    assert answer.status_code == 200
    assert policy["default-src"] == policy["frame-ancestors"] == ["'none'"]
    assert policy["base-uri"] == policy["form-action"] == ["'none'"]
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == ["'self'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "<script>" not in answer.text
    assert not re.search(r"\son\w+=|\sstyle=|javascript:", answer.text)


def test_no_error_carries_markup(server: Server, bearer: str) -> None:
    """Row 12: values of a request come back as data, never as a page."""
    for target in (
        f"{API}/%3Cscript%3Ealert(1)%3C/script%3E",
        f"{API}/pages/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E/tools",
    ):
        answer = get(server, target, bearer).lower()
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"\r\ncontent-type: application/json\r\n" in head + b"\r\n"
        assert set(json.loads(body)) == {"error"}


@pytest.mark.parametrize(
    "target",
    [
        *("/__webagent__/webagent.js", "/__webagent__/dev.js", "/__webagent__/", "/__webagent__"),
        *("/__webagent__/nothing.js", "/__webagent__/api/state", "/__webagent__/editor"),
        *("/%5f_webagent__/webagent.js", "/__webagent__/x/../webagent.js"),
    ],
)
@pytest.mark.parametrize("value", ["script", "SCRIPT", "", "x"])
def test_no_file_of_ours_becomes_a_service_worker(
    server: Server, bearer: str, target: str, value: str
) -> None:
    """It would read each request of the inspector, and outlive this server."""
    for headers in ((), (bearer,)):
        answer = get(server, target, f"Service-Worker: {value}", *headers)
        assert status(answer) == 403
        assert b"requested as a service worker" in answer


def test_a_service_worker_of_the_site_is_served(server: Server) -> None:
    """It is a file like any other."""
    answer = get(server, "/app.js", "Service-Worker: script", "Sec-Fetch-Dest: serviceworker")

    assert status(answer) == 200


@pytest.mark.parametrize("command", ["proxy"], indirect=True)
@pytest.mark.parametrize("how", [get, handshake])
def test_nothing_of_ours_is_passed_on(
    server: Server, behind: RawServer, how: Callable[..., bytes]
) -> None:
    """Row 10: neither cookies nor tokens, in whatever part of a request, HTTP or WebSocket."""
    mine, theirs = owner_token(server), page_token(server)
    visit = f"webagent_visit_{mine[-43:]}"
    behind.asked.clear()
    how(
        server,
        f"/x?a=1&webagent-token={visit}&webagent%2Dtoken=open-sesame&t={mine}&b=%20%26&&c",
        f"Authorization: Bearer {mine}",
        f"X-Webagent-Token: {theirs}",
        f"X-Anything: a {visit} b",
        f"X-Encoded: {mine.replace('_', '%5F')}",
        f"Cookie: a=1; webagent-visit-8000={visit}; b={mine}; webagent-other=x; c=3",
        f"Cookie: webagent-visit-8000={visit}",
        f"Referer: {server.url}/x?a=1&webagent-token={visit}&b=2",
        "X-Of-The-Site: kept",
        *([f"Origin: {server.url}"] if how is handshake else []),
    )
    (asked,) = [one for one in behind.asked if "webagents.md" not in one.line]

    assert asked.line.split()[1] == "/x?a=1&b=%20%26&&c"
    assert "webagent_" not in unquote(f"{asked.line} {asked.headers}")
    assert "sesame" not in asked.line
    assert asked.all("cookie") == ["a=1; c=3"]
    assert asked.one("authorization") is None
    assert asked.one("x-webagent-token") is None
    assert asked.one("x-of-the-site") == "kept"
    assert (asked.one("referer") or "").endswith("/x?a=1&b=2")


@pytest.mark.parametrize("command", ["proxy"], indirect=True)
def test_the_credentials_of_the_site_are_passed_on(server: Server, behind: RawServer) -> None:
    """Its own cookies, authorization and tokens pass, byte for byte."""
    behind.asked.clear()
    cookie = "session=abc ; a=b=c;x"
    get(server, "/x?token=1&&a=%2", "Authorization: Bearer abc", f"Cookie: {cookie}")
    asked = behind.pages[-1]

    assert asked.line.split()[1] == "/x?token=1&&a=%2"
    assert asked.one("authorization") == "Bearer abc"
    assert asked.one("cookie") == cookie


@pytest.mark.process
def test_a_link_with_a_code_is_for_a_person_at_a_terminal(folder: Path) -> None:
    """Not for the log of a build, though it may have a terminal; and the token is for nobody."""
    for variables, is_there in (({"CI": ""}, True), ({"CI": "true"}, False)):
        controller, terminal = pty.openpty()
        with subprocess.Popen(
            [sys.executable, "-m", "webagent_dev", "serve", str(folder), "--port", "0"],
            stdin=terminal,
            stdout=terminal,
            env={**os.environ, "NO_COLOR": "1", **variables},
        ) as process:
            os.close(terminal)
            printed = b""
            while b"Ctrl-C" not in printed:
                printed += os.read(controller, 65_536)
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 130
        os.close(controller)
        assert (b"/__webagent__/#code=" in b"".join(printed.split())) == is_there
        assert b"webagent_owner_" not in printed
