"""Certificates for HTTPS: the user's own, or one that is made here and kept.

It is kept because a person has to accept it in each browser once.
"""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING

from webagent_dev.config.extras import HTTPS
from webagent_dev.config.model import TlsFiles
from webagent_site.config.folders import state_folder
from webagent_site.errors import ConfigError

if TYPE_CHECKING:
    from cryptography.x509 import GeneralName

NAMES = ("localhost", "*.localhost", "127.0.0.1", "::1")
"""The names that a certificate made here always has."""

VALID_DAYS = 365

LEFT_DAYS = 14
"""A certificate that expires sooner is replaced."""


def own_certificate(certificate: Path, key: Path) -> TlsFiles:
    """Return the files of a certificate and its key, once it is clear that they belong together.

    Raises:
        ConfigError: They cannot be read, or do not belong together.
    """
    for path in (certificate, key):
        if not path.is_file():
            raise ConfigError(
                f"`{path}` is not a file - HTTPS needs a certificate and its key - "
                "write `--cert cert.pem --key key.pem`, or `--https` for one that is made here"
            )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # OpenSSL would ask for a password in the terminal.
        context.load_cert_chain(certificate, key, password=lambda: b"")
    except (OSError, ssl.SSLError) as error:
        reason = getattr(error, "reason", None) or error.strerror or str(error)
        raise ConfigError(
            f"`{certificate}` and `{key}` are not a certificate with its key - "
            f"{str(reason).lower().replace('_', ' ')} - write the names of two PEM files that belong "
            "together, the key without a password"
        ) from None
    return TlsFiles(certificate, key)


def self_signed(names: Iterable[str], folder: Path | None = None) -> TlsFiles:
    """Return a certificate that is made here, for this machine and more names.

    The one that was made before is returned as long as it has the names and does not expire soon.

    Args:
        names: Names and addresses, in addition to those of this machine.
        folder: Where it is kept; by default with the server's other state.

    Raises:
        ConfigError: The package that makes it is missing, or it cannot be written.
    """
    HTTPS.require()
    folder = folder or state_folder()
    files = TlsFiles(folder / "certificate.pem", folder / "key.pem")
    wanted = list(dict.fromkeys([*NAMES, *names]))
    try:
        if not _is_good(files, wanted):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _make(files, wanted)
    except OSError as error:
        raise ConfigError(
            f"`{folder}` cannot be written - {error.strerror or error} - the certificate is kept "
            "there - make it writable, or set `XDG_STATE_HOME` to a folder that is"
        ) from None
    return files


def _is_good(files: TlsFiles, names: list[str]) -> bool:
    """Whether the certificate exists, has these names, and does not expire soon."""
    from cryptography import x509

    try:
        found = x509.load_pem_x509_certificate(files.certificate.read_bytes())
        own_certificate(files.certificate, files.key)
        held = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, ConfigError, x509.ExtensionNotFound):
        return False
    until = datetime.now(UTC) + timedelta(days=LEFT_DAYS)
    return {str(name.value) for name in held} >= set(names) and found.not_valid_after_utc > until


def _make(files: TlsFiles, names: list[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "webagent-dev")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([*map(_general_name, names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write(
        files.key,
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ),
    )
    _write(files.certificate, certificate.public_bytes(serialization.Encoding.PEM))


def _general_name(name: str) -> GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _write(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, from the first moment on."""
    with suppress(FileNotFoundError):
        path.unlink()
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
