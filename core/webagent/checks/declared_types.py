"""Rules about types: their syntax, their names, and the defaults and schemas that must fit them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from webagent.codegen.compiler import known_plain, resolve
from webagent.codegen.scope import Problem, SharedTypes
from webagent.codegen.types_section import is_types, shared_types
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.parser.rules import INVALID_TYPE
from webagent.schema.defaults import read_default
from webagent.schema.tools import disagreement, params_schema, returns_schema
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError

UNKNOWN_TYPE = Rule(
    "unknown-type",
    Severity.WARNING,
    what="A type uses a name that is not declared, or one of another language.",
    why="Words such as `int` are read as the TypeScript that they mean. Other names become `unknown`.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (int, optional): Most.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional): Most.\n",
)


@INVALID_TYPE.check
@UNKNOWN_TYPE.check
def unclear_types(reading: Reading) -> Iterator[Finding]:
    """Report types that cannot be read, and names in types that are not declared."""
    shared = shared_types(reading.manifest)
    for written in _types(reading, shared):
        resolved = resolve(written.text, shared)
        if resolved.error is not None:
            yield _unreadable(reading, written, resolved.error)
        for problem in resolved.problems:
            place = _within(reading, written, problem.start, problem.end)
            yield _unknown(reading, problem, f"the type of {written.owner}", place, written.tool)
    for name, fence, problem in shared.problems:
        place = _place_in_types(reading, fence, Span(problem.start, problem.end))
        yield _unknown(reading, problem, f"the shared type `{name}`", place, None)


class _TypeText(NamedTuple):
    """A type as its author wrote it, with its place."""

    text: str
    owner: str
    """The owner of the type, for messages: `` `limit` `` or `the output`."""
    place: Span
    tool: str


def _types(reading: Reading, shared: SharedTypes) -> Iterator[_TypeText]:
    """Yield the types of all tools, except plain ones, which are valid."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True) if tool.params else ():
            if not known_plain(param.type, shared):
                yield _TypeText(param.type, f"`{param.name}`", spot.type, tool.name)
        if tool.returns and not known_plain(tool.returns, shared):
            span = place.returns or place.name
            yield _TypeText(tool.returns, "the output", span, tool.name)


def _unreadable(reading: Reading, written: _TypeText, error: TypeSyntaxError) -> Finding:
    return INVALID_TYPE.finding(
        _within(reading, written, error.start, error.end),
        f"the type `{_short(written.text)}` of {written.owner} cannot be read: {error.message}",
        help="write a TypeScript type, such as `string`, `number[]` or `{ id: string }`",
        tool=written.tool,
    )


def _unknown(
    reading: Reading, problem: Problem, owner: str, place: Span, tool: str | None
) -> Finding:
    # A fix needs the exact place, which is not known where escapes or joined lines changed the text.
    exact = reading.source.text[place.start : place.end] == problem.text
    fix = None
    if problem.instead:
        remedy = f"write `{problem.instead}`"
        if exact:
            fix = Fix(remedy, (Edit(place, problem.instead),))
    else:
        remedy = "write the type out: `{ id: string; name: string }`, or declare it in `## Types`"
    return UNKNOWN_TYPE.finding(
        place,
        f"`{_short(problem.text)}` in {owner} {problem.why}",
        help=remedy,
        tool=tool,
        fix=fix,
    )


INVALID_DECLARATION = Rule(
    "invalid-declaration",
    Severity.ERROR,
    what="A shared type under `## Types` cannot be declared as it is written.",
    why="It is left out of the declarations, and types that use it become `unknown`.",
    bad="# Shop\n\n## Types\n```typescript\ninterface Product { id string }\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n## Types\n```typescript\ninterface Product { id: string }\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
)

DUPLICATE_TYPE = Rule(
    "duplicate-type",
    Severity.ERROR,
    what="Two shared types have the same name.",
    why="Only the first is used, so types that mean the second are wrong.",
    bad="# Shop\n\n## Types\n```typescript\ntype Id = string\ntype Id = number\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n## Types\n```typescript\ntype Id = string\ntype Count = number\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
)

