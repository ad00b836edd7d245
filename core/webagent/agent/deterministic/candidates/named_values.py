"""Values that a goal gives by the names of their parameters: `my name is Ada, message: hello`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.pieces import takes_message
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.values import Value

_LABELLED: Final = 2.0
_MARKS: Final = frozenset(":=")
_STOPS: Final = frozenset(",;.!?\n")
_BESIDE: Final = frozenset(",;:.!?-–\n")
"""Signs behind which a label may begin."""
_NUMBERED: Final = {"number": ("number", "id", "text"), "id": ("id", "text")}
"""By the kind of a value those of the parameters that it may be for."""
_TYPED: Final = frozenset(("text", "email", "url", "phone"))


@dataclass(frozen=True, slots=True)
class Label:
    """The name of a parameter in a goal."""

    parameter: Parameter
    start: int
    """Where what belongs to it begins: `and my name`."""
    first: int
    end: int
    """Where its value begins."""
    is_marked: bool
    """Whether a colon or a verb follows it, and not its value at once."""


def labels_of(tool: ToolWords, sentence: Sentence, first: int, end: int) -> list[Label]:
    """Return the labels of a part of a goal in order; one that nothing marks needs others beside it."""
    found: list[Label] = []
    for index in range(first, end - 1):
        label = _label_at(tool, sentence, index, first, end)
        if label and (not found or label.start > found[-1].end):
            found.append(label)
    return found if len(found) > 1 else [one for one in found if one.is_marked]


def labelled(labels: Sequence[Label], sentence: Sentence, end: int) -> Iterator[Fit]:
    """Yield the texts that stand behind labels, each up to the next one."""
    starts = [*(one.start for one in labels[1:]), end]
    for label, until in zip(labels, starts, strict=False):
        parameter, value = label.parameter, sentence.in_value[label.end]
        if parameter.kind != "text" or parameter.is_list:
            continue
        if value is not None and value.kind == "quoted":
            # What is quoted finds its parameter by its own rules.
            continue
        if not takes_message(parameter):
            stops = (i for i in range(label.end, until) if sentence.tokens[i].text in _STOPS)
            until = next(stops, until)
        while until > label.end and sentence.tokens[until - 1].text in ",;.!":
            until -= 1
        if until > label.end:
            yield _fit(label, sentence.excerpt(label.end, until), until)


def owned(
    parameters: Sequence[Parameter], sentence: Sentence, values: Sequence[Value], first: int
) -> Mapping[int, Parameter]:
    """Return the tokens of numbers and ids right behind the name of one parameter: `zone 4021`."""
    found: dict[int, Parameter] = {}
    for value in values:
        label = value.first - 1
        if value.kind not in ("number", "id") or label < first or label in sentence.orders or sentence.in_value[label] or sentence.tokens[label].is_stop:  # fmt: skip
            continue
        counts = value.end < len(sentence.tokens) and sentence.is_noun(value.end)
        own = [p for p in parameters if sentence.tokens[label].key in p.names]
        if len(own) == 1 and own[0].kind in _NUMBERED[value.kind] and not counts:
            found |= dict.fromkeys(range(value.first, value.end), own[0])
    return found


def _fit(label: Label, text: str, until: int) -> Fit:
    tokens = frozenset(range(label.end, until))
    return Fit(label.parameter, text, tokens, _LABELLED, frozenset((label.first,)))


def names_parameter(tool: ToolWords, sentence: Sentence, fit: Fit) -> bool:
    """Whether the words of a text only name other parameters of its tool."""
    said = [i for i in fit.tokens if sentence.weights[i]]
    others = [p.stems for p in tool.parameters if p.kind in _TYPED and p is not fit.parameter]
    return bool(said) and not sentence.is_quoted(fit.tokens) and all(
        any(sentence.tokens[i].meanings & words for words in others) for i in said
    )  # fmt: skip


def _label_at(
    tool: ToolWords, sentence: Sentence, index: int, first: int, end: int
) -> Label | None:
    """Return the label that ends with a word, if one may begin there and a value follows."""
    tokens = sentence.tokens
    if sentence.in_value[index] is not None or tokens[index].is_sign:
        return None
    named = _named_by(tool, sentence, index, first)
    if named is None:
        return None
    parameter, at = named
    if at > first and sentence.roles[at - 1] == "questions":
        # `which categories are there`
        return None
    start = at - 1 if at > first and tokens[at - 1].is_stop and not _joins(sentence, at - 1) else at
    if start > first and not (
        tokens[start - 1].text in _BESIDE or sentence.roles[start - 1] == "conjunctions"
    ):
        return None
    while start > first and _joins(sentence, start - 1):
        start -= 1
    after = index + 1
    while after < end - 1 and sentence.roles[after] == "polite":
        # `label please: …`
        after += 1
    copula = sentence.language.phrase_at(tokens, after, "copulas")
    if tokens[after].text in _MARKS:
        return Label(parameter, start, at, after + 1, True) if after + 1 < end else None
    if copula is not None:
        return Label(parameter, start, at, copula[1], True) if copula[1] < end else None
    goes_on = tokens[after].is_stop and not takes_message(parameter)
    is_joint = sentence.roles[after] in ("prepositions", "conjunctions")
    quotes = sentence.in_value[after] is not None
    if not quotes and (goes_on or is_joint or tokens[after].is_sign):
        return None
    return Label(parameter, start, at, after, False)


def _joins(sentence: Sentence, index: int) -> bool:
    return sentence.tokens[index].text in ",;" or sentence.roles[index] == "conjunctions"


def _named_by(
    tool: ToolWords, sentence: Sentence, index: int, first: int
) -> tuple[Parameter, int] | None:
    """Return the only parameter that words up to one name best, and the first of them."""
    best: list[tuple[Parameter, int]] = []
    for parameter in tool.parameters:
        at = index + 1
        for words in reversed(parameter.words):
            if at == first or not sentence.tokens[at - 1].meanings & words:
                break
            at -= 1
        if parameter.group or at > index:
            continue
        if not best or at <= best[0][1]:
            best = [(parameter, at), *(one for one in best if one[1] == at)]
    return best[0] if len(best) == 1 else None
