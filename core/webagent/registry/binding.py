"""A tool that can be called here and now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webagent.errors import InvalidArguments
from webagent.registry.values import UNDEFINED
from webagent.types import Param, Tool


class ToolSource(StrEnum):
    """Where a tool comes from."""

    MANIFEST = "manifest"


class Calling(StrEnum):
    """How a tool takes its arguments."""

    POSITIONAL = "positional"


@dataclass(frozen=True, slots=True)
class Binding:
    """A tool's definition, its source, and how its arguments travel."""

    tool: Tool
    source: ToolSource = ToolSource.MANIFEST
    calling: Calling = Calling.POSITIONAL

    def positional(self, arguments: Sequence[Any]) -> list[Any]:
        """Return encoded arguments as the page's function takes them.

        Raises:
            InvalidArguments: A required argument is missing, or there are too many.
        """
        params = self.tool.params
        if len(arguments) > len(params):
            raise InvalidArguments(
                f"`{self.tool.name}` takes {_count(len(params))}, not {len(arguments)}",
                tool=self.tool.name,
                help=f"write `{self.signature()}`",
            )
        for param in params[len(arguments) :]:
            if param.required:
                raise self._missing(param)
        return list(arguments)

    def from_named(self, arguments: Mapping[str, Any]) -> list[Any]:
        """Map encoded arguments to positions: `undefined` in gaps, nothing after the last given.

        Raises:
            InvalidArguments: A name is no parameter, or a required one is missing.
        """
        params = self.tool.params
        known = {param.name for param in params}
        for name in arguments:
            if name not in known:
                raise InvalidArguments(
                    f"`{self.tool.name}` has no parameter `{name}`",
                    tool=self.tool.name,
                    path=name,
                    help=f"write `{self.signature()}`",
                )
        values = [arguments.get(param.name, dict(UNDEFINED)) for param in params]
        for param, value in zip(params, values, strict=True):
            if param.required and value == UNDEFINED:
                raise self._missing(param)
        while values and values[-1] == UNDEFINED:
            values.pop()
        return values

    def signature(self) -> str:
        """Return the call as a person would write it: `search(query, limit?)`."""
        names = (param.name if param.required else f"{param.name}?" for param in self.tool.params)
        return f"{self.tool.name}({', '.join(names)})"

    def describe(self, *, available: bool, problem: str | None = None) -> dict[str, Any]:
        """Return the tool as the registry lists it, plain data for every door."""
        listed: dict[str, Any] = {
            "name": self.tool.name,
            "description": self.tool.description,
            "source": self.source.value,
            "calling": self.calling.value,
            "params": [param.model_dump(exclude_none=True) for param in self.tool.params],
            "returns": self.tool.returns,
            "available": available,
        }
        if problem is not None:
            listed["problem"] = problem
        return listed

    def _missing(self, param: Param) -> InvalidArguments:
        return InvalidArguments(
            f"`{self.tool.name}` needs `{param.name}` ({param.type})",
            tool=self.tool.name,
            path=param.name,
            help=f"write `{self.signature()}`",
        )


def _count(number: int) -> str:
    if number == 0:
        return "no arguments"
    return "one argument" if number == 1 else f"at most {number} arguments"
