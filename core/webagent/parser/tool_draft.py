"""The draft of a tool, which its readers fill, and parameters from its schema."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from webagent.diagnostics import Finding, Fix
from webagent.diagnostics.rule import Rule
from webagent.parser.params import ParamDraft
from webagent.parser.reading import ParamPlace, ToolPlace
from webagent.parser.rules import UNREADABLE_PARAM
from webagent.source import Span
from webagent.tstypes import print_type
from webagent.tstypes.from_schema import SchemaReader, type_of
from webagent.types import Note, Tool

# A string that a reader of the manifest cannot take for another value.
_BARE = re.compile(r"(?!(?:true|false|null|undefined|NaN|Infinity)\Z)[A-Za-z][\w .:/-]*(?<! )\Z")


@dataclass(slots=True)
class ToolDraft:
    """The parts of a tool that were read so far, and the findings about them.

    Attributes:
        findings: The findings of the file, which all its tools share.
        description: Paragraphs, which empty lines will separate.
        returns_line: The `**Returns:** type` line that the return type was read from, if any.
        schema_spans: Places of the schemas, by `input` and `output`.
    """

    name: str
    span: Span
    name_span: Span
    findings: list[Finding]
    description: list[str] = field(default_factory=list)
    params: list[ParamDraft] = field(default_factory=list)
    returns: str = ""
    returns_span: Span | None = None
    returns_line: str = ""
    samples: list[str] = field(default_factory=list)
    sample_span: Span | None = None
    behavior: dict[str, object] = field(default_factory=dict)
    title: str = ""
    input_schema: dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    schema_spans: dict[str, Span] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    def report(
        self,
        rule: Rule,
        span: Span,
        message: str,
        *,
        help: str,  # noqa: A002
        fix: Fix | None = None,
    ) -> None:
        """Add a finding about this tool."""
        self.findings.append(rule.finding(span, message, help=help, tool=self.name, fix=fix))

    def tool(self) -> Tool:
        """Return the tool, and report parameters that are incomplete."""
        # Models read types, so a tool that only has schemas gets the types of those.
        if self.input_schema is not None and not self.params:
            place = self.schema_spans.get("input", self.name_span)
            self.params = params_of_schema(self.input_schema, place)
        if self.output_schema is not None and not self.returns:
            self.returns = print_type(type_of(self.output_schema))
            self.returns_span = self.schema_spans.get("output")
        for param in self.params:
            if param.unclosed:
                self.report(
                    UNREADABLE_PARAM,
                    param.place.name,
                    f"the parenthesis after `{param.name}` is never closed",
                    help=f"close it before the description: - `{param.name}` (string, required): …",
                )
            if param.others:
                names = ", ".join(param.others)
                self.report(
                    UNREADABLE_PARAM,
                    param.place.span,
                    f"`{param.name}` shares its item with {names}, so only `{param.name}` is read",
                    help="write an item for each parameter",
                )
        given = {
            "name": self.name,
            "description": "\n\n".join([part for part in self.description if part]),
            "params": [draft.fields() for draft in self.params],
            "returns": self.returns,
            "sample_code": "\n\n".join(self.samples),
            "behavior": self.behavior or None,
            "notes": self.notes,
            "title": self.title,
            "input_schema": self.input_schema,
            "output_schema": self.output_schema,
        }
        # What is empty is the default, which pydantic would make anew; a schema `{}` is not.
        return Tool.model_validate(
            {name: value for name, value in given.items() if value or value == {} or name == "name"}
        )

    def place(self) -> ToolPlace:
        """Return the places of the tool and its parts."""
        params = tuple(draft.place for draft in self.params)
        return ToolPlace(
            self.span,
            self.name_span,
            params,
            self.returns_span,
            self.sample_span,
            self.schema_spans.get("input"),
            self.schema_spans.get("output"),
        )


def params_of_schema(schema: dict[str, Any], place: Span) -> list[ParamDraft]:
    """Return a parameter for each property of a schema, in order.

    Args:
        schema: The schema of the arguments.
        place: Its place, which all parameters get.
    """
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    needed = required if isinstance(required, list) else []
    reader = SchemaReader(schema)
    return [
        ParamDraft(
            name,
            ParamPlace(*place, *place, *place),
            print_type(reader.type(inner)),
            _text(inner),
            name in needed,
            _default(inner),
        )
        for name, inner in properties.items()
        if name.strip()
    ]


def _text(schema: Any) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return text.strip() if isinstance(text, str) else ""


def _default(schema: Any) -> str | None:
    """Return a default as authors write it: strings without quotes, unless that is ambiguous."""
    if not isinstance(schema, dict) or "default" not in schema:
        return None
    value = schema["default"]
    if isinstance(value, str) and _BARE.match(value):
        return value
    return json.dumps(value, ensure_ascii=False)
