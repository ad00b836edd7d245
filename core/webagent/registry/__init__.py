"""The registry of everything that a page offers, from whichever source."""

from webagent.registry.binding import Binding, Calling, PreparedCall, ToolSource
from webagent.registry.registry import ToolRegistry
from webagent.results import Call, ExecutionResult, Log

__all__ = [
    "Binding",
    "Call",
    "Calling",
    "ExecutionResult",
    "Log",
    "PreparedCall",
    "ToolRegistry",
    "ToolSource",
]
