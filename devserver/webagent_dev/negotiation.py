"""Which content coding a client is sent (RFC 9110, 12.5.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

IDENTITY = "identity"
_ITEM = re.compile(
    r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*(?:;\s*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?"
)
_LEAST = 0.0001
"""What a client that does not speak of `identity` gives it: less than anything that it names."""


def choose(accept_encoding: str, offered: Sequence[str]) -> str | None:
    """Return the coding that a client likes best, `identity` for none at all.

    Args:
        accept_encoding: The header's value, empty without the header.
        offered: The codings there are, best first, of which the first wins where a client likes
            several alike.

    Returns:
        None if the client takes neither any of them nor the file as it is.
    """
    weights: dict[str, float] = {}
    for part in accept_encoding.lower().split(","):
        if item := _ITEM.fullmatch(part.strip()):
            weights[item[1].removeprefix("x-")] = float(item[2] or 1)
    others = weights.get("*", 0)
    liked = {coding: weights.get(coding, others) for coding in offered}
    liked[IDENTITY] = weights.get(IDENTITY, weights.get("*", _LEAST))
    best = max(liked, key=lambda coding: liked[coding])
    return best if liked[best] > 0 else None
