"""The credentials of an assistant: a code, then tokens. Only digests of them are kept, with the grant.

A credential names its grant by a secret, and has another secret besides. So one that was replaced is
known as such: its sender has taken it from somebody, and the grant ends.
"""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final, Literal

from webagent_site.broker.grants import Grant, GrantStore

CODE_S: Final = 60
ACCESS_S: Final = 600
REFRESH_S: Final = 30 * 24 * 3600
"""How long a grant lasts after its latest token."""

Kind = Literal["code", "access", "refresh"]

_FORM: Final = re.compile(r"webagent_(code|access|refresh)_([A-Za-z0-9_-]{22})([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens for a code, or for a token to refresh."""

    access: str
    refresh: str


class Credentials:
    """Gives out credentials, and knows whose they are.

    Each method raises `BrokerUnavailable` when nobody knows now.
    """

    def __init__(self, grants: GrantStore, *, clock: Callable[[], float] = time.time) -> None:
        """Use a store of grants.

        Args:
            grants: The store.
            clock: Seconds since 1970.
        """
        self._grants = grants
        self._clock = clock

    async def code(
        self,
        *,
        visitor: str,
        client_id: str,
        client_name: str,
        redirect_uri: str,
        resource: str,
        challenge: str,
    ) -> str:
        """Keep a new grant, and return its code.

        Args:
            visitor: As in `Grant`, and likewise the others.
            client_id: Of the assistant.
            client_name: The name that the client gives itself.
            redirect_uri: Where the code is sent.
            resource: The address that the tokens are for.
            challenge: The PKCE challenge.
        """
        name = secrets.token_urlsafe(16)
        code = _made("code", name)
        now = self._clock()
        await self._grants.add(
            Grant(
                id=_id(name),
                visitor=visitor,
                client_id=client_id,
                client_name=client_name,
                redirect_uri=redirect_uri,
                resource=resource,
                challenge=challenge,
                made_s=now,
                ends_s=now + CODE_S,
                code=_digest(code),
            )
        )
        return code

    async def of_code(self, code: str) -> Grant | None:
        """Return the grant of a code that was not exchanged yet; a second time ends the grant."""
        grant = await self._of("code", code)
        if grant is None or not hmac.compare_digest(grant.code, _digest(code)):
            return None
        if grant.stage != "code":
            await self._grants.remove(grant.id)
            return None
        return grant

    async def exchange(self, code: str) -> Tokens | None:
        """Return tokens for a code, once; None without them."""

        def exchanged(grant: Grant) -> Grant | None:
            fits = grant.stage == "code" and hmac.compare_digest(grant.code, _digest(code))
            return self._with(grant, tokens) if fits else None

        tokens = _tokens(code)
        grant_id = _id(_name(code))
        if await self._grants.change(grant_id, exchanged):
            return tokens
        await self._grants.remove(grant_id)
        return None

    async def of_refresh(self, token: str) -> Grant | None:
        """Return the grant of a token to refresh; one that was replaced ends the grant."""
        grant = await self._of("refresh", token)
        if grant is None or grant.stage != "tokens":
            return None
        if not hmac.compare_digest(grant.refresh, _digest(token)):
            await self._grants.remove(grant.id)
            return None
        return grant

    async def refresh(self, token: str) -> Tokens | None:
        """Return new tokens for one to refresh, once; None without them."""

        def refreshed(grant: Grant) -> Grant | None:
            fits = hmac.compare_digest(grant.refresh, _digest(token))
            return self._with(grant, tokens) if fits else None

        tokens = _tokens(token)
        grant_id = _id(_name(token))
        if await self._grants.change(grant_id, refreshed):
            return tokens
        await self._grants.remove(grant_id)
        return None

    async def resource_of(self, credential: str) -> str | None:
        """Return what the tokens of a credential's grant are for, if there is such a grant."""
        found = _FORM.fullmatch(credential)
        grant = await self._grants.find(_id(found[2])) if found else None
        return grant.resource if grant else None

    async def of_access(self, token: str, resources: Container[str]) -> Grant | None:
        """Return the grant of a token that is valid now, and is for one of some addresses."""
        grant = await self._of("access", token)
        if (
            grant is None
            or not hmac.compare_digest(grant.access, _digest(token))
            or grant.access_ends_s <= self._clock()
            or grant.resource not in resources
        ):
            return None
        return grant

    async def revoke(self, token: str, client_id: str) -> None:
        """End the grant of a token, whether it is still valid or not, for its own client."""
        found = _FORM.fullmatch(token)
        grant = await self._grants.find(_id(found[2])) if found else None
        if grant and grant.client_id == client_id:
            await self._grants.remove(grant.id)

    async def _of(self, kind: Kind, credential: str) -> Grant | None:
        found = _FORM.fullmatch(credential)
        if found is None or found[1] != kind:
            return None
        return await self._grants.find(_id(found[2]))

    def _with(self, grant: Grant, tokens: Tokens) -> Grant:
        now = self._clock()
        return replace(
            grant,
            stage="tokens",
            ends_s=now + REFRESH_S,
            access=_digest(tokens.access),
            access_ends_s=now + ACCESS_S,
            refresh=_digest(tokens.refresh),
        )


def _tokens(credential: str) -> Tokens:
    name = _name(credential)
    return Tokens(_made("access", name), _made("refresh", name))


def _made(kind: Kind, name: str) -> str:
    return f"webagent_{kind}_{name}{secrets.token_urlsafe(32)}"


def _name(credential: str) -> str:
    """Return the secret of a checked credential that names its grant."""
    found = _FORM.fullmatch(credential)
    assert found
    return found[2]


def _id(name: str) -> str:
    return _digest(name)[:32]


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
