"""Content types by file name, the same on every machine."""

from __future__ import annotations

import codecs
from pathlib import PurePath

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
    will on any other server.
    """
    kind = media_type(name)
    if kind.startswith("text/") and is_utf8(start):
        return f"{kind}; charset=utf-8"
    return kind


def is_utf8(start: bytes) -> bool:
    """Whether bytes are UTF-8, apart from a character cut in two at their end."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True
