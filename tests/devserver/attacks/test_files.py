"""Files outside of the root, open proxies, and echoes of a request."""

from __future__ import annotations

import pytest

from tests.devserver.attacks.conftest import HIDDEN, SECRET, get, handshake, send, status
from tests.server import Server
from tests.upstream import RawServer

CLIMBING = (
    "/../outside.txt",
    "/..%2foutside.txt",
    "/%2e%2e/outside.txt",
    "/%2e%2e%2foutside.txt",
    "/%252e%252e%252foutside.txt",
    "/..%5coutside.txt",
    "/..\\outside.txt",
    "/..%c0%afoutside.txt",
    "/..%ef%bc%8foutside.txt",
    "/sub/../../outside.txt",
    "/sub/..;/../outside.txt",
    "/.%00./outside.txt",
    "/%00/../outside.txt",
    "//outside.txt",
    "///../outside.txt",
    "/./../outside.txt",
    "/link.txt",
    "/up/outside.txt",
    "/up/site/.env",
    "/@fs/OUTSIDE",
    "/@fs/OUTSIDE?raw??",
    "/@fs/OUTSIDE?import&raw",
    "/@fs//OUTSIDE?.svg",
    "/#/../../outside.txt",
    "/index.html#/../outside.txt",
    "/__webagent__/../../outside.txt",
    "/__webagent__/..%2f..%2foutside.txt",
    "/__webagent__/%2e%2e/config.py",
    "/__webagent__/assets/../../cli.py",
    "file:///OUTSIDE",
    "/webagents.md/../../outside.txt",
)


@pytest.mark.parametrize("target", CLIMBING)
def test_nothing_past_the_root_is_read(server: Server, target: str, folder: object) -> None:
    """Row 6: reading files past the root, however the path is written."""
    answer = get(server, target.replace("OUTSIDE", f"{folder}/../outside.txt".lstrip("/")))

    assert SECRET.encode() not in answer
    assert b"import " not in answer.split(b"\r\n\r\n", 1)[-1] or status(answer) != 200


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize(
    "form",
    [
        "/{}",
        "/{}?raw",
        "/{}?import&raw??",
        "/{}?.svg",
        "/{}/",
        "/{}.",
        "/{}%20",
        "/{}::$DATA",
        "/{}%00.html",
        "/{}%23.html",
        "/%2e{}",
        "/sub/../{}",
        "/plain.txt?{}",
    ],
)
def test_no_secret_inside_the_root_is_read(server: Server, name: str, form: str) -> None:
    """Row 6: `.env`, keys, `.git`; also by another case, through a link, with a suffix."""
    stem = name.removeprefix(".") if form.startswith("/%2e") else name
    for written in (stem, stem.upper(), stem.replace("e", "%65")):
        assert SECRET.encode() not in get(server, form.format(written)), written


@pytest.mark.parametrize(
    "request_line",
    [
        "GET http://192.0.2.1/ HTTP/1.1",
        "GET https://192.0.2.1/ HTTP/1.1",
        "CONNECT 192.0.2.1:80 HTTP/1.1",
        "GET //192.0.2.1/ HTTP/1.1",
        "GET /\\192.0.2.1/ HTTP/1.1",
        "GET @192.0.2.1/ HTTP/1.1",
        "GET :80/ HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "GET ws://192.0.2.1/ HTTP/1.1",
    ],
)
def test_it_leads_to_no_other_server(server: Server, request_line: str, behind: RawServer) -> None:
    """Row 7: an open proxy. There is one upstream, and a request cannot choose it."""
    behind.asked.clear()
    answer = send(server, f"{request_line}\r\nHost: HOST\r\nConnection: close\r\n\r\n".encode())

    assert status(answer) in (0, 400, 404, 421)
    assert behind.pages == []


def test_an_upgrade_leads_to_no_other_server(server: Server, behind: RawServer) -> None:
    """Row 7: the same for sockets, by target, by name, by redirect parameters."""
    for target in ("//192.0.2.1/", "http://192.0.2.1/", "/\\192.0.2.1"):
        assert status(handshake(server, target, f"Origin: {server.url}")) == 400
    behind.asked.clear()
    handshake(server, "/?url=http://192.0.2.1/&host=192.0.2.1", f"Origin: {server.url}")
    assert all(asked.one("host") == server.url.partition("://")[2] for asked in behind.pages)


@pytest.mark.parametrize(
    "target", ["/<script>alert(1)</script>", "/%3Cscript%3Ealert(1)%3C/script%3E", "/'\"><img>"]
)
def test_no_page_of_ours_repeats_markup(server: Server, target: str) -> None:
    """Row 12: the path of a request is shown as text."""
    answer = get(server, target, "Accept: text/html")

    assert b"<script>alert" not in answer
    assert b"'\"><img>" not in answer


@pytest.mark.parametrize("header", ["Host", "Origin"])
def test_no_sentence_of_ours_is_markup(server: Server, header: str) -> None:
    """Row 12: errors repeat names as plain text, with a type that browsers do not sniff."""
    answer = get(server, "/", f"{header}: <script>alert(1)</script>")

    assert status(answer) in (400, 403)
    assert b"content-type: text/plain" in answer.lower()
    assert b"nosniff" in answer
