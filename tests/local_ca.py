"""An authority of a test, and servers over TLS that it has signed."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class LocalCa:
    """Signs certificates for names of this machine."""

    def __init__(self, folder: Path) -> None:
        """Make the authority; `certificate` is its file."""
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of a test")])
        self._root = self._signed(self._name, self._key, [], is_authority=True)
        self.certificate = folder / "ca.pem"
        self.certificate.write_bytes(self._root.public_bytes(serialization.Encoding.PEM))

    def files(self, *names: str) -> tuple[Path, Path]:
        """Return the files of a certificate for names or addresses, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
        found = self._signed(subject, key, [*names], is_authority=False)
        stem = names[0].replace("*", "_").replace(":", "_")
        certificate, private = self._folder / f"{stem}.pem", self._folder / f"{stem}.key"
        certificate.write_bytes(found.public_bytes(serialization.Encoding.PEM))
        private.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return certificate, private

    def context(self, *names: str) -> ssl.SSLContext:
        """Return the TLS of a server for names."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*self.files(*names))
        return context

    def _signed(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        names: list[str],
        *,
        is_authority: bool,
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=7))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()),
                critical=False,
            )
        )
        if is_authority:
            usage = dict.fromkeys(
                (
                    *("digital_signature", "content_commitment", "key_encipherment"),
                    *("data_encipherment", "key_agreement", "encipher_only", "decipher_only"),
                ),
                False,
            )
            builder = builder.add_extension(
                x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), critical=True
            )
        if names:
            general = [_general_name(name) for name in names]
            builder = builder.add_extension(x509.SubjectAlternativeName(general), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@dataclass
class Documents:
    """A server over TLS with a few documents."""

    url: str
    answers: dict[str, tuple[int, Mapping[str, str], bytes]] = field(default_factory=dict)
    """Status, headers and body, by path."""
    asked: list[str] = field(default_factory=list)
    """The paths that were asked for."""


@contextmanager
def documents(ca: LocalCa, *names: str) -> Iterator[Documents]:
    """Serve documents on this machine, for names."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append(self.path)
            status, headers, body = served.answers.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = ca.context(*names).wrap_socket(server.socket, server_side=True)
    served = Documents(f"https://{names[0]}:{server.server_address[1]}")
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
