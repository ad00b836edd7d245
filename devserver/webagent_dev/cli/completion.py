"""`webagent-dev completion`: the script that lets a shell complete our commands, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console

_CORRECTIONS = {
    "bash": (
        "COMPREPLY+=($value)\n",
        'COMPREPLY+=("${value// /\\\\ }")\n            [[ $value == *= ]] && compopt -o nospace\n',
    ),
    "zsh": (
        "compadd -U -V unsorted -a completions\n",
        'local -a space; [[ "$completions" == *= ]] && space=(-S "")\n'
        '        compadd -U $space[1] "${(@)space[2,-1]}" -V unsorted -a completions\n',
    ),
    "fish": ('string split ","', 'string split --max 1 ","'),
}
"""Replacements in the scripts of click: no space follows the `=` of a parameter, bash escapes the
spaces in a name, and fish does not cut names and descriptions at a comma."""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@run_command
def command(console: Console, shell: str) -> int:
    """Write the script that lets a SHELL complete commands, options and names.

    The names are those of tools and their parameters, of rules, open pages, sessions and cases.

    \b
    Example:
      webagent-dev completion bash >> ~/.bashrc
    """
    script_type = get_completion_class(shell)
    assert script_type is not None
    program = click.get_current_context().find_root().command
    script = script_type(program, {}, "webagent-dev", "_WEBAGENT_DEV_COMPLETE")
    console.line(script.source().replace(*_CORRECTIONS.get(shell, ("", ""))))
    return 0
