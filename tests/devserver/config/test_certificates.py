"""Certificates: given, and made here."""

from __future__ import annotations

import os
import re
import socket
import ssl
import stat
import sys
from pathlib import Path

import httpx
import pytest

from tests.server import ServerProcess
from webagent_dev.config import certificates
from webagent_dev.config.certificates import own_certificate, self_signed
from webagent_dev.config.resolve import resolve_config
from webagent_site.errors import ConfigError

GOODBYE = b"\x88\x80" + bytes(4)
"""The frame that closes a WebSocket, from a client (RFC 6455, 5.5.1): nothing in it, masked."""


def test_a_certificate_is_made_once_and_kept(tmp_path: Path) -> None:
    """So that a browser is asked to accept it once; nobody else can read the key."""
    first = self_signed(["shop.test"], tmp_path / "state")
    made = first.certificate.read_bytes()

    assert self_signed([], tmp_path / "state").certificate.read_bytes() == made
    assert self_signed(["other.test"], tmp_path / "state").certificate.read_bytes() != made
    if os.name != "nt":
        assert stat.S_IMODE(first.key.stat().st_mode) == 0o600
        assert stat.S_IMODE(first.key.parent.stat().st_mode) == 0o700


def test_a_broken_or_expiring_certificate_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a question."""
    files = self_signed([], tmp_path)
    files.key.write_text("nonsense")
    assert own_certificate(*(self_signed([], tmp_path).certificate, files.key))

    before = files.certificate.read_bytes()
    monkeypatch.setattr(certificates, "LEFT_DAYS", certificates.VALID_DAYS + 1)
    assert self_signed([], tmp_path).certificate.read_bytes() != before


def test_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    """Before the server starts, with both names."""
    one, other = self_signed([], tmp_path / "a"), self_signed([], tmp_path / "b")
    with pytest.raises(
        ConfigError, match="are not a certificate with its key - key values mismatch"
    ):
        own_certificate(one.certificate, other.key)
    with pytest.raises(ConfigError, match=r"no\.pem` is not a file - HTTPS needs a certificate"):
        own_certificate(tmp_path / "no.pem", one.key)
    (tmp_path / "text.pem").write_text("hello")
    with pytest.raises(ConfigError, match="are not a certificate with its key"):
        own_certificate(tmp_path / "text.pem", one.key)


def test_a_certificate_without_its_key_is_refused(root: Path, tmp_path: Path) -> None:
    """And the other way round."""
    with pytest.raises(ConfigError, match="`--cert` and `--key` belong together"):
        resolve_config(str(root), cert=tmp_path / "a.pem")
    with pytest.raises(ConfigError, match="`--cert` and `--key` belong together"):
        resolve_config(str(root), key=tmp_path / "a.pem")


def test_without_the_package_the_error_names_the_pip_command(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTPS with a certificate that is given works without it."""
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(ConfigError, match=r"run `pip install \"webagent-dev\[https\]\"`"):
        resolve_config(str(root), https=True)


def test_paths_in_the_file_are_relative_to_it(root: Path) -> None:
    """`true` makes one; a table names one."""
    files = self_signed([], root / "keys")
    (root / "webagent.toml").write_text(
        "[server]\nhttps = { cert = 'keys/certificate.pem', key = 'keys/key.pem' }\n"
    )
    config = resolve_config(str(root))
    assert config.tls == files
    assert config.url == "https://127.0.0.1:8000/"

    (root / "webagent.toml").write_text("[server]\nhttps = { cert = 'a' }\n")
    with pytest.raises(ConfigError, match=r"`\[server\] https` cannot be .* - it must be `true`"):
        resolve_config(str(root))


def test_a_site_is_served_over_https(root: Path, tmp_path: Path) -> None:
    """A client that trusts the certificate needs no exception; HTTP is not answered."""
    server = ServerProcess(root, "--https", environment={"XDG_STATE_HOME": str(tmp_path / "state")})
    certificate = tmp_path / "state" / "webagent" / "certificate.pem"
    trusting = ssl.create_default_context(cafile=str(certificate))
    with httpx.Client(verify=trusting, base_url=server.url) as client:
        assert server.url.startswith("https://127.0.0.1:")
        assert client.get("/").status_code == 200
        assert client.get("/", headers={"origin": server.url}).status_code == 200
        plain = server.url.replace("https", "http")
        assert client.get("/", headers={"origin": plain}).status_code == 403
        with pytest.raises(httpx.HTTPError):
            client.get(plain)
    server.stop()


def test_a_half_closed_websocket_does_not_hold_the_server(root: Path, tmp_path: Path) -> None:
    """The farewell of TLS may never come: Ctrl-C ends the server meanwhile, without a word."""
    server = ServerProcess(root, "--https", environment={"XDG_STATE_HOME": str(tmp_path / "state")})
    certificate = tmp_path / "state" / "webagent" / "certificate.pem"
    trusting = ssl.create_default_context(cafile=str(certificate))
    port = httpx.URL(server.url).port
    assert port
    page = httpx.get(server.url, verify=trusting).text
    live = re.search(r"/__webagent__/live\?token=[\w-]+", page)
    assert live
    with (
        socket.create_connection(("127.0.0.1", port), timeout=5) as plain,
        trusting.wrap_socket(plain, server_hostname="127.0.0.1") as channel,
    ):
        channel.sendall(
            f"GET {live[0]} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nOrigin: {server.url}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
        assert channel.recv(12) == b"HTTP/1.1 101"
        channel.sendall(GOODBYE)
        received = b""
        while not received.endswith(b"\x88\x00"):
            received += channel.recv(1_000)
        server.stop()
