"""Ids: what a site knows a thing by."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from webagent.agent.deterministic.counting import with_name
from webagent.agent.deterministic.fits import Fit, Fits, is_about, meant
from webagent.agent.deterministic.roles import LINKS, ROLES
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.spans import is_code

_EXAMPLE: Final = re.compile(r"\b([A-Za-z]{1,5})[-_]?\d[\w-]{0,20}")


class IdFits(Fits):
    """Finds ids by their shape and by the nouns beside them."""

    def ids(self, slot: Slot) -> Iterator[Fit]:
        """Yield the ids that fit a slot."""
        wanted = _shape(slot.description)
        listed: list[Fit] = []
        for span in self._clause.spans:
            if span.kind not in ("id", "number", "quoted"):
                continue
            used = with_name(self._words, self._clause.verb_words, slot, span)
            value = str(span.value) if span.kind != "number" else span.text
            if span.kind == "quoted":
                if "plain" not in slot.kinds and span.first and (
                    self._words[span.first - 1].stem in slot.stems
                ):  # fmt: skip
                    listed.append(Fit(slot, value, 8.0, used))
                if " " in value or (not is_code(value) and "-" not in value):
                    continue
            score = 4.0 if span.kind != "number" else -1.0
            if wanted and _prefix(value):
                score += 3.0 if _prefix(value) == wanted else -3.0
            score += self._id_neighbours(slot, span)
            if (
                span.kind == "number"
                and slot.stems & {"zip", "postcod", "zipcod"}
                and len(value) > 3
            ):
                score += 2.0
            if span.unit or (span.kind == "number" and not value.replace(" ", "").isalnum()):
                continue
            if score > 0:
                listed.append(Fit(slot, value, score, used))
        for index, word in enumerate(self._words):
            if index in self._clause.verb_words:
                continue
            named = slot.words[-1] in ("slug", "path", "page", "handle", "key")
            if (
                word.text.count("-") >= (1 if named else 2)
                and word.text == word.low
                and index not in self._typed
            ):
                listed.append(Fit(slot, word.text, 4.0, frozenset({index})))
        if slot.is_list and listed:
            used = frozenset().union(*(fit.used for fit in listed))
            yield Fit(slot, [fit.value for fit in listed], max(fit.score for fit in listed), used)
            return
        yield from listed

    def _id_neighbours(self, slot: Slot, span: Span) -> float:
        score = 0.0
        words = self._words
        kinds = slot.stems - {"id", "number", "no", "code", "refer", "ref", "key"}
        for index in range(span.first - 1, max(-1, span.first - 4), -1):
            word = words[index]
            roles = ROLES.get(word.low, frozenset())
            if roles & slot.stems and index == span.first - 1:
                score = max(score, 3.0)
            if (
                meant(word.stem, kinds or slot.stems, frozenset()) >= 0.6
                or word.stem in slot.parents
            ):
                return max(score, 3.0)
            if is_about(self._card, slot, word.stem) or word.stem in slot.stems:
                score = max(score, 2.5)
            if word.low == "ending" or (
                word.low == "in" and index and words[index - 1].low == "ending"
            ):
                score = max(score, 2.5)
            if word.low not in LINKS:
                break
        after = words[span.end].stem if span.end < len(words) else ""
        if after and meant(after, kinds, frozenset()) >= 0.6:
            score = max(score, 2.0)
        return score


def _shape(description: str) -> str:
    """Return the letters that ids begin with in the examples of a description: `ACC-1` → `acc`."""
    match = _EXAMPLE.search(description)
    return match.group(1).lower() if match else ""


def _prefix(value: str) -> str:
    letters = ""
    for letter in value:
        if not letter.isalpha():
            break
        letters += letter
    return letters.lower() if len(letters) < len(value) else ""
