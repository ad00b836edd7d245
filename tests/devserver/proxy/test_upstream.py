"""The address of the upstream, and the connections to it."""

from __future__ import annotations

import http.server
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.server import hosting
from webagent_dev.config.certificates import self_signed
from webagent_dev.proxy.headers import to_upstream
from webagent_site.config.urls import Address, tls_of


class Quiet(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments, directory=self.folder)  # type: ignore[misc,arg-type]

    folder = ""

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(name="secure")
def _secure(tmp_path: Path) -> Iterator[int]:
    """The port of a server on this machine that signs its certificate itself."""
    folder = tmp_path / "secure"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Secure</title>")
    files = self_signed([], tmp_path / "keys")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    handler = type("Handler", (Quiet,), {"folder": str(folder)})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_upstream_on_this_machine_may_sign_its_own_certificate(
    tmp_path: Path, secure: int
) -> None:
    """Others may not: the connection could be to anybody."""
    with (
        hosting(tmp_path, "--proxy", f"https://localhost:{secure}") as front,
        httpx.Client(base_url=front.url) as client,
    ):
        page = client.get("/", headers={"accept": "text/html"})
        assert "<title>Secure</title>" in page.text
        assert "/__webagent__/webagent.js" in page.text

    context = tls_of(Address("https", "shop.example", 443))
    assert context
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize(
    ("origin", "authority", "here"),
    [
        ("http://localhost:5173", "localhost:5173", True),
        ("http://[::1]:80", "[::1]", True),
        ("http://app.localhost", "app.localhost", True),
        ("https://shop.example", "shop.example", False),
        ("http://192.0.2.7:3000", "192.0.2.7:3000", False),
    ],
)
def test_an_address_knows_its_name_and_whether_it_is_here(
    origin: str, authority: str, here: bool
) -> None:
    """The usual port is left out, as browsers do."""
    address = Address.of(origin)

    assert (address.authority, address.is_here) == (authority, here)


@pytest.mark.parametrize(
    ("cookie", "passed"),
    [
        (b"a=1; webagent-visit-8000=secret; b=2", [b"a=1; b=2"]),
        (b"webagent-visit-8000=secret", []),
        (b"a=1", [b"a=1"]),
    ],
)
def test_our_access_cookie_is_not_passed_on(cookie: bytes, passed: list[bytes]) -> None:
    """The upstream has no use for it."""
    sent = to_upstream(
        [(b"host", b"a"), (b"cookie", cookie)], Address.of("http://localhost:1"), "http://a", "x"
    )
    assert [value for name, value in sent if name == b"cookie"] == passed
