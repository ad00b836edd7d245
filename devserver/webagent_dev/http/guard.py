"""The guard: every request, HTTP or WebSocket, is checked here before anything else sees it.

Any page that a developer visits can send requests to a server on their machine, also under a name of
its own that resolves to 127.0.0.1. A request passes if its host is one of ours, if it comes from one
of our pages or from no page at all, and if its target is plain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import CONTROL_PATH, DEFAULT_PORTS, PROOF_PATH, is_local
from webagent_dev.http.auth import is_authorized, login_redirect, while_owner
from webagent_dev.http.pages import token_page, wants_html
from webagent_dev.terminal import printable

_HOST = re.compile(r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
_LOCAL_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_WILDCARDS = frozenset(("0.0.0.0", "::"))  # noqa: S104
_FORBIDDEN = re.compile(rb"[^\x21-\x7e]|[#\\]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why a request does not pass, as a status and a sentence."""

    status: int
    sentence: str
    needs_token: bool = False
    """Whether only the token of a visitor is missing."""


class Guard:
    """ASGI middleware around everything else."""

    def __init__(self, app: ASGIApp, config: ServeConfig) -> None:
        self._app = app
        self._config = config
        self._scheme = config.scheme
        self._is_loopback = config.is_loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or respond with the reason why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        with_headers = _with_headers(send, closes=_has_two_lengths(scope))
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
            _check_target(scope)
            or self._check_host(scope)
            or self._check_origin(scope)
            or self._check_fetch_site(scope)
            or _check_service_worker(scope)
            or self._check_visitor(scope)
        )

    def _check_host(self, scope: Scope) -> Refusal | None:
        """Refuse DNS rebinding: a foreign name that resolves to us is still foreign in `Host`."""
        hosts = _values(scope, b"host")
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
            f"could read it under a name of their own - open {self._config.url}, or add "
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
        name = _HOST.fullmatch(_values(scope, b"host")[0].lower())
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
        """Refuse cross-site requests and WebSockets: `Origin` must be the origin of the request."""
        origins = _values(scope, b"origin")
        host = _values(scope, b"host")[0].lower()
        if not origins or origins == [f"{self._scheme}://{host}"]:
            return None
        parsed = _HOST.fullmatch(host)
        if parsed and self._is_allowed(parsed["name"]) and origins == [f"https://{host}"]:
            # A tunnel uses HTTPS with the page, and HTTP with us.
            return None
        return Refusal(
            403,
            f"`{printable(', '.join(origins), 300)}` is another origin - only pages of this server "
            f"may send it requests - open the page at {self._config.url}",
        )

    def _check_fetch_site(self, scope: Scope) -> Refusal | None:
        """Refuse embedding by other sites, as scripts, images or frames. Links to a page are fine.

        Pages of the other origins of the same application may show a page in a frame.
        """
        if all(value in ("same-origin", "none") for value in _values(scope, b"sec-fetch-site")):
            return None
        path: str = scope["path"]
        dest = _values(scope, b"sec-fetch-dest")
        if (
            scope["type"] == "http"
            and scope["method"] == "GET"
            and _values(scope, b"sec-fetch-mode") == ["navigate"]
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
        referers = _values(scope, b"referer")
        return len(referers) == 1 and any(
            f"{referers[0]}/".startswith(f"{origin}/") for origin in self._config.component_origins
        )


def _check_target(scope: Scope) -> Refusal | None:
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


def _check_service_worker(scope: Scope) -> Refusal | None:
    """Refuse our files as service workers: one would see each request of the inspector."""
    if not _values(scope, b"service-worker") or not f"{scope['path']}/".startswith(
        f"{CONTROL_PATH}/"
    ):
        return None
    return Refusal(
        403,
        f"this was requested as a service worker - none may be registered below `{CONTROL_PATH}/` - "
        "register one from a script of the site",
    )


def _response(refusal: Refusal, scope: Scope) -> Response:
    """Return the refusal as a page for a person without a token, and else as a sentence."""
    if refusal.needs_token and scope["type"] == "http" and wants_html(Request(scope)):
        return Response(token_page(), refusal.status, media_type="text/html")
    return PlainTextResponse(refusal.sentence + "\n", refusal.status)


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _has_two_lengths(scope: Scope) -> bool:
    """Whether a body has a length and chunks, which another program may read in two ways."""
    return bool(_values(scope, b"transfer-encoding") and _values(scope, b"content-length"))


def _with_headers(send: Send, *, closes: bool = False) -> Send:
    """Add the headers that keep other sites from embedding or reinterpreting a response.

    Args:
        send: Sends the response.
        closes: Whether the connection ends with it (RFC 9112, 6.3).
    """

    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            headers["x-content-type-options"] = "nosniff"
            headers["cross-origin-resource-policy"] = "same-origin"
            if closes:
                headers["connection"] = "close"
        await send(message)

    return send_with_headers
