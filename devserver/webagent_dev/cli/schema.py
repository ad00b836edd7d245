"""`webagent-dev schema`: the JSON Schema of every tool, in the shape of MCP's `tools/list`."""

from __future__ import annotations

import json
from typing import Any

from webagent.codegen.shared_types import shared_types
from webagent.schema import json_schema
from webagent.types import Manifest
from webagent_dev.site.documents import read_manifest
from webagent_dev.terminal import Console


def run(target: str, console: Console) -> int:
    """Write the schemas of all tools; return the exit code, 0.

    Raises:
        Misuse: The manifest cannot be read.
    """
    console.line(json.dumps({"tools": tool_schemas(read_manifest(target))}, indent=2))
    return 0


def tool_schemas(manifest: Manifest) -> list[dict[str, Any]]:
    """Return each tool as MCP's `tools/list` has it."""
    shared = shared_types(manifest)
    tools = []
    for tool in manifest.tools:
        schemas = json_schema(tool, types=shared)
        entry: dict[str, Any] = {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": schemas["input"],
        }
        if schemas["output"] is not None:
            entry["outputSchema"] = schemas["output"]
        tools.append(entry)
    return tools
