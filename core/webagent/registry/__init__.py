"""One registry of everything the page offers, whichever door a tool came in by."""

from webagent.registry.arguments import PreparedCall
from webagent.registry.binding import Binding, Calling, ToolSource
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
