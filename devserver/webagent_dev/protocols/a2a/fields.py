"""Fields of what strangers send, by the rules of ProtoJSON: camel case or snake case, null for none."""

from __future__ import annotations

import re
from typing import Any, TypeVar

from webagent_dev.agents.a2a.errors import INVALID_PARAMS, A2aError
from webagent_dev.http.request_body import NAMES

_CAPITAL = re.compile(r"(?=[A-Z])")
_Kind = TypeVar("_Kind")


class Fields:
    """An object, and where it stands."""

    def __init__(self, data: Any, path: str = "params") -> None:
        """Read an object.

        Raises:
            A2aError: It is none.
        """
        if not isinstance(data, dict):
            raise wrong(path, "an object")
        self._data = data
        self.place = path
        """Where it stands."""

    def has(self, name: str) -> bool:
        """Whether a field is there, and not null."""
        return self._value(name) is not None

    def get(self, name: str, kind: type[_Kind], usual: _Kind) -> _Kind:
        """Return a field, or what is usual when it is left out."""
        value = self._value(name)
        if value is None:
            return usual
        if type(value) is not kind:
            raise wrong(self.path(name), NAMES[kind])
        return value

    def need(self, name: str, kind: type[_Kind]) -> _Kind:
        """Return a field that has to be there, and not empty."""
        value = self.get(name, kind, kind())
        if value in ("", []) or self._value(name) is None:
            raise wrong(self.path(name), f"{NAMES[kind]} that is not empty")
        return value

    def inner(self, name: str) -> Fields:
        """Return an object inside; an empty one when it is left out."""
        return Fields(self.get(name, dict, {}), self.path(name))

    def each(self, name: str) -> list[Fields]:
        """Return the objects of a list inside, which has to have some."""
        listed: list[Any] = self.need(name, list)
        return [Fields(item, f"{self.path(name)}[{at}]") for at, item in enumerate(listed)]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings; an empty one when it is left out."""
        listed: list[Any] = self.get(name, list, [])
        if not all(isinstance(item, str) for item in listed):
            raise wrong(self.path(name), "a list of strings")
        return listed

    def kept(self, **kinds: type) -> dict[str, Any]:
        """Return those of the fields that are there."""
        return {
            name: self.get(name, kind, kind()) for name, kind in kinds.items() if self.has(name)
        }

    def value(self, name: str) -> Any:
        """Return a field that may be anything; None when it is left out."""
        return self._value(name)

    def path(self, name: str) -> str:
        """Return where a field stands."""
        return f"{self.place}.{name}"

    def _value(self, name: str) -> Any:
        value = self._data.get(name)
        return self._data.get(_CAPITAL.sub("_", name).lower()) if value is None else value


def wrong(path: str, wanted: str) -> A2aError:
    """Return the error for a field that is missing, or not as it has to be."""
    return A2aError(
        INVALID_PARAMS,
        f"`{path[:200]}` is missing or not as it has to be - it is {wanted} - mend it and send again",
    )
