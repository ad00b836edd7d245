"""Answers over results, in whole short sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from webagent.agent.deterministic.reading.language import language
from webagent.agent.deterministic.results.bounds import Asked, column_of
from webagent.agent.deterministic.results.clauses import (
    LONGEST,
    LONGEST_NAME,
    MOST_FACTS,
    MOST_SHOWN,
    brief,
    clause_of,
    facts,
    flag_text,
    is_plural,
    label_of,
    main_fields,
    sentence_of,
    spaced,
    value_text,
)
from webagent.agent.deterministic.results.items import (
    MEANINGS,
    Field,
    Item,
    Result,
    columns,
    missing_of,
    named_field,
    named_in,
    stems_of_name,
)
from webagent.agent.deterministic.results.measures import clean, plain_number, written
from webagent.agent.deterministic.results.pick import COMPARING, Choice, pick, spoken_part
from webagent.agent.deterministic.results.question import (
    KINDS,
    Question,
    asked_fields,
    is_number,
    question_of,
)
from webagent.speech import listed, say, spoken

_SUMS: Final = frozenset(("total", "sum", "altogeth", "togeth", "spend", "spent"))
_AMOUNTS: Final = ("how much", "how many")
_NOTHING: Final[Mapping[str, Any]] = {}


def answer(asked: Asked | None, result: Result, given: Mapping[str, Any] = _NOTHING) -> str:
    """Return an answer over a result, up to `LONGEST` characters.

    Args:
        asked: What the person said; without it the main facts are told.
        result: What a tool gave back.
        given: The arguments that it was called with, which are no news.
    """
    result = replace(result, items=tuple(_new(item, given) for item in result.items))
    text = _answer(asked, result) if result.count else _nothing(asked, result)
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def _new(item: Item, given: Mapping[str, Any]) -> Item:
    """Return a thing without the fields that only repeat an argument: `{"day": "sunday", "opens": …}`."""
    fields = tuple(
        one for one in item.fields
        if not one.path or one.is_flag or given.get(one.path[-1]) != one.value or (one.path == item.naming and one.words & MEANINGS["name"])
    )  # fmt: skip
    if not fields or fields == item.fields:
        return item
    return replace(
        item, fields=fields, name=item.name if item.naming in [one.path for one in fields] else ""
    )


def told_of(asked: Asked, result: Result, before: str = "", *, of_many: bool = False) -> str:
    """Return what a result says to a question about its things; nothing if it is about something else.

    Args:
        asked: What the person said.
        result: What a tool gave back.
        before: The last words to the person; `it` is the only thing that they name.
        of_many: Whether the question is about several things.
    """
    question = question_of(asked)
    whole = result = spoken_part(result, asked) or result
    if len(result.items) < 1 + of_many or not _is_about(asked, result):
        return ""
    result, choice = meant_of(asked, result, "" if of_many else before)
    if not choice.items:
        return ""
    if choice.order is not None or asked_fields(choice.items, question):
        return answer(asked, result)
    if question.is_asked or len(choice.items) == len(whole.items):
        return ""
    # `the second one` asks for what there is to say of it.
    chosen = replace(result, items=choice.items, count=len(choice.items), frame=None)
    return answer(None, replace(chosen, is_list=len(choice.items) > 1))


def meant_of(asked: Asked, result: Result, before: str) -> tuple[Result, Choice]:
    """Return which of the things that were told of is meant, and those from which it is chosen.

    Args:
        asked: What the person said.
        result: What a tool gave back.
        before: The last words to the person; `it` is the only thing that they name.
    """
    named = named_in(result.items, before)
    if len(named) > 1 and any(v.kind == "number" and v.value == len(named) for v in asked.values):
        # `the longer of the two`
        result = replace(result, items=named, count=len(named), frame=None)
    choice = pick(result, asked)
    if not choice.is_sure and len(named) == 1:
        result = replace(result, items=named, count=1, frame=None)
        choice = pick(result, asked)
    return result, choice


def asked_names(asked: Asked, names: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the fields that a question asks for, by their names, each with the words that ask for it."""
    fields = [named_field(name) for name in names]
    found = asked_fields([Item(None, tuple(fields))], question_of(asked))
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
        # Who wrote it is its author.
        *(
            language("en").gloss(word, word)
            for f in fields
            if "person" in f.meanings
            for word in f.words
        ),
        stems_of_name(result.noun),
        COMPARING,
        _SUMS,
    )
    texts = " ".join(
        str(one.value) for item in result.items for one in item.fields if isinstance(one.value, str)
    ).casefold()
    valued = {at for value in asked.values for at in range(value.first, value.end)}
    for at, token in enumerate(asked.tokens):
        if token.is_stop or token.is_sign or at in valued or at in asked.orders:
            continue
        role = asked.language.phrase_at(
            asked.tokens, at, "superlatives", "questions", "pronouns", "quantifiers", "polite", "conjunctions",
            "prepositions",
        )  # fmt: skip
        if role is None and not token.glosses & known and token.low not in texts:
            return False
    return True


