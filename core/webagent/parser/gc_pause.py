"""Python's collector of circular garbage, at rest while a long text is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LONG = 100_000
"""Characters of a text for which rest is worth it."""


@contextmanager
def resting_collector(text: str) -> Iterator[None]:
    """Let the collector rest while a long text is worked on.

    Reading makes hundreds of thousands of objects, none of them in circles; looking through them
    again and again takes up to half of the time.
    """
    if len(text) < _LONG or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # Into the oldest generation at once, without a look at each object for every step there.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
