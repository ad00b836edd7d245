"""The mask as a stand-in: who may not read a secret can say where it goes."""

from __future__ import annotations

from typing import Any

from webagent.errors import InvalidArguments
from webagent.registry.secrets import MASK, is_secret


def hidden(text: str, masked: str) -> str:
    """Return what was masked in a text; empty if nothing was, or more than one thing.

    Args:
        text: As it was written: `log in with password: ropewalk14`.
        masked: The same with the mask.
    """
    before, mask, after = masked.partition(MASK)
    if not mask or MASK in after or not (text.startswith(before) and text.endswith(after)):
        return ""
    return text[len(before) : len(text) - len(after)]


def fill_in(value: Any, names: tuple[str, ...], secret: str) -> Any:
    """Return a value, or the secret that the person gave last where the value is the mask.

    It goes only to where secrets belong, so that no text of a page can have it written elsewhere.

    Args:
        value: An argument.
        names: What the parameter or field is called.
        secret: What the person gave; empty if nothing.

    Raises:
        InvalidArguments: The mask is given for something that takes no secret, or there is none.
    """
    if value != MASK:
        return value
    if not any(is_secret(name.strip(" *:")) for name in names):
        raise InvalidArguments(
            f"`{MASK}` stands for a secret, and `{names[0]}` takes none",
            path=names[0],
            help="write what is meant",
        )
    if not secret:
        raise InvalidArguments(
            f"`{MASK}` stands for a secret that is not known any more",
            path=names[0],
            help="ask the person for it with `communicate`",
        )
    return secret
