"""A request of an assistant to be connected, between its check and the answer of the visitor.

It is signed and travels in the address of the page that asks, so that nothing of strangers is kept.
"""

from __future__ import annotations

import base64
import hmac
import time
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError

from webagent_site.http.visitors import Visitors

VALID_S: Final = 600
"""How long a visitor may take; a login may come between."""


@dataclass(frozen=True, slots=True)
class AuthorizationRequest:
    """A request that the authorization server has checked."""

    client_id: str
    client_name: str
    redirect_uri: str
    challenge: str
    state: str | None
    resource: str
    """The address that its tokens are for."""
    at_s: int


_FORM: Final = TypeAdapter(AuthorizationRequest)


def sealed(asked: AuthorizationRequest, visitors: Visitors) -> str:
    """Return a request as text that nobody can change."""
    text = base64.urlsafe_b64encode(_FORM.dump_json(asked)).decode().rstrip("=")
    return f"{text}.{visitors.signature('authorize', text)}"


def unsealed(given: str, visitors: Visitors) -> AuthorizationRequest | None:
    """Return the request of a text; None if it is not ours, or too old."""
    text, _, signature = given.partition(".")
    expected = visitors.signature("authorize", text)
    if not hmac.compare_digest(signature.encode("utf-8", "replace"), expected.encode()):
        return None
    try:
        asked = _FORM.validate_json(base64.urlsafe_b64decode(text + "=="), strict=True)
    except (ValueError, ValidationError):
        return None
    return asked if time.time() - asked.at_s <= VALID_S else None
