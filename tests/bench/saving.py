"""Saves in turns, and how long each takes to the notification, to the message and to the page."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.bench.notices import Notices
from tests.bench.page_times import APPLIED, Watched
from tests.bench.sites import save
from tests.bench.table import Pair

PAUSE_S = (0.12, 0.2)
"""Between two saves: Vite takes saves of one file within 50 ms for one."""

SHOWN_LIMIT_S = 5.0
MOST_MISSED = 0.25
"""Above this part of the saves nothing that is said about the others is worth anything."""

_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Place:
    """A folder, the page that shows it, and the file system's notifications of it."""

    root: Path
    page: Watched
    notices: Notices


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds from just before each save."""

    notice: list[float] = field(default_factory=list)
    message: list[float] = field(default_factory=list)
    applied: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    """The saves that the page never showed; they count nowhere else."""

    @property
    def over(self) -> list[float]:
        """The time of the server and of the way to the page: from the notification to the message."""
        return [m - n for m, n in zip(self.message, self.notice, strict=True)]


async def save_in_turns(
    places: Mapping[str, Place], kind: str, saves: int, *, shown: bool = True
) -> dict[str, Times]:
    """Save a kind of file in each place, in turns, and return the times by place.

    Args:
        places: Each with its page.
        kind: The kind of file.
        saves: How many.
        shown: Whether to wait until the page shows it, too.
    """
    times = {name: Times() for name in places}
    # The first round is not counted: a page's second load finds what the first has cached.
    for number in range(saves + 1):
        for name, place in places.items():
            await _save(place, kind, times[name] if number else Times(), shown)
    for name, found in times.items():
        if len(found.missed) > saves * MOST_MISSED:
            raise SystemExit(
                f"bench: {name} never showed {len(found.missed)} of {saves} saves of {kind}"
            )
    return times


async def _save(place: Place, kind: str, times: Times, shown: bool) -> None:
    await place.page.wait_until_connected()
    await asyncio.sleep(random.uniform(*PAUSE_S))
    place.page.forget()
    place.notices.clear()
    word = f"w{next(_numbers)}"
    started_s = time.time()
    save(place.root, kind, word)
    try:
        message_s = await place.page.wait_for("message", limit_s=SHOWN_LIMIT_S)
        if shown:
            applied_s = await place.page.wait_for(APPLIED[kind], word, limit_s=SHOWN_LIMIT_S)
            times.applied.append((applied_s - started_s) * 1000)
    except TimeoutError:
        times.missed.append(word)
        return
    times.notice.append((place.notices.at_s() - started_s) * 1000)
    times.message.append((message_s - started_s) * 1000)


def missed(times: Mapping[str, Mapping[str, Times]]) -> str:
    """Return a sentence for each kind of save that a page did not always show."""
    lines = [
        f"{name} never showed {len(found.missed)} of "
        f"{len(found.missed) + len(found.message)} saves of {kind}; they are left out."
        for kind, places in times.items()
        for name, found in places.items()
        if found.missed
    ]
    return "\n".join(lines)


SHOWN = {
    "css": "style applied",
    "html": "new document parsed",
    "js": "new code ran (ours loads the page anew, Vite the module)",
    "manifest": "tools replaced",
}


def rows_of(times: Mapping[str, Mapping[str, Times]]) -> dict[str, Pair]:
    """Return the rows of `comparison`."""
    rows: dict[str, Pair] = {}
    for kind, places in times.items():
        ours, theirs = places["webagent-dev"], places.get("Vite", Times())
        rows[f"{kind}: the file system's own notification"] = (ours.notice, theirs.notice)
        rows[f"{kind}: message in the page"] = (ours.message, theirs.message)
        rows[f"{kind}: message, over the notification"] = (ours.over, theirs.over)
        if ours.applied:
            rows[f"{kind}: {SHOWN[kind]}"] = (ours.applied, theirs.applied)
    return rows
