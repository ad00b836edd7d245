"""The models for pages: endpoints that forward to the configured providers, each in its own protocol.

Pages never get the key, and cannot choose another model or address.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Self

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from webagent.json_text import read_json, utf8_json
from webagent_site.broker.broker import Broker, MemoryBroker, broker_of
from webagent_site.broker.ledger import Budget, Ledger, Limit, MemoryLedger, Spender, count
from webagent_site.config.llm import ModelKeys, Role, check_price, configured
from webagent_site.config.urls import FALLBACK_PATH, LLM_PATH, TOKEN_PATH
from webagent_site.config.workers import signing_secret, worker_count
from webagent_site.errors import BrokerUnavailable, ConfigError
from webagent_site.http.first_done import run_until_first_done
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.request_body import (
    BodyTooLarge,
    ClientGone,
    RequestError,
    read_body,
    skip_body,
)
from webagent_site.http.visitors import Account, Visitors
from webagent_site.llm.allowed import RefusalCode, RequestRefused
from webagent_site.llm.protocols import PROTOCOLS, GatewayProtocol
from webagent_site.llm.telemetry import report_refusal

if TYPE_CHECKING:
    from redis.asyncio import Redis, RedisCluster

    from webagent_site.config.llm import LlmConfig
    from webagent_site.llm.forwarder import Forwarder

MAX_BODY_BYTES = 4 * 1024 * 1024
"""Limit of a request of a page."""

NO_MODEL = dict.fromkeys(
    (LLM_PATH, FALLBACK_PATH),
    "this site has no such model on its server - the agent works without one - "
    "name one with `WebAgent(model=…)`",
)
"""The message where a model is missing."""


SITE_BUDGET = Budget(
    at_once=20, minute=Limit(requests=300), day=Limit(requests=20_000, usd=Decimal(20))
)
"""The limits of all visitors of a site together, unless it sets others."""
VISITOR_BUDGET = Budget(
    at_once=2,
    minute=Limit(requests=20, tokens=400_000),
    day=Limit(requests=500, tokens=4_000_000, usd=Decimal(2)),
)
"""The limits of each of them."""
MOST_REPLY_TOKENS = 8_192
"""The longest reply."""

_STOPPED_S = 600
"""When a page may ask again after the models were stopped."""


class GatewayError(RequestError):
    """The gateway refuses a request, with a code of its own list."""

    def __init__(
        self, status: int, message: str, code: RefusalCode, *, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(status, code, message, headers)


Check = Callable[[Request], Awaitable[str]]
"""Checks who sends a request, and returns the key of their budget; raises `RequestError`."""


def page_token_check(page_token: str) -> Check:
    """Return the check of a server whose pages all have one token, and share one budget."""

    async def check(request: Request) -> str:
        tokens = request.headers.getlist(TOKEN_HEADER)
        if len(tokens) != 1 or not secrets.compare_digest(
            tokens[0].encode("utf-8", "replace"), page_token.encode()
        ):
            raise GatewayError(
                403,
                f"the model answers pages of this server only - the header `{TOKEN_HEADER}` lacks "
                "the token that is in the page, or the server was restarted since - "
                "reload the page",
                "invalid_page_token",
            )
        return ""

    return check


def _named(role: Role, key: str, value: str) -> str:
    """Return how the owner of a site writes a key of a model, for messages."""
    if key == "model":
        return f'{role}="{value or "provider:model"}"'
    return f'{role}={{"{key}": {value or "…"}}}'


async def _no_wait() -> None:
    """Return immediately."""


class LlmGateway:
    """Answers below the paths of both models, where the protocol of each provider has its own."""

    def __init__(
        self,
        llm: LlmConfig | None,
        check: Visitors | Check,
        *,
        site: Budget | None = None,
        visitor: Budget | None = None,
        broker: Broker | None = None,
        ledger: Ledger | None = None,
        most_tokens: int | None = MOST_REPLY_TOKENS,
        whole_s: float = 300.0,
        stopped: Callable[[], bool] = lambda: False,
        no_model: Mapping[str, str] = NO_MODEL,
        started: Callable[[], Awaitable[object]] = _no_wait,
        report: Callable[[str], None] = lambda failure: None,
    ) -> None:
        """Answer for a model and its fallback.

        Args:
            llm: The model; None without one.
            check: The visitors of a site, whose pages get their tokens here; or another check.
            site: What all visitors together may use; `max_usd` of the model is added to it. By default
                `SITE_BUDGET`, without money where a price is not known.
            visitor: What each visitor may use; by default `VISITOR_BUDGET`, likewise.
            broker: What the processes of the site share; closed with the gateway.
            ledger: Counts the requests; that of the broker by default.
            most_tokens: The longest reply; None for what a page asks for.
            whole_s: The longest time of a reply, in seconds.
            stopped: Whether new requests are refused now; asked before each.
            no_model: The message for a page, by the path of each model that may be missing.
            started: Waits until the server has started. Imports in two threads can deadlock, and a
                start may import the same modules in a thread.
            report: Called with each new failure of a model's server.

        Raises:
            ConfigError: Money is limited, and the price of a model is not known.
        """
        self.llm = llm
        self.visitors = check if isinstance(check, Visitors) else None
        self._check = check.check if isinstance(check, Visitors) else check
        models = [each for each in llm.models if each.provider] if llm else []
        self._unpriced = next((each.model for each in models if not each.known.price), "")
        site = site or _affordable(SITE_BUDGET, priced=not self._unpriced)
        self._site = replace(site, ever=Limit(usd=llm.max_usd)) if llm and llm.max_usd else site
        self._visitor = visitor or _affordable(VISITOR_BUDGET, priced=not self._unpriced)
        self._stopped = stopped
        self._no_model = no_model
        self._started = started
        self._forwarders: dict[str, Forwarder] = {}
        self.broker = broker or MemoryBroker()
        if models:
            # Imported late: a server without a model starts without it.
            from webagent_site.llm.forwarder import Forwarder

            ledger = ledger or self.broker.ledger("model")
            for each in models:
                if self._site.counts_usd or self._visitor.counts_usd:
                    check_price(each)
                self._forwarders[each.path] = Forwarder(
                    each,
                    ledger,
                    report,
                    most_tokens=most_tokens,
                    whole_s=whole_s,
                    strangers=self.visitors is not None,
                )
        self._counts_here = isinstance(ledger, MemoryLedger)

    @classmethod
    def for_site(
        cls,
        model: str | ModelKeys,
        *,
        fallback: str | ModelKeys | None = None,
        broker: str | Redis | RedisCluster | Broker | None = None,
        account: Account | None = None,
        proxies: Sequence[str] = (),
        origins: Collection[str] = (),
        environment: Mapping[str, str] = os.environ,
        **limits: Any,
    ) -> Self:
        """Return the gateway of a site for its visitors.

        Args:
            model: `provider:model`, or all its keys: `{"model": …, "base_url": …}`.
            fallback: The model that is asked when the first one fails, likewise.
            broker: Where all processes of the site count together: the address of a Redis
                (`redis://…`), a client of `redis.asyncio`, or a broker. Without one each counts for
                itself.
            account: Returns the account of a request; without one, visitors count by their address.
            proxies: Addresses or networks of proxies whose `X-Forwarded-For` is believed.
            origins: The origins of the site's pages; by default that of the `Host` of a request.
            environment: Has the keys of the providers, and the secret that several workers share.
            **limits: What else `LlmGateway` takes: `visitor`, `site`, `most_tokens`,
                `whole_s`, `stopped`, `report`.

        Raises:
            ConfigError: An argument or a variable is wrong, or missing.
        """
        llm = configured(
            environment,
            _keys(model),
            _named,
            fallback=_keys(fallback) if fallback is not None else None,
        )
        secret = signing_secret(
            environment, worker_count(environment, sys.argv), has_broker=broker is not None
        )
        visitors = Visitors(secret, account=account, proxies=proxies, origins=origins)
        return cls(llm, visitors, broker=broker_of(broker), **limits)

    def routes(self) -> list[Route]:
        """Return the routes of both models, and of the tokens where pages get them here."""
        tokens = [Route(TOKEN_PATH, self.token_endpoint, methods=["POST"])]
        return [
            *(tokens if self.visitors else []),
            Route(f"{LLM_PATH}/{{path:path}}", self.model_endpoint, methods=["POST"]),
            Route(f"{FALLBACK_PATH}/{{path:path}}", self.fallback_endpoint, methods=["POST"]),
        ]

    def page_check(
        self, name: str, visitor: Budget, site: Budget
    ) -> Callable[[Request], Awaitable[None]]:
        """Return the check of another endpoint: that pages of the site send the requests, not too many.

        The check raises `RequestError`.

        Args:
            name: Of what is counted, among the counts of the site.
            visitor: The most that each visitor may send.
            site: The most of all together.

        Raises:
            ConfigError: The gateway does not know visitors.
        """
        visitors, ledger = self.visitors, self.broker.ledger(name)
        if visitors is None:
            raise ConfigError(
                "the gateway gives pages no tokens of their own - it cannot know the pages of the "
                "site by them - make it with `LlmGateway.for_site`"
            )

        async def check(request: Request) -> None:
            key = await visitors.check(request)
            if refused := await count(ledger, [Spender("", site), Spender(key, visitor)]):
                raise GatewayError(
                    refused.status, refused.message, refused.code, headers=refused.headers
                )

        return check

    def notes(self, workers: int) -> list[str]:
        """Return what the owner should know at the start.

        Args:
            workers: The worker processes of the site.
        """
        notes = []
        if self._unpriced and not self._site.counts_usd:
            notes.append(
                f"the price of `{self._unpriced}` is not known, so only requests and tokens are limited"
            )
        if self._counts_here and workers > 1:
            notes.append(
                f"each of {workers} workers counts for itself, so all limits are {workers} times as high "
                '- `broker="redis://…"` counts for all of them'
            )
        return notes

    async def stop(self) -> None:
        """Refuse new requests from now on, in all processes; those that run end by themselves.

        Raises:
            BrokerUnavailable: The other processes do not learn of it.
        """
        await self.broker.set_stopped(True)

    async def resume(self) -> None:
        """Accept requests again.

        Raises:
            BrokerUnavailable: As in `stop`.
        """
        await self.broker.set_stopped(False)

    async def token_endpoint(self, request: Request) -> Response:
        """Return a token for a page: `{"token", "expires_s", "visitor"}`."""
        assert self.visitors is not None
        try:
            issued = await self.visitors.issue(request)
        except RequestError as error:
            return self._refused(PROTOCOLS["chat"], error)
        return JSONResponse(
            {
                "token": issued.token,
                "expires_s": issued.expires_s,
                "visitor": issued.visitor,
            },
            headers={"cache-control": "no-store", "set-cookie": issued.cookie},
        )

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
            forwarder, path, key = await self._accepted(request, base)
        except (RequestRefused, RequestError) as error:
            await skip_body(request, MAX_BODY_BYTES)
            return self._refused(protocol, error)
        try:
            data = _object_in(await _body(request))
        except RequestError as error:
            return self._refused(protocol, error)
        await self._started()
        spenders = [Spender("", self._site)]
        if key:
            spenders.append(Spender(key, self._visitor))
        return _ForwardedResponse(forwarder, path, data, spenders)

    async def _accepted(self, request: Request, base: str) -> tuple[Forwarder, str, str]:
        """Return who forwards a request, its path, and the key of its budget, by its headers alone."""
        forwarder = self._forwarders.get(base)
        key = await self._check(request)
        _check_type(request)
        if self._stopped() or await self._is_stopped():
            raise GatewayError(
                503,
                "the site has stopped its models for now - the agent works without one - "
                "come back later",
                "models_stopped",
                # Pages wait for less than a minute.
                headers={"retry-after": str(_STOPPED_S)},
            )
        if forwarder is None:
            raise GatewayError(501, self._no_model[base], "model_not_configured")
        llm = forwarder.config
        path = forwarder.protocol.upstream_path(request.path_params["path"], llm.model)
        if path is None:
            raise GatewayError(
                404,
                f"the model is `{llm.name}`, and this is not a path of its protocol - "
                f"that is `{base}{forwarder.protocol.path}` - send the request there, or start the "
                f"server with another `{llm.option('model')}`",
                "unknown_path",
            )
        return forwarder, path, key

    async def _is_stopped(self) -> bool:
        try:
            return await self.broker.is_stopped()
        except BrokerUnavailable as error:
            raise GatewayError(
                503, str(error), "broker_unavailable", headers=error.headers
            ) from error

    def _refused(self, protocol: GatewayProtocol, error: RequestError | RequestRefused) -> Response:
        if isinstance(error, RequestRefused):
            error = GatewayError(404, str(error), error.code)
        report_refusal(error.status, error.kind)
        return error_response(protocol, error.status, str(error), error.kind, error.headers)

    async def close(self) -> None:
        """Close the connections to the servers of the models, and to the broker."""
        for forwarder in self._forwarders.values():
            await forwarder.close()
        await self.broker.close()


def _keys(model: str | ModelKeys) -> ModelKeys:
    return {"model": model} if isinstance(model, str) else model


def _affordable(budget: Budget, *, priced: bool) -> Budget:
    """Return a budget, without limits of money if that cannot be counted."""
    if priced:
        return budget
    return replace(
        budget, minute=replace(budget.minute, usd=None), day=replace(budget.day, usd=None)
    )


def _check_type(request: Request) -> None:
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
    # A page may have sent lone surrogates, which UTF-8 does not have.
    return Response(
        utf8_json(json.dumps(body, ensure_ascii=False)),
        status,
        {"cache-control": "no-store", **(headers or {})},
        "application/json",
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


def _object_in(body: bytes) -> dict[str, Any]:
    """Return the object in a request."""
    try:
        data = read_json(body.decode("utf-8"))
    except ValueError as error:
        raise GatewayError(
            400, f"the request is not JSON - {error} - send one object", "invalid_json"
        ) from None
    return data if isinstance(data, dict) else {}


class _ForwardedResponse(Response):
    """Forwards a request, and cancels it when the page leaves."""

    def __init__(
        self, forwarder: Forwarder, path: str, data: dict[str, Any], spenders: list[Spender]
    ) -> None:
        super().__init__()
        self._spenders = spenders
        self._forwarder = forwarder
        self._path = path
        self._data = data

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from webagent_site.llm.forwarder import ResponseSender

        async def forward() -> None:
            sender = ResponseSender(send)
            failure = await self._forwarder.forward(self._path, self._data, sender, self._spenders)
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
