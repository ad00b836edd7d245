"""The authorization server: the provider for the handlers of the MCP SDK, and the documents about it.

Only public clients are known, each with PKCE. There are no scopes: the visitor allows tools one by one.
"""

from __future__ import annotations

import base64
import hmac
import json
import re
import time
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import SplitResult, urlencode, urlsplit

from mcp.server.auth.provider import (
    AuthorizationCode,
    AuthorizationParams,
    AuthorizeError,
    RefreshToken,
    RegistrationError,
    TokenError,
)
from mcp.shared.auth import (
    InvalidRedirectUriError,
    OAuthClientInformationFull,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyHttpUrl, AnyUrl, ValidationError

from webagent_site.assistants.client_documents import ClientDocuments, ClientRefused
from webagent_site.assistants.credentials import ACCESS_S, Credentials, Tokens
from webagent_site.assistants.requests import AuthorizationRequest, sealed
from webagent_site.config.urls import A2A_PATH, MCP_PATH, OAUTH_PATH, is_local
from webagent_site.http.visitors import Visitors
from webagent_site.text import printable

_REGISTERED: Final = re.compile(r"webagent_client_([A-Za-z0-9_-]+)_([0-9a-f]{64})")
_NO_SECRET: Final = "none"  # noqa: S105 - the name of a method
"""How clients show themselves at the token endpoint."""
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]-]*")
"""A host with its port that can be a source of a Content-Security-Policy."""
_LONGEST: Final = 2_000
"""Characters of an address to return to, of a state, or of all that a client registers."""
_LONGEST_NAME: Final = 60
_MOST_REDIRECTS: Final = 10


class AssistantClient(OAuthClientInformationFull):
    """A client that has a document, or that has registered itself."""

    def validate_scope(self, requested_scope: str | None) -> list[str]:
        """Return no scope, since there are none."""
        return []

    def validate_redirect_uri(self, redirect_uri: AnyUrl | None) -> AnyUrl:
        """Return an address that the client has named: exactly, but for the port of a loopback one.

        Raises:
            InvalidRedirectUriError: It has named others.
        """
        asked = str(redirect_uri or "")
        if redirect_uri is None or _portless(asked) not in map(
            _portless, map(str, self.redirect_uris or ())
        ):
            raise InvalidRedirectUriError("`redirect_uri` is not one that the assistant has named")
        return redirect_uri


class PublicClients:
    """Clients as the token endpoint needs them: they show no secret of their own."""

    async def get_client(self, client_id: str) -> OAuthClientInformationFull:
        """Return a client of any id, to which a code or a token may belong."""
        return AssistantClient(client_id=client_id, token_endpoint_auth_method=_NO_SECRET)


