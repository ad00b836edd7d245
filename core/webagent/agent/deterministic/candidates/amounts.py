"""Numbers and durations for parameters: their units, bounds and signs."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from webagent.agent.deterministic.candidates.days import months_named
from webagent.agent.deterministic.candidates.fits import Fit, cued, unit_of
from webagent.agent.deterministic.candidates.parameters import Parameter, persons, stems_of
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.values import Value, converted, values_of

_MONEY: Final = frozenset(("price", "amount", "cost", "budget", "sum", "fee", "total", "money", "pay", "rent", "salari", "deposit", "rate", "bid", "donat", "valu", "worth", "euro", "eur", "dollar", "usd", "pound", "gbp", "franc", "chf"))  # fmt: skip
_GENERAL: Final = frozenset(("amount", "quantiti", "valu", "number", "#n", "size", "count", "level", "limit", "length", "width", "height", "weight", "distanc", "durat", "volum", "speed", "temperatur", "portion", "target", "set"))  # fmt: skip
_COUNTS: Final = frozenset(("quantity", "count", "qty"))
"""Names of what is counted and never paid, though an amount of money is a quantity too."""
_PAID: Final = frozenset(("price", "cost", "budget", "fee", "payment", "rent", "salary", "deposit", "bid"))  # fmt: skip
"""Names of what is only ever money."""
_AROUND: Final = frozenset(
    ("radius", "distance", "range", "perimeter", "umkreis", "rayon", "radio")
)
"""Names of how far from a place something may be."""
_TIMES: Final = frozenset(("by", "x", "×", "mal", "sur", "por"))
"""What stands between the sides of a thing."""
_LIMITS: Final = frozenset(("limit", "threshold"))
"""Names of what may be passed on either side: `warn me at more than 15`."""
_YEARS: Final = range(1900, 2200)
_PEOPLE: Final = "adult child kid baby infant toddler teenager senior person"
_MARKED: Final = 0.4
"""What a sign behind a number says for a count."""
_SHARE: Final = 0.6
"""How surely `half` or a word of the description says a number."""
_EXPLAINED: Final = re.compile(
    r"(?<!\d)(-?\d{1,15}(?:\.\d{1,15})?)\s*(?:=|:|means|is|(?:stands )?for)\s*([^,;.()=\d]{2,60})"
)
_FEW: Final = 2
"""Words that say a number alone."""
_RANKS: Final = frozenset(("position", "index", "rank", "place"))
_RANKED: Final = 0.8
"""How much better an ordinal fits a place in a list: `the third question`."""
_NEARBY: Final = 0.8
"""How much better a length from a place fits how far away a thing may be."""
_SAID_BY_ARTICLE: Final = 0.3
"""How much worse `a year` fits than a length with a number."""
_MONTH: Final = frozenset(("month", "monat", "mois", "mes"))
_YEAR: Final = frozenset(("year", "jahr", "annee", "ano"))
_LAST_HOURS: Final = (23, 24)
_CALENDAR: Final = frozenset(("day", "month", "week", "hour"))
_ROUNDED: Final = 10
"""From where on the fraction of a converted amount says nothing."""
_MANY_TIMES: Final = 50_000
"""How much smaller a unit may be than the one that the goal names."""
_SIGNED: Final = re.compile(r"[^.;()]*\b(negative|minus|below zero)\b[^.;()]*", re.IGNORECASE)
_COUNTED: Final = re.compile(r"^(?:[^.;()]*\bin )?(thousand|million)s\b", re.IGNORECASE)
_SCALES: Final = {"thousand": 1_000, "million": 1_000_000}
_COUNT_OF: Final = re.compile(r"\b(?:number of|how many)\s+(\w+)", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}[.,]\d{3}(?!\d)")
_LESS: Final = ("less", "down", "back", "left", "lower", "decrease", "reduce", "fewer", "backward", "minus", "darker", "darken", "rewind")  # fmt: skip


def numbers(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:  # fmt: skip
    """Yield the amounts of a part of a goal, in the unit of the parameter."""
    own = parameter.stems
    if parameter.bound and len(parameter.path) > 1:
        # `min` in `price` is a price.
        own |= parameter.parents
    whole = parameter.schema.get("type") == "integer"
    of_people = bool(own & persons())
    counts = (
        (whole or of_people) and not parameter.unit and not parameter.bound and not own & _MONEY
    )
    # `one adult` is one of the passengers who have to be counted.
    one = own | stems_of(_PEOPLE) if of_people and parameter.required else own
    for index in range(first, end - 1) if counts else ():
        if sentence.tokens[index].key in sentence.language.roles["ones"] and sentence.tokens[index + 1].glosses & one and sentence.in_value[index] is None and sentence.tokens[index + 1].key not in sentence.language.roles["units"]:  # fmt: skip
            # `two adults and a child`
            yield Fit(parameter, 1, frozenset((index, index + 1)), 0.6)
    if counts and of_people:
        for index in range(first, end):
            if phrase := sentence.language.phrase_at(sentence.tokens, index, "parties"):
                yield Fit(parameter, phrase[0].meaning, frozenset(range(index, phrase[1])), 1.2)
    yield from _in_words(parameter, sentence, first, end)
    yield from _of_months(parameter, sentence, first, end)
    is_timed = any(p.kind in ("date", "time", "datetime") for p in tool.parameters)
    for value in values:
        said = value
        value = _of_calendar(parameter, _grouped(value), own) if whole else value
        value = _beside(sentence, value) if parameter.unit else value
        if parameter.unit and value.kind in ("date", "time", "datetime") and not is_timed:
            value = _span_of(sentence, value)
        scored = _number(parameter, tool, value, own)
        if scored is None:
            continue
        meant, score = scored
        if isinstance(meant, float) and meant == int(meant):
            meant = int(meant)
        if not isinstance(meant, int | float) or (whole and not isinstance(meant, int)):
            continue
        meant = _signed(parameter, tool, sentence, value, _scaled(parameter, meant), first, end)
        if not _in_bounds(parameter, meant):
            score -= 0.6
        if value.bound:
            if parameter.bound and parameter.bound != value.bound and not parameter.names & _LIMITS:
                continue
            score += 0.5 if parameter.bound == value.bound else 0
        elif parameter.bound:
            score -= 0.2
        if parameter.names & _COUNTS and value.text[-1:] in ("x", "×"):
            # `2x` counts what follows.
            score += _MARKED
        fit = cued(parameter, sentence, value, meant, score, first, end)
        fit = replace(fit, readings=_readings(parameter, tool, value, own))
        if value.kind == "ordinal" and parameter.names & _RANKS and meant > 0:
            fit = replace(fit, score=fit.score + _RANKED)
        elif value.kind == "ordinal" and (not fit.cues or meant < 0):
            # `the last one` is no number.
            continue
        if value.kind == "number" and meant in _YEARS and own & stems_of("year"):
            # `in 1998` is from that year and up to it.
            middle = (value.first + value.end) // 2
            half = range(middle, value.end) if parameter.is_end else range(value.first, middle)
            of_span = parameter.is_start != parameter.is_end and value.end - value.first > 1
            tokens = frozenset(half) if of_span and not value.bound else fit.tokens
            fit = replace(fit, score=fit.score + _SHARE, tokens=tokens)
        if value.unit and not parameter.unit and value.end - value.first > 1:
            # The unit may be an argument of its own.
            fit = replace(fit, tokens=fit.tokens - {unit_of(sentence, value)})
        if value.bound == "max" and value.unit and parameter.names & _AROUND and sentence.language.phrase_at(sentence.tokens, value.end, "prepositions"):  # fmt: skip
            # `within 5 km of the station`
            fit = replace(fit, score=fit.score + _NEARBY)
        article = sentence.tokens[value.core].key
        if value.kind == "duration" and article in sentence.language.roles["ones"] and article != "one":  # fmt: skip
            # `3 years at 4 percent a year`
            fit = replace(fit, score=fit.score - _SAID_BY_ARTICLE)
        if value.rate and any(p.kind == "enum" for p in tool.parameters):
            # `a month` may be one too.
            fit = replace(fit, tokens=fit.tokens - {value.end - 1})
        if parameter.names & _CALENDAR and said.kind == "number" and not (parameter.unit or value.unit or fit.cues):  # fmt: skip
            # `18 for bus tickets` is not a day of the month.
            fit = replace(fit, score=fit.score - 0.6)
        if _is_numbered(sentence, value, first) and value.first - 1 not in fit.cues:
            # `zip code 78704` is not a price.
            fit = replace(fit, score=fit.score - 0.5)
        noun = _noun_after(sentence, value.end, end)
        if noun is not None and not value.unit:
            glosses = sentence.tokens[noun].glosses
            if (
                (parameter.unit or "age" in own)
                and value.kind == "number"
                and not fit.cues
                and not glosses & own
            ):
                # `two boys` does not say how old they are.
                fit = replace(fit, score=fit.score - 0.4)
            counted = _COUNT_OF.search(str(parameter.schema.get("description") or ""))
            own_noun = own | stems_of(counted[1]) if counted else own
            if glosses & own_noun or (of_people and glosses & persons()):
                # `4 adults` are as many passengers, `ten lessons` the `number of lessons`.
                fit = replace(fit, score=fit.score + 0.4, cues=fit.cues | {noun})
            elif any(glosses & w for p in tool.parameters if p is not parameter and p.kind == "number" for w in p.words):  # fmt: skip
                # `4 servings` counts something else.
                fit = replace(fit, score=fit.score - 0.6)
        yield fit


def _in_words(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield numbers that are said without figures: 50 % for `half`, 0 for `off` where 0 is off."""
    schema = parameter.schema
    if parameter.unit == "percent" or (schema.get("maximum") == 100 and schema.get("minimum") in (0, 1)) or "percent" in parameter.names:  # fmt: skip
        for index in range(first, end):
            if phrase := sentence.language.phrase_at(sentence.tokens, index, "shares"):
                tokens = frozenset(range(index, phrase[1]))
                yield Fit(parameter, phrase[0].meaning, tokens, _SHARE)
    meant = [(float(match[1]), match[2].split()) for match in _EXPLAINED.finditer(str(schema.get("description") or ""))]  # fmt: skip
    explained = [(number, stems_of(" ".join(words))) for number, words in meant]
    common = (
        frozenset[str].intersection(*(words for _, words in explained))
        if len(explained) > 1
        else frozenset[str]()
    )
    # `0 means nonstop` is said by that word alone.
    is_only = len(meant) == 1 and len(meant[0][1]) <= _FEW
    said = []
    for number, words in explained:
        places = frozenset(
            i
            for i in range(first, end)
            if sentence.weights[i]
            and ({sentence.tokens[i].stem} if is_only else sentence.tokens[i].glosses)
            & (words - common)
        )
        said += [(number, places)] if places else []
    if len(said) == 1 and (is_only or len(explained) > 1):
        # `0 = open, 100 = closed`
        number, places = said[0]
        yield Fit(parameter, int(number) if number == int(number) else number, places, _SHARE)