def _nothing(asked: Asked | None, result: Result) -> str:
    question = question_of(asked)
    if "how many" in question.kinds:
        return say("none")
    if result.value is None:
        return say("no_result")
    return say("no_nothing_found" if _is_yes_no(question) else "nothing_found")


def _answer(asked: Asked | None, result: Result) -> str:
    question = question_of(asked)
    if asked is None or not question.is_asked:
        asked = None if asked is None or not (question.stems or asked.given) else asked
    if not result.is_list and len(result.items) == 1:
        return _of_one(question, result)
    if asked is None:
        return of_many(result.items, result.count, result.noun, question, ())
    if told := _of_frame(question, result):
        return told
    choice = pick(result, asked)
    if not choice.items:
        if "how many" in question.kinds:
            return f"{say('none')} {choice.reason}"
        return f"{say('no_sentence')} {choice.reason}" if _is_yes_no(question) else choice.reason
    text, frame = _of_choice(question, result, choice, asked), result.frame
    # Of `{books: […], total: 3}` the total is how many there are, which is said already.
    sums = [
        one for one in frame.fields
        if "price" in one.meanings and one.measure and not (one.value == result.count and not one.currency)
    ] if frame else []  # fmt: skip
    every = len(choice.items) == len(result.items) and choice.order is None
    if frame and question.is_asked and every and len(sums) == 1:
        # What all of them come to is a part of the answer.
        text += f" {facts([replace(frame, name='')], sums, question)}"
    return text


def _is_yes_no(question: Question) -> bool:
    return question.kinds == {"is"}


def _of_one(question: Question, result: Result) -> str:
    item = result.items[0]
    if len(item.fields) == 1 and not item.fields[0].path:
        return _of_scalar(item.fields[0], question)
    found = asked_fields([item], question)
    states = [field for field in item.fields if "state" in field.meanings]
    if found:
        told = ""
        if _is_yes_no(question) or (found[0].is_flag and not question.kinds & KINDS.keys()):
            told = _yes_or_no(item, [*found, *states])
        wide = _is_yes_no(question) or bool(told) or "how" in question.kinds or _may_be_half(question, found) or len(found) < len(question.kinds) or all(one.path == item.naming or "id" in one.meanings for one in found)  # fmt: skip
        told = told or facts([item], found, question)
        return f"{told} {_rest(item, told, question)}".strip() if wide else told
    return _record(item, result, question)


def _may_be_half(question: Question, found: Sequence[Field]) -> bool:
    """Whether fields may not be all that is asked: an opening time for `how long`, a cost for `how much power`."""
    heads = frozenset[str]().union(*(question.heads[kind] for kind in question.heads if kind in _AMOUNTS))  # fmt: skip
    known = frozenset[str]().union(*(one.words.union(*(MEANINGS.get(m, ()) for m in one.meanings)) for one in found))  # fmt: skip
    return "how long" in question.kinds or bool(heads and not heads & known)


def _rest(item: Item, told: str, question: Question) -> str:
    """Tell the other main facts of a thing, where more may be asked than one field answers."""
    clauses = [
        clause_of(field, question) for field in main_fields([item])[:MOST_FACTS]
        if field.path != item.naming and value_text(field, question) not in told and not field.is_flag
    ]  # fmt: skip
    return sentence_of(clauses) if clauses else ""


def _of_scalar(field: Field, question: Question) -> str:
    if isinstance(field.value, bool):
        return say("yes_sentence" if field.value else "no_sentence")
    text = value_text(field, question)
    if isinstance(field.value, str) and len(field.value.split()) > 3:
        told = clean(field.value, LONGEST - 10)
        return told if told.endswith((".", "!", "?", "…")) else f"{told}."
    if isinstance(field.value, str) and not field.measure:
        return say("it_says", text=text)
    return (
        say("value", label=_label(field), value=text) if field.label else say("it_is", value=text)
    )


