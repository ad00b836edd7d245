"""What a person's answer to a question says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from webagent.agent.deterministic.candidates.fill import fill
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords
from webagent.agent.deterministic.reading.language import Language
from webagent.agent.deterministic.reading.tokens import identifier_words
from webagent.registry.secrets import MASK, is_secret

_LONGEST: Final = 2_000


def is_hidden(parameter: Parameter) -> bool:
    """Whether what a parameter takes is a secret."""
    return is_secret("_".join(identifier_words(parameter.path[-1])))


def asked_first(missing: Sequence[Parameter]) -> list[Parameter]:
    """Return what is asked for now: all that are no secrets, or else one secret."""
    plain = [p for p in missing if not is_hidden(p)]
    # A secret is asked for alone, so that only the secret is masked.
    return plain or list(missing[:1])


def read_answer(text: str, now: str, speech: Language) -> Sentence:
    """Return an answer as it is read."""
    return Sentence.read(text[:_LONGEST], datetime.fromisoformat(now), speech)


def names_thing(tool: ToolWords, paths: Sequence[Sequence[str]], said: Sentence) -> bool:
    """Whether an answer names the thing whose id was asked for, and is no id itself."""
    asked = [p for path in paths for p in tool.parameters if [*p.path] == [*path]]
    if len(asked) != 1 or not asked[0].names_thing or is_hidden(asked[0]):
        return False
    return not any(value.kind in ("id", "number", "secret") for value in said.values)


def given_by(
    tool: ToolWords, paths: Sequence[Sequence[str]], text: str, said: Sentence
) -> list[list[Any]]:
    """Return `[path, value]` of what an answer gives for the parameters that were asked for."""
    asked = [p for path in paths for p in tool.parameters if [*p.path] == [*path]]
    if len(asked) == 1 and is_hidden(asked[0]):
        # The driver has put a placeholder in its place; notes keep no secrets.
        return [[[*asked[0].path], text if MASK in text else MASK]]
    form = replace(tool, parameters=tuple(replace(p, required=True) for p in asked), groups=())
    filled = fill(form, said, 0, len(said.tokens))
    given: list[list[Any]] = []
    used: set[int] = set()
    open_texts = []
    for parameter in asked:
        fit = next((f for f in filled.fits if f.parameter.path == parameter.path), None)
        if parameter.kind in ("text", "id") and (fit is None or not _is_exact(said, fit.tokens)):
            open_texts.append(parameter)
        elif fit is not None:
            given.append([[*parameter.path], fit.value])
            used |= fit.tokens
    parts = [part.strip() for part in text.split(",")]
    if len(open_texts) > 1 and len(parts) == len(asked):
        for parameter, part in zip(asked, parts, strict=True):
            if parameter in open_texts and part:
                given.append([[*parameter.path], _as(parameter, part)])
    elif open_texts and (left := _left(text, said, used)):
        given.append([[*open_texts[0].path], _as(open_texts[0], left)])
    return given


def values_in(
    tool: ToolWords, paths: Sequence[Sequence[str]], data: Mapping[str, Any]
) -> list[list[Any]]:
    """Return `[path, value]` for each parameter that was asked for and has a value in a form."""
    asked = [p for path in paths for p in tool.parameters if [*p.path] == [*path]]
    named = [(p, data.get(".".join(p.path))) for p in asked]
    return [
        [[*p.path], [value] if p.is_list and not isinstance(value, list) else value]
        for p, value in named
        if value is not None
    ]


def _is_exact(said: Sentence, tokens: frozenset[int]) -> bool:
    """Whether words are an id or a quoted text, and not what is left of a sentence."""
    value = said.in_value[min(tokens)] if tokens else None
    return value is not None and value.kind in ("id", "quoted")


def _as(parameter: Parameter, text: str) -> Any:
    return [text] if parameter.is_list else text


def _left(text: str, said: Sentence, used: set[int]) -> str:
    """Return an answer without its other values and without courtesies at its ends."""

    def empty(index: int) -> bool:
        token = said.tokens[index]
        return index in used or token.is_sign or said.roles[index] in ("polite", "conjunctions")

    first, end = 0, len(said.tokens)
    while first < end and empty(first):
        first += 1
    while end > first and empty(end - 1):
        end -= 1
    return said.excerpt(first, end) if end > first else ""


def chosen(choices: Sequence[Sequence[Any]], text: str, said: Sentence) -> list[Any]:
    """Return the values of the choices that an answer names: by a place or by words."""
    simple = " ".join(text.casefold().split()).rstrip(".!")
    same = [one[0] for one in choices if simple in (str(one[1]).casefold(), str(one[0]).casefold())]
    if same:
        return same[:1]
    keys = [t.key for t, role in zip(said.tokens, said.roles, strict=True) if not (t.is_sign or t.is_stop) and role != "polite"]  # fmt: skip
    named = [one[0] for one in choices if keys and all(key in str(one[1]).casefold() for key in keys)]  # fmt: skip
    if len(named) == 1:
        return named
    numbers = [v.value for v in said.values if v.kind in ("ordinal", "number")]
    if (
        len(numbers) == 1
        and isinstance(numbers[0], int)
        and (0 < numbers[0] <= len(choices) or numbers[0] == -1)
    ):
        at = numbers[0] - 1 if numbers[0] > 0 else -1
        return [choices[at][0]]
    scores = [sum(key in str(one[1]).casefold() for key in keys) for one in choices]
    best = max(scores, default=0)
    return [choices[scores.index(best)][0]] if best and scores.count(best) == 1 else []


def way_of(tools: Mapping[str, ToolWords | None], text: str, said: Sentence) -> str:
    """Return the name of the tool that an answer speaks of most, if it is one."""
    words = {w for t in said.tokens for w in (t.key, *t.glosses)} | set(identifier_words(text))
    hits = {
        name: len(
            words & {*identifier_words(name), *(tool.verbs | tool.noun_stems if tool else ())}
        )
        for name, tool in tools.items()
    }
    best = [name for name in hits if hits[name] == max(hits.values()) > 0]
    return best[0] if len(best) == 1 else ""


_YES: Final = frozenset(("yes", "ja", "oui", "si", "ok", "sure", "yep"))
_NO: Final = frozenset(("no", "nein", "non", "nope"))
"""In any language: an answer of one word does not say its own."""


def agrees(said: Sentence) -> bool | None:
    """Return whether an answer is a yes or a no; None if it is neither."""
    known: Mapping[str, Any] = said.language.roles.get("booleans", {})
    for index, token in enumerate(said.tokens[:4]):
        if said.roles[index] == "negators" or token.key in _NO or known.get(token.key) is False:
            return False
        if token.key in _YES or known.get(token.key) is True:
            return True
    return None
