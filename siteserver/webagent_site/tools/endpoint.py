"""The endpoint of tools: the checks of a request, the call, and errors by name."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import secrets
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync

from webagent.errors import ToolError
from webagent_site.http.request_body import RequestError, check_json, object_of
from webagent_site.tools.declaration import DeclaredTool
from webagent_site.tools.server_tools import ServerTools

MAX_CALL_BYTES = 1024 * 1024
"""The largest body of a call."""

_log = logging.getLogger("webagent_site.tools")

_STATUS = {
    "invalid_arguments": 422,
    "not_logged_in": 401,
    "denied": 403,
    "rate_limited": 429,
}
"""The status of each kind of error that an application may raise; others are `threw`."""

_KINDS = {401: "not_logged_in", 403: "denied", 413: "too_large", 429: "rate_limited"}
"""The kinds of the statuses that exceptions of frameworks have; others are `threw`."""

_SENTENCES = {
    "not_logged_in": "please sign in first, then try again",
    "denied": "the site does not allow this",
    "too_large": "this is more than the site accepts at once",
    "rate_limited": "this was too often; wait a moment, then try again",
    "threw": "the site does not do this now",
}

_FRAMEWORK_STATUS = {
    "django.core.exceptions.PermissionDenied": 403,
    "django.http.response.Http404": 404,
}


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request."""

    status: int
    body: bytes
    content_type: str = "application/json"
    cache_control: str = "no-store"

    @property
    def headers(self) -> dict[str, str]:
        """Its headers."""
        return {
            "content-type": self.content_type,
            "cache-control": self.cache_control,
            "x-content-type-options": "nosniff",
        }


class ToolEndpoint:
    """Answers the calls of tools; a framework passes requests on to it."""

    def __init__(self, tools: ServerTools) -> None:
        self._tools = tools

    def script(self, name: str) -> Reply:
        """Return the script that pages load, by the last part of its address."""
        if name != self._tools.script_name:
            return _error(404, "threw", f"`{name[:100]}` is of another build; reload the page")
        code = self._tools.script().encode()
        kept = "public, max-age=31536000, immutable"
        return Reply(200, code, "text/javascript; charset=utf-8", kept)

    async def call(
        self, name: str, headers: Mapping[str, str], body: bytes, request: object
    ) -> Reply:
        """Call a tool; functions that are not async run in a thread.

        Args:
            name: Name of the tool.
            headers: Those of the request, whose names may be of any case.
            body: That of the request.
            request: The request, for functions that take it.
        """
        try:
            declared, arguments = self._prepared(name, headers, body, request)
            bound = partial(declared.function, **arguments)
            value = (
                bound() if inspect.iscoroutinefunction(declared.function) else await run_sync(bound)
            )
            if inspect.isawaitable(value):
                value = await value
            return Reply(200, declared.json_of(value))
        except Exception as error:
            return _failure(name, error)

    def call_sync(
        self, name: str, headers: Mapping[str, str], body: bytes, request: object
    ) -> Reply:
        """Do the same in this thread, in which no event loop runs."""
        try:
            declared, arguments = self._prepared(name, headers, body, request)
            value = declared.function(**arguments)
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
            return Reply(200, declared.json_of(value))
        except Exception as error:
            return _failure(name, error)

    def _prepared(
        self, name: str, headers: Mapping[str, str], body: bytes, request: object
    ) -> tuple[DeclaredTool, dict[str, Any]]:
        """Return the tool that a request calls, and the function's arguments.

        Raises:
            RequestError: The request is not one of a page of this site, or is not a call.
            InvalidArguments: The values do not fit.
        """
        sent = {key.lower(): value for key, value in headers.items()}
        if not _is_same_origin(sent):
            raise RequestError(403, "denied", "only pages of this site call its tools")
        check_json(sent.get("content-type", ""))
        if len(body) > MAX_CALL_BYTES:
            raise RequestError(413, "too_large", f"a call has at most {MAX_CALL_BYTES} bytes")
        declared = self._tools.get(name)
        if declared is None:
            raise RequestError(404, "unknown_tool", f"`{name[:100]}` is not a tool of this site")
        return declared, declared.arguments(object_of(body), request)


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def _is_same_origin(headers: Mapping[str, str]) -> bool:
    """Whether a page of the host that is asked sends a request; other programs do not."""
    # A browser leaves `sec-fetch-site` out where the page came by plain HTTP over a network.
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    try:
        host = urlsplit(headers.get("origin", "")).netloc
    except ValueError:
        return False
    return bool(host) and host == headers.get("host")


def _failure(name: str, error: Exception) -> Reply:
    if isinstance(error, RequestError):
        return _error(error.status, error.kind, str(error))
    if isinstance(error, ToolError) and error.kind not in ("invalid_result", "too_large"):
        kind = error.kind if error.kind in _STATUS else "threw"
        return _error(_STATUS.get(kind, 409), kind, error.message)
    status = _framework_status(error)
    if status is not None and 400 <= status < 500:
        kind = _KINDS.get(status, "threw")
        return _error(status, kind, _SENTENCES[kind])
    reference = secrets.token_hex(4)
    _log.error("tool `%s` failed, reference %s", name, reference, exc_info=error)
    message = f"the site could not do this; its log has the reason under {reference}"
    return _error(500, "threw", message, reference=reference)


def _framework_status(error: Exception) -> int | None:
    """Return the status that an exception of a framework stands for, None for another one."""
    for one in type(error).__mro__:
        name = f"{one.__module__}.{one.__qualname__}"
        if name in _FRAMEWORK_STATUS:
            return _FRAMEWORK_STATUS[name]
        if name in ("starlette.exceptions.HTTPException", "werkzeug.exceptions.HTTPException"):
            status = getattr(error, "status_code", None) or getattr(error, "code", None)
            return status if isinstance(status, int) else None
    return None


def _error(status: int, kind: str, message: str, **fields: str) -> Reply:
    body = {"error": {"kind": kind, "message": message, **fields}}
    return Reply(status, json.dumps(body).encode())
