"""Times of the clock and parts of the day: `halb acht`, `at night`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from webagent.agent.deterministic.reading.language import Pattern
from webagent.agent.deterministic.reading.numbers import Source

_NEUTRAL: Final = frozenset(".,;:!?)")

Binding = dict[str, Any]
"""What the slots of a pattern hold."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, a time, both, or a span of them."""

    kind: str
    """"date", "time", "datetime", or the plural of one for the first and the last."""
    end: int
    readings: tuple[Any, ...]
    is_sure: bool = True
    """Whether the first reading is the likelier; else nobody knows."""
    half: str = ""
    """The half of the day that it names: "am", "pm" or "night", which is around midnight."""
    is_dated: bool = False
    """Whether its year was said."""
    is_part: bool = False
    """Whether it is a part of the day, such as the morning."""
    weekday: bool = False
    is_duration: bool = False
    """Whether it may be a duration as well: `2 h`."""


def read_clock(source: Source, pattern: Pattern, end: int, bound: Binding) -> Moment | None:
    """Read a time of the clock by a form such as `+30 ~`.

    `+30` adds minutes, `+m` those of the slot; `~` may be of either half of the day, `!` needs
    an end of the sentence or a word of no weight behind it, and `>` a half of the day.
    """
    how = str(pattern.meaning).split()
    hour, minute, dotted = bound.get("hm", (0, 0, False))
    if "hm" not in bound:
        hour = next((bound[name] for name in ("h", "hw", "hd", "nth") if name in bound), None)
        if hour is None:
            return None
    said = next((bound[name] for name in ("m", "mw", "md") if name in bound), 0)
    for part in how:
        if part in ("+m", "-m"):
            minute += said if part == "+m" else -said
        elif part[0] in "+-":
            minute += int(part)
    after = source.role(end, "halves") or _part_behind(source, end)
    half = bound.get("half", "")
    if after and not half:
        half, end = after
    beside = end > 1 and source.role(end - 2, "day_parts", "weekdays", "days")
    if dotted and not half and "." not in how and not beside:
        return None
    if "!" in how and not half and not is_neutral(source, end):
        return None
    if ">" in how and not half:
        return None
    if source.is_glued(end) and source.tokens[end].text[0].isalnum():
        return None
    if end < len(source.tokens) and "d" not in how and source.role(end, "fraction_tails"):
        # `at one and a half speed`
        return None
    total = (hour % 24 * 60 + minute) % 1440
    if hour == 24 and minute:
        return None
    unsure = "~" in how and not half and 1 <= hour <= 12
    if half and 1 <= hour <= 12:
        total %= 720
        total += 0 if is_in_half(_time(total), half) else 720
    duration = "d" in how and not half and hour <= 12
    if not unsure:
        return Moment("time", end, (_time(total),), half=half, is_duration=duration)
    early, late = _time(total % 720), _time(total % 720 + 720)
    readings = (late, early) if hour < 7 or hour == 12 else (early, late)
    return Moment("time", end, readings, is_sure=False, is_duration=duration)


def is_in_half(time: str, half: str) -> bool:
    """Whether a time is in a half of the day."""
    if half == "night":
        return not "06:00" <= time < "18:00"
    return (time >= "12:00") == (half == "pm")


def _time(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _part_behind(source: Source, at: int) -> tuple[str, int] | None:
    found = source.role(at, "day_parts")
    return (found[0][0], found[1]) if found and len(found[0]) > 2 else None


def part_at(source: Source, at: int, *, behind_day: bool) -> Moment | None:
    """Return a part of the day: `in the morning`, or `morning` behind a day."""
    if is_morning(source, at):
        return Moment("times", at + 1, (("06:00", "12:00"),), half="am", is_part=True)
    found = source.role(at, "day_parts")
    if found is None or not (behind_day or source.role(at, "day_part_starts")):
        return None
    half, first, last = found[0]
    return Moment("times", found[1], ((first, last),), half=half, is_part=True)


def is_morning(source: Source, at: int) -> bool:
    """Whether a word for tomorrow ends that of a weekday, and means its morning: `Sonntagmorgen`."""
    ends = at > 0 and source.is_glued(at) and source.role(at - 1, "weekdays")
    return bool(ends and source.role(at, "days"))


def is_neutral(source: Source, at: int) -> bool:
    """Whether nothing of weight follows that a number might count."""
    if at >= len(source.tokens):
        return True
    token = source.tokens[at]
    if token.text in _NEUTRAL:
        return True
    if token.is_sign or token.is_figure:
        return False
    return token.is_stop or any(
        source.role(at, "days", "weekdays", "day_parts", "conjunctions") or ()
    )
