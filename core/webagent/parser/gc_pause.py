"""A context in which Python's garbage collector is off, for reading long texts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LONG = 100_000
"""Fewest characters of a text for which a pause is worth it."""


@contextmanager
def paused_gc(text: str) -> Iterator[None]:
    """Turn the garbage collector off inside the context, if the text is long.

    Reading creates hundreds of thousands of objects without reference cycles. Scanning them again
    and again takes up to half of the time.
    """
    if len(text) < _LONG or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # `unfreeze` would also release what the program itself has frozen.
        if gc.get_freeze_count() == 0:
            # Moves them to the oldest generation at once; otherwise each generation scans them again.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
