"""URL paths and the files that they lead to, and the content types of these files.

This is the only place that decides whether a file of the root is served.
"""

from __future__ import annotations

import codecs
import os
import stat
from dataclasses import dataclass
from enum import Enum, auto
from fnmatch import fnmatchcase
from pathlib import Path, PurePath
from urllib.parse import quote

DENIED = (
    ".env",
    ".env.*",
    "*.crt",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.cer",
    "*.der",
    ".npmrc",
    ".yarnrc.yml",
    ".git",
    ".ssh",
    ".htpasswd",
    ".ds_store",
    "webagent.toml",
    "conftest.py",
    "test_*.py",
    "*_test.py",
)
"""Names that are never served, at any depth: they hold secrets, describe the machine, or are files
that pytest collects."""

_UNQUOTED = "/!$&'()*+,;=:@[]|~-._"
"""Characters that a browser does not encode in the path of a URL."""


class Kind(Enum):
    """The kinds of places that a URL path leads to."""

    FILE = auto()
    DIRECTORY = auto()
    MISSING = auto()
    DENIED = auto()


@dataclass(frozen=True, slots=True)
class Located:
    """The place that a URL path leads to; `path` is a real path."""

    kind: Kind
    path: Path


def is_denied(name: str) -> bool:
    """Whether a file or folder of this name is never served; upper and lower case are the same."""
    folded = name.casefold()
    if os.name == "nt":
        # Windows ignores these at the end of a name, and takes the part after a colon for a stream.
        folded = folded.split(":")[0].rstrip(". ")
    return any(fnmatchcase(folded, pattern) for pattern in DENIED)


def locate(root: Path, url_path: str) -> Located:
    """Return what a decoded URL path leads to under a root that is a real path.

    A symlink counts as its target, which must be inside the root. No name on the path, and none on
    the real path, may be one that is never served.
    """
    segments = url_path.removeprefix("/").split("/")
    wants_directory = segments[-1] == ""
    if wants_directory:
        segments.pop()
    if any(is_denied(segment) for segment in segments):
        return Located(Kind.DENIED, root)
    if any(_is_odd(segment) for segment in segments):
        return Located(Kind.MISSING, root)
    try:
        real = Path(os.path.realpath(root.joinpath(*segments), strict=True))
        mode = real.stat().st_mode
    except (OSError, ValueError, RuntimeError):
        return Located(Kind.MISSING, root)
    if not real.is_relative_to(root) or any(map(is_denied, real.relative_to(root).parts)):
        return Located(Kind.DENIED, root)
    if stat.S_ISDIR(mode):
        return Located(Kind.DIRECTORY, real)
    if stat.S_ISREG(mode) and not wants_directory:
        return Located(Kind.FILE, real)
    return Located(Kind.MISSING, root)


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


def content_type(name: str, start: bytes) -> str:
    """Return the Content-Type of a file from its name and its first bytes.

    Text that is UTF-8 says so. Text that is not gets no charset: the browser then decides as it
    does on any other server.
    """
    kind = media_type(name)
    if kind.startswith("text/") and is_utf8(start):
        return f"{kind}; charset=utf-8"
    return kind


def is_utf8(start: bytes) -> bool:
    """Whether bytes are UTF-8; the last character may be incomplete."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True
