"""What the server and a page say to each other over the live channel: two closed unions.

One JSON object per text frame. The page's side has the same union in TypeScript; the examples in
`tests/cases/messages.json` hold on both.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

WIRE_VERSION = 1
PAGE_MESSAGE_BYTES = 64 * 1024
"""The longest message that a page may send."""
SOCKET_MESSAGE_BYTES = 16 << 20
"""The longest message of a site's own WebSocket that is passed on to the server behind, or from it."""


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of every connection."""

    type: ClassVar = "hello"
    version: str
    """Version of the server; a page of another version is told to reload."""
    build: str
    """Build of the page bundle that is served, empty when there is none."""
    manifest_path: str | None
    """URL path of the manifest, null when the site has none."""
    seq: int
    """Number of the latest news."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What the checks say about the manifest as it is now; none means all is well."""

    type: ClassVar = "findings"
    path: str
    revision: int
    findings: list[dict[str, Any]]
    lines: dict[str, str]
    """Text of each line that a finding starts on, by its 1-based number."""


@dataclass(frozen=True, slots=True)
class ManifestChanged:
    """A new manifest without errors."""

    type: ClassVar = "manifest"
    path: str
    """URL path of the manifest."""
    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class StylesheetChanged:
    """A stylesheet to swap without a reload."""

    type: ClassVar = "css"
    path: str
    """URL path of the stylesheet."""


@dataclass(frozen=True, slots=True)
class Reload:
    """The page must load itself again."""

    type: ClassVar = "reload"
    reason: str
    path: str | None
    """URL path of the file that changed, if it is one file."""


ServerMessage = Hello | Findings | ManifestChanged | StylesheetChanged | Reload


@dataclass(frozen=True, slots=True)
class PageHello:
    """A page says who it is."""

    type: ClassVar = "hello"
    page_id: str
    document_id: str
    url: str
    title: str
    focused: bool
    version: str


@dataclass(frozen=True, slots=True)
class PageError:
    """The runtime in the page failed."""

    type: ClassVar = "error"
    phase: str
    message: str


@dataclass(frozen=True, slots=True)
class PageDrift:
    """Where a page is not what its manifest says; none means that it is."""

    type: ClassVar = "drift"
    path: str
    """Path of the page: `/shop/cart`."""
    findings: list[dict[str, Any]]


PageMessage = PageHello | PageError | PageDrift

_PAGE_MESSAGES: dict[str, tuple[type[PageMessage], dict[str, type]]] = {
    "hello": (
        PageHello,
        {
            "page_id": str,
            "document_id": str,
            "url": str,
            "title": str,
            "focused": bool,
            "version": str,
        },
    ),
    "error": (PageError, {"phase": str, "message": str}),
    "drift": (PageDrift, {"path": str, "findings": list}),
}
"""What pages may say: the class of each type, and its fields."""


def serialize(message: ServerMessage, *, seq: int | None = None) -> str:
    """Return the message as JSON in ASCII, so that no text of a site can break the frame.

    Args:
        message: What to say.
        seq: Its number, if it is news: a page that was away says the last number that it has seen.
    """
    numbered = {} if seq is None else {"seq": seq}
    return json.dumps({"v": WIRE_VERSION, "type": message.type, **asdict(message), **numbered})


def parse_page_message(text: str) -> PageMessage | None:
    """Read a message of a page; None when it is unknown or not as agreed.

    Fields that a newer page may add are passed over.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.get("v") is True or data.get("v") != WIRE_VERSION:
        return None
    name = data.get("type")
    if not isinstance(name, str) or name not in _PAGE_MESSAGES:
        return None
    kind, fields = _PAGE_MESSAGES[name]
    if any(type(data.get(field)) is not wanted for field, wanted in fields.items()):
        return None
    return kind(**{field: data[field] for field in fields})
