"""Concurrent jobs of which the first to end ends the others."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any


async def run_until_first_done(
    *jobs: Coroutine[Any, Any, None], expected: type[Exception] | tuple[()] = ()
) -> None:
    """Run jobs until the first ends, then end the others.

    Args:
        jobs: What to run.
        expected: The error of a job whose other side went away, which is ignored; `()` for no error.
    """
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception) and not isinstance(error, expected):
            raise error