def _of_calendar(parameter: Parameter, value: Value, own: frozenset[str]) -> Value:
    """Return the year, the day of the month or the hour of a value, where a parameter takes it as a number."""
    is_hour = "hour" in parameter.names and parameter.schema.get("maximum") in _LAST_HOURS
    if is_hour and value.kind in ("time", "datetime") and str(value.value).endswith(":00"):
        at = value.end - 1
        hour = int(str(value.value)[-5:-3])
        return replace(value, kind="number", value=hour, first=at, core=at, unit="", readings=())
    if parameter.unit:
        return value
    both = value.value
    if value.kind == "dates" and isinstance(both, tuple) and own & stems_of("year"):
        first, last = (str(one) for one in both)
        if first[:4] == last[:4] and (first[4:], last[4:]) == ("-01-01", "-12-31"):
            return replace(value, kind="number", value=int(first[:4]))
    if value.kind == "date" and isinstance(both, str) and parameter.names >= {"day", "month"}:
        return replace(value, kind="number", value=int(both[8:10]), readings=())
    return value


def _of_months(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Fit]:
    """Yield the months or the years of months that a goal names, as numbers: 1 for `the January payslip`."""
    of_month, of_year = (parameter.names & one for one in (_MONTH, _YEAR))
    if bool(of_month) == bool(of_year) or parameter.unit or parameter.kind != "number":
        return
    for index, year, month in months_named(sentence, first, end):
        if of_month:
            yield Fit(parameter, month, frozenset((index,)), 1.4)
        else:
            yield Fit(parameter, year, frozenset(), 1.0, frozenset((index,)))


