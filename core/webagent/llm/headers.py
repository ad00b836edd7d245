"""Headers that are sent to models."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE = re.compile(r"[\x20-\x7e\t]*")


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
