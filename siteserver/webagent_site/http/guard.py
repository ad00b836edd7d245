"""The guard: checks of every request, HTTP or WebSocket, that hold on any server.

The target must be plain, and pages of other sites send nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Scope, Send

from webagent_site.config.urls import CONTROL_PATH
from webagent_site.text import printable

TOKEN_HEADER = "x-webagent-token"  # noqa: S105 - the name of a header
"""The header with which a page sends its token."""

_FORBIDDEN = re.compile(rb"[^\x21-\x7e]|[#\\]")


class Refusal(NamedTuple):
    """The reason why a request does not pass, as a status and a sentence."""

    status: int
    sentence: str
    needs_token: bool = False
    """Whether only the token of a visitor is missing."""


def check_target(scope: Scope) -> Refusal | None:
    """Refuse targets that browsers cannot send: they may be read in two ways."""
    raw = scope.get("raw_path")
    if raw is None:
        raw = scope["path"].encode("utf-8", "surrogateescape")
    path: str = scope["path"]
    if (
        not raw.startswith(b"/")
        or raw.startswith(b"//")
        or _FORBIDDEN.search(raw)
        or _FORBIDDEN.search(scope["query_string"])
        or "\\" in path
        or "\0" in path
    ):
        return Refusal(
            400,
            "the target of the request must be a path that starts with one `/`, "
            "without `#`, `\\` and control characters - write `%23` for a `#` in a name",
        )
    return None


def check_origin(scope: Scope, ours: Collection[str], url: str) -> Refusal | None:
    """Refuse cross-site requests and WebSockets.

    Args:
        scope: The request.
        ours: The origins of the pages that may send it.
        url: Where people open such a page.
    """
    origins = header_values(scope, b"origin")
    if not origins or (len(origins) == 1 and origins[0] in ours):
        return None
    return Refusal(
        403,
        f"`{printable(', '.join(origins), 300)}` is another origin - only pages of this server "
        f"may send it requests - open the page at {url}",
    )


def is_from_other_site(scope: Scope) -> bool:
    """Whether a browser says that a page of another site requests something."""
    return any(
        value not in ("same-origin", "none") for value in header_values(scope, b"sec-fetch-site")
    )


def check_service_worker(scope: Scope) -> Refusal | None:
    """Refuse our files as service workers: one would see each request of the inspector."""
    if not header_values(scope, b"service-worker") or not f"{scope['path']}/".startswith(
        f"{CONTROL_PATH}/"
    ):
        return None
    return Refusal(
        403,
        f"this was requested as a service worker - none may be registered below `{CONTROL_PATH}/` - "
        "register one from a script of the site",
    )


def with_guard_headers(scope: Scope, send: Send) -> Send:
    """Add the headers that keep other sites from embedding or reinterpreting a response."""
    closes = _has_two_lengths(scope)

    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            headers["x-content-type-options"] = "nosniff"
            headers["cross-origin-resource-policy"] = "same-origin"
            if closes:
                # The connection ends with it (RFC 9112, 6.3).
                headers["connection"] = "close"
        await send(message)

    return send_with_headers


def header_values(scope: Scope, name: bytes) -> list[str]:
    """Return the values of all headers of a name, which is in lower case."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _has_two_lengths(scope: Scope) -> bool:
    """Whether a body has a length and chunks, which another program may read in two ways."""
    return bool(
        header_values(scope, b"transfer-encoding") and header_values(scope, b"content-length")
    )
