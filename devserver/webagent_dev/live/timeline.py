"""What happened in the open pages: calls, runs, errors and console lines, the latest of them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

MOST_ENTRIES = 5_000
MOST_CHARACTERS = 8_000_000
"""Of all entries together."""
LONGEST = 200_000
"""Characters of one entry; of a longer one its detail is left out."""
_LONGEST_WORD = 200
"""Characters of what is kept of such a detail, and of a key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened, ready to be sent."""

    seq: int
    text: str
    """`{seq, at, page_id, kind, id?, caller?, detail}` as JSON."""


class Timeline:
    """Keeps entries, and tells listeners of each."""

    def __init__(self) -> None:
        """Begin without any."""
        self._entries: deque[Entry] = deque()
        self._characters = 0
        self._listeners: set[Callable[[Entry], None]] = set()
        self.seq = 0
        """Number of the latest entry; the first is number 1."""

    def add(self, kind: str, page_id: str, detail: Any, *, key: str = "", caller: str = "") -> None:
        """Add what happened.

        Args:
            kind: `call`, `agent`, `log`, `error`, `page` or `manifest`.
            page_id: In which page.
            detail: The event, plain data.
            key: What belongs together has the same: the states of a call, the events of a run.
            caller: Who asked, if it came from outside of the page.
        """
        self.seq += 1
        entry = {
            "seq": self.seq,
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "page_id": page_id,
            "kind": kind,
            **({"id": key[:_LONGEST_WORD]} if key else {}),
            **({"caller": caller} if caller else {}),
        }
        text = json.dumps({**entry, "detail": detail})
        if len(text) > LONGEST:
            short = {
                name: str(detail[name])[:_LONGEST_WORD]
                for name in ("type", "name", "state")
                if name in detail
            }
            text = json.dumps({**entry, "detail": {**short, "cut": len(text)}})
        made = Entry(self.seq, text)
        self._entries.append(made)
        self._characters += len(text)
        while len(self._entries) > MOST_ENTRIES or self._characters > MOST_CHARACTERS:
            self._characters -= len(self._entries.popleft().text)
        for listener in tuple(self._listeners):
            listener(made)

    def after(self, seq: int) -> list[Entry]:
        """Return the entries after a number, as far as they are kept."""
        return [entry for entry in self._entries if entry.seq > seq]

    @property
    def first(self) -> int:
        """Number of the oldest entry that is kept; one more than the latest if none is."""
        return self._entries[0].seq if self._entries else self.seq + 1

    def clear(self) -> None:
        """Forget all entries; numbers go on."""
        self._entries.clear()
        self._characters = 0

    def listen(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Tell a listener of every entry from now on; return what ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)