def _record(item: Item, result: Result, question: Question) -> str:
    """Tell the main facts of one thing."""
    shown = main_fields([item])[:MOST_FACTS]
    naming = item.field(item.naming)
    is_called = item.name and naming and "id" not in naming.meanings
    start = say("this_is", name=clean(item.name, LONGEST_NAME)) if is_called else ""
    shown = [field for field in shown if field.path != item.naming or not is_called]
    sentences = [
        start,
        sentence_of([clause_of(field, question) for field in shown]) if shown else "",
    ]
    for name, things, count in result.parts[:3]:
        sentences.append(of_many(things, count, name, question, ()) if things else "")
        if things and not is_plural(spaced(name)):
            told = sentences[-1]
            told = told[:1].lower() + told[1:] if spoken().is_english else told
            sentences[-1] = say("of_part", part=spaced(name), told=told)
    for field in item.fields if not result.parts else ():
        if isinstance(field.value, str) and len(field.value) > 160:
            sentences.append(sentence_of([f"{label_of(field)}: “{clean(field.value, 300)}”"]))
            break
    text = " ".join(filter(None, sentences))
    return text.strip() or say("no_facts")


def _yes_or_no(item: Item, fields: Sequence[Field]) -> str:
    """Answer yes or no from the field that says it best: a flag before an amount or a state."""
    own = [one for field in fields if field.path != item.naming and (one := item.field(field.path))]
    own.sort(key=lambda field: not field.is_flag)
    return next((told for field in own if (told := _verdict(item, field))), "")


def _verdict(item: Item, field: Field) -> str:
    subject = clean(item.name, LONGEST_NAME) if item.name else "it"
    label = field.label or "so"
    if field.is_flag:
        fact = flag_text(subject, spoken().labels.get(label, label), bool(field.value))
        return say("yes_fact" if field.value else "no_fact", fact=fact)
    measure = field.measure
    if "count" in field.meanings and measure and measure.unit not in ("moment", "clock"):
        amount = written(field.value, field.unit, field.currency)
        return say(
            "yes_value" if measure.number > 0 else "no_value", label=_label(field), value=amount
        )
    if "state" in field.meanings and isinstance(field.value, str):
        label, value = _label(field), written(field.value)
        told = say("value", label=label, value=value)
        return told if subject == "it" else say("value_of", label=label, name=subject, value=value)
    return ""


def _label(field: Field) -> str:
    return spoken().labels.get(field.label, field.label)


def _of_frame(question: Question, result: Result) -> str:
    """Answer from what stands around a list, if that is asked for: its total, its count."""
    if result.frame is None:
        return ""

    def worth(field: Field) -> float:
        return question.likeness(field, fuzzy=False) + question.prior(field)

    found = [one for one in asked_fields([result.frame], question) if question.likeness(one, fuzzy=False) >= 3]  # fmt: skip
    if "how many" not in question.kinds:
        # Of `{payments: […], total: 3}` the total is how many there are.
        found = [one for one in found if one.unit or one.value != result.count]
    inside = max(map(worth, columns(result.items)), default=0.0)
    is_asked = bool(found) and worth(found[0]) > inside
    return facts([replace(result.frame, name="")], found, question) if is_asked else ""


def _of_choice(question: Question, result: Result, choice: Choice, asked: Asked | None) -> str:
    items = choice.items
    count = result.count if len(items) == len(result.items) else len(items)
    found = asked_fields(items, question)
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
            whole = max(count, missing_of(result)) if count == result.count else count
            return of_many(items, whole, result.noun, question, ())
        found = sums
    if len(items) > 1 and question.stems & _SUMS and (total := _sum(items, found)):
        return total
    if _is_yes_no(question):
        if len(items) == 1 and found and (told := _yes_or_no(items[0], found)):
            name = items[0].name
            return told if name in told else f"{told} {say('it_is_thing', name=clean(name, LONGEST_NAME))}"  # fmt: skip
        return f"{say('yes_sentence')} {of_many(items, count, result.noun, question, found)}"
    # `Which are available` asks for the things, and not for the flag that all of them have.
    found = [one for one in found if not _is_shared(items, one)]
    if found and all(field.path != items[0].naming and field.meanings != {"id"} for field in found):
        return facts(items, found, question)
    return of_many(items, count, result.noun, question, _bounded(items, asked))


def _is_shared(items: Sequence[Item], field: Field) -> bool:
    """Whether several things have the same flag."""
    values = {repr(one.value) for item in items if (one := item.field(field.path))}
    return field.is_flag and len(items) > 1 and len(values) == 1


