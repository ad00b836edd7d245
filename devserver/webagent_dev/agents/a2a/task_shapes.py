"""Tasks as A2A 1.0 writes them: their status, their events and their artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from webagent_dev.agents.tasks.task import Task
from webagent_site.http.a2a.responses import STATES, Shape, value_parts

MOST_FILE_CHARACTERS = 4 << 20
"""Limit of all pictures of a run together, in Base64."""


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
    """Return the result of a tool or a run as an artifact (`value_parts`)."""
    return _artifact(name, value_parts(value, text))


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
