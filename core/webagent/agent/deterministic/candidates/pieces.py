"""Pieces of a goal that may be a text: runs of words, and what is announced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence

MESSAGE: Final = frozenset(("message", "text", "comment", "body", "note", "notes", "description", "content", "reason", "remark", "remarks", "details", "question", "feedback", "review", "wish", "wishes", "instructions", "summary", "symptoms", "problem", "task", "nachricht", "notiz", "texto", "mensaje", "texte"))  # fmt: skip
NAMED: Final = frozenset(("name", "title", "subject", "label", "reference", "query", "q", "titel", "titre", "titulo", "nom", "nombre"))  # fmt: skip
_TASKS: Final = frozenset(("title", "task", "todo", "text", "reminder", "what", "note"))
_RENAMED: Final = frozenset(("to", "into", "in", "as"))
_NAMING: Final = frozenset(("call", "name", "titl", "entitl", "renam"))
_LINKS: Final = frozenset(("of", "de", "du", "del", "la", "le", "der", "von", "van", "and", "&", "the", "y", "et", "und", "-", "'", "’"))  # fmt: skip
"""Small words inside of a name: `Brass & Bone`, `University of Graz`."""
_INDEFINITE: Final = frozenset(
    ("a", "an", "ein", "eine", "einen", "einem", "einer", "un", "une", "una")
)
_DETERMINERS: Final = frozenset(("the", "a", "an", "my", "our", "your"))
_SPEAKERS: Final = frozenset(("i", "we", "you", "he", "she", "it", "they", "ich", "wir", "er", "sie", "es", "je", "nous", "il", "elle", "ils", "elles", "yo"))  # fmt: skip
_SHORT_UNIT: Final = 2
"""Letters of a unit that is not also another word."""
_OWNED: Final = 0.75
"""What speaks for a name with what it owns: `Tom's morning`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Neighbouring words that may be a text."""

    first: int
    end: int
    score: float
    """What speaks for it, whatever the parameter is."""


def takes_message(parameter: Parameter) -> bool:
    """Whether a parameter is for free text, and not for a name."""
    return parameter.kind == "text" and bool(parameter.names & MESSAGE)


def pieces_of(
    parameter: Parameter, sentence: Sentence, first: int, end: int, said: frozenset[int], *, owns: bool
) -> Iterator[Piece]:  # fmt: skip
    """Yield the pieces of a goal that may be a text, with what a name `owns` too: `Tom's morning`."""
    yield from _announced(parameter, sentence, first, end)
    own = parameter.stems
    joins_names = bool(parameter.names & _TASKS)
    keeps_verbs = parameter.is_query or bool(parameter.names & MESSAGE)
    relatives = sentence.language.roles["that_clauses"]
    lead = next((i for i in range(first, end) if sentence.weights[i]), first)
    run: int | None = None
    owned: int | None = None
    for index in range(first, end + 1):
        inside = index < end and (
            _is_text(sentence, index, said, own)
            or (joins_names and _joins_name(sentence, index, first))
        )
        is_behind = index > first and sentence.tokens[index - 1].key in relatives
        is_told = index > first and sentence.tokens[index - 1].key in _SPEAKERS
        if inside and sentence.verbs[index] and ((index in sentence.orders and index > lead) or is_behind or is_told):  # fmt: skip
            # `a curry that takes an hour`, `it means dog`
            inside = False
        if inside and not sentence.is_name(index) and sentence.verbs[index] and (index == lead or not sentence.is_noun(index)) and not _is_determined(sentence, index, run):  # fmt: skip
            # `Miso weighs now …` names Miso.
            relative = index > first and sentence.roles[index - 1] == "pronouns"
            inside = keeps_verbs and index != lead and not relative
        if inside and run is None:
            run = index
        elif not inside and run is not None:
            yield from _of_run(sentence, run, index, first)
            if owned is not None and sentence.tokens[run - 1].low.endswith(("'s", "’s")) and owns:
                # `Tom's morning`
                yield Piece(*trimmed(sentence, owned, index), _OWNED)
            run = owned = None
        if run is not None and index < end and sentence.tokens[index].low.endswith(("'s", "’s")) and not sentence.is_name(index + 1):  # fmt: skip
            # `Pepa's next vaccination` names Pepa.
            yield from _of_run(sentence, run, index + 1, first, 0.2)
            owned, run = run, None


def _is_determined(sentence: Sentence, index: int, run: int | None) -> bool:
    """Whether a verb is used as a noun: `the mirror lake`, `a travel adapter`."""
    if sentence.language.code != "en" or index == 0 or sentence.is_participle(index):
        return False
    agent = run is not None and sentence.tokens[index].low.endswith(("er", "ers", "or", "ors"))
    # `for a book launch with 80 guests`
    joined = (
        run is not None
        and sentence.is_noun(index - 1)
        and any(token.key in _INDEFINITE for token in sentence.tokens[max(run - 1, 0) : index - 1])
        and _is_empty(sentence, index + 1)
    )
    return agent or joined or sentence.tokens[index - 1].key in _DETERMINERS


def _joins_name(sentence: Sentence, index: int, first: int) -> bool:
    """Whether a word joins what is done and with whom: `lunch with Maria`."""
    said = sentence.language.roles["prepositions"]
    if index <= first or said.get(sentence.tokens[index].key) != "with":
        return False
    return sentence.is_noun(index - 1) and index - 1 not in sentence.orders and sentence.is_name(index + 1)  # fmt: skip


def _of_run(
    sentence: Sentence, run: int, until: int, first: int, score: float = 0.0
) -> Iterator[Piece]:
    """Yield a run of words, and the name in it if it has one."""
    at, until = trimmed(sentence, run, until)
    if until <= at:
        return
    names = [i for i in range(at, until) if sentence.is_name(i)]
    size = sentence.in_value[until] if until < len(sentence.tokens) else None
    if size is not None and size.kind == "quantity" and sentence.tokens[until].is_figure:
        # `Ibuprofen 400 mg`
        yield Piece(at, size.end, score + (0.55 if names else 0.1))
    if not names:
        yield Piece(at, until, score)
        return
    stop = start = names[0]
    while stop < until and (
        sentence.is_name(stop) or sentence.in_title(stop) or sentence.tokens[stop].is_figure
        or (sentence.tokens[stop].low in _LINKS and any(n > stop for n in names) and stop + 1 in (*names, names[-1]))
    ):  # fmt: skip
        stop += 1
    if start - 1 in sentence.orders and stop - start == 2 and sentence.tokens[stop - 1].is_figure:
        # `send Eva 20 for the tickets`
        yield Piece(start, start + 1, score + 0.3)
    if stop + 1 < until and sentence.preposition[stop + 1] == "of" and sentence.is_noun(stop + 1):
        # `Bufanda de invierno`
        stop = until
    led = start > first and sentence.tokens[start - 1].is_stop and not sentence.roles[start - 1]
    while led and stop < until and sentence.language.code == "en" and sentence.is_noun(stop) and not sentence.verbs[stop]:  # fmt: skip
        # `the Kyoto sneakers`
        stop += 1
    # `lunch with Maria` does not name Maria alone.
    joined = start > at and sentence.preposition[start] == "with"
    whole = joined or (start, stop) == (at, until)
    if sentence.language.code == "de" and stop < until and sentence.tokens[stop - 1].low.endswith("s") and sentence.tokens[stop].is_capital:  # fmt: skip
        # `Omas Geburtstag`
        yield Piece(start, until, score + _OWNED)
    if whole or sentence.language.code == "de":
        yield Piece(at, until, score + (0.5 if whole else 0.3))
    else:
        yield Piece(at, until, score + 0.2)
    if not whole:
        yield Piece(start, stop, score + 0.55)


def _announced(parameter: Parameter, sentence: Sentence, first: int, end: int) -> Iterator[Piece]:
    """Yield what follows a colon, the parameter's own name, or `called`."""
    own = parameter.stems
    is_message = bool(parameter.names & MESSAGE)
    is_named = bool(parameter.names & NAMED)
    is_task = bool(parameter.names & _TASKS)
    if is_message and (told := sentence.message_at(first, end)) >= 0:
        until = next((i for i in range(told, end) if sentence.tokens[i].text in ".!?"), end)  # fmt: skip
        yield Piece(*trimmed(sentence, told, until, keeps=True), 1.2)
    if is_task and (at := sentence.task_at(first, end)) >= 0:
        # `remind me to call Ana on Friday`
        until = next((i for i in range(at + 1, end) if sentence.tokens[i].text in ",;.!?" or ((value := sentence.in_value[i]) and value.kind != "quoted")), end)  # fmt: skip
        yield Piece(*trimmed(sentence, at, until), 0.9)
    for index in range(first, end - 1):
        token = sentence.tokens[index]
        stop = next((i for i in range(index + 2, end) if sentence.tokens[i].text in ",;" or (i in sentence.orders and sentence.roles[i - 1] == "conjunctions")), end)  # fmt: skip
        if token.text == ":" and (is_message or sentence.in_value[index + 1] is None):
            last = end - 1 if sentence.tokens[end - 1].text in ".!" else end
            yield Piece(index + 1, last, 0.9 if is_message else 0.3)
            if is_message and parameter.required and stop < end:
                # `homework: label the parts of a leaf, due friday`
                yield Piece(index + 1, stop, 0.85)
            if is_named:
                ends = (i for i in range(index + 2, stop) if sentence.tokens[i].text in ".!?")
                yield Piece(*trimmed(sentence, index + 1, next(ends, stop), keeps=True), 1.1)
        elif token.glosses & own and is_message:
            at, until = trimmed(sentence, index + 1, end)
            if not (at in sentence.orders and sentence.roles[at - 1] == "conjunctions"):
                # `rate it 5 stars and buy the next one` says nothing of it.
                yield Piece(at, until, 0.5)
        elif is_named and (token.glosses & _NAMING or sentence.language.roles["prepositions"].get(token.key) == "called"):  # fmt: skip
            yield Piece(*trimmed(sentence, _new_name(sentence, index, stop), stop), 0.9)


