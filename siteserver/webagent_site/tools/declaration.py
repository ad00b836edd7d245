"""A function of the application as a tool: its parameters, types and words, and its calls."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docstring_parser import ParseError, parse
from pydantic import PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import to_jsonable_python

from webagent.errors import InvalidArguments, InvalidResult, TooLarge
from webagent.json_text import utf8_json
from webagent.modelcontext import from_json_schema
from webagent.schema import check_schema, input_schema, output_schema
from webagent.serializer import normalize_tool
from webagent.types import Tool
from webagent_site.errors import ConfigError

MAX_RESULT_BYTES = 4 * 1024 * 1024
"""The largest result of a call, as JSON."""

_REQUESTS = frozenset(
    ("django.http.request.HttpRequest", "flask.wrappers.Request", "starlette.requests.Request")
)
"""The classes of requests. A parameter of one, or of a class below it, is filled in."""

_SCHEMAS = ("additionalProperties", "contains", "items", "not", "propertyNames")
_LISTS_OF_SCHEMAS = ("allOf", "anyOf", "oneOf", "prefixItems")
_MAPS_OF_SCHEMAS = ("$defs", "patternProperties", "properties")

_OF_THE_APPLICATION = frozenset(("value_error", "assertion_error"))
"""The kinds of mismatches whose message is the text of an exception in the application."""


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A function of the application, and the tool that it is."""

    tool: Tool
    function: Callable[..., Any]
    place: str
    """The function's name and where it is written, for people."""
    request_name: str | None
    """The parameter that takes the request, if there is one."""
    schema: Mapping[str, Any]
    """The JSON Schema of the arguments by name."""
    parameters: Mapping[str, TypeAdapter[Any]]
    result: TypeAdapter[Any] | None

    def arguments(self, values: Mapping[str, Any], request: object) -> dict[str, Any]:
        """Return the arguments of a call, as the function takes them.

        Args:
            values: JSON data by name of the parameter.
            request: The request of the framework.

        Raises:
            InvalidArguments: They do not fit.
        """
        for name in values:
            if name not in self.parameters:
                raise InvalidArguments(f"`{name[:100]}` is not a parameter", path=name[:100])
        if found := check_schema(values, self.schema):
            raise InvalidArguments("; ".join(map(str, found[:3])), path=found[0].path)
        arguments = {name: self._argument(name, value) for name, value in values.items()}
        if self.request_name is not None:
            arguments[self.request_name] = request
        return arguments

    def json_of(self, value: Any) -> bytes:
        """Return the result of a call as JSON.

        Raises:
            InvalidResult: It does not have the type that the function declares, or is not data.
            TooLarge: It is longer than `MAX_RESULT_BYTES`.
        """
        try:
            if self.result is None:
                data = to_jsonable_python(value)
            else:
                found = self.result.validate_python(value, from_attributes=True)
                data = self.result.dump_python(found, mode="json", by_alias=True)
                if wrong := check_schema(data, output_schema(self.tool)):
                    raise ValueError("; ".join(map(str, wrong[:3])))
            body = utf8_json(json.dumps(data, ensure_ascii=False, allow_nan=False))
        except (ValueError, TypeError, RecursionError) as error:
            raise InvalidResult("the result is not what the function declares") from error
        if len(body) > MAX_RESULT_BYTES:
            raise TooLarge(f"the result has {len(body)} bytes - {MAX_RESULT_BYTES} are allowed")
        return body

    def _argument(self, name: str, value: Any) -> Any:
        try:
            return self.parameters[name].validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False)[0]
            path = ".".join(map(str, (name, *first["loc"])))
            hidden = first["type"] in _OF_THE_APPLICATION
            message = "the value is not accepted" if hidden else first["msg"]
            raise InvalidArguments(f"{path}: {message}", path=path) from error


