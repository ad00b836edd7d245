"""`webagent-dev schema`: the JSON Schema of every tool, in the shape of MCP's `tools/list`."""

from __future__ import annotations

import json

from webagent.schema.tools import tool_schemas
from webagent_dev.site.documents import read_manifest
from webagent_dev.terminal import Console


def run(target: str, console: Console) -> int:
    """Write the schemas of all tools; return the exit code, 0.

    Raises:
        UsageError: The manifest cannot be read.
    """
    console.line(json.dumps({"tools": tool_schemas(read_manifest(target))}, indent=2))
    return 0
