"""The model for pages: an endpoint that forwards to the configured provider, in its own protocol.

Pages never get the key, and cannot choose another model or address.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from webagent.json_text import read_json
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import LLM_PATH
from webagent_dev.http.auth import TOKEN_HEADER
from webagent_dev.http.first_done import run_until_first_done
from webagent_dev.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_dev.llm.protocols import PROTOCOLS, GatewayProtocol, RequestRefused
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from webagent_dev.llm.forwarder import Forwarder

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Limit of a request of a page."""

_NO_MODEL = (
    "the development server has no model - runs plan without one - "
    "start it with `--llm-model PROVIDER:MODEL`"
)


class GatewayError(Exception):
    """A request was refused, with status, message and code."""

    def __init__(
        self, status: int, message: str, code: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = dict(headers or {})


class LlmGateway:
    """Answers below `/__webagent__/llm/v1`, at the paths of the configured provider."""

    def __init__(self, config: ServeConfig, site: Site, console: Console) -> None:
        self._token = config.page_token.encode()
        self._site = site
        self._forwarder: Forwarder | None = None
        self._protocol = PROTOCOLS["chat"]
        self._llm = config.llm
        if config.llm and config.llm.provider:
            # Imported late: a server without a model starts without it.
            from webagent_dev.llm.forwarder import Forwarder

            self._protocol = PROTOCOLS[config.llm.provider.protocol]
            self._forwarder = Forwarder(config.llm, self._protocol, console)

    async def endpoint(self, request: Request) -> Response:
        """Forward the request of a page, or return an error in the shape of the protocol."""
        try:
            self._check(request)
            if self._forwarder is None or self._llm is None:
                raise GatewayError(501, _NO_MODEL, "model_not_configured")
            path = self._protocol.upstream_path(request.path_params["path"], self._llm.model)
            if path is None:
                raise GatewayError(
                    404,
                    f"the model is `{self._llm.name}`, and this is not a path of its protocol - "
                    f"that is `{LLM_PATH}{self._protocol.path}` - "
                    "send the request there, or start the server with another `--llm-model`",
                    "unknown_path",
                )
            data = _checked(await _body(request), self._protocol)
            # Until then a thread imports modules that are needed here, too, and imports in two
            # threads can deadlock.
            await self._site.checked.wait()
            return _ForwardedResponse(self._forwarder, self._protocol, path, data)
        except GatewayError as error:
            return error_response(
                self._protocol, error.status, str(error), error.code, error.headers
            )

    async def close(self) -> None:
        """Close the connections to the model's server."""
        if self._forwarder:
            await self._forwarder.close()

    def _check(self, request: Request) -> None:
        tokens = request.headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not secrets.compare_digest(
            tokens[0].encode("utf-8", "replace"), self._token
        ):
            raise GatewayError(
                403,
                f"the model answers pages of this server only - the header `{TOKEN_HEADER}` lacks "
                "the token that is in the page, or the server was restarted since - "
                "reload the page",
                "invalid_page_token",
            )
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise GatewayError(
                415,
                "the request is not JSON - the model's interface takes nothing else - "
                "send it with `content-type: application/json`",
                "invalid_content_type",
            )


def error_response(
    protocol: GatewayProtocol,
    status: int,
    message: str,
    code: str,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return an error as a protocol shapes it."""
    status, body = protocol.error(status, message, code)
    return JSONResponse(body, status, headers={"cache-control": "no-store", **(headers or {})})


async def _body(request: Request) -> bytes:
    try:
        return await read_body(request, MAX_BODY_BYTES)
    except BodyTooLarge:
        raise GatewayError(
            413,
            f"the request is longer than {MAX_BODY_BYTES} bytes - that is more than models read - "
            "send fewer or smaller messages",
            "request_too_large",
            headers={"connection": "close"},
        ) from None
    except ClientGone:
        raise GatewayError(400, "the page went away", "cancelled") from None


def _checked(body: bytes, protocol: GatewayProtocol) -> dict[str, Any]:
    """Read a request; parameters that pages may not choose are refused by name."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError as error:
        raise GatewayError(
            400, f"the request is not JSON - {error} - send one object", "invalid_json"
        ) from None
    data = data if isinstance(data, dict) else {}
    try:
        protocol.check(data)
    except RequestRefused as refused:
        raise GatewayError(400, str(refused), refused.code) from None
    return data


class _ForwardedResponse(Response):
    """Forwards a request, and cancels it when the page leaves."""

    def __init__(
        self, forwarder: Forwarder, protocol: GatewayProtocol, path: str, data: dict[str, Any]
    ) -> None:
        super().__init__()
        self._forwarder = forwarder
        self._protocol = protocol
        self._path = path
        self._data = data

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from webagent_dev.llm.forwarder import ResponseSender

        async def forward() -> None:
            sender = ResponseSender(send)
            failure = await self._forwarder.forward(self._path, self._data, sender)
            if failure is not None and not sender.has_begun:
                response = error_response(
                    self._protocol, failure.status, failure.message, failure.code, failure.headers
                )
                await response(scope, receive, send)

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        await run_until_first_done(forward(), leave())
