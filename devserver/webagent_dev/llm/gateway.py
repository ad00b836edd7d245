"""The model for pages: an endpoint for chat completions that forwards to the configured server.

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
from webagent_dev.http.auth import TOKEN_HEADER
from webagent_dev.http.first_done import run_until_first_done
from webagent_dev.http.request_body import BodyTooLarge, ClientGone, read_body
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console

if TYPE_CHECKING:
    from webagent_dev.llm.forwarder import Forwarder

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Limit of a request of a page."""

_NO_MODEL = (
    "the development server has no model - runs plan without one - "
    "start it with `--llm-base-url https://…/v1 --llm-model NAME`"
)

_COSTLY = ("service_tier", "web_search_options")
"""Parameters that change the price of tokens, or add to it."""


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
    """Answers at `/__webagent__/llm/v1/chat/completions`."""

    def __init__(self, config: ServeConfig, site: Site, console: Console) -> None:
        self._token = config.page_token.encode()
        self._site = site
        self._forwarder: Forwarder | None = None
        if config.llm:
            # Imported late: a server without a model starts without it.
            from webagent_dev.llm.forwarder import Forwarder

            self._forwarder = Forwarder(config.llm, console)

    async def endpoint(self, request: Request) -> Response:
        """Forward the request of a page, or return an error in the shape of the interface."""
        try:
            self._check(request)
            if self._forwarder is None:
                raise GatewayError(501, _NO_MODEL, "model_not_configured")
            data = _checked(await _body(request))
            # Until then a thread imports modules that are needed here, too, and imports in two
            # threads can deadlock.
            await self._site.checked.wait()
            return _ForwardedResponse(self._forwarder, data)
        except GatewayError as error:
            return error_response(error.status, str(error), error.code, error.headers)

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
    status: int, message: str, code: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error as OpenAI's interface shapes it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"message": message, "type": kind, "param": None, "code": code}
    return JSONResponse(
        {"error": error}, status, headers={"cache-control": "no-store", **(headers or {})}
    )


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


def _checked(body: bytes) -> dict[str, Any]:
    """Read a request; parameters that pages may not choose are refused by name."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError as error:
        raise GatewayError(
            400, f"the request is not JSON - {error} - send one object", "invalid_json"
        ) from None
    if not isinstance(data, dict) or not isinstance(data.get("messages"), list):
        raise GatewayError(
            400,
            "the request has no `messages` - a conversation is a list of them - "
            'send `{"messages": [{"role": "user", "content": "…"}]}`',
            "invalid_messages",
        )
    if data.get("n") not in (None, 1):
        raise GatewayError(400, "`n` is not 1 - each reply costs money - leave it out", "invalid_n")
    for name in _COSTLY:
        if data.get(name) is not None:
            raise GatewayError(
                400,
                f"`{name}` is not forwarded - it changes what a request costs - leave it out",
                "invalid_parameter",
            )
    return data


class _ForwardedResponse(Response):
    """Forwards a request, and cancels it when the page leaves."""

    def __init__(self, forwarder: Forwarder, data: dict[str, Any]) -> None:
        super().__init__()
        self._forwarder = forwarder
        self._data = data

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from webagent_dev.llm.forwarder import ResponseSender

        async def forward() -> None:
            sender = ResponseSender(send)
            failure = await self._forwarder.forward(self._data, sender)
            if failure is not None and not sender.has_begun:
                response = error_response(
                    failure.status, failure.message, failure.code, failure.headers
                )
                await response(scope, receive, send)

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        await run_until_first_done(forward(), leave())
