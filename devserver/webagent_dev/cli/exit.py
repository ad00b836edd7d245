"""How commands that end by themselves write, and with which code they end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from webagent_dev.terminal import Console


INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells give it."""


def output() -> Console:
    """Return the console that commands write to."""
    from webagent_dev.terminal import Console

    return Console.for_terminal()


def end(command: Callable[[], int]) -> NoReturn:
    """Run a command and end with its exit code; 2, and one sentence, if it was misused."""
    from webagent_dev.errors import UsageError

    try:
        code = command()
    except UsageError as misuse:
        click.echo(f"Error: {misuse}", err=True)
        code = 2
    sys.exit(code)


def interrupted() -> NoReturn:
    """End at once, as Ctrl-C asked for."""
    click.echo("\nAborted!", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that waits for a line of the terminal would keep the process, or break its end.
    os._exit(INTERRUPTED)