def _bounded(items: Sequence[Item], asked: Asked | None) -> list[Field]:
    """Return the fields that a bound is about, which the answer names: the fare for `rides of at least 30 euros`."""
    values = [value for value in asked.values if value.bound] if asked else []
    paths = [column_of(items, value, asked) for value in values if asked]
    return [field for field in columns(items) if field.path in paths and "id" not in field.meanings]


def _of_order(question: Question, choice: Choice, found: Sequence[Field]) -> str:
    order = choice.order
    items = choice.items[:MOST_SHOWN]
    fields = [field for field in columns(items) if order and field.path == order.path]
    for field in (*found, *main_fields(items)):
        if len(fields) < 3 and field.path not in [one.path for one in fields]:
            fields.append(field)
    if not order or not fields:
        return of_many(choice.items, len(choice.items), "", question, ())
    things = listed([_thing(item, fields, question) for item in items], len(choice.items))
    return say("first", count=len(items), word=order.word, label=label_of(fields[0]), things=things)


def _comparison(items: Sequence[Item], found: Sequence[Field], question: Question) -> str:
    """Tell what is asked of things, or else in which measures they differ."""
    fields = list(found) or [
        field for field in columns(items)
        if field.measure and "id" not in field.meanings and len({repr(one.value) for item in items if (one := item.field(field.path))}) > 1
    ][:3]  # fmt: skip
    if not fields:
        return of_many(items, len(items), "", question, ())
    told, numbers = [facts(items, [field], question) for field in fields], _numbers(items, fields[0])  # fmt: skip
    if len(fields) == 1 and len(items) == len(numbers) == 2:
        value = value_text(_with(fields[0], abs(numbers[0] - numbers[1])), question)
        told.append(say("difference", value=value))
    return " ".join(told)


def _sum(items: Sequence[Item], found: Sequence[Field]) -> str:
    """Tell what an amount of things comes to: what is asked for, or else what they cost."""
    prices = sorted(
        columns(items),
        key=lambda field: ("price" not in field.meanings, "total" not in field.words),
    )
    # What several copies cost is the total of their line.
    asked = [one for one in found if "price" not in one.meanings]
    field = next((one for one in (*asked, *prices) if _numbers(items, one)), None)
    numbers = _numbers(items, field) if field else []
    if field is None or len({one.unit for item in items if (one := item.field(field.path))}) > 1:
        return ""
    value = value_text(_with(field, sum(numbers, Fraction(0))), question_of(None))
    told = say("sum", label=_label(field), count=len(numbers), value=value)
    return told.replace("total total", "total")


def _numbers(items: Sequence[Item], field: Field) -> list[Fraction]:
    """Return the numbers in a field that can be added up."""
    if field.meanings & {"id", "rating", "temperature", "age"}:
        return []
    own = (one.value for item in items if (one := item.field(field.path)))
    return [Fraction(str(value)) for value in own if is_number(value)]


def _with(field: Field, number: Fraction) -> Field:
    return replace(field, value=plain_number(float(number)))


def of_many(
    items: Sequence[Item], count: int, noun: str, question: Question, found: Sequence[Field]
) -> str:
    """Tell how many things there are, and the first of them with their main facts."""
    items = items[:MOST_SHOWN]
    main = main_fields(items)
    telling = [*found, *(field for field in main if field.path not in [one.path for one in found])]
    telling, noun = telling[: 3 if count > 1 else MOST_FACTS], spaced(noun)
    texts = [_thing(item, telling, question) for item in items]
    while len(texts) > 1 and sum(len(text) + 2 for text in texts) + len(noun) > LONGEST - 60:
        texts = texts[:-1]
    things = listed(texts, count)
    plural = count != 1 and is_plural(noun) and noun.isascii() and noun.islower()
    if plural and spoken().is_english:
        return say("there_are_of", count=count, noun=noun, things=things)
    return say("there_are", count=count, things=things)


def _thing(item: Item, fields: Sequence[Field], question: Question) -> str:
    """Return the name of a thing with some of its facts."""
    facts = [
        brief(one, question) for field in fields
        if field.path != item.naming and (one := item.field(field.path)) and one.value is not None
    ]  # fmt: skip
    name, told = clean(item.name, LONGEST_NAME), say("comma").join(facts)
    if not name and not facts and item.fields and not item.fields[0].path:
        name = written(item.fields[0].value)
    return f"{name} ({told})" if name and told else name or told or say("one_without_facts")
