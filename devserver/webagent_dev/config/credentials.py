"""The tokens of a server, and what is shown in place of the owner's where others may read along.

A one-time code opens the inspector: it is in the address that the terminal prints, and is exchanged
for the token. A proof shows a client that a server knows the token, before the client sends it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Literal

CODE_S = 600.0
"""How long a one-time code is valid."""
_MOST_CODES = 32
"""Codes that are valid at a time; the oldest is dropped for another."""

_NONCE = re.compile(r"[A-Za-z0-9_-]{32,128}")

TOKEN = re.compile(r"webagent_(?:owner|page|visit)_[A-Za-z0-9_-]{43}")
"""A token of ours. They can be recognized, so that none of them is passed on to another server."""


def new_token(who: Literal["owner", "page", "visit"]) -> str:
    """Return a token of 256 random bits."""
    return f"webagent_{who}_{secrets.token_urlsafe(32)}"


def proof_of(token: str, nonce: str, port: int) -> str:
    """Return what only a server with a token can answer to a nonce.

    The port is part of it: a program on another port cannot have our server answer for it.
    """
    text = f"webagent-dev server on port {port}: {nonce}"
    return hmac.new(token.encode(), text.encode(), hashlib.sha256).hexdigest()


def is_nonce(text: str) -> bool:
    """Whether a text is long enough to ask for a proof with."""
    return _NONCE.fullmatch(text) is not None


class OwnerCredentials:
    """The owner's token of a server, and the codes that are exchanged for it."""

    def __init__(self) -> None:
        """Make a token of this process alone."""
        self._token = new_token("owner")
        self._codes: dict[str, float] = {}

    @property
    def token(self) -> str:
        """The token that is valid now."""
        return self._token

    def new_code(self) -> str:
        """Return a code that can be exchanged for the token once, and soon."""
        while len(self._codes) >= _MOST_CODES:
            del self._codes[next(iter(self._codes))]
        code = secrets.token_urlsafe(24)
        self._codes[code] = time.monotonic() + CODE_S
        return code

    def token_for(self, code: str) -> str | None:
        """Return the token for a code, None for one that is used, too old or unknown."""
        valid_until = self._codes.pop(code, 0.0)
        return self.token if time.monotonic() < valid_until else None
