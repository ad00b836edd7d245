"""One task of a client, and its events, whatever the protocol."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from webagent.registry.secrets import Secrets

Protocol = Literal["a2a", "goal_api", "mcp"]
State = Literal["working", "input_required", "completed", "failed", "cancelled", "rejected"]
_PAGE_DATA = ("data", "structuredContent")
UNFINISHED: tuple[State, ...] = ("working", "input_required")


@dataclass(slots=True)
class Task:
    """A task as it is now.

    It is written to a file, so it must not contain passwords, tokens or other credentials.
    """

    id: str
    protocol: Protocol
    context_id: str = ""
    """The same for all tasks of one conversation."""
    state: State = "working"
    reason: str = ""
    """Why it failed, in words; empty otherwise."""
    data: dict[str, Any] = field(default_factory=dict)
    """The data of its protocol, as JSON; saved again when it is replaced."""
    status_message: dict[str, Any] | None = None
    """The message of its status, as JSON data; small, and saved each time."""
    created: float = field(default_factory=time.time)
    """In seconds since the epoch."""
    updated: float = field(default_factory=time.time)
    """When its state was last published; lists have the latest first."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens in it."""
        return self.state not in UNFINISHED


@dataclass(frozen=True, slots=True)
class TaskEvent:
    """One event of a task; the first has the number 1."""

    seq: int
    event: dict[str, Any]


def without_secrets(data: Any, secrets: Secrets, *, inside: bool = False) -> Any:
    """Return what a task has made without the secrets of the client; nothing else is masked.

    Args:
        data: An artifact or a result, or a part of it.
        secrets: Of the client.
        inside: Whether it is in the data of the page, whose keys may be secrets too.
    """
    match data:
        case str() | int():
            return secrets.mask(data)
        case list():
            return [without_secrets(item, secrets, inside=inside) for item in data]
        case dict():
            return {
                secrets.mask_text(key) if inside else key: without_secrets(
                    value, secrets, inside=inside or key in _PAGE_DATA
                )
                for key, value in data.items()
            }
        case _:
            return data
