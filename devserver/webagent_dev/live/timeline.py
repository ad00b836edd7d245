"""The latest events of the open pages: calls, runs, errors and console lines."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

MOST_ENTRIES = 5_000
MOST_CHARACTERS = 8_000_000
"""Limit of all entries together."""
LONGEST = 200_000
"""Limit of one entry, in characters; the detail of a longer one is left out."""
_LONGEST_WORD = 200
"""Characters that are kept of the fields of such a detail, and of a key."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event, ready to be sent."""

    seq: int
    text: str
    """`{seq, at, page_id, kind, id?, caller?, detail}` as JSON."""


class Timeline:
    """Keeps entries, and calls listeners with each."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque()
        self._characters = 0
        self._listeners: set[Callable[[Entry], None]] = set()
        self.seq = 0
        """Number of the latest entry; the first is number 1."""

    def add(self, kind: str, page_id: str, detail: Any, *, key: str = "", caller: str = "") -> None:
        """Add an event.

        Args:
            kind: `call`, `agent`, `log`, `error`, `page` or `manifest`.
            page_id: Of its page.
            detail: The event, as plain data.
            key: The same for entries that belong together: the states of a call, the events of a run.
            caller: Name of the caller, if it is outside of the page.
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
        added = Entry(self.seq, text)
        self._entries.append(added)
        self._characters += len(text)
        while len(self._entries) > MOST_ENTRIES or self._characters > MOST_CHARACTERS:
            self._characters -= len(self._entries.popleft().text)
        for listener in tuple(self._listeners):
            listener(added)

    def after(self, seq: int) -> list[Entry]:
        """Return the entries after a number, as far as they are kept."""
        return [entry for entry in self._entries if entry.seq > seq]

    @property
    def first(self) -> int:
        """Number of the oldest entry that is kept; one more than the latest if there are none."""
        return self._entries[0].seq if self._entries else self.seq + 1

    def clear(self) -> None:
        """Remove all entries; the numbers continue."""
        self._entries.clear()
        self._characters = 0

    def listen(self, listener: Callable[[Entry], None]) -> Callable[[], None]:
        """Call a listener with every entry from now on; return a function that ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)
