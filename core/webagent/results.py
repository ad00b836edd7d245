"""The result of a call or a program: a value with a shape, never a bare string."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from webagent.errors import ToolError


@dataclass(frozen=True, slots=True)
class Log:
    """One line that model-written code printed."""

    level: str
    """`log`, `info`, `warn` or `error`."""
    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, as it is reported to listeners."""

    id: int
    """Number of the call, counted from 1 in this page."""
    name: str
    source: str
    arguments: list[Any] | dict[str, Any]
    """In order, or as one object, as the tool takes them."""


@dataclass(frozen=True, slots=True)
class ExecutionResult:
    """The outcome of one call or one program.

    `value` is JSON; JavaScript values that JSON lacks are tagged objects (see
    `webagent.page.values`).
    """

    value: Any = None
    error: ToolError | None = None
    logs: tuple[Log, ...] = ()
    calls: tuple[Call, ...] = field(default=())
    duration_ms: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether there was no error."""
        return self.error is None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, the same for every caller."""
        outcome: dict[str, Any] = (
            {"ok": True, "value": self.value}
            if self.error is None
            else {"ok": False, "error": self.error.to_dict()}
        )
        return {
            **outcome,
            "logs": [{"level": log.level, "text": log.text} for log in self.logs],
            "calls": [
                {"id": c.id, "name": c.name, "source": c.source, "arguments": c.arguments}
                for c in self.calls
            ],
            "duration_ms": round(self.duration_ms, 3),
        }
