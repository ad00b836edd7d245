"""Search texts whose words are a choice too: `road bike`, where bikes are a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from webagent.agent.deterministic.candidates.fits import Fit
from webagent.agent.deterministic.candidates.parameters import Parameter
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import ToolWords


def with_kind(fit: Fit, fits: Sequence[Fit], sentence: Sentence) -> Fit:
    """Return a text with the noun behind it that also names a choice: `road bike`, `our flea market`."""
    if not ((fit.parameter.is_query or fit.poured) and fit.tokens and isinstance(fit.value, str)):
        return fit
    after = max(fit.tokens) + 1
    is_kind = any(
        other.parameter.kind == "enum" and not other.parameter.required and other.tokens == {after} for other in fits
    )  # fmt: skip
    if not is_kind or not sentence.is_noun(after) or sentence.is_quoted(fit.tokens):
        return fit
    return replace(fit, value=sentence.excerpt(min(fit.tokens), after + 1))


def kind_sought(
    tool: ToolWords, parameters: Sequence[Parameter], fits: Sequence[Fit], sentence: Sentence
) -> list[Fit]:
    """Return the words of a choice as what is searched for, where nothing else is: `tomato seeds`."""
    filled = {fit.parameter.path for fit in fits}
    query = next((p for p in parameters if p.required and p.is_query and p.kind == "text" and p.path not in filled), None)  # fmt: skip
    if query is None or not tool.reads:
        return []
    for fit in fits:
        is_kind = fit.parameter.kind == "enum" and fit.tokens and all(map(sentence.is_noun, fit.tokens))  # fmt: skip
        if is_kind and not fit.parameter.required:
            text = sentence.excerpt(min(fit.tokens), max(fit.tokens) + 1)
            return [Fit(query, text, fit.tokens, 0.3)]
    return []