def _span_of(sentence: Sentence, value: Value) -> Value:
    """Return the length that a moment may be read as: 20 minutes for `in 20 minutes`, `pour deux heures`."""
    begins = value.core + (value.kind != "time")
    inside = sentence.tokens[begins : value.end]
    now = datetime.fromisoformat(sentence.today)
    found = values_of(sentence.text, inside, sentence.language, now) if inside else []
    if len(found) != 1 or found[0].kind != "duration":
        return value
    return replace(found[0], first=value.first, end=value.end)


def _beside(sentence: Sentence, value: Value) -> Value:
    """Return one of two amounts in the unit that only the other has: `24 inches wide by 16 high`."""
    one = next((v for v in sentence.values if v.kind == "quantity" and 0 < value.first - v.end < 4), None)  # fmt: skip
    if one is None or value.kind != "number":
        return value
    times = {sentence.tokens[i].key for i in range(one.end, value.first)}
    return replace(value, kind="quantity", unit=one.unit) if times & _TIMES else value


def _grouped(value: Value) -> Value:
    """Return an amount that has to be whole with its point between thousands: `48.310 km`."""
    if value.readings or not isinstance(value.value, float) or not _THOUSANDS.match(value.text):
        return value
    return replace(value, value=round(value.value * 1_000))


