"""Why the planner understands a goal as it does: values, parts, candidates, arguments and margins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from webagent.agent.deterministic.candidates.decision import (
    decision_features,
    form_features,
)
from webagent.agent.deterministic.candidates.ranking import Candidate, Ranking
from webagent.agent.deterministic.candidates.sentence import Sentence
from webagent.agent.deterministic.candidates.signatures import tools_of
from webagent.agent.deterministic.candidates.weights import weights
from webagent.agent.deterministic.pages import closed, intent_of, spelled, things_on
from webagent.agent.deterministic.parts import Part, likelihood_of, requests_of
from webagent.agent.run import Scene

_MOST_CANDIDATES: Final = 3
_LEAST_SHOWN: Final = 0.05
"""What a feature has to add to a score to be listed."""


def why(goal: str, scene: Scene) -> Iterator[str]:
    """Yield lines that follow a goal through all stages; they act on nothing."""
    known = tools_of(scene.tools)
    usable = [closed(t, known, scene.snapshot) for t in known if not t.problem or t.paths]
    ranking = Ranking(usable)
    sentence = ranking.mended(Sentence.read(spelled(goal, things_on(scene.snapshot)), scene.now))
    yield f"language: {sentence.language.code}"
    for value in sentence.values:
        meant = f"either of {list(value.readings)}" if value.readings else repr(value.value)
        more = "".join(f", {word}" for word in (value.unit, value.bound) if word)
        yield f"value: “{value.text}” is {meant} ({value.kind}{more}{', denied' if value.negated else ''})"
    parts = requests_of(sentence, ranking, lambda a, b: intent_of(sentence, a, b, scene.snapshot))
    for part in parts:
        yield f"part: “{sentence.excerpt(part.first, part.end)}”"
        yield from _part(sentence, part)


def _part(sentence: Sentence, part: Part) -> Iterator[str]:
    if part.intent is not None:
        yield f"  the page itself does it best: {part.intent.name}, score {part.intent.score:.2f}"
        return
    if not part.candidates:
        yield "  no tool has a word of it"
        return
    for candidate in part.candidates[:_MOST_CANDIDATES]:
        yield from _candidate(sentence, candidate)
    form = form_features(sentence, part.first, part.end)
    features = decision_features(sentence, part.candidates, form)
    likely, limits = likelihood_of(sentence, part), weights("thresholds")
    best = part.candidates[0]
    least = limits["reads" if best.tool.reads else "writes"]
    chosen = "it is called" if likely >= least else "you are asked" if likely >= limits["asks"] else "nothing is called"  # fmt: skip
    yield (
        f"  {best.tool.name} is meant with a likelihood of {likely:.2f}: {chosen}"
        f" (called from {least:.2f}, asked from {limits['asks']:.2f})"
    )
    yield f"    because of: {_sum(features, 'decision')}"


def _candidate(sentence: Sentence, candidate: Candidate) -> Iterator[str]:
    yield f"  candidate {candidate.tool.name}: score {candidate.score:.2f}"
    yield f"    because of: {_sum(candidate.features, 'ranking')}"
    for fit in candidate.filled.fits:
        words = " ".join(sentence.tokens[i].text for i in sorted(fit.tokens))
        how = " (its id is looked up)" if fit.is_name else " (nothing else explains it)" if fit.poured else ""  # fmt: skip
        yield f"    {'.'.join(fit.parameter.path)} = {fit.value!r} from “{words}”, fit {fit.score:.2f}{how}"
    for path, items in candidate.filled.groups.items():
        yield f"    {'.'.join(path)} = {items!r}"
    for parameter in candidate.filled.missing:
        yield f"    {'.'.join(parameter.path)} is missing"


def _sum(features: Mapping[str, float], name: str) -> str:
    """Return what features add to a score, the most first."""
    fitted = weights(name)
    added = {key: value * fitted.get(key, 0.0) for key, value in features.items()}
    shown = sorted(added.items(), key=lambda pair: -abs(pair[1]))
    return ", ".join(f"{key} {value:+.2f}" for key, value in shown if abs(value) >= _LEAST_SHOWN)
