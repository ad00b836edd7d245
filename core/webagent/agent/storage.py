"""Storage of runs in a tab: the one under way between two pages, and what the last ones were about."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, Protocol

from webagent.agent.run import PastRun, Run
from webagent.errors import WebagentError
from webagent.json_text import read_json


class StoreFull(WebagentError):
    """The text is too long for the store; a shorter one may fit."""


class Store(Protocol):
    """Keeps one text for the next page of the same tab."""

    async def load(self) -> str | None:
        """Return the text, or None if there is none."""

    async def save(self, text: str) -> None:
        """Replace the text.

        Raises:
            StoreFull: It is too long; the last one is still there.
        """

    async def clear(self) -> None:
        """Remove the text."""


class MemoryStore:
    """A store in memory.

    Attributes:
        text: The text, or None if there is none.
    """

    def __init__(self, text: str | None = None, *, most: int | None = None) -> None:
        """Create a store.

        Args:
            text: The text at the beginning.
            most: Characters that fit in; None for any number.
        """
        self.text = text
        self._most = most

    async def load(self) -> str | None:
        """Return the text."""
        return self.text

    async def save(self, text: str) -> None:
        """Replace the text."""
        if self._most is not None and len(text) > self._most:
            raise StoreFull(f"{len(text)} characters do not fit into a store of {self._most}")
        self.text = text

    async def clear(self) -> None:
        """Remove the text."""
        self.text = None


LONGEST = 1_000_000
"""Characters of a stored run."""

OLDEST_S = 3600.0
"""Seconds after its start in which a run may be resumed."""

_CLOCK_SLACK_S = 60.0
"""Seconds by which the clock of the next page may be behind."""

MOST_RESUMED = 20
"""Times that a run may be resumed."""

_SHORTENED = 300

_SHORTEST_STORE = 2_000

_MARK = "… (cut: it was too long to be kept)"


class RunStorage:
    """Saves a run to a store and restores it."""

    def __init__(self, store: Store, mask: Callable[[Any], Any]) -> None:
        """Create a storage.

        Args:
            store: Where runs are saved.
            mask: Hides secrets in what the run has seen and done.
        """
        self._store = store
        self._mask = mask

    async def save(self, run: Run) -> bool:
        """Save a run, if need be with shorter results; return whether there was room for it."""
        data = run.to_dict()
        for part in ("goal", "plan", "entries", "notes", "memory"):
            data[part] = self._mask(data[part])
        if data["pending"]:
            data["pending"]["arguments"] = self._mask(data["pending"]["arguments"])
        data["turns"] = [self._masked(turn) for turn in data["turns"]]
        most = LONGEST
        while most >= _SHORTEST_STORE:
            text = _within(data, most)
            if text is None:
                return False
            try:
                await self._store.save(text)
            except StoreFull:
                most = min(most, len(text)) // 2
            else:
                return True
        return False

    def _masked(self, turn: dict[str, Any]) -> dict[str, Any]:
        """Return a turn without secrets; a provider's form of it is valid only unchanged."""
        masked: dict[str, Any] = self._mask(turn)
        return masked if masked.get("replay") == turn.get("replay") else {"calls": masked["calls"]}

    async def clear(self) -> None:
        """Remove the stored run."""
        await self._store.clear()

    async def restore(self, origin: str, now_s: float) -> Run | None:
        """Return the stored run, if it is to go on here and now.

        A run is removed if it has another version, is too old, or was resumed too often. A run of
        another origin stays in the store.

        Args:
            origin: The page's origin.
            now_s: Seconds since 1970.
        """
        text = await self._store.load()
        if text is None:
            return None
        run = _read(text)
        if run is None or not -_CLOCK_SLACK_S <= now_s - run.started <= OLDEST_S:
            await self._store.clear()
            return None
        if run.origin != origin:
            return None
        if run.resumed >= MOST_RESUMED:
            await self._store.clear()
            return None
        run.resumed += 1
        await self.save(run)
        return run


MOST_RECENT = 10
"""Runs that a goal may refer to."""

LONGEST_RECENT = 200_000
"""Characters of all of them together."""


class RecentRuns:
    """Keeps what the last runs of a tab were about."""

    def __init__(self, store: Store, mask: Callable[[Any], Any]) -> None:
        """Create a keeper.

        Args:
            store: Where they are kept.
            mask: Hides secrets in what the runs have seen and done.
        """
        self._store = store
        self._mask = mask

    async def load(self, origin: str) -> Sequence[PastRun]:
        """Return the last runs on an origin, the latest at the end."""
        return [run for place, run in await self._all() if place == origin]

    async def add(self, origin: str, run: PastRun) -> None:
        """Add a run; the oldest ones go."""
        kept = [*await self._all(), (origin, run)][-MOST_RECENT:]
        data = [{"origin": place, **asdict(one)} for place, one in kept]
        data[-1] = self._mask(data[-1])
        while data:
            if await self._fits(_text(data)):
                return
            del data[0]
        await self._store.clear()

    async def _fits(self, text: str) -> bool:
        """Save a text; return whether there was room for it."""
        try:
            if len(text) <= LONGEST_RECENT:
                await self._store.save(text)
                return True
        except StoreFull:
            pass
        return False

    async def _all(self) -> list[tuple[str, PastRun]]:
        text = await self._store.load()
        try:
            data = read_json(text) if text else []
            return [(one.pop("origin"), PastRun.from_dict(one)) for one in data]
        except (ValueError, TypeError, KeyError, AttributeError):
            # The page's own scripts can write to this storage too.
            return []


def _read(text: str) -> Run | None:
    try:
        data = read_json(text)
        return Run.from_dict(data)
    except (ValueError, TypeError):
        return None


def _within(data: dict[str, Any], most: int) -> str | None:
    """Return a run as a text of at most this many characters, or None if that cannot be done.

    Old results are cut first, then the shown addresses and the model's turns, then old entries are
    left out. Goal, plan, pending action and the planner's notes stay whole.
    """
    text = _text(data)
    if len(text) <= most:
        return text
    entries = [dict(entry) for entry in data["entries"]]
    over = len(text) - most
    for entry in entries:
        for key in ("value", "text"):
            written = entry.get(key)
            value = written if isinstance(written, str) else _text(written)
            if over > 0 and written is not None and len(value) > _SHORTENED + len(_MARK):
                entry[key] = value[:_SHORTENED] + _MARK
                over -= len(_text(written)) - len(_text(entry[key]))
    if over > 0:
        # Without them the agent asks before it opens an address of an earlier page, and the
        # model gets its calls in our own form.
        data = data | {"shown": [], "turns": []}
    text = _text(data | {"entries": entries})
    while len(text) > most and entries:
        del entries[: max(1, len(entries) // 4)]
        text = _text(data | {"entries": entries})
    return text if len(text) <= most else None


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))
