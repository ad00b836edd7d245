"""Sends the owner's token, and only to a server that has proved that it knows the token.

The address of a server is in the note of its root. After the server was killed, any program may
listen there, and would otherwise be sent the token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator
from typing import Any

import httpx

from webagent.json_text import read_json
from webagent_dev.config.credentials import proof_of
from webagent_dev.config.owner import Note
from webagent_site.config.urls import DEFAULT_PORTS, PROOF_PATH

PROOF_S = 3.0
"""How long a server may take to prove itself."""
_PROOF_BYTES = 1_000


class OtherServer(httpx.TransportError):
    """Another program listens at the address of a server."""


class OwnerAuth(httpx.Auth):
    """Authorizes requests to the server of a note."""

    def __init__(self, note: Note) -> None:
        """Authorize requests to a running server."""
        assert note.url
        self._url = httpx.URL(note.url)
        self._token = note.owner_token

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Ask for a proof, and add the token to the request."""
        nonce = secrets.token_urlsafe(32)
        limits = httpx.Timeout(PROOF_S).as_dict()
        response = yield httpx.Request(
            "GET",
            self._url.join(PROOF_PATH),
            params={"nonce": nonce},
            extensions={"timeout": limits},
        )
        port = self._url.port or DEFAULT_PORTS[self._url.scheme]
        expected = proof_of(self._token, nonce, port)
        if not secrets.compare_digest(await _proof_in(response), expected.encode()):
            raise OtherServer(
                f"another program answers at {self._url}, or a server with another token - it was "
                "sent nothing - start `webagent-dev serve` again"
            )
        request.headers["authorization"] = f"Bearer {self._token}"
        yield request


async def _proof_in(response: httpx.Response) -> bytes:
    """Return the proof in a response, empty without one."""
    length = response.headers.get("content-length", "")
    if response.status_code != 200 or not length.isascii() or not length.isdigit():
        return b""
    if len(length) > 9 or int(length) > _PROOF_BYTES:
        return b""
    try:
        async with asyncio.timeout(PROOF_S):
            data: Any = read_json((await response.aread()).decode("utf-8"))
    except (TimeoutError, ValueError):
        return b""
    proof = data.get("proof") if isinstance(data, dict) else None
    return proof.encode("utf-8", "replace") if isinstance(proof, str) else b""