def _number(
    parameter: Parameter, tool: ToolWords, value: Value, own: frozenset[str]
) -> tuple[Any, float] | None:
    """Return what an amount means for a parameter, and how well it fits."""
    meant: Any = value.value
    if value.kind not in ("number", "money", "percent", "quantity", "duration", "ordinal"):
        return None
    if parameter.unit == "cent" and value.kind == "number" and not value.unit:
        # People speak of whole units of money.
        return round(meant * 100), 0.9
    if parameter.unit and value.unit:
        meant = converted(value, parameter.unit)
        if meant is None:
            return None
        # Nobody gives the size of a frame in kilometers.
        if isinstance(meant, float):
            # Nobody means the grams of a pound.
            exact = parameter.schema.get("type") == "integer" and abs(meant) >= _ROUNDED
            meant = round(meant, 0 if exact else 2 if abs(meant) >= 1 else 4)
        return meant, 1.7 if meant < _MANY_TIMES * max(value.value, 1) else 0.2
    if value.kind == "money":
        counts = parameter.names & _COUNTS or own & stems_of("year")
        paid = (own | parameter.about) & _MONEY and not counts
        return (meant, 1.6) if paid else None
    if value.kind == "percent" and (
        parameter.unit not in ("", "percent") or parameter.names & _COUNTS
    ):
        # `15 percent darker` is not a length, and a tip of 15 percent no quantity.
        return None
    if value.kind == "percent":
        most = parameter.schema.get("maximum")
        if most == 1:
            return meant / 100, 1.5
        return meant, 1.5 if most == 100 or "percent" in own else 0.8
    if value.kind == "ordinal":
        # `Ida on the first leg` is the first of a list.
        return (meant, 0.2) if len(parameter.path) == 1 else None
    if value.unit:
        if parameter.names & _PAID:
            # Nobody pays 48 months.
            return None
        if other := _unit_of_sibling(parameter, tool, value):
            return converted(value, other), 1.5
        named = bool(parameter.names & {value.unit, f"{value.unit}s"})
        if value.kind == "duration":
            if named or (value.unit == "year" and "age" in own):
                return meant, 1.4
            # `a child of six years` is one child, and `monthly_limit` does not count months.
            return None if parameter.schema.get("type") == "integer" else (meant, 0.3)
        if parameter.schema.get("type") == "integer" and not own & _GENERAL:
            # `9 kg` is not a count: not nine frames.
            return None
        return meant, 0.5
    return meant, 0.45 if parameter.unit else 0.7


def _readings(
    parameter: Parameter, tool: ToolWords, value: Value, own: frozenset[str]
) -> tuple[Any, ...]:
    """Return all that an amount may mean for a parameter, where that is more than one thing."""
    scored = (_number(parameter, tool, replace(value, value=one), own) for one in value.readings)
    found = tuple(dict.fromkeys(one[0] for one in scored if one is not None))
    return found if len(found) > 1 else ()


