"""`webagent-dev completion`: the script that lets a shell complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from webagent_dev.terminal import Console

PROGRAM = "webagent-dev"
SHELLS = ("bash", "zsh", "fish")


def run(shell: str, group: click.Command, console: Console) -> int:
    """Write the script for a shell; return the exit code, 0.

    Args:
        shell: One of `SHELLS`.
        group: The command line to complete.
        console: Where to write.
    """
    kind = get_completion_class(shell)
    assert kind is not None
    console.write(kind(group, {}, PROGRAM, "_WEBAGENT_DEV_COMPLETE").source() + "\n")
    return 0
