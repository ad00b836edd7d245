"""`webagent-dev schema`: the JSON Schemas of every tool, or that of `webagent.toml`."""

from __future__ import annotations

import json

import click

from webagent_dev.cli.candidates import files
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError


@click.command("schema")
@click.argument("target", metavar="[PATH|URL]", required=False, shell_complete=files)
@click.option(
    "--config", is_flag=True, help="Write the schema of webagent.toml instead, for editors."
)
@run_command
def command(console: Console, target: str | None, config: bool) -> int:
    """Write the JSON Schemas of every tool, for its arguments and for its result.

    The form is that of MCP's `tools/list`. With --config, it is the schema of webagent.toml: its keys,
    what they do and what is allowed.

    \b
    Example:
      webagent-dev schema my-site
      webagent-dev schema --config > webagent.schema.json
    """
    if config:
        from webagent_dev.config.toml_schema import config_schema

        if target is not None:
            raise UsageError(
                f"`{target}` and `--config` are given - the schema of webagent.toml is the same for "
                "all sites - leave one of them out"
            )
        schema = config_schema()
    else:
        from webagent.schema.tools import tool_schemas
        from webagent_dev.site.documents import read_manifest

        schema = {"tools": tool_schemas(read_manifest(target or "."))}
    console.line(json.dumps(schema, indent=2))
    return 0
