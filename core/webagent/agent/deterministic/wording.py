"""Words for slots: names, places, titles, messages, lists of them, and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from webagent.agent.deterministic.chunks import Chunk, leads_on
from webagent.agent.deterministic.fits import Fit, Fits
from webagent.agent.deterministic.picking import ANAPHORS
from webagent.agent.deterministic.roles import END, KEY_STOPS, ROLES, START, stemmed
from webagent.agent.deterministic.slots import Slot
from webagent.agent.deterministic.span import Span
from webagent.agent.deterministic.spans import is_code
from webagent.agent.deterministic.stemmer import stem
from webagent.agent.deterministic.synonyms import noun_likeness
from webagent.agent.deterministic.words import STOP
from webagent.schema import check_schema

_MEASURES: Final = stemmed("dosage dose strength size weight amount quantity volume length width height "
                          "distance duration capacity dimension dimensions power speed")  # fmt: skip

_STREETS: Final = stemmed("street address line1 addressline")


class TextFits(Fits):
    """Finds words by the prepositions before them, by the names of slots, and by quotation marks."""

    def addresses(self, slot: Slot) -> Iterator[Fit]:
        """Yield email addresses, phone numbers or links."""
        kind = next(iter(slot.kinds & {"email", "phone", "url"}))
        spans = [span for span in self._clause.spans if span.kind == kind]
        if not spans:
            return
        if slot.is_list:
            used = frozenset(i for span in spans for i in range(span.first, span.end))
            yield Fit(slot, [span.value for span in spans], 5.0, used)
            return
        for span in spans:
            before = self._words[span.first - 1] if span.first else None
            lead = before.low if before else ""
            bonus = 2.0 if ROLES.get(lead, frozenset()) & slot.stems else 0.0
            yield Fit(slot, span.value, 5.0 + bonus, frozenset(range(span.first, span.end)))

    def texts(self, slot: Slot) -> Iterator[Fit]:
        """Yield the words that fit a slot."""
        if slot.is_list:
            yield from self._lists(slot)
            return
        if "currency" in slot.kinds:
            for span in self._clause.spans:
                if span.kind == "money" and span.unit:
                    yield Fit(slot, span.unit, 5.0, frozenset())
        if part := _name_part(slot):
            yield from self._name_parts(slot, part)
            return
        yield from self._keyed(slot)
        for span in self._clause.spans:
            used = frozenset(range(span.first, span.end))
            if span.kind == "quoted":
                yield Fit(slot, span.value, self._quoted_score(slot, span), used)
            elif span.kind in ("email", "phone", "url") and slot.stems & stemmed(
                "contact to recipient recipients user member account login username"
            ):
                yield Fit(slot, span.value, 4.0, used)
            elif span.kind in ("duration", "number", "money") and (
                slot.kinds & {"duration", "money", "count"} or _is_measure(slot, span)
            ):
                yield Fit(slot, span.text, 4.0 if span.unit else 2.5, used)
        if slot.kinds & {"query"} and "place" not in slot.kinds:
            return
        if slot.stems & stemmed("file filename"):
            for index, word in enumerate(self._words):
                name, _, ending = word.text.rpartition(".")
                if name and ending.isalnum() and 2 <= len(ending) <= 4 and not ending.isdigit():
                    yield Fit(slot, word.text, 6.0, frozenset({index}))
        for index, chunk in enumerate(self._chunks):
            yield from self._parts(slot, chunk)
            if not (score := self._chunk_score(slot, chunk)):
                continue
            end = chunk.end
            if "address" in slot.words:
                # `5 Mill Lane, Leeds`: an address goes on behind a comma.
                for other in self._chunks[index + 1 :]:
                    if not other.after_list or self._words[other.first - 1].text != ",":
                        break
                    end, score = other.end, score + 0.5
            used = frozenset(range(chunk.first, end))
            first = chunk.first
            if (
                self._words[first].stem in slot.stems
                and end - first > 1
                and not self._words[first].is_capital
            ):
                # `at the company Acme`.
                first += 1
            while end - 1 > first and self._words[first].is_capital and not self._words[end - 1].is_capital and (
                self._words[end - 1].stem in self._card.subject
                or any(noun_likeness(self._words[end - 1].stem, noun) >= 0.6 for noun in self._card.nouns)
            ):  # fmt: skip
                end -= 1
            yield Fit(slot, self.between(first, end), score, used)

    def _parts(self, slot: Slot, chunk: Chunk) -> Iterator[Fit]:
        """Yield what a piece says in parts: `logs of payments`, `Utrecht office`, `my cat Luna`."""
        words = self._words
        last = words[chunk.end - 1]
        owner = next((i for i in chunk.indices() if words[i].low.endswith(("'s", "s'"))), None)
        person = "person" in slot.kinds or slot.words[-1:] == ("name",)
        if owner is not None and person and words[owner].is_capital:
            # `Nora Berg's grades`.
            value = self.between(chunk.first, owner + 1).replace("’", "'").removesuffix("'s")
            used = frozenset(range(chunk.first, owner + 1))
            yield Fit(slot, value.removesuffix("'"), 4.4, used)
            return
        if (
            chunk.end - chunk.first > 1
            and last.stem in slot.stems
            and not last.is_capital
            and chunk.end - 1 not in self._typed
            and not self._says_nothing(chunk.first, chunk.end - 1)
        ):
            score = 4.5 if words[chunk.first].is_capital and chunk.first else 1.5
            value = self.between(chunk.first, chunk.end - 1)
            yield Fit(slot, value, score, frozenset(chunk.indices()))
        for index in chunk.indices():
            if words[index].low == "of" and index + 1 < chunk.end and slot.required:
                after = index + 1
                while after < chunk.end - 1 and words[after].low in ("the", "my", "our", "a", "an"):
                    after += 1
                picked = after in self._picked or words[after].low in ANAPHORS
                coded = "id" not in slot.kinds or is_code(words[after].text)
                if picked or not coded:
                    break
                if not slot.kinds & {"text", "person"} or words[after].is_capital:
                    used = frozenset(range(index, chunk.end))
                    yield Fit(slot, self.between(after, chunk.end), 2.2, used)
                break
        if (slot.words[-1:] == ("name",) and len(slot.words) > 1) or "person" in slot.kinds:
            names = [i for i in chunk.indices() if words[i].is_capital and i > 0]
            inner = names and names[0] > chunk.first and names[-1] - names[0] == len(names) - 1
            if not chunk.lead and names and names[0] - chunk.first > 1:
                inner = False
            if any(is_code(words[i].text) for i in names):
                inner = False
            if inner and chunk.lead in ("for", "with", "to", "by", "of", ""):
                value = self.between(names[0], names[-1] + 1)
                yield Fit(slot, value, 4.6 if chunk.lead else 2.6, frozenset(chunk.indices()))

    def _name_parts(self, slot: Slot, part: str) -> Iterator[Fit]:
        """Yield the first or the last name of a person whose name stands in the request."""
        for chunk in self._chunks:
            names = [i for i in chunk.indices() if self._words[i].is_capital and i > 0]
            if len(names) < 2 or names[-1] - names[0] != len(names) - 1:
                continue
            score = 4.0 - (0.5 if chunk.lead in ("from", "at", "in", "on") else 0.0)
            first, last = names[0], names[-1]
            if part == "first":
                yield Fit(slot, self.between(first, last), score, frozenset(range(first, last)))
            else:
                yield Fit(slot, self.between(last, last + 1), score, frozenset({last}))

    def _lists(self, slot: Slot) -> Iterator[Fit]:
        """Yield the items of a list: pieces after one preposition, joined by commas and `and`."""
        runs: list[list[Chunk]] = []
        for chunk in self._chunks:
            if chunk.after_list and runs and runs[-1][-1].end <= chunk.first:
                runs[-1].append(chunk)
            else:
                runs.append([chunk])
        quoted = [span for span in self._clause.spans if span.kind == "quoted"]
        emails = [span for span in self._clause.spans if span.kind == "email"]
        if emails and "person" in slot.kinds:
            used = frozenset(i for span in emails for i in range(span.first, span.end))
            yield Fit(slot, [span.value for span in emails], 4.5, used)
        for run in runs:
            score = self._chunk_score(slot, run[0])
            if self._words[run[0].first].stem in slot.stems and run[0].end - run[0].first > 1:
                score = max(score, 6.0)
            if not score and slot.required and not run[0].lead and not self._is_subject(run[0]):
                score = 1.6
            if score:
                used = frozenset(i for chunk in run for i in chunk.indices())
                values = [self._item(slot, chunk) for chunk in run]
                fitting = [
                    value for value in values if value and not check_schema(value, slot.schema)
                ]
                if fitting:
                    yield Fit(slot, fitting, score + 0.5, used)
        if quoted:
            used = frozenset(i for span in quoted for i in range(span.first, span.end))
            score = max(self._quoted_score(slot, span) for span in quoted)
            yield Fit(slot, [span.value for span in quoted], score - 1, used)

    def _is_subject(self, chunk: Chunk) -> bool:
        """Whether a piece only says what the tool is about."""
        return all(
            self._words[i].stem in self._card.subject or self._words[i].low in STOP
            for i in chunk.indices()
        )

    def _item(self, slot: Slot, chunk: Chunk) -> str:
        first, end = chunk.first, chunk.end
        while first < end - 1 and self._words[first].stem in slot.stems:
            first += 1
        known = slot.stems | self._card.subject
        while end - 1 > first and self._words[end - 1].stem in known:
            end -= 1
        return self.between(first, end)

    def _keyed(self, slot: Slot) -> Iterator[Fit]:
        """Yield what follows the slot's name: `name is Ada`, `subject: lunch`, `age 41`."""
        words = self._words
        head = slot.words[-1] if slot.words else ""
        heads = {stem(head)} if head not in ("name", "id", "text") or len(slot.words) == 1 else {
            stem(word) for word in slot.words if word not in ("name", "id", "text")
        }  # fmt: skip
        if slot.words in (("name",), ("full", "name")):
            heads |= slot.parents
        for index, word in enumerate(words[:-1]):
            if word.stem not in heads or index in self._clause.verb_words or index in self._typed:
                continue
            if word.low in (
                "to",
                "from",
                "in",
                "at",
                "by",
                "for",
                "with",
                "on",
                "q",
                "when",
                "where",
            ):
                continue
            start = index + 1
            linked = words[start].low in (":", "=", "is", "as", "to", "-", "of", "should", "will")
            while start < len(words) and words[start].low in (":", "=", "is", "as", "to", "be", "should",
                                                              "will", "-", "of"):  # fmt: skip
                start += 1
            end = start
            while end < len(words) and not self._ends_value(end, start, slot):
                end += 1
            if end <= start:
                continue
            strong = (linked and words[index + 1].low != "of") or (
                words[start].is_capital and "person" in slot.kinds | {"plain"} & slot.kinds
            )
            if words[start].stem in heads:
                continue
            if not linked and self._says_nothing(start, end):
                continue
            if not linked and words[index - 1].low in ("the", "a", "an", "my") and not words[
                start].is_capital:  # fmt: skip
                continue
            value = self.between(start, end)
            if (
                "id" in slot.kinds
                and not linked
                and not any(letter.isdigit() for letter in words[start].text)
            ):
                continue
            yield Fit(slot, value, 6.5 if strong else 4.0, frozenset(range(index, end)))

    def _says_nothing(self, first: int, end: int) -> bool:
        """Whether words are no value: `what` and `do you have` around `categories`."""
        return all(word.low in STOP for word in self._words[first:end])

    def _ends_value(self, at: int, start: int, slot: Slot) -> bool:
        word = self._words[at]
        if at in self._typed or (word.is_sign and word.text not in ("-", "'", "&", "/", "+")):
            return True
        free = slot.kinds & {"text"} and not slot.kinds & {"person"}
        if word.low in KEY_STOPS and not free:
            return True
        if at > start and leads_on(word) and not free:
            return True
        if word.low == "of" and not (free or self._words[start].is_capital):
            return True
        others = [s for s in self._card.slots if s is not slot]
        return at > start and any(
            word.stem in other.stems and len(other.words) == 1 for other in others
        )

    def _quoted_score(self, slot: Slot, span: Span) -> float:
        kinds = slot.kinds
        score = 5.0 if "text" in kinds else 4.5 if "query" in kinds else 3.0 if kinds & {
            "person", "plain"} else 2.0  # fmt: skip
        window = self._words[max(0, span.first - 3) : span.first]
        for distance, word in enumerate(reversed(window)):
            if word.stem in slot.stems or any(
                noun_likeness(word.stem, s) >= 0.6 for s in slot.stems
            ):
                return score + 5.0 - distance
            if ROLES.get(word.low, frozenset()) & slot.stems:
                return score + 3.0 - distance * 0.5
            if word.low in (",", "and"):
                break
        return score + (0.3 if slot.required else 0.0)

    def _chunk_score(self, slot: Slot, chunk: Chunk) -> float:
        words, kinds, lead = self._words, slot.kinds, chunk.lead
        if chunk.first in self._picked or all(
            w.low in ANAPHORS for w in words[chunk.first : chunk.end]
        ):
            return 0.0
        others = frozenset[str]().union(*(o.stems for o in self._card.slots if o is not slot))
        if all(w.stem in others and not w.is_capital for w in words[chunk.first : chunk.end]):
            return 0.0
        head = words[chunk.first].stem
        if chunk.end - chunk.first > 1 and head not in slot.stems and any(
            head in other.stems and len(other.words) == 1 for other in self._card.slots
        ):  # fmt: skip
            # `in color blue`: the name of another slot.
            return 0.0
        if "id" in kinds and lead not in slot.words and not any(
            is_code(w.text) for w in words[chunk.first : chunk.end]
        ):  # fmt: skip
            return 0.0
        indices = chunk.indices()
        telling = next((i for i in indices if not words[i].text[0].isdigit()), chunk.first)
        capital = words[telling].is_capital and telling > 0
        numbered = any(words[i].text[0].isdigit() for i in indices)
        if numbered and "person" in kinds and "place" not in kinds:
            return 0.0
        roles = ROLES.get(lead, frozenset())
        score = 0.0
        if lead and (lead in slot.words or stem(lead) in slot.stems):
            score = 6.0
        elif roles & slot.stems:
            score = 4.5
        elif roles & slot.parents:
            score = 3.0
        elif (
            lead in ("in", "at", "near", "to", "from", "around", "close", "for")
            and "place" in kinds
        ):
            score = 4.0 if lead in ("in", "at", "near") else 3.0 if capital else 2.2
            if lead == "for" and "person" in kinds and not slot.stems & {"place", "citi", "locat"}:
                score = 3.0
        elif (
            lead in ("by", "with", "for", "to", "under")
            and capital
            and ("person" in kinds or (slot.is_list and lead == "with"))
        ):
            score = 3.5
        elif lead in ("for", "about") and "text" in kinds and not slot.required:
            return 0.0
        elif not lead and capital and kinds & {"place", "person"}:
            score = 2.4
        elif (not lead and capital and slot.required) or (
            lead and slot.required and kinds & {"plain"}
        ):
            score = 1.6
        if not score:
            return 0.0
        if (lead == "from" and slot.stems & END) or (
            lead == "to" and slot.stems & START - {"check"}
        ):
            return 0.0
        if all(i in self._typed for i in indices):
            return 0.0
        if (
            kinds & {"text"}
            and not kinds & {"person"}
            and lead in ("to", "in", "for", "with", "on", "at")
        ):
            score -= 1.5
        if "person" in kinds and not capital:
            score -= 0.7
        if lead == "on" and not capital and lead not in slot.words:
            score -= 1.0
        if score and slot.stems & _STREETS:
            score += 2.0 if numbered else -1.0
        last = words[chunk.end - 1]
        # `to my basket`: what the tool is about is no value of it.
        if all(words[i].stem in self._card.subject for i in indices):
            return 0.0
        if last.stem in self._card.nouns and not capital:
            score -= 2.5
        if chunk.end - chunk.first > 6 and not kinds & {"text"}:
            score -= 1.5
        if is_code(words[chunk.first].text) and not kinds & {"plain", "id"}:
            score -= 2.0
        return max(score, 0.0)


def _name_part(slot: Slot) -> str:
    """Return whether a slot holds a first or a last name only."""
    joined = "".join(slot.words)
    if joined in ("firstname", "givenname", "forename", "first", "fname"):
        return "first"
    return "last" if joined in ("lastname", "surname", "familyname", "lname") else ""


def _is_measure(slot: Slot, span: Span) -> bool:
    """Whether a text is a number with its unit: `500mg` for `dosage`."""
    return bool(span.unit) and bool(slot.stems & _MEASURES)
