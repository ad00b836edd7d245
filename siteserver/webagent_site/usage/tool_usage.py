"""The reports of pages on the use of tools: they are checked, counted and measured.

They have neither arguments nor results nor words. With `opentelemetry-api` there are metrics, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, get_args

from webagent import errors
from webagent_site.broker.usage_counts import UsageCounts, UsageEvent, UsageTable, UsageType

MOST_EVENTS: Final = 50
"""Events of one report."""

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


class ToolUsage:
    """Counts for the tools of one manifest."""

    def __init__(self, titles: Mapping[str, str], counts: UsageCounts) -> None:
        """Know the tools.

        Args:
            titles: Their names, with those for people.
            counts: Where they are counted.
        """
        self._titles = titles
        self._counts = counts

    async def table(self) -> UsageTable:
        """Return the numbers of all tools.

        Raises:
            BrokerUnavailable: They cannot be read now.
        """
        return await self._counts.table(self._titles)

    async def add(self, report: Mapping[str, Any]) -> None:
        """Count a report; tools that the manifest does not have are left out.

        Args:
            report: `{"events": [{"type", "tool", "duration_ms"?, "error"?}]}`.

        Raises:
            BadReport: It has another form; nothing of it is counted.
            BrokerUnavailable: It cannot be counted now.
        """
        events = [event for event in _events(report) if event.tool in self._titles]
        await self._counts.add(events)
        for event in events:
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
