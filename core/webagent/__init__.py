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
    from webagent.codegen import generate_typescript, shared_types
    from webagent.diagnostics import Finding, Severity
    from webagent.discovery import discover, discover_manifest_url, fetch_manifest
    from webagent.errors import WebagentError
    from webagent.modelcontext import from_json_schema, from_model_context, to_model_context
    from webagent.parser import parse, parse_file
    from webagent.schema import check_value, json_schema
    from webagent.serializer import normalize, to_markdown, write_file
    from webagent.site import build_manifest, build_tool, meta_tag, validate, validate_markdown
    from webagent.sync_client import SyncAgentClient
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
    "SyncAgentClient",
    "Tool",
    "WebagentError",
    "build_manifest",
    "build_tool",
    "check",
    "check_value",
    "discover",
    "discover_manifest_url",
    "fetch_manifest",
    "from_json_schema",
    "from_model_context",
    "generate_typescript",
    "json_schema",
    "meta_tag",
    "normalize",
    "parse",
    "parse_file",
    "shared_types",
    "to_markdown",
    "to_model_context",
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
    "SyncAgentClient": "sync_client",
    "Tool": "types",
    "WebagentError": "errors",
    "build_manifest": "site",
    "build_tool": "site",
    "check": "checks",
    "check_value": "schema",
    "discover": "discovery",
    "discover_manifest_url": "discovery",
    "fetch_manifest": "discovery",
    "from_json_schema": "modelcontext",
    "from_model_context": "modelcontext",
    "generate_typescript": "codegen",
    "json_schema": "schema",
    "meta_tag": "site",
    "normalize": "serializer",
    "parse": "parser",
    "parse_file": "parser",
    "shared_types": "codegen",
    "to_markdown": "serializer",
    "to_model_context": "modelcontext",
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
