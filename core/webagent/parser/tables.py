"""Parameters in a table: a column for the name, and perhaps for type, need, default, text."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.markdown import Cell, Table
from webagent.parser.params import ParamDraft, read_param, read_type_text
from webagent.parser.passage import Passage
from webagent.parser.reading import ParamPlace
from webagent.parser.tool_draft import ToolDraft
from webagent.source import Span

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


def read_table(draft: ToolDraft, table: Table) -> bool:
    """Read the rows as parameters; False if no column is headed as names are."""
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
                "unreadable-param",
                Severity.ERROR,
                "a row of the table of parameters names none",
                "write the name of the parameter in the first column, in backticks",
                Span(row[0].start, row[-1].end),
            )
            draft.description.append(" | ".join(cell.text for cell in row))
            continue
        rest = [
            cell.text
            for index, cell in enumerate(row)
            if (index >= len(columns) or columns[index] is None) and cell.text
        ]
        param.remarks += tuple(rest)
        draft.params.append(param)
    return True


def _row(cells: dict[str, Cell]) -> ParamDraft | None:
    name = cells.get("name")
    if name is None or not name.text:
        return None
    param = read_param(Passage([(name.text, name.start)]))
    if param is None:
        return None
    last = list(cells.values())[-1]
    type_at = name.span
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
