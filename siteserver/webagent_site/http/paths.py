"""URL paths and the files that they lead to, and the content types of these files.

This is the only place that decides whether a file of the root is served.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from fnmatch import fnmatchcase, translate
from glob import escape
from pathlib import Path, PurePath
from typing import NamedTuple
from urllib.parse import quote

DENIED = (
    # Settings and credentials of programs, histories of shells, repositories.
    *(".*", "*.env", "*.env.*"),
    # Keys, and what holds some.
    *("*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.crt", "*.cer", "*.der", "*.csr", "*.ppk"),
    *("*.jks", "*.keystore", "*.kdb", "*.kdbx", "*.gpg", "*.ovpn"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*", "*.agekey"),
    *("*.pkcs12", "*.jceks", "*.bks", "*.pvk", "*.snk", "*.keytab", "*.kubeconfig", "*.tfplan"),
    *(
        "*credentials.json",
        "*credentials.csv",
        "rootkey.csv",
        "*accesskeys.csv",
        "gha-creds-*.json",
    ),
    *("client_secret*.json", "secrets.json", "secrets.toml", "secrets.y*ml"),
    *("secret.json", "secret.toml", "secret.y*ml", "token.json", "token.pickle"),
    *("service*account*.json", "*-adminsdk*.json", "storage_state.json", "cookies.txt"),
    *("_netrc", "env.local", "kubeconfig", "wallet.dat", "*.wallet", "htpasswd", "*.htpasswd"),
    *("password.txt", "password.csv", "passwords.txt", "passwords.csv", "wp-config*.php*"),
    *("secret.txt", "secret.ini", "secret.cfg", "secrets.txt", "secrets.ini", "secrets.cfg"),
    *("*private[-_]key*", "*privatekey*", "*api[-_]key*.txt", "apikey*.txt", "*keystore.json"),
    *("token.txt", "tokens.json", "auth.json", "*storagestate.json", "wallet.json", "utc--*"),
    *("*recovery[-_]codes*", "*backup[-_]codes*", "mnemonic.txt", "lastpass*.csv", "*.1pux"),
    *("*credentials.y*ml*", "*credentials.xml", "*credentials.ini", "*_credentials"),
    *("rclone.conf", "pgpass.conf", "my.cnf", "netrc", "pip.conf", "web.config", "acme.json"),
    *("azureprofile.json", "accesstokens.json", "msal_token_cache*", "logins.json"),
    *("config.php", "settings.php", "configuration.php", "database.php", "database.y*ml"),
    *("docker-compose*.y*ml", "kubeconfig*", "env.production", "env.development", "env.staging"),
    *("authorized_keys", "known_hosts", "appsettings*.json", "local_settings.py"),
    # Databases.
    *("*.sqlite*", "*.db", "*.db3", "*.db-*", "*.db.*", "*.duckdb", "*.mdb", "*.accdb", "*.rdb"),
    *("*.mdf", "*.ldf", "*.bson", "*.realm"),
    # States of other tools, dumps, copies of editors.
    *(
        "*.tfstate",
        "*.tfstate.*",
        "*.tfvars",
        "*.tfvars.json",
        "*.dump",
        "*.dump.*",
        "*.pgdump",
        "*.dmp",
    ),
    *(
        "*.sql",
        "*.sql.*",
        "*.hprof",
        "*.heapsnapshot",
        "*.har",
        "*.log",
        "*.pst",
        "*.mbox",
        "*.backup",
        "*.orig",
        "*.old",
        "*.save",
        "*.pcap*",
        "#*#",
        "*.bak",
        "*.swp",
        "*.swo",
        "*.swx",
        "*~",
    ),
    # Ours, and what pytest collects.
    *("webagent.toml", "evals.json", "*.evals.json", "conftest.py", "test_*.py", "*_test.py"),
    *("run_agent.py", "agents.md", "claude.md", "__pycache__", "*.pyc"),
)
"""Names that are not served, at any depth: they often hold secrets, or are about the site and not
part of it. `[site] allow_files` allows single files."""

DENIED_FILES = ("core", "core.[0-9]*", "env", "credentials", "passwd", "shadow", "mbox")
"""Names that are not served for files; folders have them too."""

_PUBLIC = ".well-known"
_TESTS = "tests"
"""The Python files in a folder of this name are not served."""
_NEVER = "webagent.toml"
"""Not even `allow_files`, which is in it, allows it."""

_UNQUOTED = "/!$&'()*+,;=:@[]|~-._"
"""Characters that a browser does not encode in the path of a URL."""


class Kind(Enum):
    """The kinds of places that a URL path leads to."""

    FILE = auto()
    DIRECTORY = auto()
    MISSING = auto()
    DENIED = auto()


class Located(NamedTuple):
    """The place that a URL path leads to; `path` is a real path."""

    kind: Kind
    path: Path
    denied: str = ""
    """The file to allow in `allow_files`, relative to the root; empty outside of it."""


class _Names:
    """Names that globs describe.

    Most of the globs are whole names, or ends of names: a pattern of all of them would take as long to
    compile as a small page takes to be sent.
    """

    def __init__(self, globs: Sequence[str]) -> None:
        patterns = [glob for glob in globs if _SPECIAL.search(glob, 1)]
        self._pattern = re.compile("|".join(map(translate, patterns)))
        plain = [glob for glob in globs if not _SPECIAL.search(glob, 1)]
        self._ends = tuple(glob[1:] for glob in plain if glob.startswith("*"))
        self._names = frozenset(glob for glob in plain if not glob.startswith("*"))

    def __contains__(self, name: str) -> bool:
        is_plain = name in self._names or name.endswith(self._ends)
        return is_plain or self._pattern.match(name) is not None


_SPECIAL = re.compile(r"[*?[]")
_DENIED = _Names(DENIED)
_DENIED_FILES = _Names(DENIED_FILES)


def is_denied(name: str) -> bool:
    """Whether a file or folder of this name is not served; upper and lower case are the same."""
    return any(form in _DENIED and form != _PUBLIC for form in _forms(name))


def is_denied_path(parts: Sequence[str], allowed: Sequence[str] = ()) -> bool:
    """Whether a path has a name that is not served, and that nothing allows.

    Args:
        parts: Its names.
        allowed: Paths with `*`, `?` and `[…]`. One that is a file allows all names on its path; one
            that is a folder allows only the names up to it.
    """
    for end, name in enumerate(parts, 1):
        is_test = name.casefold().endswith(".py") and any(
            _TESTS in _forms(folder) for folder in parts[: end - 1]
        )
        if (is_test or is_denied(name)) and not _is_allowed(parts, end, allowed):
            return True
    return False


def locate(root: Path, url_path: str, allowed: Sequence[str] = ()) -> Located:
    """Return what a decoded URL path leads to under a root that is a real path.

    A symlink counts as its target, which must be inside the root. No name on the path, and none on
    the real path, may be one that is not served, unless it is allowed (see `is_denied_path`).
    """
    segments = url_path.removeprefix("/").split("/")
    wants_directory = segments[-1] == ""
    if wants_directory:
        segments.pop()
    names = [name for name in segments if name not in ("", ".", "..") and "\\" not in name]
    if is_denied_path(names, allowed):
        return _denied(root, names)
    if any(_is_odd(segment) for segment in segments):
        return Located(Kind.MISSING, root)
    try:
        real = Path(os.path.realpath(root.joinpath(*segments), strict=True))
        mode = real.stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return Located(Kind.MISSING, root)
    if not real.is_relative_to(root):
        return Located(Kind.DENIED, root)
    parts = real.relative_to(root).parts
    if is_denied_path(parts, allowed):
        return _denied(root, parts)
    if stat.S_ISDIR(mode):
        return Located(Kind.DIRECTORY, real)
    if stat.S_ISREG(mode) and not wants_directory:
        is_dump = any(form in _DENIED_FILES for form in _forms(real.name))
        if is_dump and not _is_allowed(parts, len(parts), allowed):
            return _denied(root, parts)
        return Located(Kind.FILE, real)
    return Located(Kind.MISSING, root)


def _forms(name: str) -> set[str]:
    """Return the names that a file system may take for the same one."""
    # Some ignore characters that nobody sees.
    seen = "".join(
        c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf"
    )
    folded = seen.casefold()
    # Windows ignores these at the end of a name, and takes the part after a colon for a stream.
    return {folded, folded.split(":")[0].rstrip(". ")}


def _is_allowed(parts: Sequence[str], end: int, allowed: Sequence[str]) -> bool:
    """Whether the names up to an end are allowed, or the whole path is."""
    if not allowed or _NEVER in _forms(parts[end - 1]):
        return False
    return any(_matches(entry, parts[:end]) or _matches(entry, parts) for entry in allowed)


def _matches(entry: str, parts: Sequence[str]) -> bool:
    patterns = entry.split("/")
    return len(patterns) == len(parts) and all(map(fnmatchcase, parts, patterns))


def _denied(root: Path, parts: Sequence[str]) -> Located:
    return Located(Kind.DENIED, root, escape("/".join(parts)))


def _is_odd(segment: str) -> bool:
    """Whether a segment is not a plain name: empty, dots, or with a separator in it."""
    if segment in ("", ".", "..") or "\0" in segment or "\\" in segment:
        return True
    return os.name == "nt" and (":" in segment or segment != segment.rstrip(". "))


def shown(root: Path, path: Path) -> str:
    """Return a path to show to people: relative to the root, with `/`."""
    return os.fsencode(path.relative_to(root).as_posix()).decode("utf-8", "replace")


def url_path(root: Path, path: Path) -> str:
    """Return the path of a file's URL as a browser writes it."""
    return "/" + quote(os.fsencode(path.relative_to(root).as_posix()), safe=_UNQUOTED)


