"""Limits of processor time that hold on machines of any speed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

_TRIES = 3
_STEPS = 1_000_000
_STEPS_S = 0.03
"""Seconds of `_steps` on the machine that limits are written for."""


def takes_at_most(seconds: float, work: Callable[[], object]) -> bool:
    """Return whether the work is done within the processor time in one of three tries.

    A slower machine has more: as much as it is slower at a loop of fixed length. Garbage
    collection is off, because it walks over everything that earlier tests have left.

    Args:
        seconds: On the machine that limits are written for.
        work: Does the same each time.
    """
    return any(
        _spent_s(work) <= seconds * max(1, _spent_s(_steps) / _STEPS_S) for _ in range(_TRIES)
    )


def grows_at_most(
    factor: float, small: Callable[[], object], large: Callable[[], object], floor_s: float = 0.01
) -> bool:
    """Return whether the large work takes at most `factor` times as long in one of three tries.

    Args:
        factor: How many times as long as the small work.
        small: Does the same each time.
        large: The same.
        floor_s: A shorter time of the small work counts as this one, since clocks are coarse.
    """
    return any(_spent_s(large) <= factor * max(_spent_s(small), floor_s) for _ in range(_TRIES))


def _spent_s(work: Callable[[], object]) -> float:
    was_on = gc.isenabled()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        if was_on:
            gc.enable()


def _steps() -> int:
    total = 0
    for number in range(_STEPS):
        total += number % 7
    return total
