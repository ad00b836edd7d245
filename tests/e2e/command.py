"""Commands in the process of the test, which has loaded already what they need."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from click.testing import CliRunner, Result

from webagent_dev.cli.main import main

_TURN = threading.Lock()
"""A command takes the streams of the process, so there is one at a time."""


async def in_process(*arguments: str | Path) -> tuple[int, str, str]:
    """Run a command without a terminal; return its exit code and what it writes."""
    typed = [str(argument) for argument in arguments]
    # In a thread, since a command has an event loop of its own.
    result = await asyncio.to_thread(_invoke, typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def _invoke(typed: list[str]) -> Result:
    with _TURN:
        return CliRunner().invoke(main, typed)
