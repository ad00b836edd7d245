"""The states of a task by the names that A2A gives them."""

from __future__ import annotations

from webagent_dev.agents.tasks.task import State

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
