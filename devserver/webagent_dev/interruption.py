"""Ctrl-C, which ends the browsers that were started here as well: what then breaks is not the news."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruption_first() -> Iterator[None]:
    """Tell that a coroutine was ended in place of what broke after that.

    Raises:
        CancelledError: Something broke, and the coroutine had been told to end.
    """
    try:
        yield
    except Exception:
        task = asyncio.current_task()
        if task is None or not task.cancelling():
            raise
        raise asyncio.CancelledError from None
