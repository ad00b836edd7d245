"""Members of enumerations, as a goal names them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit, cues_of, unit_of
from webagent.agent.deterministic.candidates.known_words import ends_clause, has_parts
from webagent.agent.deterministic.candidates.orders import (
    compared,
    is_order,
    orders,
    said_order,
)
from webagent.agent.deterministic.candidates.parameters import (
    Choice,
    Parameter,
    stems_of,
)
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.candidates.switches import (
    is_denied,
    is_elsewhere,
    says,
    turned_by,
)
from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.values import converted

_PIECES: Final = frozenset(("pcs", "pc", "piece", "pieces", "stk", "stück", "stueck", "unit", "units", "each", "ea", "pièce", "piece", "unidad", "ud"))  # fmt: skip
_PARTS: Final[Mapping[str, frozenset[str]]] = {
    "morning": frozenset(("am", "morning", "forenoon", "vormittag", "morgen", "matin", "manana")),
    "afternoon": frozenset(("pm", "afternoon", "nachmittag", "tarde")),
    "evening": frozenset(("ev", "eve", "evening", "abend", "soir", "noche", "night")),
}
_FREQUENCIES: Final[Mapping[str, tuple[int, str]]] = {
    "daily": (1, "day"), "weekly": (1, "week"), "biweekly": (2, "week"), "fortnightly": (2, "week"),
    "day": (1, "day"), "week": (1, "week"), "month": (1, "month"), "year": (1, "year"),
    "monthly": (1, "month"), "bimonthly": (2, "month"), "quarterly": (3, "month"), "yearly": (1, "year"),
}  # fmt: skip
_COUNTED: Final = re.compile(r"(\d+)([a-z]+)")
_NOTHING: Final = frozenset(("none", "never", "off", "nothing"))
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d|\d\d:\d\d$")
_ACTS: Final = frozenset(("action", "command", "operation", "state", "mode", "status", "position", "visibility", "channel", "method", "medium", "via"))  # fmt: skip
_BROADER: Final = 0.7
_FIGURES: Final = 0.3
"""How much the figures of a choice say."""
_QUOTED: Final = 2.2
"""How surely a quoted name of a choice is meant."""
_UNITS: Final = frozenset(("unit", "units", "uom", "einheit", "unite", "unidad"))
_HALF: Final = 0.8
"""How surely one of its two words says a choice."""
_WHOLE: Final = 1.3
"""How surely all words of a choice say it."""
_HAD: Final = frozenset(("from", "source"))
_ASKED: Final = frozenset(("to", "target"))
_TURNED: Final = 0.4
"""How much the way round of a conversion says."""
_SHORTEST_PART: Final = 4
"""Letters of the first word of a compound."""
_SPREAD: Final = 4
"""Words that may be between two words of one choice."""


def choices(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int, said: frozenset[int]
) -> Iterator[Fit]:  # fmt: skip
    """Yield the members of an enumeration that a part of a goal names."""
    found = _weekdays(parameter, sentence, first, end)
    found += _free_of(parameter, sentence, first, end)
    found += _amounts(parameter, sentence, first, end)
    found += _moments(parameter, sentence, first, end)
    found += _frequencies(parameter, sentence, first, end)
    found += orders(parameter, sentence, first, end)
    found += _none(parameter, tool, sentence, first, end)
    found += [] if found else _day_parts(parameter, sentence, first, end)
    nouns = tool.noun_stems
    # `Bäckereischicht` is of the bakery, whatever says `Schicht`.
    said = frozenset(i for i in said if not (has_parts(sentence, i) and any(says(sentence.tokens[i], w - nouns) for w in _words(parameter))))  # fmt: skip
    named = said | _named_elsewhere(parameter, tool, sentence, first, end)
    acts = _acts(parameter, tool, sentence)
    spoken: list[tuple[float, Fit]] = []
    sorts = is_order(parameter)
    turned = any(p.is_switch for p in tool.parameters) and turned_by(tool, sentence, first, end)
    for choice in () if found else _spoken(parameter, sentence, first, end, acts):
        plain = compared(choice) if sorts else choice
        match = _choice(plain, parameter, sentence, first, end, (said, named), acts)
        if match is None:
            continue
        # `no more offers` denies the switch, and not what it switches.
        denied = not turned and any(is_denied(sentence, i, first) for i in match[0])
        if denied != parameter.excludes:
            continue
        tokens, score = match
        if sorts:
            ordered = said_order(choice, sentence, tokens, first, end)
            if ordered is None:
                continue
            score += ordered
        score += _direction(parameter, sentence, tokens)
        cues, more = cues_of(parameter, sentence, min(tokens), max(tokens) + 1, first, end)
        fit = Fit(parameter, choice.value, tokens, 1.0 * score + 0.5 * more, cues)
        spoken.append((_closeness(choice, sentence, tokens), fit))
    # `group room B` is `group_b`, and not `group_a` of which one word is said.
    told = [fit.tokens - said for _, fit in spoken]
    spoken = [(near, fit) for near, fit in spoken if not any(fit.tokens < other for other in told)]
    found += [fit for _, fit in sorted(spoken, key=lambda one: -one[0])]
    if not found:
        found = _in_other_unit(parameter, sentence, first, end)
    if not parameter.is_list:
        yield from found
        return
    found.sort(key=lambda fit: (-fit.score, min(fit.tokens)))
    kept: list[Fit] = []
    # Beside `projector` a `meeting room` does not ask for a video conference.
    found = [
        fit for fit in found
        if fit.score > _HALF or found[0].score < _WHOLE or any(sentence.tokens[i].stem in parameter.said for i in fit.tokens)
    ]  # fmt: skip
    for fit in found:
        if not any(fit.tokens & other.tokens for other in kept):
            kept.append(fit)
    if kept:
        kept.sort(key=lambda fit: min(fit.tokens))
        tokens = frozenset[int]().union(*(fit.tokens for fit in kept))
        cues = frozenset[int]().union(*(fit.cues for fit in kept))
        values = [one for fit in kept for one in (fit.value if isinstance(fit.value, list) else [fit.value])]  # fmt: skip
        yield Fit(parameter, values, tokens, sum(fit.score for fit in kept), cues)


def _named_elsewhere(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> frozenset[int]:
    """Return the words that name another parameter or one of its choices: `comfort` of an insurance is no bedding."""
    others = [p for p in tool.parameters if p is not parameter and p.choices != parameter.choices]
    named = {
        key for p in others for choice in p.choices if not choice.is_code for key in choice.keys
    }
    named -= {key for choice in parameter.choices for key in choice.keys}
    return frozenset(
        i for i in range(first, end)
        if sentence.tokens[i].key in named or any(sentence.tokens[i].stem in words for p in others for words in p.words)
    )  # fmt: skip


def _closeness(choice: Choice, sentence: Sentence, tokens: frozenset[int]) -> float:
    """Return how much of what words mean a choice means too: `Oper` is an opera before a theatre."""
    said = frozenset[str]().union(*(sentence.tokens[i].glosses for i in tokens))
    means = frozenset[str]().union(*(words for row in choice.names for words in row))
    return len(said & means) / max(1, len(said))


def _acts(parameter: Parameter, tool: ToolWords, sentence: Sentence) -> frozenset[int]:
    """Return the orders that say what to do by a choice: `restart` for `reboot db-1`."""
    if parameter.names & _ACTS:
        # The order to change a ride asks for no change in cash.
        return frozenset(
            i for i in sentence.orders if parameter.required or not sentence.verbs[i] & tool.verbs
        )
    if not parameter.required or tool.reads:
        return frozenset()
    # `sell 15` names the side of an order; here the word itself is needed.
    words = frozenset[str]().union(*_words(parameter))
    return frozenset(
        i
        for i in sentence.orders
        if not sentence.verbs[i] & tool.verbs and sentence.verbs[i] & words
    )


def _direction(parameter: Parameter, sentence: Sentence, tokens: frozenset[int]) -> float:
    """Return what speaks for one end of a conversion: `80 euros` are had, `how many francs` is asked."""
    if not parameter.names & (_HAD | _ASKED):
        return 0.0
    ends = -1 if parameter.names & _HAD else 1
    at = min(tokens)
    value = sentence.in_value[at]
    after = max(tokens) + 1
    said = sentence.language.roles["prepositions"]
    led = after < len(sentence.tokens) and said.get(sentence.tokens[after].key) == "to"
    counted = value is not None and value.kind in ("money", "quantity")
    asked = not counted and (
        # `80 euros in dollars`
        (value is None and sentence.preposition[at] in ("to", "into", "in"))
        or any(sentence.question_at(i) in ("how much", "how many") for i in range(max(0, at - 3), at))
    )  # fmt: skip
    # `when the euro climbs over 1.12 dollars` asks what a euro is in dollars.
    asked = asked or bool(counted and value and value.bound)
    had = (counted and not asked) or led
    return _TURNED * ends * (asked - had)


def _words(parameter: Parameter) -> Iterator[frozenset[str]]:
    for choice in parameter.choices:
        for row in choice.names:
            yield from row


def _spoken(
    parameter: Parameter, sentence: Sentence, first: int, end: int, acts: frozenset[int]
) -> list[Choice]:
    """Return the choices that have a word of a part of a goal, or one that an order begins."""
    numbers: set[int] = set()
    for index in acts:
        stem = sentence.tokens[index].stem
        numbers.update(n for word, known in parameter.said.items() if word.startswith(stem) for n in known)  # fmt: skip
    for index in range(first, end):
        token, value = sentence.tokens[index], sentence.in_value[index]
        named = (token.key.removesuffix(name) for name in parameter.names)
        valued = (value.unit.lower(), value.text.lower()) if value else ()
        for word in (token.key, token.low, token.stem, *token.key.split("-"), *named, _joined(sentence, index, end)[0], *_beginnings(sentence, index), *valued, *token.glosses, *token.broader):  # fmt: skip
            numbers.update(parameter.said.get(word, ()))
    return [parameter.choices[number] for number in sorted(numbers)]


def _beginnings(sentence: Sentence, index: int) -> list[str]:
    """Return what a German compound may begin with: `giro` of `Girokonto`."""
    key = sentence.tokens[index].key
    if not sentence.language.compound_words:
        return []
    return [key[:length] for length in range(_SHORTEST_PART, len(key) - _SHORTEST_PART + 2)]


def _joined(sentence: Sentence, index: int, end: int) -> tuple[str, int]:
    """Return a word and the next as one, and their end: `ecoli` for `E. coli`."""
    dotted = index + 1 < end and sentence.tokens[index + 1].text == "."
    row = sentence.tokens[index : min(index + 2 + dotted, end) : 1 + dotted]
    if len(row) < 2 or any(token.is_stop for token in row):
        return "", 0
    return row[0].key + row[1].key, index + 2 + dotted


def _weekdays(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    known = {c.weekday: c.value for c in parameter.choices if c.weekday is not None}
    if len(known) < 2 or len(known) * 2 < len(parameter.choices):
        return []
    names = sentence.language.roles["weekdays"]
    found: list[Fit] = []
    last, last_end = 0, -1
    for index in range(first, end):
        group = sentence.language.phrase_at(sentence.tokens, index, "weekday_groups")
        days = group[0].meaning if group else [names.get(sentence.tokens[index].key)]
        if group and len(days) > 1 and parameter.is_list:
            # `on weekdays`
            several = [known[day] for day in days if day in known]
            found.append(Fit(parameter, several, frozenset(range(index, group[1])), 1.3))
        day = days[0]
        if len(days) > 1 or day not in known or len(sentence.tokens[index].key) < 3:
            continue
        join = sentence.language.phrase_at(sentence.tokens, last_end, "range_joins") if last_end > 0 else None  # fmt: skip
        if parameter.is_list and join and join[1] == index and join[0].meaning != "and":
            # `Monday to Friday`
            between = [known[one % 7] for one in range(last + 1, last + (day - last) % 7) if one % 7 in known]  # fmt: skip
            found.append(Fit(parameter, between, frozenset(range(last_end, index)), 1.3))
        last, last_end = day, index + 1
        found.append(Fit(parameter, known[day], frozenset((index,)), 1.3))
    return found


def _amounts(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the members that are numbers, as the goal says them: `three quarters of an hour`."""
    found = []
    known = [c.value for c in parameter.choices if isinstance(c.value, int | float)]
    for value in sentence.values if len(known) == len(parameter.choices) else ():
        if value.first < first or value.end > end or value.kind not in ("number", "quantity", "duration", "percent", "money"):  # fmt: skip
            continue
        meant = converted(value, parameter.unit) if parameter.unit and value.unit else value.value
        if meant in known:
            tokens = frozenset(range(value.first, value.end))
            cues, more = cues_of(parameter, sentence, value.first, value.end, first, end)
            found.append(Fit(parameter, meant, tokens, (1.5 if value.unit else 0.9) + 0.5 * more, cues))  # fmt: skip
    return found


