"""The numbers of tools: calls, errors, times, refusals, stops and thumbs.

`UsageCounts` is the port; `MemoryCounts` counts in this process, and `RedisCounts` of
`webagent_site.broker.redis_broker` in all processes of a site together.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final, Literal, Protocol

UsageType = Literal["call", "refusal", "stop", "helpful", "unhelpful"]
"""A call that has ended, a no of the visitor to one, the end of a run by the visitor during or after one,
and what the visitor says of a run that made one."""

KEPT_TIMES: Final = 1_000
"""The latest calls of a tool of which the times are kept."""


@dataclass(slots=True)
class ToolNumbers:
    """The numbers of one tool."""

    name: str
    title: str = ""
    """Its name for people."""
    calls: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """Calls that failed, by the kind of the error."""
    refusals: int = 0
    stops: int = 0
    helpful: int = 0
    unhelpful: int = 0
    times_ms: deque[float] = field(default_factory=lambda: deque(maxlen=KEPT_TIMES))
    """Of the latest calls, in any order."""

    @property
    def p95_ms(self) -> float | None:
        """The time within which 95 of 100 of the latest calls ended; None without a call."""
        times = sorted(self.times_ms)
        return times[math.ceil(len(times) * 0.95) - 1] if times else None


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """One thing that a page reports of a tool."""

    type: UsageType
    tool: str
    duration_ms: float = 0.0
    error: str = ""


@dataclass(frozen=True, slots=True)
class UsageTable:
    """The numbers of the tools of a manifest."""

    since: datetime
    """When counting began."""
    tools: Sequence[ToolNumbers]
    """The most called first."""


class UsageCounts(Protocol):
    """Counts what pages report."""

    async def add(self, events: Sequence[UsageEvent]) -> None:
        """Count events.

        Raises:
            BrokerUnavailable: They cannot be counted now.
        """

    async def table(self, titles: Mapping[str, str]) -> UsageTable:
        """Return the numbers of tools.

        Args:
            titles: Their names, with those for people.

        Raises:
            BrokerUnavailable: They cannot be read now.
        """


class MemoryCounts:
    """Counts in this process."""

    def __init__(self) -> None:
        self._since = datetime.now(UTC)
        self._tools: dict[str, ToolNumbers] = {}

    async def add(self, events: Sequence[UsageEvent]) -> None:
        """Count events."""
        for event in events:
            tool = self._tools.setdefault(event.tool, ToolNumbers(event.tool))
            match event.type:
                case "call":
                    tool.calls += 1
                    tool.times_ms.append(event.duration_ms)
                    if event.error:
                        tool.errors[event.error] += 1
                case "refusal":
                    tool.refusals += 1
                case "stop":
                    tool.stops += 1
                case "helpful":
                    tool.helpful += 1
                case "unhelpful":
                    tool.unhelpful += 1

    async def table(self, titles: Mapping[str, str]) -> UsageTable:
        """Return the numbers of tools."""
        tools = [
            replace(self._tools.get(name, ToolNumbers(name)), title=title)
            for name, title in titles.items()
        ]
        return UsageTable(self._since, most_called_first(tools))


def most_called_first(tools: Sequence[ToolNumbers]) -> Sequence[ToolNumbers]:
    """Return tools in the order in which they are shown."""
    return sorted(tools, key=lambda tool: -tool.calls)
