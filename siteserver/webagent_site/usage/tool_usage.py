"""The numbers of each tool, in this process: calls, errors, times, refusals, stops and thumbs.

Pages report them without arguments, results or words. With `opentelemetry-api` they are metrics, too.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, Literal, get_args

from webagent import errors

UsageType = Literal["call", "refusal", "stop", "helpful", "unhelpful"]
"""A call that has ended, a no of the visitor to one, the end of a run by the visitor during or after one,
and what the visitor says of a run that made one."""

MOST_EVENTS: Final = 50
"""Events of one report."""

_KEPT_TIMES: Final = 1_000
"""The latest calls of a tool of which the times are kept."""
_LONGEST_MS: Final = 24 * 3_600_000
_SECONDS: Final = [0.01 * 2**power for power in range(14)]
_TYPES: Final = get_args(UsageType)
_KINDS: Final = [
    each.kind
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, errors.ToolError)
]


class BadReport(Exception):
    """A report does not have the form that pages give it."""


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
    _times_ms: deque[float] = field(default_factory=lambda: deque(maxlen=_KEPT_TIMES))

    def add_call(self, duration_ms: float, error: str) -> None:
        """Count a call; `error` is the kind of its error, empty without one."""
        self.calls += 1
        self._times_ms.append(duration_ms)
        if error:
            self.errors[error] += 1

    @property
    def p95_ms(self) -> float | None:
        """The time within which 95 of 100 of the latest calls ended; None without a call."""
        times = sorted(self._times_ms)
        return times[math.ceil(len(times) * 0.95) - 1] if times else None


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """One thing that a page reports of a tool."""

    type: UsageType
    tool: str
    duration_ms: float = 0.0
    error: str = ""


class ToolUsage:
    """Counts for the tools of one manifest."""

    def __init__(self, tools: Mapping[str, str]) -> None:
        """Begin with zero.

        Args:
            tools: Their names, with those for people.
        """
        self._tools = {name: ToolNumbers(name, title) for name, title in tools.items()}

    @property
    def tools(self) -> Sequence[ToolNumbers]:
        """The numbers of all tools, the most called first."""
        return sorted(self._tools.values(), key=lambda tool: -tool.calls)

    def add(self, report: Mapping[str, Any]) -> None:
        """Count a report; tools that the manifest does not have are left out.

        Args:
            report: `{"events": [{"type", "tool", "duration_ms"?, "error"?}]}`.

        Raises:
            BadReport: It has another form; nothing of it is counted.
        """
        for event in _events(report):
            tool = self._tools.get(event.tool)
            if tool is None:
                continue
            match event.type:
                case "call":
                    tool.add_call(event.duration_ms, event.error)
                case "refusal":
                    tool.refusals += 1
                case "stop":
                    tool.stops += 1
                case "helpful":
                    tool.helpful += 1
                case "unhelpful":
                    tool.unhelpful += 1
            _measure(event)


def _events(report: Mapping[str, Any]) -> list[UsageEvent]:
    given = report.get("events")
    if not isinstance(given, list) or report.keys() != {"events"}:
        raise BadReport("the report has no list of `events`, or has more - send `{events: […]}`")
    if len(given) > MOST_EVENTS:
        raise BadReport(f"the report has more than {MOST_EVENTS} events - send several")
    return [_event(each, number) for number, each in enumerate(given)]


def _event(given: Any, number: int) -> UsageEvent:
    place = f"`events[{number}]`"
    if not isinstance(given, dict):
        raise BadReport(f"{place} is not an object - write `{{type, tool}}`")
    fields = {"type", "tool"} | ({"duration_ms", "error"} if given.get("type") == "call" else set())
    if others := given.keys() - fields:
        # Neither arguments nor words have a place here; names that a page made up are not repeated.
        raise BadReport(f"{place} has {len(others)} unknown fields - leave them out")
    kind: Any = given.get("type")
    tool = given.get("tool")
    if kind not in _TYPES or not isinstance(tool, str):
        raise BadReport(f"{place} has no known `type`, or its `tool` is not a name - correct it")
    took, error = given.get("duration_ms", 0), given.get("error", "")
    if type(took) not in (int, float) or not 0 <= took <= _LONGEST_MS:
        raise BadReport(f"`duration_ms` of {place} is not a time - write milliseconds of a day")
    if error != "" and error not in _KINDS:
        raise BadReport(f"`error` of {place} is not a kind of error - leave it out")
    return UsageEvent(kind, tool, float(took), error)


@dataclass(frozen=True, slots=True)
class _Instruments:
    duration: Any
    others: Mapping[str, Any]


@cache
def _instruments() -> _Instruments | None:
    try:
        from opentelemetry import metrics
    except ImportError:
        return None
    meter = metrics.get_meter("webagent_site")
    thumbs = meter.create_counter("webagent.tool.thumbs", "{run}", "Runs that visitors rated.")
    return _Instruments(
        meter.create_histogram(
            "webagent.tool.duration",
            "s",
            "Duration of calls of tools in pages.",
            explicit_bucket_boundaries_advisory=_SECONDS,
        ),
        {
            "refusal": meter.create_counter(
                "webagent.tool.refusals", "{request}", "Calls that visitors refused."
            ),
            "stop": meter.create_counter(
                "webagent.tool.stops", "{run}", "Runs that visitors stopped."
            ),
            "helpful": thumbs,
            "unhelpful": thumbs,
        },
    )


def _measure(event: UsageEvent) -> None:
    found = _instruments()
    if found is None:
        return
    attributes = {"gen_ai.tool.name": event.tool}
    if event.type == "call":
        failed = {"error.type": event.error} if event.error else {}
        found.duration.record(event.duration_ms / 1000, attributes | failed)
        return
    if event.type in ("helpful", "unhelpful"):
        attributes["webagent.thumb"] = "up" if event.type == "helpful" else "down"
    found.others[event.type].add(1, attributes)