def _unit_of_sibling(parameter: Parameter, tool: ToolWords, value: Value) -> str:
    """Return the unit in which an amount can be given where a second parameter names the unit."""
    for other in tool.parameters:
        if other.path[:-1] == parameter.path[:-1] and other.kind == "enum":
            units = [choice.unit for choice in other.choices if choice.unit]
            if value.unit in units:
                return value.unit
            if near := next((unit for unit in units if converted(value, unit) is not None), ""):
                return near
    return ""


def _scaled(parameter: Parameter, meant: float) -> float:
    """Return an amount in the thousands or millions that the parameter counts: 5 for `5 million`."""
    counted = _COUNTED.search(str(parameter.schema.get("description") or ""))
    scale = _SCALES[counted[1].lower()] if counted else 1
    if meant < scale or scale == 1:
        return meant
    scaled = meant / scale
    return int(scaled) if scaled == int(scaled) else scaled


def _signed(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, value: Value, meant: float, first: int, end: int
) -> float:  # fmt: skip
    """Return an amount below zero where the goal goes the way that the parameter counts down."""
    least = parameter.schema.get("minimum")
    clause = _SIGNED.search(f"{parameter.schema.get('description') or ''}. {tool.description}")
    if meant <= 0 or not (clause or (isinstance(least, int | float) and least < 0)):
        return meant
    if isinstance(least, int | float) and least >= 0:
        return meant
    down = stems_of(" ".join(_LESS))
    near = range(max(first, value.first - 6), min(end, value.end + 4))
    said = any(
        sentence.tokens[i].glosses & down or sentence.tokens[i].key in _LESS
        for i in near
        if not value.first <= i < value.end
    )
    return -meant if said else meant


def _is_numbered(sentence: Sentence, value: Value, first: int) -> bool:
    """Whether a bare number belongs to the noun right before it, as in `room 12`."""
    before = value.first - 1
    if value.kind != "number" or value.unit or value.bound or before < first:
        return False
    # `top 5 pages` counts the pages.
    counts = _noun_after(sentence, value.end, min(value.end + 1, len(sentence.tokens))) is not None
    is_kind = (
        sentence.is_noun(before) and not sentence.is_name(before) and sentence.weights[before] >= 1
    )
    if sentence.verbs[before]:
        # In `the meter reads 5` the word has a subject.
        is_kind = is_kind and before > first and not (sentence.is_noun(before - 1) or sentence.in_value[before - 1])  # fmt: skip
    return is_kind and not counts and sentence.in_value[before] is None


def _noun_after(sentence: Sentence, at: int, end: int) -> int | None:
    """Return the noun that a number counts, over a size: `two 40 ft containers`."""
    for index in range(at, min(end, at + 2)):
        token = sentence.tokens[index]
        if token.is_sign:
            return None
        if not token.is_stop:
            return index
    return None


def _in_bounds(parameter: Parameter, number: float) -> bool:
    schema = parameter.schema
    tests: tuple[tuple[str, Callable[[float, float], bool]], ...] = (
        ("minimum", operator.lt), ("maximum", operator.gt),
        ("exclusiveMinimum", operator.le), ("exclusiveMaximum", operator.ge),
    )  # fmt: skip
    return not any(
        isinstance(bound := schema.get(word), int | float) and is_out(number, bound)
        for word, is_out in tests
    )


def durations(
    parameter: Parameter, sentence: Sentence, values: Sequence[Value], first: int, end: int
) -> Iterator[Fit]:
    """Yield the durations of a part of a goal as ISO 8601."""
    for value in values:
        seconds = converted(value, "second") if value.kind == "duration" else None
        if seconds is not None:
            text = _iso_duration(int(seconds))
            yield cued(parameter, sentence, value, text, 1.6, first, end)


def _iso_duration(seconds: int) -> str:
    days, rest = divmod(seconds, 86_400)
    hours, rest = divmod(rest, 3_600)
    minutes, rest = divmod(rest, 60)
    time = "".join(f"{n}{s}" for n, s in ((hours, "H"), (minutes, "M"), (rest, "S")) if n)
    if not time:
        return f"P{days}D"
    return "P" + (f"{days}D" if days else "") + f"T{time}"
