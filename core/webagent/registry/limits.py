"""Limits of tools: their rate, `10/minute` in the manifest, and how often they may ask a person."""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any, Final

from webagent.errors import RateLimited
from webagent.page.port import Ask

_RATE = re.compile(r"(\d+)\s*(?:/|per)\s*(\d*)\s*([a-z]+)", re.IGNORECASE)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
_MOST_KEPT = 10_000
"""Calls of one tool that are remembered. A higher rate limits nothing."""


def read_rate(text: str) -> tuple[int, float] | None:
    """Return `(calls, seconds)` of a rate such as `10/minute` or `3 per 2 hours`, else None."""
    match = _RATE.fullmatch(text.strip())
    if match is None:
        return None
    unit = match[3].lower()
    seconds = 0.001 if unit in ("ms", "millisecond", "milliseconds") else _SECONDS.get(unit[0])
    calls, times = int(match[1]), int(match[2] or 1)
    if seconds is None or not 0 < calls <= _MOST_KEPT or times == 0 or unit.startswith("mo"):
        return None
    return calls, seconds * times


class RateLimiter:
    """Counts the calls of tools, and refuses a call above the rate."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create a limiter.

        Args:
            clock: Returns seconds.
        """
        self._clock = clock
        self._calls: dict[str, deque[float]] = {}

    def take(self, name: str, rate: str) -> None:
        """Count a call of a tool.

        Raises:
            RateLimited: The rate is used up; the message says how long to wait.
        """
        limit = read_rate(rate)
        if limit is None:
            return
        calls, seconds = limit
        now = self._clock()
        made = self._calls.setdefault(name, deque())
        while made and made[0] <= now - seconds:
            made.popleft()
        if len(made) >= calls:
            wait_s = math.ceil(made[0] + seconds - now)
            raise RateLimited(
                f"`{name}` may be called {rate} and was – wait {wait_s} s",
                tool=name,
                help=f"call it again in {wait_s} s, or do with what it gave",
            )
        made.append(now)


MOST_REFUSALS: Final = 3
"""Refusals of one tool or control that end a run."""

MOST_REFUSALS_IN_ALL: Final = 10
"""Refusals of any of them that end it, so that a page cannot go on with another name each time."""


def asker_of_program(ask: Ask) -> Ask:
    """Return a function that asks one question of a program at a time, until there were enough refusals.

    Args:
        ask: Has the questions of tools answered.
    """
    refusals: Counter[str] = Counter()
    turn = asyncio.Lock()

    async def ask_on(question: dict[str, Any]) -> Mapping[str, Any]:
        tool = str(question["details"].get("tool"))
        async with turn:
            if refusals[tool] >= MOST_REFUSALS or refusals.total() >= MOST_REFUSALS_IN_ALL:
                return {"yes": False, "text": ""}
            answer = await ask(question)
            refusals[tool] += answer.get("yes") is not True
            return answer

    return ask_on
