"""The binding of a tool to a page: its definition, what a call of it reaches, and the arguments of a call.

Arguments are checked against the definition, and arranged for the page. Their values are encoded
(`webagent.page.values`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from webagent.codegen.scope import NO_TYPES, SharedTypes
from webagent.errors import InvalidArguments
from webagent.page.offers import Target
from webagent.page.values import UNDEFINED
from webagent.schema import Mismatch, check_schema, check_value, input_schema, output_schema
from webagent.schema.tools import param_type
from webagent.tstypes.nodes import Type
from webagent.types import Param, Tool


class ToolSource(StrEnum):
    """The source of a tool, in the order in which names are given out."""

    MANIFEST = "manifest"
    MODEL_CONTEXT = "modelContext"
    FORM = "form"
    COMPONENT = "component"


class Calling(StrEnum):
    """How a caller passes a tool its arguments."""

    POSITIONAL = "positional"
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Binding:
    """A tool's definition, its source, what a call reaches, and how its arguments are passed."""

    tool: Tool
    target: Target
    name: str
    """Its name in the registry: the tool's own name, unless an earlier tool has that."""
    source: ToolSource = ToolSource.MANIFEST
    calling: Calling = Calling.POSITIONAL
    types: SharedTypes = NO_TYPES
    """The shared types that the definition may name."""
    origin: str = ""
    attended: bool = False
    """Whether a person has to complete the call."""
    problem: str | None = None
    """Why it cannot be called now; None if it can."""
    _expected: dict[str, Type] = field(default_factory=dict, init=False, repr=False, compare=False)
    _about: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    _schema: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def params(self) -> list[Param]:
        """The parameters, in call order."""
        return self.tool.params

    @property
    def rest(self) -> Param | None:
        """The last parameter, if it takes all further arguments: `...names`."""
        last = self.params[-1] if self.params else None
        return last if last is not None and last.name.startswith("...") else None

    def expects(self, param: Param) -> Type:
        """Return the type of a parameter's argument; its text is read once."""
        if param.name not in self._expected:
            self._expected[param.name] = param_type(param, self.types)
        return self._expected[param.name]

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the arguments; it is written once."""
        if not self._schema:
            self._schema.update(input_schema(self.tool, types=self.types))
        return self._schema

    def about(self) -> str:
        """Return the description with effect and limits, for a model; it is written once."""
        if not self._about:
            words = (self.tool.description, self.tool.behavior.sentences())
            self._about.append("\n".join(filter(None, words)))
        return self._about[0]

    def signature(self) -> str:
        """Return the call as a person would write it: `search(query, limit?)`."""
        names = (param.name if param.required else f"{param.name}?" for param in self.params)
        inner = ", ".join(names)
        if self.calling is Calling.OBJECT and inner:
            inner = f"{{ {inner} }}"
        return f"{self.name}({inner})"

    def describe(self) -> dict[str, Any]:
        """Return the tool as plain data, as every list of tools has it."""
        behavior = self.tool.behavior
        listed: dict[str, Any] = {
            "name": self.name,
            "title": self.tool.title,
            "description": self.tool.description,
            "source": self.source.value,
            "component": self.target.component,
            "origin": self.origin,
            "frame": self.target.frame,
            "calling": self.calling.value,
            "params": [param.model_dump(exclude_none=True) for param in self.params],
            "input_schema": self.schema(),
            "output_schema": output_schema(self.tool, types=self.types),
            "returns": self.tool.returns,
            "effect": behavior.effect,
            "untrusted": behavior.untrusted_output,
            "idempotent": behavior.idempotent or None,
            "login": behavior.requires_login or None,
            "paths": behavior.paths or None,
            "rate": behavior.rate or None,
            "timeout_s": behavior.timeout_s,
            "available": self.problem is None,
            "problem": self.problem,
        }
        return {key: value for key, value in listed.items() if value is not None}


Arguments = list[Any] | dict[str, Any]
"""In order, or as one object, as the target of a call takes them."""


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A call whose arguments fit its tool: checked once, and arranged for the page."""

    binding: Binding
    arguments: Arguments
    """As the target takes them."""
    named: Mapping[str, Any]
    """By the names of the parameters, without gaps."""

    @property
    def name(self) -> str:
        """Name of the tool."""
        return self.binding.name


def prepare(binding: Binding, arguments: Sequence[Any] | Mapping[str, Any]) -> PreparedCall:
    """Check the arguments of a call and arrange them for the page.

    Args:
        binding: The tool.
        arguments: A mapping holds them by name. A sequence holds them as a program passes them:
            in order, or as one object if the tool takes one.

    Raises:
        InvalidArguments: They do not fit; the error names the argument, and how to call the tool.
    """
    if not isinstance(arguments, Mapping) and binding.calling is Calling.OBJECT:
        arguments = _one_object(binding, arguments)
    if isinstance(arguments, Mapping):
        named = _given(arguments)
        _check(binding, named)
        return PreparedCall(binding, as_taken(binding, named), named)
    if len(arguments) > len(binding.params) and not binding.rest:
        raise InvalidArguments(
            f"`{binding.name}` takes {_count(len(binding.params))}, not {len(arguments)}",
            tool=binding.name,
            help=f"write `{binding.signature()}`",
        )
    values = _in_order(binding, arguments)
    _check(binding, values)
    named = _given(values)
    # A function gets what the program wrote, `undefined` included.
    taken: Arguments = list(arguments) if binding.target.kind == "function" else named
    return PreparedCall(binding, taken, named)