_TYPES = {
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".cjs": "text/javascript",
    ".css": "text/css",
    ".csv": "text/csv",
    ".eot": "application/vnd.ms-fontobject",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".glb": "model/gltf-binary",
    ".gltf": "model/gltf+json",
    ".gz": "application/gzip",
    ".htm": "text/html",
    ".html": "text/html",
    ".ico": "image/x-icon",
    ".ics": "text/calendar",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".jxl": "image/jxl",
    ".m4a": "audio/mp4",
    ".map": "application/json",
    ".md": "text/markdown",
    ".mjs": "text/javascript",
    ".mov": "video/quicktime",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".ogv": "video/ogg",
    ".opus": "audio/ogg",
    ".otf": "font/otf",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
    ".svg": "image/svg+xml",
    ".tar": "application/x-tar",
    ".ts": "text/plain",
    ".tsx": "text/plain",
    ".ttf": "font/ttf",
    ".txt": "text/plain",
    ".vtt": "text/vtt",
    ".wasm": "application/wasm",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xhtml": "application/xhtml+xml",
    ".xml": "application/xml",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
    ".zip": "application/zip",
}

HTML_SUFFIXES = frozenset((".html", ".htm"))


def media_type(name: str) -> str:
    """Return the media type of a file name, without parameters."""
    return _TYPES.get(PurePath(name).suffix.lower(), "application/octet-stream")


def is_file_name(path: str) -> bool:
    """Whether a URL path ends in the name of a file of a type that sites have."""
    return PurePath(path).suffix.lower() in _TYPES


def content_type(name: str, start: bytes, *, whole: bool = False) -> str:
    """Return the Content-Type of a file from its name and its first bytes.

    Text that is UTF-8 says so. Text that is not gets no charset: the browser then decides as it
    does on any other server. Pages name their encoding themselves (`document_type`).

    Args:
        name: Its name.
        start: Its first bytes.
        whole: Whether these are all of its bytes.
    """
    kind = media_type(name)
    if kind.startswith("text/") and is_utf8(start, whole=whole):
        return f"{kind}; charset=utf-8"
    return kind


def is_utf8(start: bytes, *, whole: bool = False) -> bool:
    """Whether bytes are UTF-8; the last character may be incomplete if more of them follow."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=whole)
    except UnicodeDecodeError:
        return False
    return True
