"""The addresses of tools inside an application, behind its own sessions, CSRF and permissions.

Each framework is imported when it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router

from webagent_site.config.urls import TOOLS_PATH
from webagent_site.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_site.tools.endpoint import MAX_CALL_BYTES, Reply, ToolEndpoint
from webagent_site.tools.server_tools import ServerTools

if TYPE_CHECKING:
    from flask import Blueprint

_METHODS = ["GET", "POST"]
_LENGTH = re.compile("[0-9]{1,18}")


def starlette_routes(tools: ServerTools) -> list[Route]:
    """Return the routes for Starlette and FastAPI: `app.router.routes.extend(…)`."""
    return [Route(f"{TOOLS_PATH}/{{name}}", _starlette_endpoint(tools), methods=_METHODS)]


def asgi_app(tools: ServerTools) -> Router:
    """Return an ASGI application, for frameworks that mount one below `/__webagent__/tools`."""
    return Router([Route("/{name}", _starlette_endpoint(tools), methods=_METHODS)])


def _starlette_endpoint(tools: ServerTools) -> Callable[[Request], Any]:
    endpoint = ToolEndpoint(tools)

    async def respond(request: Request) -> Response:
        name = request.path_params["name"]
        if request.method != "POST":
            return _response(endpoint.script(name))
        try:
            body = await read_body(request, MAX_CALL_BYTES + 1)
        except BodyTooLarge:
            # It is refused by its length, as it is where a framework reads it.
            body = bytes(MAX_CALL_BYTES + 1)
        except ClientGone:
            return Response(status_code=400)
        return _response(await endpoint.call(name, request.headers, body, request))

    return respond


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, reply.headers)


def django_urls(tools: ServerTools) -> list[Any]:
    """Return the patterns for `urlpatterns`. Django's middleware checks the CSRF token."""
    from django.http import HttpRequest, HttpResponse
    from django.urls import path
    from django.views.decorators.http import require_http_methods

    endpoint = ToolEndpoint(tools)

    def respond(request: HttpRequest, name: str) -> HttpResponse:
        if request.method == "POST":
            reply = endpoint.call_sync(name, request.headers, request.body, request)
        else:
            reply = endpoint.script(name)
        return HttpResponse(reply.body, status=reply.status, headers=reply.headers)

    view = require_http_methods(_METHODS)(respond)
    return [path(f"{TOOLS_PATH[1:]}/<str:name>", view, name="webagent-tools")]


def flask_blueprint(tools: ServerTools) -> Blueprint:
    """Return the blueprint for `app.register_blueprint(…)`. `CSRFProtect` checks the token."""
    from flask import Blueprint, request
    from flask import Response as FlaskResponse

    endpoint = ToolEndpoint(tools)
    blueprint = Blueprint("webagent_tools", __name__)

    def respond(name: str) -> FlaskResponse:
        if request.method == "POST":
            length = request.content_length
            # A hook of the application may have read the body, and then only this returns it.
            known = length is not None and length <= MAX_CALL_BYTES
            body = request.get_data() if known else request.stream.read(MAX_CALL_BYTES + 1)
            # The proxy that Flask has in its place is not the request itself.
            given = request._get_current_object()  # type: ignore[attr-defined]
            reply = endpoint.call_sync(name, dict(request.headers), body, given)
        else:
            reply = endpoint.script(name)
        return FlaskResponse(reply.body, reply.status, reply.headers)

    blueprint.add_url_rule(f"{TOOLS_PATH}/<name>", "respond", respond, methods=_METHODS)
    return blueprint


def wsgi_app(tools: ServerTools) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """Return a WSGI application, for frameworks that mount one below `/__webagent__/tools`."""
    endpoint = ToolEndpoint(tools)

    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        name = (
            environ.get("PATH_INFO", "")
            .rpartition("/")[2]
            .encode("latin-1")
            .decode("utf-8", "replace")
        )
        if environ["REQUEST_METHOD"] == "POST":
            length = environ.get("CONTENT_LENGTH") or "0"
            most = min(int(length), MAX_CALL_BYTES + 1) if _LENGTH.fullmatch(length) else 0
            body = environ["wsgi.input"].read(most)
            reply = endpoint.call_sync(name, _headers(environ), body, environ)
        else:
            reply = endpoint.script(name)
        line = f"{reply.status} {HTTPStatus(reply.status).phrase}"
        start_response(line, [*reply.headers.items(), ("content-length", str(len(reply.body)))])
        return [reply.body]

    return application


def _headers(environ: dict[str, Any]) -> dict[str, str]:
    found = {
        key.removeprefix("HTTP_").replace("_", "-").lower(): str(value)
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    return found | {"content-type": environ.get("CONTENT_TYPE", "")}
