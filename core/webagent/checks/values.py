"""Whether schemas and defaults say the same as the types beside them."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.codegen.shared_types import shared_types
from webagent.codegen.types import resolve
from webagent.diagnostics import Finding, Severity
from webagent.parser import Reading
from webagent.schema.agree import disagreement
from webagent.schema.defaults import read_default
from webagent.schema.tools import params_schema, returns_schema


def schema_mismatch(reading: Reading) -> Iterator[Finding]:
    """A schema and the types beside it contradict each other."""
    shared = shared_types(reading.manifest)
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if tool.input_schema is None and tool.output_schema is None:
            continue
        beside = (
            ("input", tool.input_schema, params_schema, place.input_schema),
            ("output", tool.output_schema, returns_schema, place.output_schema),
        )
        for word, schema, typed, span in beside:
            if schema is None:
                continue
            found = disagreement(schema, typed(tool, shared))
            if found:
                yield Finding(
                    "schema-mismatch",
                    Severity.WARNING,
                    f"the {word} schema of `{tool.name}` is used, but its types differ: {found}",
                    "make both say the same; leave the schema out if the types say it all",
                    span or place.name,
                    tool.name,
                )


def default_type(reading: Reading) -> Iterator[Finding]:
    """A default is no value of the parameter's type."""
    shared = shared_types(reading.manifest)
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True):
            if param.default is None:
                continue
            if read_default(param.default, resolve(param.type, shared).node, shared).fits:
                continue
            yield Finding(
                "default-type",
                Severity.WARNING,
                f"the default `{_short(param.default)}` of `{param.name}` is no `{_short(param.type)}`",
                "write a value of this type, widen the type, or leave the default out",
                spot.span,
                tool.name,
            )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
