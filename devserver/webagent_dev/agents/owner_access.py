"""Access to the protocol endpoints: for programs of the owner, by their token."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from webagent_dev.config.model import ServeConfig
from webagent_dev.http.access import OwnerAccess

_AUTHORIZATION_PATHS = (
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server",
    "/.well-known/openid-configuration",
)
"""Where clients look for an authorization server (RFC 9728, RFC 8414, OpenID Connect)."""
Handler = Callable[[Request], Awaitable[Response]]


def owner_only(app: ASGIApp, config: ServeConfig) -> ASGIApp:
    """Return an application that answers only requests with the owner's token."""
    return OwnerAccess(app, config, _denied)


def error_response(status: int, kind: str, message: str) -> Response:
    """Return an error as JSON."""
    return Response(
        json.dumps({"error": {"kind": kind, "message": message}}),
        status,
        media_type="application/json",
        headers={"cache-control": "no-store"},
    )


def no_authorization_server(path: str, site_file: Handler | None) -> list[Route]:
    """Return routes that say in JSON that no authorization server gives out tokens for a path.

    Refused clients look there. A site that answers every path with its first page would mislead
    them.

    Args:
        path: Of the endpoint.
        site_file: Answers with a file of the site, because a file of the site comes first; None
            behind a proxy.
    """
    ours = [f"{one}{path}" for one in _AUTHORIZATION_PATHS]
    routes = [Route(one, _no_server) for one in (*ours, f"{path}{_AUTHORIZATION_PATHS[-1]}")]
    if site_file is None:
        return routes

    async def file_or_no_server(request: Request) -> Response:
        found = await site_file(request)
        is_page = found.headers.get("content-type", "").startswith("text/html")
        return await _no_server(request) if found.status_code >= 400 or is_page else found

    return [*routes, *(Route(one, file_or_no_server) for one in _AUTHORIZATION_PATHS)]


def _denied() -> Response:
    response = error_response(
        401,
        "denied",
        "this needs the token of the site's owner - the header `Authorization: Bearer …` is "
        "missing, wrong or older than 30 days - `webagent-dev token` prints it, `webagent-dev connect` writes what "
        "MCP clients need",
    )
    response.headers["www-authenticate"] = "Bearer"
    return response


async def _no_server(_: Request) -> Response:
    return error_response(
        404,
        "not_found",
        "no server gives out tokens here - the token is the owner's - `webagent-dev token` prints it",
    )
