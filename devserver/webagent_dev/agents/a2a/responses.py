"""The responses of A2A 1.0: tasks, their status and artifacts, as JSON or as a stream.

`v0_3` turns these shapes into those of older clients.
"""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from starlette.responses import Response, StreamingResponse

from webagent.page.values import FileValue, files_taken, plain
from webagent_dev.agents.tasks.task import State, Task
from webagent_site.http.event_stream import with_pings

Shape = dict[str, Any]

STATES: dict[State, str] = {
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

MOST_FILE_CHARACTERS = 4 << 20
"""Limit of all pictures of a run together, in Base64."""
MOST_CHARACTERS = 8 << 20
"""Limit of one value, as JSON."""

_HEADERS = {"cache-control": "no-store"}


def task_shape(task: Task, *, history: int | None = None, artifacts: bool = True) -> Shape:
    """Return a task.

    Args:
        task: The task.
        history: Limit of its messages, of which the last ones count; None for all.
        artifacts: Whether its artifacts are included.
    """
    messages = task.data.get("history", [])
    shown = messages if history is None else messages[max(0, len(messages) - history) :]
    included = task.data.get("artifacts", []) if artifacts else []
    return {
        "id": task.id,
        "contextId": task.context_id,
        "status": status_shape(task),
        **({"artifacts": included} if included else {}),
        **({"history": shown} if shown else {}),
        **({"metadata": metadata} if (metadata := task.data.get("metadata")) else {}),
    }


def status_shape(task: Task) -> Shape:
    """Return the status of a task."""
    message = task.status_message
    if task.reason:
        # A restart has ended the task, so its last message no longer holds.
        message = agent_message(task, [{"text": task.reason}])
    return {
        "state": STATES[task.state],
        **({"message": message} if message else {}),
        "timestamp": _timestamp(task.updated),
    }


def status_event(task: Task) -> Shape:
    """Return the event for a new status of a task."""
    return {"statusUpdate": {**_ids(task), "status": status_shape(task)}}


def artifact_event(task: Task, artifact: Shape) -> Shape:
    """Return the event for a new artifact, which is always whole."""
    whole = {"append": False, "lastChunk": True}
    return {"artifactUpdate": {**_ids(task), "artifact": artifact, **whole}}


def agent_message(task: Task, parts: list[Shape]) -> Shape:
    """Return a message of the agent in a task."""
    return {"messageId": str(uuid4()), "role": "ROLE_AGENT", "parts": parts, **_ids(task)}


def value_artifact(value: Any, name: str, text: str = "") -> Shape:
    """Return the result of a tool or a run: its text, its data, and each table as a part.

    Args:
        value: Encoded, as pages send it; None without one.
        name: Of the artifact.
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
    return _artifact(name, parts or [{"text": "done"}])


def file_artifacts(files: Any) -> Iterator[Shape]:
    """Yield the pictures that a run took, up to the limit of all together."""
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


def _ids(task: Task) -> Shape:
    return {"taskId": task.id, "contextId": task.context_id}


def _timestamp(seconds: float) -> str:
    """Return a time as ProtoJSON writes it, in milliseconds."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        # A file of tasks may hold a time that no date can have.
        moment = datetime.max.replace(tzinfo=UTC)
    text = moment.isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


def _artifact(name: str, parts: list[Shape]) -> Shape:
    return {"artifactId": str(uuid4()), "name": name, "parts": parts}


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