CIRCULAR_TYPE = Rule(
    "circular-type",
    Severity.ERROR,
    what="A shared type is defined as itself.",
    why="TypeScript cannot resolve it. A type may name itself inside a property or an array, where "
    "a value can end.",
    bad="# Shop\n\n## Types\n```typescript\ntype Tree = Tree | string\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n## Types\n```typescript\ntype Tree = { children: Tree[] }\n```\n\n"
    "## pay\nPay.\n\n### Params\n",
)


@INVALID_DECLARATION.check
@DUPLICATE_TYPE.check
@CIRCULAR_TYPE.check
def shared_declarations(reading: Reading) -> Iterator[Finding]:
    """Report shared types that cannot be declared as they are written."""
    rules = {rule.name: rule for rule in (INVALID_DECLARATION, DUPLICATE_TYPE, CIRCULAR_TYPE)}
    for error in shared_types(reading.manifest).declaration_errors:
        span = _place_in_types(reading, error.fence, error.span)
        yield rules[error.rule].finding(span, error.message, help=error.remedy)


SCHEMA_MISMATCH = Rule(
    "schema-mismatch",
    Severity.WARNING,
    what="A schema and the types next to it say different things.",
    why="Programs get the schema and models get the types, so one of them is wrong.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
    '{"type": "string"}}, "required": ["sum"]}\n```\n',
    good="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
    '{"type": "number", "minimum": 1}}, "required": ["sum"]}\n```\n',
)


@SCHEMA_MISMATCH.check
def schema_mismatch(reading: Reading) -> Iterator[Finding]:
    """Report schemas that contradict the types next to them."""
    shared = shared_types(reading.manifest)
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if tool.input_schema is None and tool.output_schema is None:
            continue
        pairs = (
            ("input", tool.input_schema, params_schema, place.input_schema),
            ("output", tool.output_schema, returns_schema, place.output_schema),
        )
        for word, schema, typed, span in pairs:
            if schema is None:
                continue
            found = disagreement(schema, typed(tool, shared))
            if found:
                yield SCHEMA_MISMATCH.finding(
                    span or place.name,
                    f"the {word} schema of `{tool.name}` is used, but its types differ: {found}",
                    help="make both agree, or remove the schema if the types say everything",
                    tool=tool.name,
                )


DEFAULT_TYPE = Rule(
    "default-type",
    Severity.WARNING,
    what="A default does not have the type of its parameter.",
    why="A call that passes the default as it is written is refused.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=many): Most.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=20): Most.\n",
)


@DEFAULT_TYPE.check
def default_type(reading: Reading) -> Iterator[Finding]:
    """Report defaults that do not fit the type of their parameter."""
    shared = shared_types(reading.manifest)

    @cache
    def fits(default: str, written: str) -> bool:
        return read_default(default, resolve(written, shared).node, shared).fits

    for tool, param, spot in reading.params:
        if param.default is None or fits(param.default, param.type):
            continue
        yield DEFAULT_TYPE.finding(
            spot.span,
            f"the default `{_short(param.default)}` of `{param.name}` is not of type "
            f"`{_short(param.type)}`",
            help="write a value of this type, widen the type, or remove the default",
            tool=tool.name,
        )


def _place_in_types(reading: Reading, fence: str, span: Span) -> Span:
    """Return the place of a span in a fence of shared types, or the title of the note if not found."""
    text, last = reading.source.text, Span(0, 0)
    for note, place in zip(reading.manifest.notes, reading.notes, strict=True):
        if is_types(note):
            last = place.title
            at = text.find(fence, place.span.start, place.span.end) if fence else -1
            if at >= 0:
                return Span(at + span.start, at + max(span.end, span.start + 1))
    return last


def _within(reading: Reading, written: _TypeText, start: int, end: int) -> Span:
    """Return the place of a part of a type, or of the whole type if it is not in the source as it is."""
    text = reading.source.text[written.place.start : written.place.end]
    at = text.find(written.text)
    if at < 0:
        return written.place
    return Span(written.place.start + at + start, written.place.start + at + max(end, start + 1))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 60 else f"{line[:59]}…"
