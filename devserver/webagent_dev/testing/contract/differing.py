"""The first place in which two values that should be the same are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from webagent.schema.mismatch import join
from webagent_dev.testing.contract.spoken import spoken


class Difference(NamedTuple):
    """A place in which two values differ."""

    path: str
    """Where: `items[2].price`; empty for the whole value."""
    one: str
    other: str

    def __str__(self) -> str:
        text = f"{self.one} and then {self.other}"
        return f"`{self.path}` is {text}" if self.path else text


def difference(one: Any, other: Any, path: str = "") -> Difference | None:
    """Return where two encoded values differ first, None if they are the same."""
    if type(one) is type(other) and isinstance(one, Mapping):
        for key in dict.fromkeys([*one, *other]):
            if key not in one or key not in other:
                told = [spoken(value[key]) if key in value else "missing" for value in (one, other)]
                return Difference(join(path, key), *told)
            if found := difference(one[key], other[key], join(path, key)):
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        for index, pair in enumerate(zip(one, other, strict=False)):
            if found := difference(*pair, f"{path}[{index}]"):
                return found
        if len(one) == len(other):
            return None
        return Difference(path, f"a list of {len(one)}", f"one of {len(other)}")
    same = one == other and isinstance(one, bool) == isinstance(other, bool)
    return None if same else Difference(path, spoken(one)[:80], spoken(other)[:80])
