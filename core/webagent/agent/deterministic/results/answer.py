"""Answers over results, and what was done, in whole short sentences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.reading.quantities import dimension
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.agent.deterministic.results.deeds import deed
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    Result,
    named_field,
    stems_of_name,
)
from webagent.agent.deterministic.results.measures import clean, listed, plain_number, written
from webagent.agent.deterministic.results.pick import (
    COMPARING,
    Asked,
    Choice,
    columns,
    is_near,
    pick,
    spoken_part,
)

LONGEST: Final = 600
_MOST_SHOWN: Final = 5
_MOST_FACTS: Final = 6
_NAME: Final = 70
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "who": ("person",),
    "when": ("date",),
    "where": ("place",),
    "why": ("reason",),
    "how long": ("duration", "distance", "date"),
    "how far": ("distance", "duration"),
    "how much": ("price", "weight", "count"),
    "how many": ("count",),
    "is": ("state",),
}
"""What fields a question asks for, the likelier first."""
_SUMS: Final = frozenset(("total", "sum", "altogeth", "spend", "spent"))
_COUNTS: Final = frozenset(("count", "total", "hit", "found", "size"))
_GENERAL_IDS: Final = frozenset(("id", "number", "code", "refer"))
_DOING: Final = frozenset(("status", "state", "ok", "success", "result", "message"))
_EMPTY: Final = frozenset(("", "ok", "okay", "done", "success", "true", "none", "null"))


@dataclass(frozen=True, slots=True)
class _Question:
    kinds: frozenset[str]
    stems: frozenset[str]
    words: tuple[str, ...]
    unit: str
    is_asked: bool
    heads: Mapping[str, frozenset[str]]
    """By kind what the word behind it means: `how many pages`."""

    def likeness(self, field: Field, *, fuzzy: bool = True) -> float:
        """Return how much the question's words speak for a field."""
        if "id" in field.meanings and not self.stems & (
            _GENERAL_IDS | field.words & MEANINGS["id"]
        ):
            return 0.0
        score = 3.0 * len(self.stems & field.words) + 1.0 * len(
            self.stems & field.around - field.words
        )
        if (
            score < 3
            and fuzzy
            and any(is_near(word, name) for word in self.words for name in _label_words(field))
        ):
            score += 2.5
        if "id" in field.meanings and self.stems & _GENERAL_IDS:
            score += 2.5
        for meaning in field.meanings - {"id"}:
            if self.stems & MEANINGS.get(meaning, frozenset()):
                score += 1.5
                break
        if self.unit and field.unit and dimension(field.unit) == dimension(self.unit):
            score += 4.0
        return score

    def prior(self, field: Field) -> float:
        """Return how much the kind of question speaks for a field."""
        return max((_prior(kind, field) for kind in self.kinds), default=0.0)


def _prior(kind: str, field: Field) -> float:
    if "id" in field.meanings or field.is_flag:
        return 0.0
    for at, meaning in enumerate(_KINDS.get(kind, ())):
        if meaning in field.meanings:
            return 2.0 - 0.5 * at
    # A number that nothing is known of may be the amount.
    return 1.1 if kind == "how much" and not field.meanings and _is_number(field.value) else 0.0


def answer(asked: Asked | None, result: Result) -> str:
    """Return an answer over a result, up to `LONGEST` characters.

    Args:
        asked: What the person said; without it the main facts are told.
        result: What a tool gave back.
    """
    text = _answer(asked, result) if result.count else _nothing(asked, result)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def told_of(asked: Asked, result: Result, before: str = "") -> str:
    """Return what a result says to a question about its things; nothing if it is about something else.

    Args:
        asked: What the person said.
        result: What a tool gave back.
        before: The last words to the person; `it` is the only thing that they name.
    """
    question = _question(asked)
    result = spoken_part(result, asked) or result
    if not result.items or not _is_about(asked, result):
        return ""
    named = [item for item in result.items if len(item.name) > 2 and item.name in before]
    choice = pick(result, asked)
    if not choice.is_sure and len(named) == 1:
        result = replace(result, items=(named[0],), count=1)
        choice = pick(result, asked)
    if not choice.items or (choice.order is None and not _asked_fields(choice.items, question)):
        return ""
    return answer(asked, result)


