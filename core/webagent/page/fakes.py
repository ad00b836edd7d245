"""A page made of Python functions, for tests and for trying things without a browser."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any

from webagent.errors import MissingFunction, NotCloneable, ToolError, ToolThrew
from webagent.registry.values import decode, encode


class FakePage:
    """A page whose functions are Python callables, plain or async."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        """Create a page that has these functions."""
        self._functions = dict(functions)

    async def functions(self, names: Collection[str]) -> set[str]:
        """Return those of `names` that this page has."""
        return {name for name in names if name in self._functions}

    async def invoke(self, name: str, arguments: list[Any]) -> Any:
        """Call the function with decoded arguments; return its encoded value."""
        function = self._functions.get(name)
        if function is None:
            raise MissingFunction(f"the page has no function `{name}`", tool=name)
        try:
            value = function(*decode(arguments))
            if inspect.isawaitable(value):
                value = await value
        except Exception as error:
            raise ToolThrew(f"{type(error).__name__}: {error}", tool=name) from error
        try:
            return encode(value)
        except ToolError as error:
            raise NotCloneable(error.message, tool=name) from error
