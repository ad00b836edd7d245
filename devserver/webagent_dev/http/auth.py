"""Authorization: the owner's programs by a token, visitors by a cookie.

A response to the owner ends when the token is replaced, however long it would have lasted.
Visitors need the cookie on a server that others can reach. They get it from the URL with the token
that the terminal shows. It redirects to the same URL without the token, which so stays out of the
history, of screenshots and of `Referer`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webagent_dev.config.model import VISIT_COOKIE, VISIT_PARAMETER, ServeConfig


def is_owner(request: Request, config: ServeConfig) -> bool:
    """Whether a request has the owner's token."""
    return _has_owner_token(request.headers, config)


def while_owner(scope: Scope, send: Send, config: ServeConfig) -> Send:
    """Return what sends a response to the owner, and ends a stream once the token is replaced."""
    headers = Headers(scope=scope)
    if scope["type"] != "http" or not _has_owner_token(headers, config):
        return send
    is_stream = has_ended = False

    async def send_to_owner(message: Message) -> None:
        nonlocal is_stream, has_ended
        if message["type"] == "http.response.start":
            is_stream = all(name.lower() != b"content-length" for name, _ in message["headers"])
        elif is_stream and not has_ended and not _has_owner_token(headers, config):
            has_ended = True
            await send({"type": "http.response.body", "body": b""})
        if not has_ended:
            await send(message)

    return send_to_owner


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
    """Return the name of the cookie. Servers on one host share cookies, so the port is part of it."""
    return f"{VISIT_COOKIE}-{port}"


def is_authorized(scope: Scope, config: ServeConfig) -> bool:
    """Whether a request is from a visitor with the cookie, or from a program of the owner."""
    headers = Headers(scope=scope)
    cookies = _cookies(headers, cookie_name(config.port))
    return _has_owner_token(headers, config) or any(
        _is_equal(value, config.visit_token) for value in cookies
    )


def login_redirect(scope: Scope, config: ServeConfig) -> Response | None:
    """Return the response to a URL with the token, None for any other request."""
    query = scope["query_string"].decode("latin-1")
    if scope["type"] != "http" or scope["method"] != "GET" or VISIT_PARAMETER not in query:
        return None
    pairs = parse_qsl(query, keep_blank_values=True)
    tokens = [value for name, value in pairs if name == VISIT_PARAMETER]
    if len(tokens) != 1 or not _is_equal(tokens[0], config.visit_token):
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


def _has_owner_token(headers: Headers, config: ServeConfig) -> bool:
    values = headers.getlist("authorization")
    return len(values) == 1 and _is_equal(values[0], f"Bearer {config.owner.token}")


def _is_equal(received: str, token: str) -> bool:
    # In constant time, so that nobody can measure how much of a guess is right.
    return secrets.compare_digest(received.encode("utf-8", "replace"), token.encode())


def _cookies(headers: Headers, name: str) -> list[str]:
    pairs = (
        pair.strip().partition("=")
        for header in headers.getlist("cookie")
        for pair in header.split(";")
    )
    return [value for key, _, value in pairs if key == name]
