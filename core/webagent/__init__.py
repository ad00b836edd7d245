"""The language of `webagents.md`, and the agent that uses the tools it declares.

Every public name is importable from here; each is loaded when it is first used, so that
`import webagent` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webagent.checks import Report, check
    from webagent.client import AgentClient
    from webagent.codegen import generate_typescript
    from webagent.diagnostics import Finding, Severity
    from webagent.discovery import discover, discover_manifest_url, fetch_manifest
    from webagent.errors import WebagentError
    from webagent.parser import parse, parse_file
    from webagent.serializer import normalize, to_markdown, write_file
    from webagent.site import (
        build_manifest,
        build_tool,
        meta_tag,
        validate,
        validate_markdown,
    )
    from webagent.types import Behavior, Manifest, Note, Param, Tool

__all__ = [
    "AgentClient",
    "Behavior",
    "Finding",
    "Manifest",
    "Note",
    "Param",
    "Report",
    "Severity",
    "Tool",
    "WebagentError",
    "build_manifest",
    "build_tool",
    "check",
    "discover",
    "discover_manifest_url",
    "fetch_manifest",
    "generate_typescript",
    "meta_tag",
    "normalize",
    "parse",
    "parse_file",
    "to_markdown",
    "validate",
    "validate_markdown",
    "write_file",
]

_MODULES = {
    "AgentClient": "client",
    "Behavior": "types",
    "Finding": "diagnostics",
    "Manifest": "types",
    "Note": "types",
    "Param": "types",
    "Report": "checks",
    "Severity": "diagnostics",
    "Tool": "types",
    "WebagentError": "errors",
    "build_manifest": "site",
    "build_tool": "site",
    "check": "checks",
    "discover": "discovery",
    "discover_manifest_url": "discovery",
    "fetch_manifest": "discovery",
    "generate_typescript": "codegen",
    "meta_tag": "site",
    "normalize": "serializer",
    "parse": "parser",
    "parse_file": "parser",
    "to_markdown": "serializer",
    "validate": "site",
    "validate_markdown": "site",
    "write_file": "serializer",
}
"""The module that holds each public name."""


def __getattr__(name: str) -> object:
    """Load a public name from its module, once."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module `webagent` has no attribute `{name}`")
    value = getattr(import_module(f"webagent.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
