"""Access to the server: its names, the owner's programs by a token, visitors by a cookie.

Any page that a developer visits can send requests to a server on their machine, also under a name of
its own that resolves to 127.0.0.1. A request passes if its host is one of ours, if it comes from one
of our pages or from no page at all, and if its target is plain.

A response to the owner ends when the token is replaced, however long it would have lasted.
Visitors need the cookie on a server that others can reach. They get it from the URL with the token
that the terminal shows. It redirects to the same URL without the token, which so stays out of the
history, of screenshots and of `Referer`.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webagent_dev.config.model import VISIT_COOKIE, VISIT_PARAMETER, ServeConfig
from webagent_dev.http.pages import token_page
from webagent_site.config.urls import CONTROL_PATH, DEFAULT_PORTS, PROOF_PATH, is_local
from webagent_site.http.guard import (
    Refusal,
    check_origin,
    check_service_worker,
    check_target,
    header_values,
    is_from_other_site,
    with_guard_headers,
)
from webagent_site.http.sentences import wants_html
from webagent_site.text import printable

_HOST = re.compile(r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
_LOCAL_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_WILDCARDS = frozenset(("0.0.0.0", "::"))  # noqa: S104


class Guard:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, config: ServeConfig) -> None:
        self._app = app
        self._config = config
        self._scheme = config.scheme
        self._url = config.url
        self._is_loopback = config.is_loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond with the reason why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with_headers = with_guard_headers(scope, send)
        refusal = self.check(scope)
        may_log_in = refusal is None or refusal.needs_token
        redirect = login_redirect(scope, self._config) if may_log_in else None
        if redirect is not None:
            await redirect(scope, receive, with_headers)
        elif refusal is None:
            await self._app(scope, receive, while_owner(scope, with_headers, self._config))
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            response = _response(refusal, scope)
            await response(scope, receive, with_headers)
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": ""})

    def check(self, scope: Scope) -> Refusal | None:
        """Return why a request does not pass, None when it does."""
        return (
            check_target(scope)
            or self._check_host(scope)
            or self._check_origin(scope)
            or self._check_fetch_site(scope)
            or check_service_worker(scope)
            or self._check_visitor(scope)
        )

    def _check_host(self, scope: Scope) -> Refusal | None:
        """Refuse DNS rebinding: a foreign name that resolves to us is still foreign in `Host`."""
        hosts = header_values(scope, b"host")
        parsed = _HOST.fullmatch(hosts[0].lower()) if len(hosts) == 1 else None
        if parsed is None:
            return Refusal(
                400, "the request needs exactly one `Host` header with a name and a port"
            )
        port = int(parsed["port"] or DEFAULT_PORTS[self._scheme])
        if port == self._config.port and self._is_ours(parsed["name"]):
            return None
        if self._is_allowed(parsed["name"]):
            # A tunnel has another port.
            return None
        return Refusal(
            421,
            f"`{printable(hosts[0], 300)}` is not the name of this server - pages of other sites "
            f"could read it under a name of their own - open {self._url}, or add "
            f"`--allow-host {printable(parsed['name'], 260)}` if the name is yours",
        )

    def _is_allowed(self, name: str) -> bool:
        """Whether a name is one of those that were added, or below one of them."""
        return any(
            name.endswith(allowed) if allowed.startswith(".") else name == allowed
            for allowed in self._config.allow_host
        )

    def _check_visitor(self, scope: Scope) -> Refusal | None:
        """Refuse visitors from other machines who do not have the token."""
        name = _HOST.fullmatch(header_values(scope, b"host")[0].lower())
        assert name is not None
        if self._is_loopback and is_local(name["name"].strip("[]")):
            return None
        if scope["path"] == PROOF_PATH:
            # Commands of the owner ask there before they send any token.
            return None
        if is_authorized(scope, self._config):
            return None
        return Refusal(
            401,
            "others can reach this server, so it needs a token - the terminal in which it runs shows a URL "
            "with the token - open that URL",
            needs_token=True,
        )

    def _is_ours(self, name: str) -> bool:
        """Whether a name is one that this server always has."""
        bare = name.strip("[]")
        if name in _LOCAL_NAMES or name.endswith(".localhost") or bare == self._config.host:
            return True
        if self._config.host not in _WILDCARDS:
            return False
        try:
            # The server listens on every address of the machine, so any address may be its own. Only
            # a name can be made to point to another machine.
            ip_address(bare)
        except ValueError:
            return False
        return True

    def _check_origin(self, scope: Scope) -> Refusal | None:
        """Refuse other origins: `Origin` must be that of the request."""
        host = header_values(scope, b"host")[0].lower()
        ours = [f"{self._scheme}://{host}"]
        parsed = _HOST.fullmatch(host)
        if parsed and self._is_allowed(parsed["name"]):
            # A tunnel uses HTTPS with the page, and HTTP with us.
            ours.append(f"https://{host}")
        return check_origin(scope, ours, self._url)

    def _check_fetch_site(self, scope: Scope) -> Refusal | None:
        """Refuse embedding by other sites, as scripts, images or frames. Links to a page are fine.

        Pages of the other origins of the same application may show a page in a frame.
        """
        if not is_from_other_site(scope):
            return None
        path: str = scope["path"]
        dest = header_values(scope, b"sec-fetch-dest")
        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and header_values(scope, b"sec-fetch-mode") == ["navigate"]
            and (dest == ["document"] or (dest == ["iframe"] and self._is_component(scope)))
            and not f"{path}/".startswith(f"{CONTROL_PATH}/")
        ):
            return None
        return Refusal(
            403,
            "a page of another site requested this - only pages of this server may use its files - "
            "open it in its own tab, or name the other site with `--component-origin`",
        )

    def _is_component(self, scope: Scope) -> bool:
        """Whether a request comes from a page of one of those origins, by its `Referer`."""
        # A page cannot forge it.
        referers = header_values(scope, b"referer")
        return len(referers) == 1 and any(
            f"{referers[0]}/".startswith(f"{origin}/") for origin in self._config.component_origins
        )


def _response(refusal: Refusal, scope: Scope) -> Response:
    """Return the refusal as a page for a person without a token, and else as a sentence."""
    if refusal.needs_token and scope["type"] == "http" and wants_html(Request(scope)):
        return Response(token_page(), refusal.status, media_type="text/html")
    return PlainTextResponse(refusal.sentence + "\n", refusal.status)


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