def secret_values(call: PreparedCall) -> Iterator[str]:
    """Yield the arguments that are secrets by the schema: `format: password` or `writeOnly`."""
    schema = call.binding.tool.input_schema
    # Most schemas have none, and arguments may be large.
    if schema is None or not _DECLARES_SECRETS.search(json.dumps(schema, default=str)):
        return
    yield from _secrets_in(schema, dict(call.named), schema, _MOST_SCHEMAS)


_DECLARES_SECRETS = re.compile('"writeOnly": true|"format": "password"')

_MOST_SCHEMAS = 8
"""Schemas in schemas that are searched for secrets; `$ref` may go round in circles."""


def _secrets_in(schema: Any, value: Any, root: Any, depth: int) -> Iterator[str]:
    if depth == 0 or not isinstance(schema, Mapping):
        return
    if schema.get("format") == "password" or schema.get("writeOnly") is True:
        yield from _texts_in(value)
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target = root
        for key in reference[2:].split("/"):
            target = target.get(key) if isinstance(target, Mapping) else None
        yield from _secrets_in(target, value, root, depth - 1)
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key) or ():
            yield from _secrets_in(part, value, root, depth - 1)
    if isinstance(value, Mapping):
        for name, part in (schema.get("properties") or {}).items():
            if name in value:
                yield from _secrets_in(part, value[name], root, depth - 1)
    elif isinstance(value, list):
        for item in value:
            yield from _secrets_in(schema.get("items"), item, root, depth - 1)


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping | list):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _texts_in(inner)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def as_taken(binding: Binding, values: Mapping[str, Any]) -> Arguments:
    """Return named arguments as the target of a call takes them; they need not fit.

    For a function names become positions, with `undefined` in gaps and nothing after the last one.
    """
    if binding.target.kind != "function":
        return dict(values)
    ordered = [values.get(_plain(param), dict(UNDEFINED)) for param in binding.params]
    if binding.rest and isinstance(ordered[-1], list):
        ordered[-1:] = ordered[-1]
    while ordered and ordered[-1] == UNDEFINED:
        ordered.pop()
    return ordered


def by_name(binding: Binding, arguments: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, without gaps, as far as they have names.

    Args:
        binding: The tool.
        arguments: Arguments as a program passes them, or as the target takes them; they need not
            fit.
    """
    if isinstance(arguments, Mapping):
        return _given(arguments)
    if binding.calling is not Calling.OBJECT:
        return _given(_in_order(binding, arguments))
    try:
        return _given(_one_object(binding, arguments))
    except InvalidArguments:
        return {}


def _in_order(binding: Binding, arguments: Sequence[Any]) -> dict[str, Any]:
    """Return arguments under the names of their parameters; `...rest` takes a list."""
    rest = binding.rest
    fixed = binding.params[:-1] if rest else binding.params
    values: dict[str, Any] = {
        param.name: value for param, value in zip(fixed, arguments, strict=False)
    }
    if rest and len(arguments) > len(fixed):
        values[_plain(rest)] = list(arguments[len(fixed) :])
    return values


def _one_object(binding: Binding, arguments: Sequence[Any]) -> Mapping[str, Any]:
    """Return the object with the arguments of a tool that takes one object."""
    given = [argument for argument in arguments if argument != UNDEFINED]
    if not given:
        return {}
    argument = given[0]
    if isinstance(argument, Mapping) and argument.get("$type") == "object":
        argument = argument.get("value")
    elif isinstance(argument, Mapping) and "$type" in argument:
        argument = None
    if len(given) > 1 or not isinstance(argument, Mapping):
        raise InvalidArguments(
            f"`{binding.name}` takes one object that holds its arguments by name",
            tool=binding.name,
            help=f"write `{binding.signature()}`",
        )
    return argument


def _check(binding: Binding, values: Mapping[str, Any]) -> None:
    """Refuse arguments that do not fit; an optional one may be `undefined`."""
    known = {_plain(param) for param in binding.params}
    if not _takes_more(binding):
        for name in values:
            if name not in known:
                raise InvalidArguments(
                    f"`{binding.name}` has no parameter `{name}`",
                    tool=binding.name,
                    path=name,
                    help=f"write `{binding.signature()}`",
                )
    for param in binding.params:
        name = _plain(param)
        optional = not param.required or param.default is not None or param is binding.rest
        if values.get(name, UNDEFINED) == UNDEFINED and optional:
            continue
        if name in values:
            _refuse(binding, _mismatches(binding, param, values[name]))
        else:
            raise InvalidArguments(
                f"`{binding.name}` needs `{param.name}` ({param.type})",
                tool=binding.name,
                path=param.name,
                help=f"write `{binding.signature()}`",
            )
    if binding.tool.input_schema is not None:
        _refuse(binding, check_schema(_given(values), binding.tool.input_schema))


def _takes_more(binding: Binding) -> bool:
    """Whether a call may pass more than the parameters, which JSON Schema allows by default."""
    if binding.source in (ToolSource.MANIFEST, ToolSource.FORM):
        return False
    schema = binding.tool.input_schema
    return schema is None or schema.get("additionalProperties") is not False


def _mismatches(binding: Binding, param: Param, value: Any) -> list[Mismatch]:
    return check_value(value, binding.expects(param), types=binding.types, path=_plain(param))


def _refuse(binding: Binding, found: Sequence[Mismatch]) -> None:
    if not found:
        return
    first = found[0]
    raise InvalidArguments(
        f"`{binding.name}` cannot take this: {'; '.join(map(str, found[:3]))}",
        tool=binding.name,
        path=first.path,
        help=f"`{first.path}` takes `{first.expected}`" if first.path else binding.signature(),
    )


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value != UNDEFINED}


def _plain(param: Param) -> str:
    return param.name.removeprefix("...")


def _count(number: int) -> str:
    if number == 0:
        return "no arguments"
    return "one argument" if number == 1 else f"at most {number} arguments"
