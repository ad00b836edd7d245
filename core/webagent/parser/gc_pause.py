"""A pause of Python's garbage collector while a long text is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_LONG = 100_000
"""Characters of a text from which on a pause pays."""


@contextmanager
def paused_gc(text: str) -> Iterator[None]:
    """Pause the garbage collector while a long text is worked on.

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
        if gc.get_freeze_count() == 0:
            # Moves them to the oldest generation at once; otherwise each generation scans them again.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
