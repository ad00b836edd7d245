"""Who may visit a server that others can reach: whoever has opened the address with the token once.

The token is in the address that the terminal shows. The first visit puts it into a cookie and leads
to the same address without it, so that it stays out of histories, screenshots and `Referer`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.config.model import VISIT_COOKIE, VISIT_PARAMETER, ServeConfig


def is_owner(request: Request, config: ServeConfig) -> bool:
    """Whether a request shows the owner's token."""
    given = request.headers.getlist("authorization")
    expected = f"Bearer {config.owner_token}".encode()
    return len(given) == 1 and secrets.compare_digest(given[0].encode("utf-8", "replace"), expected)


class OwnerAccess:
    """ASGI application that passes on only requests with the owner's token."""

    def __init__(self, app: ASGIApp, config: ServeConfig, denied: Callable[[], Response]) -> None:
        """Protect an application.

        Args:
            app: The application.
            config: Has the token, and whether it is needed.
            denied: Returns the response to any other request.
        """
        self._app = app
        self._config = config
        self._denied = denied

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        allowed = self._config.doors == "open" or is_owner(Request(scope), self._config)
        await (self._app if allowed else self._denied())(scope, receive, send)


TOKEN_HEADER = "x-webagent-token"  # noqa: S105 - the name of a header


def cookie_name(port: int) -> str:
    """Return the name of the cookie; ports of a host share their cookies, so it has its own."""
    return f"{VISIT_COOKIE}-{port}"


def admitted(scope: Scope, config: ServeConfig) -> bool:
    """Whether a request comes from somebody who had the token, or from the owner's programs."""
    given = Headers(scope=scope).getlist("authorization")
    owner = f"Bearer {config.owner_token}".encode()
    if len(given) == 1 and secrets.compare_digest(given[0].encode("utf-8", "replace"), owner):
        return True
    name = cookie_name(config.port)
    for value in _cookies(scope, name):
        if secrets.compare_digest(value.encode("utf-8", "replace"), config.visit_token.encode()):
            return True
    return False


def entrance(scope: Scope, config: ServeConfig) -> Response | None:
    """Return the answer to a visit with the token in its address, None for any other request."""
    query = scope["query_string"].decode("latin-1")
    if scope["type"] != "http" or scope["method"] != "GET" or VISIT_PARAMETER not in query:
        return None
    pairs = parse_qsl(query, keep_blank_values=True)
    tokens = [value for name, value in pairs if name == VISIT_PARAMETER]
    right = len(tokens) == 1 and secrets.compare_digest(
        tokens[0].encode("utf-8", "replace"), config.visit_token.encode()
    )
    if not right:
        return None
    rest = urlencode([(name, value) for name, value in pairs if name != VISIT_PARAMETER])
    target = scope["raw_path"].decode("ascii") + (f"?{rest}" if rest else "")
    response = RedirectResponse(target, 303, headers={"cache-control": "no-store"})
    response.headers["referrer-policy"] = "no-referrer"
    response.set_cookie(
        cookie_name(config.port),
        config.visit_token,
        httponly=True,
        samesite="lax",
        secure=config.tls is not None,
    )
    return response


def _cookies(scope: Scope, name: str) -> list[str]:
    pairs = (
        pair.strip().partition("=")
        for header in Headers(scope=scope).getlist("cookie")
        for pair in header.split(";")
    )
    return [value for key, _, value in pairs if key == name]
