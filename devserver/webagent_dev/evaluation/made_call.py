"""A call of a tool as an agent made it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class MadeCall:
    """One call, and what came of it."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """By name, as the tool was given them."""
    value: Any = None
    error: Mapping[str, str] | None = None
    """As `ToolError.to_dict` gives it; None when it went well."""
    refused: bool = False
    """Whether it was not let through to the tool: it did not fit, or was not allowed."""
    mocked: bool = False
    """Whether `value` was made up, since there is no page."""
