"""What comes of a task, as artifacts: words, data, tables, pictures."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from starlette.responses import Response, StreamingResponse

from webagent_dev.agents.page_output import plain
from webagent_dev.agents.tasks.task import State, Task
from webagent_dev.http.event_stream import pinged

STATES: dict[State, str] = {
    "working": "TASK_STATE_WORKING",
    "input_required": "TASK_STATE_INPUT_REQUIRED",
    "completed": "TASK_STATE_COMPLETED",
    "failed": "TASK_STATE_FAILED",
    "cancelled": "TASK_STATE_CANCELED",
    "rejected": "TASK_STATE_REJECTED",
}
"""As 1.0 writes them."""

FOREIGN_STATES = ("TASK_STATE_SUBMITTED", "TASK_STATE_AUTH_REQUIRED")
"""In which no task of ours is."""

Shape = dict[str, Any]


def task_shape(task: Task, *, history: int | None = None, artifacts: bool = True) -> Shape:
    """Return a task.

    Args:
        task: What is kept of it.
        history: How many of its messages, the last ones; None for all.
        artifacts: Whether what came of it is there.
    """
    messages = task.data.get("history", [])
    shown = messages if history is None else messages[max(0, len(messages) - history) :]
    made = task.data.get("artifacts", []) if artifacts else []
    return {
        "id": task.id,
        "contextId": task.context_id,
        "status": status_shape(task),
        **({"artifacts": made} if made else {}),
        **({"history": shown} if shown else {}),
        **({"metadata": metadata} if (metadata := task.data.get("metadata")) else {}),
    }


def status_shape(task: Task) -> Shape:
    """Return the status of a task."""
    message = task.said
    if task.reason:
        # A restart has ended it, whatever was said before.
        message = agent_message(task, [{"text": task.reason}])
    return {
        "state": STATES[task.state],
        **({"message": message} if message else {}),
        "timestamp": timestamp(task.updated),
    }


def status_event(task: Task) -> Shape:
    """Return the event that tells the status of a task."""
    about = {"taskId": task.id, "contextId": task.context_id}
    return {"statusUpdate": {**about, "status": status_shape(task)}}


def artifact_event(task: Task, artifact: Shape) -> Shape:
    """Return the event that tells of an artifact, which comes whole."""
    about = {"taskId": task.id, "contextId": task.context_id}
    return {"artifactUpdate": {**about, "artifact": artifact, "append": False, "lastChunk": True}}


def agent_message(task: Task, parts: list[Shape]) -> Shape:
    """Return a message of the agent in a task."""
    about = {"taskId": task.id, "contextId": task.context_id}
    return {"messageId": str(uuid4()), "role": "ROLE_AGENT", "parts": parts, **about}


def timestamp(seconds: float) -> str:
    """Return a moment as ProtoJSON writes it, in milliseconds."""
    told = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return told.replace("+00:00", "Z")


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


_HEADERS = {"cache-control": "no-store"}


def as_json(data: Any, status: int = 200) -> Response:
    """Return an answer."""
    return Response(_text(data), status, headers=_HEADERS, media_type="application/json")


def as_stream(events: AsyncIterator[Any]) -> Response:
    """Return a stream of server-sent events, each of them JSON."""
    return StreamingResponse(
        pinged(_frames(events)), media_type="text/event-stream", headers=_HEADERS
    )


async def _frames(events: AsyncIterator[Any]) -> AsyncIterator[str]:
    async for event in events:
        yield f"data: {_text(event)}\n\n"


def _text(data: Any) -> str:
    # In ASCII: what a page says may hold halves of characters, which no other encoding can write.
    return json.dumps(data, separators=(",", ":"))
