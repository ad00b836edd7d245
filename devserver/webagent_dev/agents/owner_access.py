"""Who may come in by the doors: the owner's programs, by their token."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from webagent_dev.config.model import ServeConfig
from webagent_dev.http.auth import is_owner

_AUTHORIZATION = (
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
)
"""Where clients look for a server that gives out tokens (RFC 9728, RFC 8414, OpenID Connect)."""
Handler = Callable[[Request], Awaitable[Response]]


class Door:
    """ASGI application that passes on what shows the owner's token."""

    def __init__(self, app: ASGIApp, config: ServeConfig) -> None:
        """Stand before an application."""
        self._app = app
        self._config = config

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or say what it lacks."""
        if self._config.doors == "open" or is_owner(Request(scope), self._config):
            await self._app(scope, receive, send)
            return
        response = refusal(
            401,
            "denied",
            "this needs the token of the site's owner - the header `Authorization: Bearer …` is "
            "missing or wrong - `webagent-dev token` shows it, `webagent-dev connect` writes what "
            "MCP clients need",
        )
        response.headers["www-authenticate"] = "Bearer"
        await response(scope, receive, send)


def refusal(status: int, kind: str, message: str) -> Response:
    """Return an answer that says in JSON why there is no other."""
    return Response(
        json.dumps({"error": {"kind": kind, "message": message}}),
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def no_authorization_server(place: str, site_file: Handler | None) -> list[Route]:
    """Return routes that say in JSON that nobody gives out tokens for what is at a path.

    Clients that were refused look there; a site that answers every path with its first page would
    lead them astray.

    Args:
        place: The path.
        site_file: Answers with a file of the site, which comes first where it has one; None when a
            server behind ours answers for the site.
    """
    ours = [f"{path}{place}" for path in _AUTHORIZATION]
    routes = [Route(path, _nobody) for path in (*ours, f"{place}{_AUTHORIZATION[-1]}")]
    if site_file is None:
        return routes

    async def file_or_nobody(request: Request) -> Response:
        found = await site_file(request)
        is_page = found.headers.get("content-type", "").startswith("text/html")
        return await _nobody(request) if found.status_code >= 400 or is_page else found

    return [*routes, *(Route(path, file_or_nobody) for path in _AUTHORIZATION)]


async def _nobody(_: Request) -> Response:
    return refusal(
        404,
        "not_found",
        "no server gives out tokens here - the token is the owner's - `webagent-dev token` shows it",
    )
