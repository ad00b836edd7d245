"""All that could go into a slot of a tool, each with how well it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webagent.agent.deterministic.cards import Card
from webagent.agent.deterministic.choosing import ChoiceFits
from webagent.agent.deterministic.chunks import Chunk
from webagent.agent.deterministic.clause import Clause
from webagent.agent.deterministic.counting import NumberFits
from webagent.agent.deterministic.fits import Fit
from webagent.agent.deterministic.numbering import IdFits
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.timing import MomentFits
from webagent.agent.deterministic.wording import TextFits
from webagent.registry.secrets import is_secret


class Fitter:
    """Finds values for the slots of one tool in one request."""

    def __init__(self, clause: Clause, chunks: Sequence[Chunk], card: Card) -> None:
        """Look at a request for a tool."""
        self._clause = clause
        self._choosing = ChoiceFits(clause, chunks, card)
        self._counting = NumberFits(clause, chunks, card)
        self._timing = MomentFits(clause, chunks, card)
        self._numbering = IdFits(clause, chunks, card)
        self._wording = TextFits(clause, chunks, card)

    def fits(self, slot: Slot) -> Iterator[Fit]:
        """Yield what could go into a slot."""
        kinds = slot.kinds
        yield from self._secrets(slot)
        if is_secret("".join(slot.words)):
            # The vault has taken every secret out of the words that are left.
            return
        if "choice" in kinds:
            yield from self._choosing.choices(slot)
        elif "bool" in kinds:
            yield from self._choosing.flags(slot)
        elif "number" in kinds:
            yield from self._counting.numbers(slot)
        elif kinds & {"date", "time", "datetime"}:
            yield from self._timing.moments(slot)
        elif kinds & {"email", "phone", "url"}:
            yield from self._wording.addresses(slot)
        elif "string" in kinds:
            if "id" in kinds:
                yield from self._numbering.ids(slot)
            if "id" not in kinds or "plain" in kinds:
                yield from self._wording.texts(slot)

    def _secrets(self, slot: Slot) -> Iterator[Fit]:
        """Yield the placeholders that are named like the slot, or fit any slot for a secret."""
        for span in self._clause.spans:
            if span.kind != "secret":
                continue
            first = next(
                (at for at in range(max(0, span.first - 3), span.first)
                 if self._clause.words[at].stem in slot.stems), None,
            )  # fmt: skip
            if first is not None or is_secret("".join(slot.words)):
                start = span.first if first is None else first
                used = frozenset(range(start, span.end))
                yield Fit(slot, span.value, 4.0 if first is None else 6.0, used)
