"""Servers to attack: of a folder with secrets, and in front of another server."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server import Server, ServerProcess, hosting, serving
from tests.upstream import RawServer, html, listening

SECRET = "the-secret-that-nobody-may-read"
"""In every file that must not be served."""
HIDDEN = (
    *(".env", ".env.local", "server.key", "site.pem", ".git/config", ".npmrc", "webagent.toml"),
    *(".envrc", ".netrc", ".git-credentials", ".aws/credentials", ".docker/config.json", ".pypirc"),
    *("id_rsa", ".bash_history", ".dev.vars", "terraform.tfstate", "db.sqlite3", "evals.json"),
    *("test_shop.py", "tests/kit.py", "core", "dump.sql", "index.html.bak"),
)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with secrets next to it and inside of it."""
    base = tmp_path_factory.mktemp("attacked")
    root = base / "site"
    (root / "sub").mkdir(parents=True)
    (base / "outside.txt").write_text(SECRET)
    for name in HIDDEN:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(f"# {SECRET}\n")
    (root / "index.html").write_text("<!doctype html><title>Site</title>")
    (root / "app.js").write_text("globalThis.read = 'source'")
    (root / "webagents.md").write_text("# Site\n\n## getCart\n### Params\n")
    (root / "link.txt").symlink_to(base / "outside.txt")
    (root / "up").symlink_to(base)
    (root / "plain.txt").symlink_to(root / ".env")
    return root


@pytest.fixture(name="behind", scope="module")
def _behind() -> Iterator[RawServer]:
    with listening() as server:
        server.answer = html("<!doctype html><title>Behind</title>")
        yield server


@pytest.fixture(name="command", scope="module", params=["folder", "proxy"])
def _command(
    request: pytest.FixtureRequest,
    folder: Path,
    behind: RawServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path | str, ...]:
    """The served folder, then its options."""
    if request.param == "folder":
        return (folder,)
    return (tmp_path_factory.mktemp("front"), "--proxy", behind.url)


@pytest.fixture(name="server", scope="module")
def _server(command: tuple[Any, ...]) -> Iterator[Server]:
    with hosting(*command) as server:
        yield server
        still_answers(server)


@pytest.fixture(name="server_process", scope="module")
def _server_process(command: tuple[Any, ...]) -> Iterator[ServerProcess]:
    """For what is about memory, which a process has for itself."""
    with serving(*command) as server:
        yield server
        still_answers(server)


def still_answers(server: Server) -> None:
    """Check that a server answers, whatever was tried."""
    assert httpx.get(server.url, headers={"accept": "text/html"}).status_code == 200


def send(server: Server, data: bytes, *, limit_s: float = 20) -> bytes:
    """Send bytes as they are, `HOST` replaced, and return all that comes back."""
    parts = urlsplit(server.url)
    assert parts.hostname
    assert parts.port
    with socket.create_connection((parts.hostname, parts.port), timeout=limit_s) as connection:
        connection.sendall(data.replace(b"HOST", parts.netloc.encode()))
        answer = b""
        while b"\r\n\r\n" not in answer or not _whole(answer):
            try:
                chunk = connection.recv(65_536)
            except ConnectionResetError:
                break
            if not chunk:
                break
            answer += chunk
        return answer


def get(server: Server, target: str, *headers: str, method: str = "GET") -> bytes:
    """Ask with one request line and headers, `HOST` being ours unless one is given."""
    lines = [f"{method} {target} HTTP/1.1"]
    lines += [] if any(h.lower().startswith("host:") for h in headers) else ["Host: HOST"]
    closing = not any(h.lower().startswith("connection:") for h in headers)
    lines += [*headers, *(["Connection: close"] if closing else []), "", ""]
    return send(server, "\r\n".join(lines).encode("latin-1"))


def status(answer: bytes) -> int:
    """Return the status of a response, 0 without one."""
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/") else 0


def page_token(server: Server) -> str:
    """Return the token that is in the server's pages."""
    page = httpx.get(server.url, headers={"accept": "text/html"}).text
    found = re.search(r"live\?token=([\w-]+)", page)
    assert found
    return found[1]


def handshake(server: Server, target: str, *headers: str) -> bytes:
    """Ask for a WebSocket."""
    return get(
        server,
        target,
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        *[header for header in headers if header],
    )


def _whole(answer: bytes) -> bool:
    """Whether an answer to a handshake is there, after which the connection stays open."""
    return answer.startswith(b"HTTP/1.1 101")
