"""Tasks, messages and events as A2A 1.0 writes them; other shapes are made of these."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from webagent_dev.agents.tasks.task import Task
from webagent_dev.protocols.a2a.states import STATES

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
