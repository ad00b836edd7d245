"""The responses of A2A 1.0, as JSON or as a stream, and the parts of a result.

`v0_3` turns these shapes into those of older clients.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from uuid import uuid4

from starlette.responses import Response, StreamingResponse

from webagent.page.values import FileValue, files_taken, plain
from webagent_site.http.event_stream import with_pings

Shape = dict[str, Any]

STATES = {
    "working": "TASK_STATE_WORKING",
    "input_required": "TASK_STATE_INPUT_REQUIRED",
    "completed": "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "cancelled": "TASK_STATE_CANCELED",
    "rejected": "TASK_STATE_REJECTED",
}
"""The states of tasks as 1.0 writes them."""
UNUSED_STATES = ("TASK_STATE_SUBMITTED", "TASK_STATE_AUTH_REQUIRED")
"""States of 1.0 that no task of ours is ever in."""

MOST_CHARACTERS = 8 << 20
"""Limit of one value, as JSON."""
LONGEST_TEXT = 4_000
"""Limit of an error or a step in words."""

_HEADERS = {"cache-control": "no-store"}


def value_parts(value: Any, text: str = "") -> list[Shape]:
    """Return the result of a tool or a run: its text, its data, and each table as a part.

    Args:
        value: Encoded, as pages send it; None without one.
        text: The result in words.
    """
    files: list[FileValue] = []

    def keep(file: FileValue) -> str:
        files.append(file)
        return file.name

    data = plain(files_taken(value, keep))
    parts: list[Shape] = [{"text": plain(text)}] if text else []
    if isinstance(data, str) and data != text:
        parts.append({"text": data})
    elif data is not None and not isinstance(data, str):
        tables = list(_tables(data))
        if not tables or _has_more_than_tables(data):
            parts.append({"data": data, "mediaType": "application/json"})
        for table in tables:
            about = {"kind": "table", "caption": table.get("caption") or ""}
            parts.append({"data": table, "mediaType": "application/json", "metadata": about})
    for file in files:
        raw = base64.b64encode(file.data).decode()
        parts.append({"raw": raw, "filename": file.name, "mediaType": file.type})
    if sum(len(json.dumps(part)) for part in parts) > MOST_CHARACTERS:
        parts = [{"text": f"the result is longer than {MOST_CHARACTERS} characters and left out"}]
    return parts or [{"text": "done"}]


def error_parts(error: Shape, text: str = "") -> list[Shape]:
    """Return an error in words and as data.

    Args:
        error: Of a call or a run.
        text: The last text of the agent, which may be the same.
    """
    data = plain(error)
    sentences = (text, data.get("message"), data.get("help"))
    words = " - ".join(dict.fromkeys(each for each in sentences if each and isinstance(each, str)))
    return [{"text": words[:LONGEST_TEXT]}, {"data": {"error": data}}]


def reply(request_message: Shape, parts: list[Shape], **metadata: object) -> Shape:
    """Return the answer to a message that starts no task.

    Args:
        request_message: The message.
        parts: Of the answer.
        **metadata: Of the answer.
    """
    context_id = request_message.get("contextId") or str(uuid4())
    about = {"metadata": metadata} if metadata else {}
    message = {"messageId": str(uuid4()), "role": "ROLE_AGENT", "contextId": context_id}
    return {"message": {**message, "parts": parts, **about}}


def json_response(data: Any, status: int = 200) -> Response:
    """Return a response with a JSON body."""
    return Response(_json(data), status, headers=_HEADERS, media_type="application/json")


def stream_response(events: AsyncIterator[Any]) -> Response:
    """Return a stream of server-sent events, each of them JSON."""
    return StreamingResponse(
        with_pings(_frames(events)), media_type="text/event-stream", headers=_HEADERS
    )


async def _frames(events: AsyncIterator[Any]) -> AsyncIterator[str]:
    async for event in events:
        yield f"data: {_json(event)}\n\n"


def _json(data: Any) -> str:
    # In ASCII: texts of pages may hold lone surrogates, which UTF-8 cannot encode.
    return json.dumps(data, separators=(",", ":"))


def _tables(data: Any) -> Iterator[dict[str, Any]]:
    """Yield values with the shape of a table: `{caption?, headers, rows}`, alone or in a list."""
    inside = data.get("tables", [data]) if isinstance(data, dict) else data
    for item in inside if isinstance(inside, list) else []:
        if isinstance(item, dict) and all(
            isinstance(item.get(name), list) for name in ("headers", "rows")
        ):
            yield item


def _has_more_than_tables(data: Any) -> bool:
    if isinstance(data, dict):
        return "tables" in data and len(data) > 1
    return any(item not in tuple(_tables(data)) for item in data)
