"""How a command ends: with an exit code, with an error, or by Ctrl-C."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NoReturn, ParamSpec

import click

from webagent_dev.terminal import Console
from webagent_site.errors import UsageError

MISUSED = 2
"""The exit code after a `UsageError`, which click uses for wrong options too."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""

NOTHING_CALLED = 5
"""The exit code of a test that has called nothing, as pytest has it for a run without tests."""

_P = ParamSpec("_P")


def run_command(work: Callable[Concatenate[Console, _P], int]) -> Callable[_P, NoReturn]:
    """Return the callback of a click command that exits with the code that `work` returns.

    Args:
        work: Takes a console on standard output, then the arguments and options of the command.
    """

    @wraps(work)
    def callback(*args: _P.args, **options: _P.kwargs) -> NoReturn:
        try:
            code = work(Console.for_terminal(), *args, **options)
        except UsageError as error:
            click.echo(f"Error: {error}", err=True)
            code = MISUSED
        sys.exit(code)

    return callback


def interrupt() -> NoReturn:
    """End the process at once, after Ctrl-C."""
    click.echo("\nAborted!", err=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that waits for a line of the terminal would keep the process, or break its end.
    os._exit(INTERRUPTED)
