"""A tool that can be called here and now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.errors import InvalidArguments
from webagent.registry.values import UNDEFINED
from webagent.schema import check_value, input_schema, output_schema
from webagent.schema.tools import param_type
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
    types: SharedTypes = NO_TYPES
    """What shared types the definition may name."""

    def positional(self, arguments: Sequence[Any]) -> list[Any]:
        """Return encoded arguments as the page's function takes them.

        Raises:
            InvalidArguments: A required argument is missing, or there are too many.
        """
        params = self.tool.params
        if len(arguments) > len(params) and not self._rest:
            raise InvalidArguments(
                f"`{self.tool.name}` takes {_count(len(params))}, not {len(arguments)}",
                tool=self.tool.name,
                help=f"write `{self.signature()}`",
            )
        for param in params[len(arguments) :]:
            if param.required and param is not self._rest:
                raise self._missing(param)
        fixed = params[:-1] if self._rest else params
        for param, value in zip(fixed, arguments, strict=False):
            self._check(param, value)
        if self._rest and len(arguments) > len(fixed):
            self._check(self._rest, list(arguments[len(fixed) :]))
        return list(arguments)

    def from_named(self, arguments: Mapping[str, Any]) -> list[Any]:
        """Map encoded arguments to positions: `undefined` in gaps, nothing after the last given.

        Raises:
            InvalidArguments: A name is no parameter, or a required one is missing.
        """
        params = self.tool.params
        names = [param.name.removeprefix("...") for param in params]
        known = set(names)
        for name in arguments:
            if name not in known:
                raise InvalidArguments(
                    f"`{self.tool.name}` has no parameter `{name}`",
                    tool=self.tool.name,
                    path=name,
                    help=f"write `{self.signature()}`",
                )
        values = [arguments.get(name, dict(UNDEFINED)) for name in names]
        for param, value in zip(params, values, strict=True):
            if param.required and value == UNDEFINED and param is not self._rest:
                raise self._missing(param)
            self._check(param, value)
        if self._rest and isinstance(values[-1], list):
            values[-1:] = values[-1]
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
            "input_schema": input_schema(self.tool, types=self.types),
            "returns": self.tool.returns,
            "available": available,
        }
        if (output := output_schema(self.tool, types=self.types)) is not None:
            listed["output_schema"] = output
        if self.tool.title:
            listed["title"] = self.tool.title
        if problem is not None:
            listed["problem"] = problem
        return listed

    @property
    def _rest(self) -> Param | None:
        """The last parameter, if it takes all further arguments: `...names`."""
        last = self.tool.params[-1] if self.tool.params else None
        return last if last is not None and last.name.startswith("...") else None

    def _check(self, param: Param, value: Any) -> None:
        """Refuse an encoded argument that is none of the parameter's type.

        `undefined` stands for an argument that is left out.
        """
        may_lack = not param.required or param.default is not None or param is self._rest
        if may_lack and value == UNDEFINED:
            return
        name = param.name.removeprefix("...")
        found = check_value(value, param_type(param, self.types), types=self.types, path=name)
        if found:
            first = found[0]
            raise InvalidArguments(
                f"`{self.tool.name}` cannot take this: {'; '.join(map(str, found[:3]))}",
                tool=self.tool.name,
                path=first.path,
                help=f"pass `{first.expected}` as `{first.path}`",
            )

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
