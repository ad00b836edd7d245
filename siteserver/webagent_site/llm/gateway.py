"""The models for pages: endpoints that forward to the configured providers, each in its own protocol.

Pages never get the key, and cannot choose another model or address.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from webagent.json_text import read_json
from webagent_site.config.urls import FALLBACK_PATH, LLM_PATH
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_site.llm.protocols import PROTOCOLS, GatewayProtocol, RequestRefused

if TYPE_CHECKING:
    from webagent_site.config.llm import LlmConfig
    from webagent_site.llm.forwarder import Forwarder

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Limit of a request of a page."""


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
    """Answers below the paths of both models, where the protocol of each provider has its own."""

    def __init__(
        self,
        llm: LlmConfig | None,
        page_token: str,
        *,
        no_model: Mapping[str, str],
        started: Callable[[], Awaitable[object]],
        report: Callable[[str], None],
    ) -> None:
        """Answer for a model and its fallback.

        Args:
            llm: The model; None without one.
            page_token: The token that pages send.
            no_model: The message for a page, by the path of each model that may be missing.
            started: Waits until the server has started. Imports in two threads can deadlock, and a
                start may import the same modules in a thread.
            report: Called with each new failure of a model's server.
        """
        self._token = page_token.encode()
        self._no_model = no_model
        self._started = started
        self._forwarders: dict[str, Forwarder] = {}
        if llm is not None:
            # Imported late: a server without a model starts without it.
            from webagent_site.llm.forwarder import Forwarder
            from webagent_site.llm.meter import Meter

            meter = Meter(llm.max_usd)
            for each in llm.models:
                if each.provider is not None:
                    self._forwarders[each.path] = Forwarder(each, meter, report)

    async def model_endpoint(self, request: Request) -> Response:
        """Forward the request of a page to the model, or return an error in the protocol's shape."""
        return await self._forward(request, LLM_PATH)

    async def fallback_endpoint(self, request: Request) -> Response:
        """Forward it to the fallback."""
        return await self._forward(request, FALLBACK_PATH)

    async def _forward(self, request: Request, base: str) -> Response:
        forwarder = self._forwarders.get(base)
        protocol = forwarder.protocol if forwarder else PROTOCOLS["chat"]
        try:
            self._check(request)
            if forwarder is None:
                raise GatewayError(501, self._no_model[base], "model_not_configured")
            llm = forwarder.config
            path = protocol.upstream_path(request.path_params["path"], llm.model)
            if path is None:
                raise GatewayError(
                    404,
                    f"the model is `{llm.name}`, and this is not a path of its protocol - "
                    f"that is `{base}{protocol.path}` - send the request there, or start the server "
                    f"with another `{llm.option('model')}`",
                    "unknown_path",
                )
            data = _checked(await _body(request), protocol)
            await self._started()
            return _ForwardedResponse(forwarder, path, data)
        except GatewayError as error:
            return error_response(protocol, error.status, str(error), error.code, error.headers)

    async def close(self) -> None:
        """Close the connections to the servers of the models."""
        for forwarder in self._forwarders.values():
            await forwarder.close()

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

    def __init__(self, forwarder: Forwarder, path: str, data: dict[str, Any]) -> None:
        super().__init__()
        self._forwarder = forwarder
        self._path = path
        self._data = data

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from webagent_site.llm.forwarder import ResponseSender

        async def forward() -> None:
            sender = ResponseSender(send)
            failure = await self._forwarder.forward(self._path, self._data, sender)
            if failure is not None and not sender.has_begun:
                response = error_response(
                    self._forwarder.protocol,
                    failure.status,
                    failure.message,
                    failure.code,
                    failure.headers,
                )
                await response(scope, receive, send)

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        await run_until_first_done(forward(), leave())
