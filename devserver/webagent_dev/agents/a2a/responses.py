"""What comes of a task, as artifacts: words, data, tables, pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from webagent_dev.agents.page_output import plain
from webagent_dev.protocols.a2a.shapes import Shape

MOST_FILE_CHARACTERS = 4 << 20
"""Of all pictures of a run together, in Base64."""
MOST_CHARACTERS = 8 << 20
"""Of one value, as JSON."""


def of_value(value: Any, name: str, text: str = "") -> Shape:
    """Return what a tool or a run gave: words, data, and each table as data of its own.

    Args:
        value: Encoded, as pages send it; None for nothing.
        name: Of the artifact.
        text: What there is to read, besides the data.
    """
    data = plain(value)
    parts: list[Shape] = [{"text": plain(text)}] if text else []
    if isinstance(data, str) and data != text:
        parts.append({"text": data})
    elif data is not None and not isinstance(data, str):
        tables = list(_tables(data))
        if not tables or _rest(data):
            parts.append({"data": data, "mediaType": "application/json"})
        for table in tables:
            about = {"kind": "table", "caption": table.get("caption") or ""}
            parts.append({"data": table, "mediaType": "application/json", "metadata": about})
    if sum(len(json.dumps(part)) for part in parts) > MOST_CHARACTERS:
        parts = [{"text": f"the result is longer than {MOST_CHARACTERS} characters and left out"}]
    return _artifact(name, parts or [{"text": "done"}])


def of_files(files: Any) -> Iterator[Shape]:
    """Yield the pictures that a run took."""
    characters = 0
    for file in files if isinstance(files, list) else []:
        if not isinstance(file, dict) or not isinstance(file.get("data"), str):
            continue
        characters += len(file["data"])
        if characters > MOST_FILE_CHARACTERS:
            return
        name = str(file.get("name") or "file")
        media = str(file.get("type") or "application/octet-stream")
        yield _artifact(name, [{"raw": file["data"], "filename": name, "mediaType": media}])


def _tables(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what has the shape of a table: `{caption?, headers, rows}`, alone or in a list."""
    inside = data.get("tables", [data]) if isinstance(data, dict) else data
    for item in inside if isinstance(inside, list) else []:
        if isinstance(item, dict) and all(
            isinstance(item.get(name), list) for name in ("headers", "rows")
        ):
            yield item


def _rest(data: Any) -> bool:
    """Whether there is more in a value than its tables."""
    if isinstance(data, dict):
        return "tables" in data and len(data) > 1
    return any(item not in tuple(_tables(data)) for item in data)


def _artifact(name: str, parts: list[Shape]) -> Shape:
    return {"artifactId": str(uuid4()), "name": name, "parts": parts}
