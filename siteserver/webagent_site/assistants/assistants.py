"""The visitor's own assistant at a site: the options of the site, and the endpoints."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from webagent_site.assistants.agent_card import agent_card
from webagent_site.assistants.client_documents import ClientDocuments, ClientRefused
from webagent_site.assistants.consent import Consent
from webagent_site.assistants.consent_page import message_page
from webagent_site.assistants.credentials import Credentials
from webagent_site.assistants.granted_pages import GrantedPages
from webagent_site.assistants.grants_endpoint import GrantsEndpoint
from webagent_site.broker.broker import Broker
from webagent_site.broker.ledger import Budget, Limit, Spender, count
from webagent_site.config.urls import (
    A2A_PATH,
    ASSISTANTS_PATH,
    CARD_PATH,
    MCP_PATH,
    OAUTH_PATH,
    SERVER_METADATA_PATH,
    Address,
    normal_origin,
)
from webagent_site.errors import BrokerUnavailable, ConfigError
from webagent_site.http.guard import header_values
from webagent_site.http.request_body import BodyTooLarge, ClientGone, RequestError, read_body
from webagent_site.http.visitors import Visitors
from webagent_site.text import printable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from webagent.types import Manifest
    from webagent_site.assistants.authorization_server import AuthorizationServer
    from webagent_site.assistants.page_server import PageServer
    from webagent_site.pages.visitor_pages import VisitorPages

RESOURCE_METADATA_PATH: Final = "/.well-known/oauth-protected-resource"
"""URL path of the documents about the addresses of the tools; the path of an address follows."""
_TOOL_PATHS: Final = (MCP_PATH, A2A_PATH)

VISITOR_CHANGES: Final = Budget(minute=Limit(requests=60))
"""Requests of the panels of one visitor."""
SITE_CHANGES: Final = Budget(minute=Limit(requests=6_000))
STRANGER: Final = Budget(minute=Limit(requests=30))
"""Steps on the way to a connection from one network."""
STRANGERS: Final = Budget(minute=Limit(requests=600))
"""Those of all."""
ASSISTANT: Final = Budget(minute=Limit(requests=300))
"""Requests of one assistant."""
EVERY_ASSISTANT: Final = Budget(minute=Limit(requests=30_000))
_MAX_BODY_BYTES: Final = 32 * 1024
_PUBLIC: Final = {"cache-control": "public, max-age=3600"}
"""Headers of a document that is the same for everybody."""

_LOADING: Final = Lock()

Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Assistants:
    """How visitors may connect assistants of their own.

    Attributes:
        origin: Of the site, as visitors and their assistants reach it: `https://shop.example`.
        registration: Whether assistants may register that have no document about themselves.
        login_url: Where a stranger signs in, on a site with accounts. The parameter `next` is where to
            go after it.
    """

    origin: str
    registration: bool = False
    login_url: str = ""


class AssistantsEndpoint:
    """Answers assistants, and asks visitors about them."""

    def __init__(
        self,
        options: Assistants,
        visitors: Visitors,
        broker: Broker,
        pages: VisitorPages,
        check: Callable[[Request], Awaitable[None]],
        manifest: Callable[[], Manifest],
    ) -> None:
        """Answer for one site.

        Args:
            options: Those of the site.
            visitors: Of the site.
            broker: Keeps the grants.
            pages: The open pages of the visitors.
            check: Checks a request of a page; raises `RequestError`.
            manifest: Returns that of the site, for the card of its agent.

        Raises:
            ConfigError: The origin is not one over https, or `mcp` is not installed.
        """
        self._options = options
        self._origin = _origin(options.origin)
        if find_spec("mcp") is None:
            raise ConfigError(
                "`assistants` needs the package `mcp`, which is not installed - run "
                '`pip install "webagent-site[assistants]"`'
            )
        self._visitors = visitors
        self._grants = broker.grants()
        self._credentials = Credentials(self._grants)
        self._documents = ClientDocuments()
        self._consent = Consent(visitors, self._grants, self._credentials, options.login_url)
        self._panel = GrantsEndpoint(check, visitors, self._grants)
        self._pages = pages
        self._ledger = broker.ledger("assistants")
        # One of a few mounts; a client that could choose the path would fill no memory.
        self._server_at = lru_cache(maxsize=16)(self._made_server)
        self._card_at = lru_cache(maxsize=16)(lambda base: agent_card(manifest(), base))

    @staticmethod
    def has(path: str) -> bool:
        """Whether a path below the mount is one of ours."""
        ours = (SERVER_METADATA_PATH, ASSISTANTS_PATH, CARD_PATH, *_TOOL_PATHS)
        return (
            path in ours
            or path.startswith(f"{OAUTH_PATH}/")
            or path.removeprefix(RESOURCE_METADATA_PATH) in _TOOL_PATHS
        )

    def routes(self) -> list[Route]:
        """Return the routes."""
        found: list[tuple[str, Endpoint, str]] = [
            (SERVER_METADATA_PATH, self._server_metadata, "GET"),
            # Below a mount, the address before is another application's.
            (f"{OAUTH_PATH}/.well-known/openid-configuration", self._server_metadata, "GET"),
            *(
                (f"{RESOURCE_METADATA_PATH}{path}", self._resource_metadata, "GET")
                for path in _TOOL_PATHS
            ),
            (CARD_PATH, self._card, "GET"),
            (f"{OAUTH_PATH}/authorize", self._authorize, "GET"),
            (f"{OAUTH_PATH}/consent", self._ask, "GET"),
            (f"{OAUTH_PATH}/consent", self._answer, "POST"),
            (f"{OAUTH_PATH}/token", self._token, "POST"),
            (f"{OAUTH_PATH}/revoke", self._revoke, "POST"),
            (ASSISTANTS_PATH, self._change, "POST"),
            # There are no sessions, and so there is no stream besides.
            (MCP_PATH, self._mcp, "POST"),
            (A2A_PATH, self._a2a, "POST"),
        ]
        if self._options.registration:
            found.append((f"{OAUTH_PATH}/register", self._register, "POST"))
        return [Route(path, endpoint, methods=[method]) for path, endpoint, method in found]

    async def _server_metadata(self, request: Request) -> Response:
        return _document((await self._server(request)).metadata)

    async def _resource_metadata(self, request: Request) -> Response:
        base = self._base(request)
        path = request.url.path.rpartition(RESOURCE_METADATA_PATH)[2]
        return _document((await self._server(request)).resource_metadata(f"{base}{path}"))

    async def _card(self, request: Request) -> Response:
        return JSONResponse(self._card_at(self._base(request)), headers=_PUBLIC)

    async def _authorize(self, request: Request) -> Response:
        """Check what an assistant asks for, and send the browser on to the page that asks its visitor."""
        from mcp.server.auth.handlers.authorize import AuthorizationHandler

        server = await self._server(request)
        try:
            await self._count(request)
            _single(request.query_params.multi_items())
            await server.client(request.query_params.get("client_id", ""))
        except ClientRefused as refused:
            return message_page(str(refused), 400)
        except RequestError as error:
            return message_page(str(error), error.status, error.headers)
        response = await AuthorizationHandler(cast(Any, server)).handle(request)
        address = response.headers.get("location")
        if address is None:
            refused_with = json.loads(bytes(response.body)).get("error_description", "")
            text = f"The assistant asks in a way that cannot be answered: {printable(refused_with, 500)}"
            return message_page(text, response.status_code)
        if not address.startswith(f"{server.issuer}/consent?"):
            response.headers["location"] = f"{address}&{urlencode({'iss': server.issuer})}"
        return response

    async def _ask(self, request: Request) -> Response:
        return await self._consented(request, self._consent.ask)

    async def _answer(self, request: Request) -> Response:
        return await self._consented(request, self._consent.answer)

    async def _consented(
        self, request: Request, consent: Callable[[Request, str], Awaitable[Response]]
    ) -> Response:
        try:
            await self._count(request)
            return await consent(request, self._base(request))
        except RequestError as error:
            return message_page(str(error), error.status, error.headers)
        except BrokerUnavailable as error:
            return message_page(str(error), 503, error.headers)

    async def _token(self, request: Request) -> Response:
        """Give out tokens for a code, or for a token to refresh."""
        from mcp.server.auth.handlers.token import TokenHandler
        from mcp.server.auth.middleware.client_auth import ClientAuthenticator

        from webagent_site.assistants.authorization_server import PublicClients

        server = await self._server(request)
        try:
            form, fields = await _form(request)
            shown = fields.get("code") or fields.get("refresh_token") or ""
            granted = await self._credentials.resource_of(shown)
            if granted and fields.get("resource", granted) != granted:
                return _error(400, "invalid_target", f"the tokens are for {granted} only")
            # The secret of a client is its code and its verifier; nothing is fetched for that.
            clients = ClientAuthenticator(cast(Any, PublicClients()))
            answer: Response = await TokenHandler(cast(Any, server), clients).handle(form)
        except RequestError as error:
            return _error(error.status, error.kind, str(error))
        except BrokerUnavailable as error:
            return _error(503, "temporarily_unavailable", str(error), error.headers)
        return answer

    async def _revoke(self, request: Request) -> Response:
        """End a connection (RFC 7009). The handler of the SDK takes no public clients."""
        try:
            _, fields = await _form(request)
            await self._credentials.revoke(fields.get("token", ""), fields.get("client_id", ""))
        except RequestError as error:
            return _error(error.status, error.kind, str(error))
        except BrokerUnavailable as error:
            return _error(503, "temporarily_unavailable", str(error), error.headers)
        return Response(headers={"cache-control": "no-store"})

    async def _register(self, request: Request) -> Response:
        """Let an assistant register that has no document about itself (RFC 7591)."""
        from mcp.server.auth.handlers.register import RegistrationHandler
        from mcp.server.auth.settings import ClientRegistrationOptions

        server = await self._server(request)
        try:
            await self._count(request)
            whole = await _whole(request)
        except RequestError as error:
            return _error(error.status, error.kind, str(error), error.headers)
        options = ClientRegistrationOptions(enabled=True)
        answer: Response = await RegistrationHandler(cast(Any, server), options).handle(whole)
        answer.headers["cache-control"] = "no-store"
        return answer

    async def _change(self, request: Request) -> Response:
        return await self._panel.answer(request, self._base(request))

    async def _mcp(self, request: Request) -> Response:
        granted = await self._granted(request, MCP_PATH)
        if isinstance(granted, Response):
            return granted
        from webagent_site.assistants.page_server import PageServer

        return _Served(PageServer(granted))

    async def _a2a(self, request: Request) -> Response:
        granted = await self._granted(request, A2A_PATH)
        if isinstance(granted, Response):
            return granted
        from webagent_site.assistants.a2a_service import A2aService
        from webagent_site.http.a2a.jsonrpc import JsonRpc

        async def gone() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass

        return await JsonRpc(A2aService(granted, gone)).answer(request)

    async def _granted(self, request: Request, path: str) -> GrantedPages | Response:
        """Return what an assistant reaches that shows a token for a path, or the refusal."""
        base = self._base(request)
        if header_values(request.scope, b"origin") not in ([], [self._origin]):
            return _error(403, "wrong_origin", "pages of other sites may not send this")
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        try:
            grant = (
                await self._credentials.of_access(token.strip(), (base, f"{base}{path}"))
                if kind.lower() == "bearer"
                else None
            )
            if grant is None:
                return _unauthorized(f"{base}{RESOURCE_METADATA_PATH}{path}", has_token=bool(token))
            spenders = [Spender("", EVERY_ASSISTANT), Spender(f"grant {grant.id}", ASSISTANT)]
            if refused := await count(self._ledger, spenders):
                return _error(refused.status, refused.code, refused.message, refused.headers)
            opened = await self._pages.of(grant.visitor)
        except BrokerUnavailable as error:
            return _error(503, "broker_unavailable", str(error), error.headers)
        await asyncio.to_thread(_load)
        return GrantedPages(grant, self._grants, self._pages, opened)

    async def _server(self, request: Request) -> AuthorizationServer:
        await asyncio.to_thread(_load)
        return self._server_at(self._base(request))

    def _made_server(self, base: str) -> AuthorizationServer:
        from webagent_site.assistants.authorization_server import AuthorizationServer

        return AuthorizationServer(
            base,
            self._visitors,
            self._credentials,
            self._documents,
            registration=self._options.registration,
        )

    def _base(self, request: Request) -> str:
        """Return the origin of the site, and the path below which the application is mounted."""
        return f"{self._origin}{quote(request.scope.get('root_path', '').rstrip('/'))}"

    async def _count(self, request: Request) -> None:
        """Count a step of a stranger.

        Raises:
            RequestError: There are too many.
        """
        address = Spender(f"address {self._visitors.address_of(request)}", STRANGER)
        if refused := await count(self._ledger, [Spender("", STRANGERS), address]):
            raise RequestError(refused.status, refused.code, refused.message, refused.headers)


def _load() -> None:
    """Load the protocol: it takes most of a second, and imports in two threads can deadlock."""
    with _LOADING:
        import webagent_site.assistants.a2a_service
        import webagent_site.assistants.authorization_server
        import webagent_site.assistants.page_server
        import webagent_site.http.a2a.jsonrpc  # noqa: F401


class _Served(Response):
    """Answers a request by the protocol."""

    def __init__(self, server: PageServer) -> None:
        super().__init__()
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        manager = StreamableHTTPSessionManager(self._server, stateless=True)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _unauthorized(document: str, *, has_token: bool) -> Response:
    """Return the response from which a client learns where it gets a token (RFC 9728, 5.1).

    Args:
        document: The address of the document about what it has asked for.
        has_token: Whether it has shown one.
    """
    error = 'error="invalid_token", ' if has_token else ""
    challenge = f'Bearer {error}resource_metadata="{document}"'
    return _error(
        401,
        "invalid_token",
        "this needs a token of a visitor who has connected you",
        {"www-authenticate": challenge},
    )


async def _whole(request: Request) -> Request:
    """Return a request whose body was read, up to a limit, and can be read again.

    Raises:
        RequestError: It is longer.
    """
    try:
        body = await read_body(request, _MAX_BODY_BYTES)
    except BodyTooLarge:
        raise RequestError(413, "invalid_request", "the request is too long") from None
    except ClientGone:
        raise RequestError(
            400, "invalid_request", "the request did not arrive completely"
        ) from None

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return Request(request.scope, receive)


async def _form(request: Request) -> tuple[Request, dict[str, str]]:
    """Return a form as a request and as its fields.

    Raises:
        RequestError: It is something else, or a field is there twice.
    """
    content_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "application/x-www-form-urlencoded":
        raise RequestError(415, "invalid_request", "the request has to be a form")
    whole = await _whole(request)
    fields = [(name, str(value)) for name, value in (await whole.form()).multi_items()]
    _single(fields)
    return whole, dict(fields)


def _single(items: Sequence[tuple[str, object]]) -> None:
    """Refuse fields that are there twice: two readers may take two of them (RFC 6749, 3.1).

    Raises:
        RequestError: There is one.
    """
    names = [name for name, _ in items]
    if len(names) != len(set(names)):
        raise RequestError(400, "invalid_request", "a field is there twice")


def _document(found: BaseModel) -> Response:
    return Response(
        found.model_dump_json(exclude_none=True),
        media_type="application/json",
        headers=_PUBLIC,
    )


def _error(
    status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an error as OAuth shapes it."""
    return JSONResponse(
        {"error": kind, "error_description": message},
        status,
        headers={"cache-control": "no-store", **(headers or {})},
    )


def _origin(text: str) -> str:
    try:
        origin = normal_origin(text)
    except ValueError:
        origin = ""
    if not origin or not (origin.startswith("https:") or Address.of(origin).is_here):
        raise ConfigError(
            f"`{printable(text, 300)}` is not an origin over https - `Assistants` needs the address at "
            'which visitors reach the site - write `Assistants(origin="https://shop.example")`'
        )
    return origin
