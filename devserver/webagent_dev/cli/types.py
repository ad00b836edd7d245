"""`webagent-dev types`: the declarations of a manifest, for agents or for the site's own code."""

from __future__ import annotations

import re
from pathlib import Path

import click

from webagent_dev.cli.candidates import files
from webagent_dev.cli.changes import write_output
from webagent_dev.cli.exit import run_command
from webagent_dev.cli.options import output_option
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

_GLOBAL = re.compile(
    r"^declare (const global: \{.*?\};)(\n\nexport \{\};)\n\Z", re.MULTILINE | re.DOTALL
)


@click.command("types")
@click.argument("target", metavar="[PATH|URL]", default=".", shell_complete=files)
@output_option
@click.option("--implement", is_flag=True, help="Write types for the site's own code.")
@run_command
def command(console: Console, target: str, output: Path | None, implement: bool) -> int:
    """Write the TypeScript declarations of the tools.

    With --implement they are for the site's own code: an interface, WebAgentTools, and each function of
    the page. The build of the site then checks its functions.

    \b
    Example:
      webagent-dev types my-site --implement -o my-site/webagent-tools.ts
    """
    from webagent import generate_typescript
    from webagent.codegen import TakenTypeName, generate_page_types
    from webagent_dev.site.documents import read_manifest

    manifest = read_manifest(target)
    try:
        text = (
            generate_page_types(manifest)
            if implement
            else ambient(generate_typescript(manifest, docs=True))
        )
    except TakenTypeName as error:
        raise UsageError(str(error)) from None
    if output is None:
        console.write(text)
    else:
        write_output(output, text)
    return 0


def ambient(declarations: str) -> str:
    """Return declarations whose `global` other files see too, also where they are a module."""
    return _GLOBAL.sub(r"declare global { \1 }\2\n", declarations)