def declare(function: Callable[..., Any], tool: Tool) -> DeclaredTool:
    """Return a function as a tool.

    Args:
        function: The function, sync or async. Its docstring describes it and its parameters.
        tool: The name, the behavior, and all else that the function does not say.

    Raises:
        ConfigError: It cannot be a tool.
    """
    place = _place(function)
    try:
        signature = inspect.signature(function, eval_str=True)
        params = [_named(param) for param in signature.parameters.values()]
        # Agents pass arguments by position, so that optional ones come last.
        params.sort(key=lambda param: param.default is not param.empty)
        adapters = {
            param.name: TypeAdapter(param.annotation) for param in params if not _is_request(param)
        }
        returned = signature.return_annotation
        result = None if returned is signature.empty else TypeAdapter(returned)
        words = parse(inspect.getdoc(function) or "")
        described = {one.arg_name: one.description for one in words.params}
        taken = _input_schema(adapters, params, described)
        given = None if result is None else _plain(result.json_schema(mode="serialization"))
    except (NameError, SyntaxError, TypeError, ValueError, PydanticUserError, ParseError) as error:
        why = str(error).splitlines()[0]
        raise ConfigError(
            f"{place} cannot be a tool: {why} - annotate each parameter with a type of data that its "
            "module has, such as `str`, `list[int]` or a dataclass"
        ) from error
    description = "\n\n".join(filter(None, (words.short_description, words.long_description)))
    read = from_json_schema(tool.name, taken, given, description=tool.description or description)
    said = {"behavior": tool.behavior, "sample_code": tool.sample_code, "title": tool.title}
    found = normalize_tool(read.model_copy(update=said))
    for key, value in {"name": tool.name, **said}.items():
        if getattr(found, key) != value:
            raise ConfigError(
                f"the {key} of {place} cannot be written into a manifest: `{value}` would be read as "
                f"`{getattr(found, key)}` - see `docs/reference/format.md`"
            )
    request_name = next((param.name for param in params if _is_request(param)), None)
    return DeclaredTool(found, function, place, request_name, input_schema(found), adapters, result)


def _named(param: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter that has a name and a type; nothing else can be one of a tool."""
    if param.kind not in (param.POSITIONAL_OR_KEYWORD, param.KEYWORD_ONLY):
        raise ValueError(f"`{param}` cannot be passed by name")
    if param.annotation is param.empty:
        raise ValueError(f"`{param.name}` has no type")
    return param


def _is_request(param: inspect.Parameter) -> bool:
    if not isinstance(param.annotation, type):
        return False
    classes = param.annotation.__mro__
    return any(f"{one.__module__}.{one.__qualname__}" in _REQUESTS for one in classes)


def _input_schema(
    adapters: Mapping[str, TypeAdapter[Any]],
    params: Sequence[inspect.Parameter],
    words: Mapping[str, str | None],
) -> dict[str, Any]:
    schemas, shared = TypeAdapter.json_schemas(
        [(name, "validation", adapter) for name, adapter in adapters.items()]
    )
    found: dict[str, Any] = {"type": "object", "properties": {}}
    for param in params:
        if param.name not in adapters:
            continue
        schema = _plain(schemas[(param.name, "validation")])
        if said := words.get(param.name):
            schema["description"] = " ".join(said.split())
        if param.default is param.empty:
            found.setdefault("required", []).append(param.name)
        elif param.default is not None:
            schema["default"] = to_jsonable_python(param.default)
        found["properties"][param.name] = schema
    if "$defs" in shared:
        found["$defs"] = _plain(shared)["$defs"]
    return found


def _plain(schema: Any) -> Any:
    """Return a schema without the titles that pydantic makes of names."""
    if not isinstance(schema, dict):
        return schema
    found = {key: value for key, value in schema.items() if key != "title"}
    for key in found.keys() & {*_SCHEMAS}:
        found[key] = _plain(found[key])
    for key in found.keys() & {*_LISTS_OF_SCHEMAS}:
        found[key] = [_plain(inner) for inner in found[key]]
    for key in found.keys() & {*_MAPS_OF_SCHEMAS}:
        found[key] = {name: _plain(inner) for name, inner in found[key].items()}
    return found


def _place(function: Callable[..., Any]) -> str:
    code = getattr(inspect.unwrap(function), "__code__", None)
    name = f"{function.__module__}.{getattr(function, '__qualname__', function)}"
    return f"`{name}`" if code is None else f"`{name}` ({code.co_filename}:{code.co_firstlineno})"
