"""The schema that a caller gives for the data of the answer, and the check of data against it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from webagent.errors import InvalidArguments, InvalidResult
from webagent.json_text import read_json
from webagent.llm.chat import ToolDefinition
from webagent.schema import check_schema

_LONGEST: Final = 20_000
"""Characters of a schema as JSON; a model is sent it with every message."""

_MOST_NAMED: Final = 3
"""Mismatches that an error names."""

_LONGEST_FAULT: Final = 300

_SUBSCHEMA: Final = {"anyOf": [{"type": "boolean"}, {"$ref": "#"}]}
_NAMED: Final = {"type": "object", "additionalProperties": _SUBSCHEMA}
_SEVERAL: Final = {"type": "array", "items": _SUBSCHEMA, "minItems": 1}
_TYPE: Final = {"enum": ["array", "boolean", "integer", "null", "number", "object", "string"]}

_SCHEMA_OF_SCHEMAS: Final = {
    "type": "object",
    "properties": {
        "type": {"anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1}]},
        "enum": {"type": "array", "minItems": 1},
        "required": {"type": "array", "items": {"type": "string"}},
        "$ref": {"type": "string", "pattern": "^#"},
        "pattern": {"type": "string"},
        "items": {"anyOf": [_SUBSCHEMA, _SEVERAL]},
    }
    | dict.fromkeys(
        ("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"), _NAMED
    )
    | dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _SEVERAL)
    | dict.fromkeys(
        (
            "additionalItems",
            "additionalProperties",
            "contains",
            "else",
            "if",
            "not",
            "propertyNames",
            "then",
        ),
        _SUBSCHEMA,
    ),
}
"""The keywords whose wrong use would let any data pass, or none."""


class AnswerSchema:
    """The shape of the data that a caller wants.

    Attributes:
        schema: The JSON Schema.
    """

    def __init__(self, given: Mapping[str, Any] | type[BaseModel]) -> None:
        """Read a schema.

        Args:
            given: A JSON Schema of draft 7 or 2020-12 without references to other documents, or a
                pydantic model.

        Raises:
            InvalidArguments: It is not a schema, or it is too long.
        """
        self._model = given if isinstance(given, type) and issubclass(given, BaseModel) else None
        self.schema = _checked(given if self._model is None else self._model.model_json_schema())

    def check(self, data: Any) -> None:
        """Check the data of an answer.

        Raises:
            InvalidResult: They do not fit; the error says where.
        """
        if found := check_schema(data, self.schema, "data"):
            raise _misfit("; ".join(map(str, found[:_MOST_NAMED])), found[0].path)
        self.read(data)

    def read(self, data: Any) -> Any:
        """Return the data as an object of the pydantic model; as they are if there is no model.

        Raises:
            InvalidResult: The model does not accept them.
        """
        if self._model is None:
            return data
        try:
            return self._model.model_validate_json(json.dumps(data))
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False, include_input=False)
            named = [(".".join(map(str, ("data", *each["loc"]))), each["msg"]) for each in faults]
            text = "; ".join(f"{path}: {message}" for path, message in named[:_MOST_NAMED])
            raise _misfit(text, named[0][0]) from None

    def in_finish(self, finish: ToolDefinition) -> ToolDefinition:
        """Return the definition of `finish` with this schema as that of its `data`."""
        parameters = dict(finish.parameters)
        data = {"description": "The data that the caller asked for; needed for success."}
        data |= {key: value for key, value in self.schema.items() if key not in _SHARED}
        properties = {**parameters.get("properties", {}), "data": _moved(data)}
        shared = {key: _moved(self.schema[key]) for key in _SHARED if key in self.schema}
        return replace(finish, parameters=parameters | {"properties": properties} | shared)


_SHARED: Final = ("$defs", "definitions")
"""Keywords at the root of a schema to which references lead."""

_VALUES: Final = frozenset(("const", "default", "enum", "examples"))
"""Keywords with values, in which `$ref` is a plain key."""


def _moved(schema: Any) -> Any:
    """Return a part of a schema with its references as they are inside `finish`."""
    if isinstance(schema, list):
        return [_moved(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    moved = {k: v if k in _VALUES else _moved(v) for k, v in schema.items()}
    target = schema.get("$ref")
    if isinstance(target, str) and not target.startswith(tuple(f"#/{key}/" for key in _SHARED)):
        moved["$ref"] = f"#/properties/data{target[1:]}"
    return moved


def _checked(given: Any) -> dict[str, Any]:
    """Return a schema as plain JSON data.

    Raises:
        InvalidArguments: It is not a schema, or it is too long.
    """
    try:
        text = json.dumps(given, allow_nan=False)
        schema = read_json(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_schema(f"it is not JSON: {str(error)[:_LONGEST_FAULT]}") from None
    if len(text) > _LONGEST:
        raise _no_schema(f"it has {len(text)} characters, and {_LONGEST} at most are taken")
    if found := check_schema(schema, _SCHEMA_OF_SCHEMAS):
        raise _no_schema("; ".join(map(str, found[:_MOST_NAMED])))
    return dict(schema)


def _no_schema(why: str) -> InvalidArguments:
    return InvalidArguments(
        f"the schema of the answer cannot be used - {why}",
        path="schema",
        help='write a JSON Schema: `{"type": "object", "properties": {…}}`',
    )


def _misfit(what: str, path: str) -> InvalidResult:
    return InvalidResult(
        f"the data of the answer do not fit the schema of the caller: {what}",
        path=path,
        help="call `finish` again with `data` that fit, or with `success` false if they cannot be had",
    )