def _moments(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the moments of a list that a goal names by day and hour: `tomorrow at 11`."""
    known = {str(c.value)[:16]: c.value for c in parameter.choices if _MOMENT.match(str(c.value))}
    values = [v for v in sentence.values if v.first >= first and v.end <= end and v.kind in ("date", "time", "datetime")]  # fmt: skip
    if not values or len(known) * 2 < len(parameter.choices):
        return []
    said = [[str(one) for one in (value.readings or (value.value,))] for value in values]
    meant = [
        known[moment] for moment in known
        # Each of the values is the moment, its day or its hour.
        if all(any(one[:16] in (moment, moment[:10], moment[11:]) for one in readings) for readings in said)
    ]  # fmt: skip
    tokens = frozenset(i for value in values for i in range(value.first, value.end))
    if not meant:
        return []
    return [Fit(parameter, meant[0], tokens, 1.6, readings=tuple(meant) if len(meant) > 1 else ())]


def _frequencies(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return how often something is wanted: `biweekly` for `every two weeks`, `monthly` for `£5 a month`."""
    for index in range(first, end):
        value = sentence.in_value[index]
        if value is not None and value.rate and index == value.end - 1:
            often, said = (1, value.rate), range(index, index + 1)
        elif value is None and sentence.roles[index] != "quantifiers" and sentence.tokens[index].key not in sentence.language.roles["units"] and (adverb := sentence.tokens[index].glosses & _adverbs().keys()):  # fmt: skip
            # `the weekly prices`
            often, said = _adverbs()[min(adverb)], range(index, index + 1)
        elif sentence.roles[index] != "quantifiers" or index + 1 >= end:
            continue
        elif (after := sentence.in_value[index + 1]) is not None and after.kind == "duration":
            often, said = (after.value, after.unit), range(index, after.end)
        elif sentence.language.phrase_at(sentence.tokens, index + 1, "day_parts"):
            # `every night`
            often, said = (1, "day"), range(index, index + 2)
        else:
            continue
        way = next((c for c in reversed(parameter.choices) if _frequency(c) == often), None)
        if way is not None:
            return [Fit(parameter, way.value, frozenset(said), 1.6)]
    return []


@cache
def _frequent() -> Mapping[str, tuple[int, str]]:
    """Return how often something is by the stems of the words for it."""
    return {stem: often for word, often in _FREQUENCIES.items() for stem in stems_of(word)}


@cache
def _adverbs() -> Mapping[str, tuple[int, str]]:
    """Return how often something is by the stems of adverbs alone: `weekly`."""
    return {
        stem: often for word, often in _FREQUENCIES.items() if word.endswith("ly")
        for stem in stems_of(word) if stem.startswith("#a")
    }  # fmt: skip


def _frequency(choice: Choice) -> tuple[int, str] | None:
    """Return how often a choice says that something is: `every_2_weeks`, `täglich`."""
    text = str(choice.value).lower().replace("-", "").replace("_", "")
    if often := _FREQUENCIES.get(text):
        return often
    if (counted := _COUNTED.fullmatch(text)) and (unit := language("en").roles["units"].get(counted[2])):  # fmt: skip
        # `1wk`
        return int(counted[1]), str(unit)
    for row in choice.names:
        said = [_frequent()[word] for words in row for word in words if word in _frequent()]
        counts = [int(word) for words in row for word in words if word.isdecimal()]
        if said and len(row) == 1 + len(counts):
            return (counts[0], said[0][1]) if counts else said[0]
    return None


def _day_parts(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the part of the day that a goal names: AM for `in the morning`."""
    phrases = (
        sentence.language.phrase_at(sentence.tokens, i, "day_parts") for i in range(first, end)
    )
    said = [phrase for phrase in phrases if phrase]
    known = {
        part: choice for choice in parameter.choices for part, words in _PARTS.items()
        if choice.keys & words or any(words & w for row in choice.names for w in row)
    } if said else {}  # fmt: skip
    for phrase, until in said if len(known) > 1 else ():
        if choice := known.get(_part_of(phrase.meaning[1])):
            return [Fit(parameter, choice.value, frozenset((until - 1,)), 1.3)]
    return []


def _part_of(start: str) -> str:
    return "morning" if start < "11:00" else "afternoon" if start < "17:00" else "evening"


def _none(
    parameter: Parameter, tool: ToolWords, sentence: Sentence, first: int, end: int
) -> list[Fit]:
    """Return the choice of nothing, where the goal denies what is chosen: `no starch`, `no reminders any more`."""
    nothing = next((c for c in parameter.choices if c.keys & _NOTHING), None)
    if nothing is None:
        return []
    for index in range(first + 1, end):
        token = sentence.tokens[index]
        own = token.glosses & parameter.stems
        # `without any notification`
        before = index - 1 - (index - 1 > first and sentence.roles[index - 1] == "quantifiers")
        if own and sentence.roles[before] in ("negators", "without"):
            return [Fit(parameter, nothing.value, frozenset(range(before, index + 1)), 1.4)]
    turned = turned_by(tool, sentence, first, end) if parameter.required else None
    ceases = turned is not None and not turned[0] and len(turned[1]) > 1
    return [Fit(parameter, nothing.value, turned[1], 0.9)] if turned and ceases else []


def _in_other_unit(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the unit to which an amount of the goal can be converted: kg for 750 g."""
    # `hour, today, week` says when something was.
    units = parameter.names & _UNITS or all(c.unit or c.keys & _PIECES for c in parameter.choices)
    for value in sentence.values if units else ():
        for choice in parameter.choices:
            if first <= value.first < end and choice.unit and converted(value, choice.unit) is not None:  # fmt: skip
                return [Fit(parameter, choice.value, frozenset((unit_of(sentence, value),)), 1.2)]
    return []


def _free_of(parameter: Parameter, sentence: Sentence, first: int, end: int) -> list[Fit]:
    """Return the members that are free of what the goal denies: `lactose_free` for `without lactose`."""
    free = language("en").stem("free")
    found: list[Fit] = []
    if not any(sentence.denied[first:end]):
        return found
    for choice in parameter.choices:
        for row in choice.names:
            kinds = [words for words in row if free not in words]
            if len(kinds) == 1 and len(row) == 2:
                found += [
                    Fit(parameter, choice.value, frozenset((i,)), 1.4)
                    for i in range(first, end)
                    if sentence.denied[i]
                    and sentence.weights[i] >= 1
                    and says(sentence.tokens[i], kinds[0])
                ]
    return found


def usual(parameter: Parameter) -> Choice | None:
    """Return the unit of what is only counted: a piece."""
    return next((c for c in parameter.choices if c.keys & _PIECES), None)


def _choice(
    choice: Choice, parameter: Parameter, sentence: Sentence, first: int, end: int,
    others: tuple[frozenset[int], frozenset[int]], acts: frozenset[int],
) -> tuple[frozenset[int], float] | None:  # fmt: skip
    """Return the words that say a choice, and how surely; `hardcover` is `hard` of a `cover`.

    `others` are the words that say the tool, and those that say another argument too.
    """
    said, named = others
    best: tuple[frozenset[int], float] | None = None
    phrases = [words for key in choice.keys if len(words := key.split()) > 1]
    for index in range(first, end):
        token, value = sentence.tokens[index], sentence.in_value[index]
        for words in phrases:
            # The number of `one way` is a part of it.
            until = index + len(words)
            if until <= end and [one.key for one in sentence.tokens[index:until]] == words:
                return frozenset(range(index, until)), _QUOTED
        if value is not None and value.kind in ("quoted", "id") and str(value.value).lower() in choice.keys:  # fmt: skip
            return frozenset(range(value.first, value.end)), _QUOTED
        if token.is_stop and ends_clause(sentence, index) and any(len(row) == 1 and token.glosses & row[0] for row in choice.names):  # fmt: skip
            # `Vorhänge auf`
            return frozenset((index,)), 1.4
        if (
            is_elsewhere(sentence, index)
            and token.low != str(choice.value).lower()
            and index not in acts
        ):
            continue
        if value is not None and value.kind == "money" and value.unit.lower() in choice.keys:
            return frozenset((unit_of(sentence, value),)), 1.4
        if value is not None and choice.unit and value.unit == choice.unit:
            return frozenset((unit_of(sentence, value),)), 1.4
        if sentence.language.roles["currencies"].get(token.key, "").lower() in choice.keys:
            return frozenset((index,)), 1.4
        joined = any(
            token.key == f"{key}{name}" for key in choice.keys for name in parameter.names
        ) or not choice.keys.isdisjoint(_beginnings(sentence, index))
        both, until = _joined(sentence, index, end)
        if both in choice.keys:
            return frozenset(range(index, until)), _QUOTED
        if (
            token.key in choice.keys
            or token.low in choice.keys
            or token.key.replace("-", "") in choice.keys
            or joined
        ):
            # `at`, `de` and `cm` are codes only where they are written in capitals; `US` is not a pronoun.
            text = str(choice.value)
            loose = len(text) > 1 and not choice.is_code
            written = token.text.isupper() and (loose or token.text == text)
            if (token.is_stop or choice.is_code) and not written:
                continue
            score = 1.5 if index not in said else 0.9
            if best is None or score > best[1]:
                best = (frozenset((index,)), score)
    for row in choice.names:
        if choice.unit:
            # `the temperature` is not in degrees Celsius for that.
            row = tuple(frozenset(word for word in words if word[0] != "#") for words in row)
        if (found := _row(row, sentence, first, end, named, parameter.said, acts)) and (best is None or found[1] > best[1]):  # fmt: skip
            best = found
    return best


def _row(
    row: tuple[frozenset[str], ...], sentence: Sentence, first: int, end: int, said: frozenset[int],
    shared: Mapping[str, Sequence[int]], acts: frozenset[int],
) -> tuple[frozenset[int], float] | None:  # fmt: skip
    """Return the words that say one name of a choice, and how surely.

    `shared` are the numbers of the choices that have a word.
    """
    tokens: set[int] = set()
    hits = whole = 0.0
    for words in row:
        # A word that many choices share says little of one.
        worth = 1 / max(1, min((len(shared.get(w, (0,))) for w in words), default=1))
        # `Ubuntu` says `ubuntu-24.04`.
        worth *= _FIGURES if all(word.isdecimal() for word in words) else 1
        whole += worth
        where = {i: 1.0 for i in range(first, end) if i not in tokens and says(sentence.tokens[i], words) and (i in acts or not is_elsewhere(sentence, i))}  # fmt: skip
        if not where:
            where = {i: _BROADER for i in range(first, end) if i not in tokens and sentence.tokens[i].broader & words}  # fmt: skip
        if any(says(sentence.tokens[i], words) for i in tokens):
            # A compound says more than one of its words: `Sehtest`.
            hits += worth
        elif where:
            near = min(where, key=lambda i: (min((abs(i - t) for t in tokens), default=0), i in said, -len(sentence.tokens[i].glosses & words)))  # fmt: skip
            if tokens and min(abs(near - t) for t in tokens) > _SPREAD:
                continue
            tokens.add(near)
            token = sentence.tokens[near]
            exact = bool(
                words & {token.stem, token.key, *(g for g in token.glosses if g[0] != "#")}
            )
            hits += worth * where[near] * (1 if near not in said - acts else 0.5 if exact else 0.2)
    share = hits / whole if whole else 0.0
    if not tokens or share < 0.5:
        return None
    value = sentence.in_value[min(tokens)]
    score = 1.3 * share + 0.1 * min(len(tokens), 3)
    rate = value is not None and value.rate and tokens == {value.end - 1}
    if value is not None and not rate and value.kind not in ("quoted", "id", "number", "ordinal"):
        score -= 0.5
    return frozenset(tokens), score
