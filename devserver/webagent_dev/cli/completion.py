"""`webagent-dev completion`: the script that lets a shell complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@run_command
def command(console: Console, shell: str) -> int:
    """Write the script that lets a SHELL complete commands and options.

    \b
    Example:
      webagent-dev completion bash >> ~/.bashrc
    """
    script_type = get_completion_class(shell)
    assert script_type is not None
    program = click.get_current_context().find_root().command
    script = script_type(program, {}, "webagent-dev", "_WEBAGENT_DEV_COMPLETE")
    console.line(script.source())
    return 0