def _new_name(sentence: Sentence, index: int, stop: int) -> int:
    """Return where a name begins behind a verb that gives it: behind `to`, of `rename 45 to Parse CSV`."""
    said = sentence.language.roles["prepositions"]
    if index not in sentence.orders:
        return index + 1
    renamed = (
        i for i in range(index + 2, stop - 1) if said.get(sentence.tokens[i].key) in _RENAMED
    )
    return next(renamed, index) + 1


def _is_text(sentence: Sentence, index: int, said: frozenset[int], own: frozenset[str]) -> bool:
    token = sentence.tokens[index]
    role = sentence.roles[index]
    value = sentence.in_value[index]
    if value is not None:
        # `Halle 3` has a number of its own.
        before = sentence.tokens[index - 1]
        noun = (before.is_capital and not before.is_stop) if sentence.language.code == "de" else (index - 1 not in said and sentence.weights[index - 1] >= 1 and (not sentence.verbs[index - 1] or _is_determined(sentence, index - 1, None)))  # fmt: skip
        named = index > 0 and (sentence.is_name(index - 1) or noun) and not sentence.tokens[index - 1].glosses & own  # fmt: skip
        # `give Vexa 20 torches`
        after = sentence.tokens[value.end] if value.end < len(sentence.tokens) else None
        counts = after is not None and not (after.is_sign or after.is_stop or sentence.roles[value.end] or (sentence.verbs[value.end] and not sentence.is_noun(value.end)))  # fmt: skip
        return value.kind == "number" and value.end - value.first == 1 and token.is_figure and named and not counts  # fmt: skip
    is_unit = token.key in sentence.language.roles["units"]
    if is_unit and (len(token.key) <= _SHORT_UNIT or (index and sentence.roles[index - 1] == "quantifiers")):  # fmt: skip
        # `how many km`, `every month`
        return False
    # `accounting, sailing and French` are three things.
    behind = sentence.tokens[index - 1].text == "," and token.low.endswith("ed")
    follows = index and (behind or sentence.is_noun(index - 1))
    if follows and sentence.is_participle(index) and _is_empty(sentence, index + 1):
        # `jobs paying at least 60,000 euros`, `…, sorted by date`
        return False
    if (index in said and not sentence.is_in_name(index)) or (token.is_sign and token.text not in "-/&'’" and not sentence.in_title(index)):  # fmt: skip
        return False
    if token.key in _INDEFINITE and sentence.is_name(index - 1) and index not in sentence.titles:
        # `gib Bruno eine Spritze`
        return False
    if role in ("polite", "wanting", "questions", "conjunctions", "without", "negators", "pronouns", "superlatives", "quantifiers", "counters", "fillers"):  # fmt: skip
        return False
    if role == "prepositions" and sentence.language.roles["prepositions"].get(token.key) != "of":
        return False
    return not token.meanings & own or sentence.is_in_name(index)


def _is_empty(sentence: Sentence, index: int) -> bool:
    """Whether nothing of a text goes on with a token."""
    if index >= len(sentence.tokens):
        return False
    token = sentence.tokens[index]
    return token.is_sign or token.is_stop or sentence.in_value[index] is not None or bool(sentence.roles[index])  # fmt: skip


def trimmed(sentence: Sentence, first: int, end: int, *, keeps: bool = False) -> tuple[int, int]:
    """Return a piece without signs at its ends, and without stop words unless it `keeps` them."""

    def empty(index: int) -> bool:
        token = sentence.tokens[index]
        if keeps:
            return token.is_sign
        return index not in sentence.titles and (
            token.is_sign
            or (token.is_stop and not (token.is_capital and index > first))
            or sentence.roles[index] in ("polite", "prepositions", "conjunctions")
        )

    while first < end and empty(first):
        first += 1
    while end > first and empty(end - 1):
        end -= 1
    return first, end
