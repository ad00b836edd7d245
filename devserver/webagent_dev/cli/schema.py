"""`webagent-dev schema`: the JSON Schemas of every tool, in the form of MCP's `tools/list`."""

from __future__ import annotations

import json

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console


@click.command("schema")
@click.argument("target", metavar="[PATH|URL]", default=".")
@run_command
def command(console: Console, target: str) -> int:
    """Write the JSON Schemas of every tool, for its arguments and for its result.

    \b
    Example:
      webagent-dev schema my-site
    """
    from webagent.schema.tools import tool_schemas
    from webagent_dev.site.documents import read_manifest

    console.line(json.dumps({"tools": tool_schemas(read_manifest(target))}, indent=2))
    return 0
