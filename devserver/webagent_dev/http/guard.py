"""The one door: every request, HTTP or WebSocket, is judged here before anything else sees it.

Any page a developer visits can send requests to a server on their machine, also under a name of its
own that resolves to 127.0.0.1. What may pass: requests that name us as their host, come from our own
pages or from no page at all, and have a plain target.
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
from webagent_dev.config.urls import CONTROL_PATH, DEFAULT_PORTS, is_local
from webagent_dev.http.auth import admitted, entrance
from webagent_dev.http.pages import closed_page, wants_html
from webagent_dev.terminal import printable

_HOST = re.compile(r"(?P<name>[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::(?P<port>[0-9]{1,5}))?")
_LOCAL_NAMES = frozenset(("localhost", "127.0.0.1", "[::1]"))
_WILDCARDS = frozenset(("0.0.0.0", "::"))  # noqa: S104
_FORBIDDEN = re.compile(rb"[^\x21-\x7e]|[#\\]")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request does not pass, as a status and a sentence."""

    status: int
    sentence: str
    at_the_door: bool = False
    """Whether only the token is missing."""


class Guard:
    """ASGI middleware that stands outside of everything else."""

    def __init__(self, app: ASGIApp, config: ServeConfig) -> None:
        self._app = app
        self._config = config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the reason why not."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self.judge(scope)
        entry = entrance(scope, self._config) if refusal is None or refusal.at_the_door else None
        if entry is not None:
            await entry(scope, receive, _with_headers(send))
        elif refusal is None:
            await self._app(scope, receive, _with_headers(send))
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            response = _answer(refusal, scope)
            await response(scope, receive, _with_headers(send))
        else:
            await send({"type": "websocket.close", "code": 1008, "reason": ""})

    def judge(self, scope: Scope) -> Refusal | None:
        """Return why a request does not pass, None when it does."""
        return (
            _judge_target(scope)
            or self._judge_host(scope)
            or self._judge_origin(scope)
            or self._judge_fetch_site(scope)
            or self._judge_visit(scope)
        )

    def _judge_host(self, scope: Scope) -> Refusal | None:
        """DNS rebinding: a foreign name that resolves to us is still foreign in `Host`."""
        hosts = _values(scope, b"host")
        parsed = _HOST.fullmatch(hosts[0].lower()) if len(hosts) == 1 else None
        if parsed is None:
            return Refusal(
                400, "the request needs exactly one `Host` header with a name and a port"
            )
        port = int(parsed["port"] or DEFAULT_PORTS[self._config.scheme])
        if port == self._config.port and self._is_ours(parsed["name"]):
            return None
        if self._is_allowed(parsed["name"]):
            # A tunnel has a port of its own.
            return None
        return Refusal(
            421,
            f"`{printable(hosts[0], 300)}` is not the name of this server - pages of other sites "
            f"could read it under a name of theirs - open {self._config.url}, or add "
            f"`--allow-host {printable(parsed['name'], 260)}` if the name is yours",
        )

    def _is_allowed(self, name: str) -> bool:
        """Whether the name is one of those that were added, or below one."""
        return any(
            name.endswith(allowed) if allowed.startswith(".") else name == allowed
            for allowed in self._config.allow_host
        )

    def _judge_visit(self, scope: Scope) -> Refusal | None:
        """Others than this machine: they need the token that its terminal shows."""
        name = _HOST.fullmatch(_values(scope, b"host")[0].lower())
        assert name is not None
        if self._config.is_loopback and is_local(name["name"].strip("[]")):
            return None
        if admitted(scope, self._config):
            return None
        return Refusal(
            401,
            "this server can be reached by others, so it answers only those who have its token - "
            "the terminal in which it runs shows an address with the token - open that one",
            at_the_door=True,
        )

    def _is_ours(self, name: str) -> bool:
        bare = name.strip("[]")
        if name in _LOCAL_NAMES or name.endswith(".localhost") or bare == self._config.host:
            return True
        if self._config.host not in _WILDCARDS:
            return False
        try:
            # Bound to every address of the machine: any address will do, since only a name can
            # be made to point somewhere else.
            ip_address(bare)
        except ValueError:
            return False
        return True

    def _judge_origin(self, scope: Scope) -> Refusal | None:
        """Cross-site requests and WebSockets: `Origin` must be the very origin asked."""
        origins = _values(scope, b"origin")
        host = _values(scope, b"host")[0].lower()
        if not origins or origins == [f"{self._config.scheme}://{host}"]:
            return None
        parsed = _HOST.fullmatch(host)
        if parsed and self._is_allowed(parsed["name"]) and origins == [f"https://{host}"]:
            # A tunnel speaks HTTPS with the page, and HTTP with us.
            return None
        return Refusal(
            403,
            f"`{printable(', '.join(origins), 300)}` is another origin - only pages of this server "
            f"may ask it - open the page at {self._config.url}",
        )

    def _judge_fetch_site(self, scope: Scope) -> Refusal | None:
        """Embedding by other sites: scripts, images, frames. Following a link to a page is fine.

        A page of an origin that makes up one application with this site may show a page in a frame.
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
            "a page of another site asked for this - only pages of this server may use its files - "
            "open it in a tab of its own, or name the other site with `--component-origin`",
        )

    def _is_component(self, scope: Scope) -> bool:
        """Whether the page that asks is of one of those origins; a page cannot forge `Referer`."""
        referers = _values(scope, b"referer")
        return len(referers) == 1 and any(
            f"{referers[0]}/".startswith(f"{origin}/") for origin in self._config.component_origins
        )


def _judge_target(scope: Scope) -> Refusal | None:
    """Odd targets: what a browser cannot send is an attempt to be read in two ways."""
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


def _answer(refusal: Refusal, scope: Scope) -> Response:
    """Return what is said: a person before a closed door gets a page, everybody else a sentence."""
    if refusal.at_the_door and scope["type"] == "http" and wants_html(Request(scope)):
        return Response(closed_page(), refusal.status, media_type="text/html")
    return PlainTextResponse(refusal.sentence + "\n", refusal.status)


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _with_headers(send: Send) -> Send:
    """Add to every answer what keeps other sites from embedding or reinterpreting it."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            headers["x-content-type-options"] = "nosniff"
            headers["cross-origin-resource-policy"] = "same-origin"
        await send(message)

    return send_with_headers
