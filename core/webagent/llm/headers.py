"""Headers that are sent to models."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webagent.llm.errors import ModelError

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x20-\x7e\t]*")
_OPEN = frozenset({"accept", "content-type", "a2a-version"})
_SHORTEST = 6
"""Characters of a value that is looked for in what a server says."""


def checked_headers(ours: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case; those given go before ours.

    Raises:
        ValueError: One cannot be sent; its value, which may be a secret, is not told.
    """
    found: dict[str, str] = {}
    for name, value in (*ours.items(), *given.items()):
        if not _NAME.fullmatch(name):
            raise ValueError(f"`{name}` is no name of a header - use letters, digits and `-`")
        if not _VALUE.fullmatch(value):
            raise ValueError(
                f"the header `{name}` has a line break or a letter beyond ASCII in its value - "
                "check whether the key was copied whole, and alone"
            )
        found[name.lower()] = value
    return found


def without_secrets(error: ModelError, headers: Mapping[str, str]) -> ModelError:
    """Return an error that does not repeat what was sent as a header, as some servers do."""
    message = error.message
    for name, value in headers.items():
        secret = value.rpartition(" ")[2]
        if name not in _OPEN and len(secret) >= _SHORTEST:
            message = message.replace(secret, "•••")
    if message == error.message:
        return error
    return type(error)(message, status=error.status, retry_after_s=error.retry_after_s)
