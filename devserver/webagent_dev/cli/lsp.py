"""`webagent-dev lsp`: the language server that shows editors what is wrong while you type."""

from __future__ import annotations

import click

from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console


@click.command("lsp")
@run_command
def command(console: Console) -> int:
    """Speak the Language Server Protocol on standard input and output, for editors.

    An editor starts it, and gets findings, fixes, completion, declarations and renaming in each
    webagents.md that it opens. The documentation has the settings of editors.

    \b
    Example:
      webagent-dev lsp
    """
    from webagent_dev.config.extras import LSP

    LSP.require()
    from webagent_dev.editor.server import ManifestServer

    ManifestServer().start_io()
    return 0
