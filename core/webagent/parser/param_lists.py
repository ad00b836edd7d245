"""The reader of parameters in lists and tables.

Bullets below a parameter are the fields of the object that it takes:

    - `filters` (object, optional): What to leave out.
      - `maxPrice` (number): In EUR.

This is a parameter of type `{ /** In EUR. */ maxPrice: number }`.
"""

from __future__ import annotations

import re

from webagent.markdown import Cell, ListBlock, Table
from webagent.parser.params import ParamDraft, read_param, read_type_text
from webagent.parser.passage import Passage
from webagent.parser.reading import ParamPlace
from webagent.parser.rules import INVALID_TYPE, NESTED_TOO_DEEP, UNREADABLE_PARAM
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError, instead, print_type, read_type
from webagent.tstypes.nodes import Member, Name, Object, Type, member_name

_MAX_LEVELS = 6
"""Most levels of fields inside fields. Deeper bullets are text, so that time stays linear."""

_BULLET = re.compile(r"^[ \t]*(?:[-+*]|[0-9]+[.)])[ \t]", re.MULTILINE)

# Types that say only "an object" or "a list of objects", so that bullets below can be the fields.
_OBJECT = re.compile(
    r"(?:object|Object|dict|map|json|\{\s*\}|Record<\s*string\s*,\s*(?:unknown|any)\s*>)?\Z"
)

_ARRAY = re.compile(
    r"(?:array|list|(?:Array|List)<\s*(?:object|Object|any|unknown)?\s*>|(?:object|Object)\[\]"
    r"|(?:an? )?(?:array|list) of objects|object array)\Z"
)

_COLUMNS = {
    "name": "name",
    "param": "name",
    "parameter": "name",
    "argument": "name",
    "field": "name",
    "type": "type",
    "required": "required",
    "required?": "required",
    "optional": "optional",
    "optional?": "optional",
    "default": "default",
    "description": "description",
    "notes": "description",
    "meaning": "description",
}

_YES = ("yes", "y", "true", "required", "x", "✓", "✔", "✅")


def read_item(draft: ToolDraft, item: Passage, level: int = 0) -> ParamDraft | None:
    """Read a list item as a parameter, with the bullets in it as its fields.

    Args:
        draft: The tool, for findings.
        item: The text of the item, without its marker.
        level: Number of parameters around it.

    Returns:
        The parameter, or None if the item does not start with a name.
    """
    if level < _MAX_LEVELS:
        return _fields(draft, item, level) or read_param(item)
    param = read_param(item)
    if param is not None and _has_bullets(item):
        draft.report(
            NESTED_TOO_DEEP,
            param.place.name,
            f"the bullets below `{param.name}` are inside {_MAX_LEVELS} others, so they are text",
            help="write its type in braces, as in `{ id: string }`, or declare it under `## Types`",
        )
    return param


def _has_bullets(item: Passage) -> bool:
    """Whether there may be bullets below the first line of an item."""
    return "\n" in item.text and _BULLET.search(item.text, item.text.index("\n")) is not None


def _fields(draft: ToolDraft, item: Passage, level: int) -> ParamDraft | None:
    """Read an item whose bullets are fields; None if they are not."""
    if not _has_bullets(item):
        return None
    nested = [block for block in item.blocks if isinstance(block, ListBlock)]
    if not nested or nested[0].lines[0] == 0:
        return None
    inside = {number for block in nested for number in range(*block.lines)}
    head = Passage(line for number, line in enumerate(item.lines) if number not in inside)
    param = read_param(head)
    if param is None:
        return None
    written = param.type.strip()
    array = _ARRAY.match(written) is not None
    if not array and not _OBJECT.match(written):
        return None
    # Bullets may turn out to be text. Then the findings about them are taken back.
    reported = len(draft.findings)
    fields = [
        read_item(draft, item.item(bullet), level + 1) for block in nested for bullet in block.items
    ]
    # Plain words in bullets look like names: without any type they are a list of hints.
    has_types = bool(written) or any(field is not None and field.type for field in fields)
    members = {field.name: field for field in fields if field is not None}
    if not has_types or len(members) < len(fields):
        del draft.findings[reported:]
        return None
    node = Object(tuple(_member(draft, field) for field in members.values()))
    param.type = print_type(node) + "[]" * array
    return param


def _member(draft: ToolDraft, field: ParamDraft) -> Member:
    """Return a field as a member of an object type, with its default in the comment."""
    param = field.param()
    default = f"(default: {param.default})" if param.default is not None else ""
    return Member(
        member_name(param.name),
        _type(draft, field, param.type),
        optional=not param.required,
        doc=" ".join(f"{param.description} {default}".split()),
    )


def _type(draft: ToolDraft, field: ParamDraft, text: str) -> Type:
    """Return the type in a text; `unknown`, with a finding, if it cannot be read."""
    try:
        return read_type(text)
    except TypeSyntaxError as error:
        meant = instead(text.strip())
        if meant is not None:
            return read_type(meant)
        draft.report(
            INVALID_TYPE,
            field.place.type,
            f"the type `{text[:60]}` of `{field.name}` cannot be read: {error.message}",
            help="write a TypeScript type, such as `string`, `number[]` or `{ id: string }`",
        )
        return Name("unknown")


def read_table(draft: ToolDraft, table: Table) -> bool:
    """Read the rows of a table as parameters.

    Returns:
        False, and nothing is read, if no column has the names.
    """
    columns = [_COLUMNS.get(cell.text.strip("*_` ").lower()) for cell in table.header]
    if "name" not in columns:
        return False
    for row in table.rows:
        cells = {
            column: cell for column, cell in zip(columns, row, strict=False) if column is not None
        }
        param = _row(cells)
        if param is None:
            draft.report(
                UNREADABLE_PARAM,
                Span(row[0].start, row[-1].end),
                "a row of the table of parameters has no name",
                help="write the name of the parameter in the first column, in backticks",
            )
            draft.description.append(" | ".join(cell.text for cell in row))
            continue
        # Cells of unknown columns are kept, as part of the description.
        rest = [
            cell.text
            for index, cell in enumerate(row)
            if (index >= len(columns) or columns[index] is None) and cell.text
        ]
        param.remarks += tuple(rest)
        draft.params.append(param)
    return True


def _row(cells: dict[str, Cell]) -> ParamDraft | None:
    """Return the parameter of a row, or None if it has no name.

    Args:
        cells: The cells by the meaning of their column, as `_COLUMNS` has it.
    """
    name = cells.get("name")
    if name is None or not name.text:
        return None
    param = read_param(Passage([(name.text, name.start)]))
    if param is None:
        return None
    last = list(cells.values())[-1]
    type_at = name.span
    # The cells are more specific than what the name's cell says, so they win.
    if (cell := cells.get("type")) and cell.text:
        param.type = ""
        read_type_text(param, cell.text.strip())
        type_at = cell.span
    if (cell := cells.get("required")) and cell.text:
        param.required = cell.text.strip("*_` ").lower() in _YES
    if (cell := cells.get("optional")) and cell.text:
        param.required = cell.text.strip("*_` ").lower() not in (*_YES, "optional")
    if (cell := cells.get("default")) and cell.text.strip("`-–— ").lower() not in ("", "none"):
        param.default = cell.text.strip().strip("`")
    if (cell := cells.get("description")) and cell.text:
        param.description = cell.text
    whole = Span(name.start, max(name.end, last.end))
    param.place = ParamPlace(*whole, *name.span, *type_at)
    return param