def asked_names(asked: Asked, names: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the fields that a question asks for, by their names, each with the words that ask for it."""
    fields = [named_field(name) for name in names]
    found = _asked_fields([Item(None, tuple(fields))], _question(asked))
    return {
        field.path[-1]: field.words.union(*(MEANINGS.get(one, ()) for one in field.meanings))
        for field in found
    }


def _is_about(asked: Asked, result: Result) -> bool:
    """Whether each word of a question that says something is one of the things or of their fields."""
    fields = columns(result.items)
    known = frozenset[str]().union(
        *(f.words | f.around for f in fields),
        *(MEANINGS.get(meaning, frozenset()) for f in fields for meaning in f.meanings),
        stems_of_name(result.noun),
        COMPARING,
    )
    texts = " ".join(
        str(one.value) for item in result.items for one in item.fields if isinstance(one.value, str)
    ).casefold()
    valued = {at for value in asked.values for at in range(value.first, value.end)}
    for at, token in enumerate(asked.tokens):
        if token.is_stop or token.is_sign or at in valued:
            continue
        role = asked.language.phrase_at(
            asked.tokens, at, "superlatives", "questions", "pronouns", "quantifiers", "polite", "conjunctions",
            "prepositions",
        )  # fmt: skip
        if role is None and not token.glosses & known and token.low not in texts:
            return False
    return True


def _nothing(asked: Asked | None, result: Result) -> str:
    question = _question(asked)
    if "how many" in question.kinds:
        return "There are none."
    if result.value is None:
        return "There was no answer."
    return "No, nothing was found." if _is_yes_no(question) else "Nothing was found."


def _answer(asked: Asked | None, result: Result) -> str:
    question = _question(asked)
    if asked is None or not question.is_asked:
        asked = None if asked is None or not question.stems else asked
    if not result.is_list and len(result.items) == 1:
        return _of_one(question, result, asked)
    if asked is None:
        return _of_many(result.items, result.count, result.noun, question, ())
    if result.frame is not None and (told := _of_frame(question, result)):
        return told
    choice = pick(result, asked)
    if not choice.items:
        if "how many" in question.kinds:
            return f"There are none. {choice.reason}"
        return f"No. {choice.reason}" if _is_yes_no(question) else choice.reason
    text, frame = _of_choice(question, result, choice), result.frame
    sums = [one for one in frame.fields if "price" in one.meanings and one.measure] if frame else []
    every = len(choice.items) == len(result.items) and choice.order is None
    if frame and question.is_asked and every and len(sums) == 1:
        # What all of them come to is a part of the answer.
        text += f" {_facts([replace(frame, name='')], sums, question)}"
    return text


def _question(asked: Asked | None) -> _Question:
    if asked is None:
        return _Question(frozenset(), frozenset(), (), "", False, {})
    tokens = asked.tokens[:120]
    kinds: set[str] = set()
    stems: set[str] = set()
    unit, taken = "", 0
    heads: dict[str, frozenset[str]] = {}
    # The words of a date or an amount ask for no field: "the day after tomorrow".
    valued = {
        at
        for value in asked.values
        if value.kind != "quoted"
        for at in range(value.first, min(value.end, 120))
    }
    for at, token in enumerate(tokens):
        if at >= taken and (found := asked.language.phrase_at(tokens, at, "questions")):
            # "is" within a sentence asks nothing new.
            kind = str(found[0].meaning)
            if kind != "is" or not kinds:
                kinds.add(kind)
                heads[kind] = tokens[found[1]].glosses if found[1] < len(tokens) else frozenset()
            taken = found[1]
        if not token.is_stop and not token.is_sign and at not in valued:
            stems |= token.glosses or {token.stem}
            before = asked.language.phrase_at(tokens, at - 1, "prepositions") if at else None
            is_in = before is not None and before[0].meaning == "in"
            if (is_in or (kinds & _KINDS.keys() and at - taken < 2)) and not unit:
                named = asked.language.phrase_at(tokens, at, "units")
                unit = str(named[0].meaning) if named and not token.is_figure else ""
    words = tuple(token.key for token in tokens if not token.is_stop and len(token.key) >= 5)
    asks = bool(kinds) or any(token.text in "?¿؟" for token in tokens)
    return _Question(frozenset(kinds), frozenset(stems), words[:40], unit, asks, heads)


def _label_words(field: Field) -> list[str]:
    return [word for word in field.label.split() if len(word) >= 5]


def _is_yes_no(question: _Question) -> bool:
    return question.kinds == {"is"}


# --- One thing ----------------------------------------------------------------------------


def _of_one(question: _Question, result: Result, asked: Asked | None) -> str:
    item = result.items[0]
    if len(item.fields) == 1 and not item.fields[0].path:
        return _of_scalar(item.fields[0], question)
    if asked is not None and (part := spoken_part(result, asked)) is not None and part.items:
        choice = pick(part, asked)
        return _of_choice(question, part, choice) if choice.items else choice.reason
    found = _asked_fields([item], question)
    states = [field for field in item.fields if "state" in field.meanings]
    if found:
        if (_is_yes_no(question) or (found[0].is_flag and not question.kinds & _KINDS.keys())) and (
            told := _yes_or_no(item, [*found, *states])
        ):
            return told
        return _facts([item], found, question)
    return _record(item, result, question)


def _of_scalar(field: Field, question: _Question) -> str:
    if isinstance(field.value, bool):
        return "Yes." if field.value else "No."
    text = _value(field, question)
    if isinstance(field.value, str) and len(field.value.split()) > 3:
        told = clean(field.value, LONGEST - 10)
        return told if told.endswith((".", "!", "?", "…")) else f"{told}."
    if isinstance(field.value, str) and not field.measure:
        return f"It says “{text}”."
    return f"The {field.label} is {text}." if field.label else f"It is {text}."


def _record(item: Item, result: Result, question: _Question) -> str:
    """Tell the main facts of one thing."""
    shown = _main_fields([item])[:_MOST_FACTS]
    naming = item.field(item.naming)
    is_called = item.name and naming and "id" not in naming.meanings
    start = f"This is {clean(item.name, _NAME)}." if is_called else ""
    shown = [field for field in shown if field.path != item.naming or not is_called]
    sentences = [start, _sentence([_clause(field, question) for field in shown]) if shown else ""]
    for name, things, count in result.parts[:3]:
        sentences.append(_of_many(things, count, name, question, ()) if things else "")
        if things and not _is_plural(_spaced(name)):
            sentences[-1] = f"For {_spaced(name)}, {sentences[-1][:1].lower()}{sentences[-1][1:]}"
    for field in item.fields if not result.parts else ():
        if isinstance(field.value, str) and len(field.value) > 160:
            sentences.append(_sentence([f"{_label(field)}: “{clean(field.value, 300)}”"]))
            break
    text = " ".join(filter(None, sentences))
    return text.strip() or "It is done, and there is nothing more to report."


def _yes_or_no(item: Item, fields: Sequence[Field]) -> str:
    """Answer yes or no from the field that says it best: a flag before an amount or a state."""
    own = [one for field in fields if field.path != item.naming and (one := item.field(field.path))]
    own.sort(key=lambda field: not field.is_flag)
    return next((told for field in own if (told := _verdict(item, field))), "")


def _verdict(item: Item, field: Field) -> str:
    subject = clean(item.name, _NAME) if item.name else "it"
    label = field.label or "so"
    if field.is_flag:
        return f"{'Yes' if field.value else 'No'}, {_flag(subject, label, bool(field.value))}."
    measure = field.measure
    if "count" in field.meanings and measure and measure.unit not in ("moment", "clock"):
        amount = written(field.value, field.unit, field.currency)
        return f"{'Yes' if measure.number > 0 else 'No'}, the {label} is {amount}."
    if "state" in field.meanings and isinstance(field.value, str):
        return _of_state(subject, field)
    return ""


def _of_state(subject: str, field: Field) -> str:
    return f"The {field.label} of {subject} is {written(field.value)}." if subject != "it" else (
        f"The {field.label} is {written(field.value)}.")  # fmt: skip


def _flag(subject: str, label: str, value: bool) -> str:
    """Return what a flag says: `Salt Roads is not available`, `it has no parking`."""
    first, _, rest = label.partition(" ")
    if first == "can" and rest:
        return f"{subject} can {'' if value else 'not '}{rest}"
    last = label.rpartition(" ")[2]
    if rest and first != "has" and first.endswith("s") and language("en").stem(first) in _STATING:
        return f"{subject} {label}" if value else f"{subject} does not {first[:-1]} {rest}"
    if first != "has" and (first in _PLACES or last in _QUALITIES or last.endswith(_ENDINGS)):
        return f"{subject} is {'' if value else 'not '}{label}"
    return f"{subject} has {'' if value else 'no '}{rest if first == 'has' and rest else label}"


_STATING: Final = frozenset(
    [
        "need",
        "allow",
        "includ",
        "requir",
        "support",
        "accept",
        "contain",
        "serv",
        "offer",
        "want",
        "work",
    ]
)
_PLACES: Final = ("in", "on", "at", "out", "under")
_ENDINGS: Final = ("ed", "able", "ible", "ing", "ful", "ive", "ent", "ant", "ic", "less", "ory", "al", "y")  # fmt: skip
_QUALITIES: Final = frozenset(
    ["open", "closed", "free", "done", "paid", "due", "new", "old", "online", "offline", "full", "empty", "on", "off", "up", "down", "read", "unread", "hidden", "taken", "sold", "true", "default", "public", "own", "late", "early", "overdue", "vegan", "safe", "ok", "valid", "secure", "complete", "alone", "here", "there"]
)  # fmt: skip


# --- Several things -----------------------------------------------------------------------


def _of_frame(question: _Question, result: Result) -> str:
    """Answer from what stands around a list: its total, its count."""
    frame = result.frame
    if frame is None:
        return ""
    best = max(
        (
            question.likeness(field, fuzzy=False) + question.prior(field)
            for field in columns(result.items)
        ),
        default=0.0,
    )
    found = _asked_fields([frame], question)
    found = [field for field in found if question.likeness(field, fuzzy=False) >= 3]
    if found and question.likeness(found[0]) + question.prior(found[0]) > best:
        return _facts([replace(frame, name="")], found, question)
    return ""


def _of_choice(question: _Question, result: Result, choice: Choice) -> str:
    items = choice.items
    found = _asked_fields(items, question)
    if choice.order is not None:
        return _of_order(question, choice, found)
    if question.stems & COMPARING and len(items) > 1:
        return _comparison(items, found, question)
    if "how many" in question.kinds:
        sums = [
            field for field in found
            if field.measure and (question.unit or question.likeness(field) >= 3 or (len(items) == 1 and choice.named and "count" in field.meanings))
        ]  # fmt: skip
        if not sums:
            count = _count(result) if len(items) == len(result.items) else len(items)
            return _of_many(items, count, result.noun, question, ())
        found = sums
    if len(items) > 1 and question.stems & _SUMS and (total := _sum(items, found)):
        return total
    if _is_yes_no(question):
        if len(items) == 1 and found and (told := _yes_or_no(items[0], found)):
            return told
        text = _of_many(
            items,
            len(items) if len(items) < len(result.items) else result.count,
            result.noun,
            question,
            found,
        )
        return f"Yes. {text}"
    if found and all(field.path != items[0].naming for field in found):
        return _facts(items, found, question)
    return _of_many(
        items,
        len(items) if len(items) < len(result.items) else result.count,
        result.noun,
        question,
        (),
    )


def _count(result: Result) -> int:
    """Return how many there are in all, as the result says or as it has them."""
    if result.frame is not None:
        for field in result.frame.fields:
            counts = len(field.path) == 1 and not field.unit and field.words & _COUNTS
            if counts and type(field.value) is int and result.count <= field.value < 10**12:
                return field.value
    return result.count


def _of_order(question: _Question, choice: Choice, found: Sequence[Field]) -> str:
    order = choice.order
    items = choice.items[:_MOST_SHOWN]
    fields = [field for field in columns(items) if order and field.path == order.path]
    for field in (*found, *_main_fields(items)):
        if len(fields) < 3 and field.path not in [one.path for one in fields]:
            fields.append(field)
    if not order or not fields:
        return _of_many(choice.items, len(choice.items), "", question, ())
    texts = []
    for item in items:
        facts = [
            _brief(one, question) for field in fields
            if field.path != item.naming and (one := item.field(field.path)) and one.value is not None
        ]  # fmt: skip
        name = clean(item.name, _NAME)
        texts.append(f"{name} ({', '.join(facts)})" if name and facts else name or ", ".join(facts))
    verb = "is" if len(items) == 1 else "are"
    return f"The {order.word} {verb} {listed(texts, len(choice.items))}."


def _comparison(items: Sequence[Item], found: Sequence[Field], question: _Question) -> str:
    fields = list(found) or [
        field for field in columns(items)
        if field.measure and "id" not in field.meanings and len({repr(one.value) for item in items if (one := item.field(field.path))}) > 1
    ][:3]  # fmt: skip
    if not fields:
        return _of_many(items, len(items), "", question, ())
    text = " ".join(_facts(items, [field], question) for field in fields)
    both = [one for item in items if (one := item.field(fields[0].path)) and _is_number(one.value)]
    if len(items) == 2 and len(both) == 2 and _is_summable(both[0]):
        first, second = (Fraction(str(field.value)) for field in both)
        difference = replace(both[0], value=plain_number(float(abs(first - second))))
        text += f" The difference is {_value(difference, question)}."
    return text


def _sum(items: Sequence[Item], found: Sequence[Field]) -> str:
    fields = [field for field in found if _is_summable(field)] or [
        field for field in columns(items) if _is_summable(field) and "price" in field.meanings
    ] or [field for field in columns(items) if _is_summable(field)]  # fmt: skip
    if not fields:
        return ""
    field = fields[0]
    values = [one.value for item in items if (one := item.field(field.path)) is not None]
    numbers = [Fraction(str(value)) for value in values if _is_number(value)]
    if not numbers or len({one.unit for item in items if (one := item.field(field.path))}) > 1:
        return ""
    total = sum(numbers, Fraction(0))
    text = _value(replace(field, value=plain_number(float(total))), _question(None))
    return f"The total {field.label} of {len(numbers)} is {text}.".replace("total total", "total")


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) < 1e15
        and value == value
    )


def _is_summable(field: Field) -> bool:
    return (
        _is_number(field.value)
        and "id" not in field.meanings
        and not field.meanings & {"rating", "temperature", "age"}
    )


def _of_many(
    items: Sequence[Item], count: int, noun: str, question: _Question, found: Sequence[Field]
) -> str:
    """Tell how many things there are, and the first of them with their main facts."""
    items = items[:_MOST_SHOWN]
    main = _main_fields(items)
    telling = [*found, *(field for field in main if field.path not in [one.path for one in found])]
    texts = []
    for item in items:
        facts = [
            _brief(one, question) for field in telling[:3]
            if field.path != item.naming and (one := item.field(field.path)) and one.value is not None
        ]  # fmt: skip
        name = clean(item.name, _NAME) if item.name else ""
        if not name and not facts and item.fields and not item.fields[0].path:
            name = written(item.fields[0].value)
        texts.append(
            f"{name} ({', '.join(facts)})"
            if name and facts
            else name or ", ".join(facts) or "one without facts"
        )
    return _fitted(_there_are(count, _spaced(noun)), texts, count)


def _fitted(start: str, texts: list[str], count: int) -> str:
    """Return a sentence with as many of its parts as have room."""
    while len(texts) > 1 and len(start) + sum(len(text) + 2 for text in texts) > LONGEST - 40:
        texts = texts[:-1]
    return f"{start}: {listed(texts, count)}."


def _there_are(count: int, noun: str) -> str:
    if count == 1:
        return "There is 1"
    return f"There are {count}" + (
        f" {noun}" if noun.endswith("s") and noun.isascii() and noun.islower() else ""
    )


def _spaced(name: str) -> str:
    return clean(" ".join(identifier_words(name)), 40)


# --- Fields -------------------------------------------------------------------------------


def _asked_fields(items: Iterable[Item], question: _Question) -> list[Field]:
    """Return the fields that a question asks for, at most three."""
    scored = []
    for field in columns(list(items)):
        if not field.path:
            continue
        likeness, prior = question.likeness(field), question.prior(field)
        if field.meanings == {"id"} and likeness < 2.5:
            continue
        if likeness + prior > 1.0:
            scored.append((likeness + prior, field))
    found: list[Field] = []
    kinds = [kind for kind in sorted(question.kinds & _KINDS.keys()) if kind != "is"]
    is_loose = len(kinds) == 1 and kinds[0].startswith("how m")
    for kind in kinds if scored and kinds and not is_loose else [""] * bool(scored):
        # Two questions in one goal are both answered: "how much … and until when …".
        head = question.heads.get(kind, frozenset())
        known = [
            entry
            for entry in scored
            if entry[1].meanings & {*_KINDS.get(kind, ())} or entry[1].words & head
        ]
        own = known or [entry for entry in scored if not kind or _prior(kind, entry[1])] or scored
        most = max(score for score, _ in own)
        found += [field for score, field in own if score >= most - 0.4]
    paths = [field.path for field in found]
    return [field for _, field in scored if field.path in paths][:3]


def _main_fields(items: Sequence[Item]) -> list[Field]:
    """Return the fields worth telling, in the order of the result."""
    found = []
    named = any(item.name for item in items)
    for field in columns(items):
        text = field.value if isinstance(field.value, str) else ""
        if not field.path or field.value is None or field.value == () or len(text) > 160:
            continue
        if text.startswith(("http://", "https://", "data:")) or (text and not text.strip()):
            continue
        if "id" in field.meanings and named and all(field.path != item.naming for item in items):
            continue
        if field.words & {"currenc", "unit"} and text:
            continue
        found.append(field)
    return found


def _clause(field: Field, question: _Question, subject: str = "it") -> str:
    """Return `the deposit is 450 EUR`, `it renews on 1 January 2028`, `there are 23 pieces`."""
    label = _label(field)
    value = _value(field, question)
    if field.is_flag:
        return _flag(subject, label, bool(field.value))
    english = language("en")
    measure = field.measure
    if measure and measure.unit == "clock" and isinstance(field.value, str):
        value = f"at {value}"
    if " " not in label and measure and measure.unit in ("moment", "clock"):
        joint = "at" if measure.unit == "clock" else "on"
        if english.stem(label) in _HAPPENING and not label.endswith(("ing", "ed")):
            verb = label if label.endswith("s") else f"{label}s"
            return f"{subject} {verb} {joint} {value.removeprefix('at ')}"
    if (
        measure
        and measure.unit in ("moment", "clock")
        and (label.endswith("ed") or label in _PARTICIPLES)
    ):
        joint = "at" if measure.unit == "clock" else "on"
        return f"{subject} {'is' if label == 'due' else 'was'} {label} {joint} {value.removeprefix('at ')}"
    if label in english.roles["prepositions"]:
        return f"{subject} is {label} {value}"
    head, _, last = label.rpartition(" ")
    if (
        head
        and measure
        and measure.unit in ("moment", "clock")
        and last in english.roles["prepositions"]
    ):
        return f"{subject} {'was' if head.endswith('ed') else 'is'} {label} {value.removeprefix('at ')}"
    if _is_plural(label):
        if measure and not field.unit and "count" in field.meanings:
            return f"there {'is' if field.value == 1 else 'are'} {value} {label}"
        return f"the {label} are {value}"
    return f"the {label} is {value}"


_HAPPENING: Final = frozenset(
    [
        "open",
        "close",
        "start",
        "end",
        "begin",
        "depart",
        "arriv",
        "renew",
        "expir",
        "finish",
        "leav",
        "return",
    ]
)
_PARTICIPLES: Final = frozenset(("taken", "due", "born", "sent", "paid", "sold", "made", "written"))


def _is_plural(label: str) -> bool:
    return label.endswith("s") and not label.endswith(("ss", "us", "is"))


def _value(field: Field, question: _Question) -> str:
    """Return a field's value as a person reads it; a price has cents or none."""
    value = field.value
    if (
        "price" in field.meanings
        and not field.unit
        and isinstance(value, float)
        and abs(value) < 1e12
    ):
        return (
            f"{value:.2f}" if value != round(value) and value == round(value, 2) else written(value)
        )
    return written(value, field.unit, field.currency, question.unit)


def _label(field: Field) -> str:
    around = _spaced(field.path[-2]) if len(field.path) > 1 else ""
    if around and field.label in around.split():
        around = ""
    if around.endswith("s") and not around.endswith("ss"):
        # `temperatures.bedroom`: the bedroom temperature.
        return clean(f"{field.label} {around[:-1]}", 40)
    return clean(f"{around} {field.label}".strip(), 40) or "value"


def _brief(field: Field, question: _Question) -> str:
    """Return a fact as it stands in brackets: `deposit 450 EUR`, `25 minutes`, `not available`."""
    value = _value(field, question)
    label = _label(field)
    if field.is_flag:
        return _flag("", label, bool(field.value)).strip().removeprefix("is ")
    return (
        value
        if field.unit and label in field.meanings | {"value", "energy", "volume"}
        else f"{label} {value}"
    )


def _sentence(clauses: Sequence[str]) -> str:
    text = listed(list(clauses))
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _facts(items: Sequence[Item], fields: Sequence[Field], question: _Question) -> str:
    """Tell the asked fields of things."""
    shown = items[:_MOST_SHOWN]
    if len(shown) == 1:
        item = shown[0]
        own = [one for field in fields if (one := item.field(field.path))]
        name = "" if any(one.path == item.naming for one in own) else clean(item.name, _NAME)
        if (
            name
            and len(own) == 1
            and not (clause := _clause(own[0], question, name)).startswith(("the ", "there "))
        ):
            return _sentence([clause])
        clauses = [_clause(one, question) for one in own]
        return f"For {name}, {listed(clauses)}." if name else _sentence(clauses)
    sentences = []
    for field in fields[:2]:
        texts = []
        for item in shown:
            one = item.field(field.path)
            if one is None or one.value is None:
                continue
            value = _value(one, question)
            texts.append(
                f"{value} for {clean(item.name, _NAME)}"
                if item.name and field.path != item.naming
                else value
            )
        label = _label(field)
        verb = "are" if _is_plural(label) else "is"
        start = "It is" if label in language("en").roles["prepositions"] else f"The {label} {verb}"
        sentences.append(_fitted_fact(start, texts, len(items)))
    return " ".join(sentences)


def _fitted_fact(start: str, texts: list[str], count: int) -> str:
    more = count - len(texts)
    while len(texts) > 1 and len(start) + sum(len(text) + 2 for text in texts) > LONGEST // 2:
        texts, more = texts[:-1], more + 1
    return f"{start} {listed(texts, len(texts) + max(more, 0))}."


# --- Actions ------------------------------------------------------------------------------


def done(
    tool: str,
    arguments: Mapping[str, Any],
    result: Result,
    *,
    schema: Any = None,
    verbs: frozenset[str] = frozenset(),
    title: str = "",
    thing: str = "",
) -> str:
    """Return that something was done, with the thing's name and what the result confirms.

    Args:
        tool: The tool's name.
        arguments: What it was called with.
        result: What it gave back.
        schema: The tool's input schema, which says what is a code.
        verbs: Stems of the tool's verbs.
        title: What the tool is called for people, if it says.
        thing: The name of the thing, if an argument is only its id.
    """
    text = deed(tool, verbs, title, clean(thing, _NAME) or _thing(arguments, schema))
    if result.is_list and result.count:
        text += " " + _of_many(result.items, result.count, result.noun, _question(None), ())
    elif len(result.items) == 1 and result.items[0].fields:
        item = result.items[0]
        own = item.fields[0]
        said = str(own.value).strip().lower()
        if own.path:
            text += _told([field for field in _confirmed(item) if field.path])
        elif not isinstance(own.value, bool) and said not in _EMPTY and said not in text.lower():
            text += f" It says “{written(own.value)}”."
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _told(fields: Sequence[Field]) -> str:
    clauses = [_clause(field, _question(None)) for field in fields[:4]]
    return f" {_sentence(clauses)}" if clauses else ""


def _confirmed(item: Item) -> list[Field]:
    fields = [
        field
        for field in item.fields
        if field.value is not None and not isinstance(field.value, bool)
    ]
    fields = [
        field
        for field in fields
        if len(str(field.value)) <= 160 and not str(field.value).startswith("http")
    ]
    fields = [field for field in fields if str(field.value).strip().lower() not in _EMPTY]
    telling = [
        field
        for field in fields
        if field.meanings & {"id", "price", "date"} or field.words & _DOING
    ]
    return [*telling, *(field for field in fields if field not in telling)]


def _thing(arguments: Mapping[str, Any], schema: Any) -> str:
    """Return what the arguments call the thing: the first text that is a name, not a code."""
    best = code = ""
    for at, (key, value) in enumerate(arguments.items()):
        if at == 20:
            break
        if not isinstance(value, str) or not value.strip() or len(value) > 80:
            continue
        stems = stems_of_name(str(key)[:80])
        if _is_code(schema, key, value):
            code = code or (clean(value, _NAME) if value.islower() and len(value) > 2 else "")
            continue
        if stems & MEANINGS["name"]:
            return clean(value, _NAME)
        if not best and not stems & MEANINGS["id"] and not any(sign.isdigit() for sign in value):
            best = clean(value, _NAME)
    return best or code


def _is_code(schema: Any, key: Any, value: str) -> bool:
    """Whether a value is one of those a schema lists, or looks like a code."""
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    own = properties.get(key) if isinstance(properties, Mapping) else None
    return (isinstance(own, Mapping) and "enum" in own) or (value.isupper() and len(value) <= 5)


__all__ = ["LONGEST", "answer", "done"]