class AuthorizationServer:
    """The provider of the handlers of the MCP SDK, for one mount of a site."""

    def __init__(
        self,
        base: str,
        visitors: Visitors,
        credentials: Credentials,
        documents: ClientDocuments,
        *,
        registration: bool,
    ) -> None:
        """Answer for one address.

        Args:
            base: The origin of the site, and the path below which the application is mounted.
            visitors: Signs what comes back.
            credentials: Gives them out.
            documents: Of clients.
            registration: Whether clients may register.
        """
        self.issuer = f"{base}{OAUTH_PATH}"
        self._resources = (base, f"{base}{MCP_PATH}", f"{base}{A2A_PATH}")
        """The addresses that tokens may be for; the first means both others, for clients that name none."""
        self._visitors = visitors
        self._credentials = credentials
        self._documents = documents
        self._registration = registration

    @property
    def metadata(self) -> OAuthMetadata:
        """The document about this server (RFC 8414)."""
        at = {
            name: AnyHttpUrl(f"{self.issuer}/{name}")
            for name in ("authorize", "token", "register", "revoke")
        }
        return OAuthMetadata(
            issuer=AnyHttpUrl(self.issuer),
            authorization_endpoint=at["authorize"],
            token_endpoint=at["token"],
            registration_endpoint=at["register"] if self._registration else None,
            revocation_endpoint=at["revoke"],
            revocation_endpoint_auth_methods_supported=[_NO_SECRET],
            response_types_supported=["code"],
            grant_types_supported=["authorization_code", "refresh_token"],
            token_endpoint_auth_methods_supported=[_NO_SECRET],
            code_challenge_methods_supported=["S256"],
            client_id_metadata_document_supported=True,
            authorization_response_iss_parameter_supported=True,
        )

    def resource_metadata(self, resource: str) -> ProtectedResourceMetadata:
        """Return the document about an address of the tools (RFC 9728)."""
        return ProtectedResourceMetadata(
            resource=AnyHttpUrl(resource), authorization_servers=[AnyHttpUrl(self.issuer)]
        )

    async def client(self, client_id: str) -> AssistantClient:
        """Return a client.

        Raises:
            ClientRefused: There is no such client, or what it says cannot be used.
        """
        if not client_id.startswith("webagent_client_"):
            return _client(await self._documents.find(client_id), client_id)
        found = _REGISTERED.fullmatch(client_id)
        if found is None or not hmac.compare_digest(
            found[2], self._visitors.signature("client", found[1])
        ):
            raise ClientRefused(
                "the assistant has not registered here, or was registered with another server - nothing "
                "was connected - let it connect anew"
            )
        return _client(json.loads(base64.urlsafe_b64decode(found[1] + "==")), client_id)

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a client, None without it."""
        try:
            return await self.client(client_id)
        except ClientRefused:
            return None

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Give a client an id that has all that is known of it, so that nothing has to be kept.

        Raises:
            RegistrationError: It cannot be a client.
        """
        name = (client_info.client_name or "")[:_LONGEST_NAME]
        described = {
            "client_name": name,
            "redirect_uris": [str(each) for each in client_info.redirect_uris or ()],
        }
        text = base64.urlsafe_b64encode(json.dumps(described).encode()).decode().rstrip("=")
        try:
            if len(text) > _LONGEST:
                raise ClientRefused(
                    f"the client describes itself with more than {_LONGEST} characters"
                )
            _client(described, "new")
        except ClientRefused as refused:
            raise RegistrationError("invalid_redirect_uri", str(refused)) from None
        client_info.client_id = f"webagent_client_{text}_{self._visitors.signature('client', text)}"
        # RFC 7591 (3.2.1) lets a server register something else than what was asked for.
        client_info.client_name = name or None
        client_info.token_endpoint_auth_method = _NO_SECRET
        client_info.client_secret = client_info.client_secret_expires_at = None
        client_info.scope = None

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the address of the page that asks the visitor.

        Raises:
            AuthorizeError: The request cannot be granted.
        """
        resource = params.resource or self._resources[0]
        if resource not in self._resources:
            known = ", ".join(self._resources)
            raise AuthorizeError("invalid_target", f"tokens are given out for {known} only")
        if not _CHALLENGE.fullmatch(params.code_challenge):
            raise AuthorizeError("invalid_request", "`code_challenge` is no SHA-256 in base64url")
        if len(params.state or "") > _LONGEST:
            raise AuthorizeError("invalid_request", f"`state` is longer than {_LONGEST} characters")
        asked = AuthorizationRequest(
            client_id=client.client_id,
            client_name=printable((client.client_name or "").strip(), _LONGEST_NAME),
            redirect_uri=str(params.redirect_uri),
            challenge=params.code_challenge,
            state=params.state,
            resource=resource,
            at_s=int(time.time()),
        )
        return f"{self.issuer}/consent?{urlencode({'request': sealed(asked, self._visitors)})}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return what is known of a code."""
        grant = await self._credentials.of_code(authorization_code)
        if grant is None:
            return None
        return AuthorizationCode(
            code=authorization_code,
            scopes=[],
            expires_at=grant.ends_s,
            client_id=grant.client_id,
            code_challenge=grant.challenge,
            redirect_uri=AnyUrl(grant.redirect_uri),
            redirect_uri_provided_explicitly=True,
            resource=grant.resource,
        )

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Return tokens for a code."""
        return _response(await self._credentials.exchange(authorization_code.code))

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return what is known of a token to refresh."""
        grant = await self._credentials.of_refresh(refresh_token)
        if grant is None:
            return None
        return RefreshToken(token=refresh_token, client_id=grant.client_id, scopes=[])

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Return new tokens for one to refresh."""
        return _response(await self._credentials.refresh(refresh_token.token))


def _response(tokens: Tokens | None) -> OAuthToken:
    if tokens is None:
        raise TokenError("invalid_grant", "it was used before, so the connection has ended")
    return OAuthToken(access_token=tokens.access, expires_in=ACCESS_S, refresh_token=tokens.refresh)


def _client(described: Mapping[str, Any], client_id: str) -> AssistantClient:
    """Return the client of a document.

    Raises:
        ClientRefused: It has no address to return to, or one that is not its own.
    """
    if (
        described.get("token_endpoint_auth_method", _NO_SECRET) != _NO_SECRET
        or "client_secret" in described
    ):
        raise ClientRefused(
            "the assistant wants to show a secret for its tokens - this server knows public clients with "
            "PKCE alone - nothing was connected"
        )
    redirects = described.get("redirect_uris")
    name = described.get("client_name", "")
    if (
        not isinstance(redirects, list)
        or not 0 < len(redirects) <= _MOST_REDIRECTS
        or not all(isinstance(each, str) and _may_return_to(each) for each in redirects)
        or not isinstance(name, str)
    ):
        raise ClientRefused(
            "the assistant names no addresses to return to that can be used - they are https, a loopback "
            "address, or a scheme of its own with a dot - nothing was connected"
        )
    try:
        return AssistantClient(
            client_id=client_id,
            client_name=name,
            redirect_uris=redirects,
            token_endpoint_auth_method=_NO_SECRET,
        )
    except ValidationError:
        raise ClientRefused("the assistant names an address that cannot be read") from None


def _may_return_to(address: str) -> bool:
    parts = _split(address)
    if "#" in address or len(address) > _LONGEST or not _HOST.fullmatch(parts.netloc):
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return is_local(parts.hostname or "")
    # RFC 8252 (7.1): the scheme of a program is a domain of its maker in reverse.
    return "." in parts.scheme


def _portless(address: str) -> str:
    """Return an address as it is compared; programs choose a port of this machine (RFC 8252, 7.3)."""
    parts = _split(address)
    if parts.scheme != "http" or not is_local(parts.hostname or ""):
        return address
    host = parts.netloc.rpartition(":")[0] if parts.port else parts.netloc
    return parts._replace(netloc=host).geturl()


def _split(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts
