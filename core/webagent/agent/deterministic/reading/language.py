"""Languages as data: their words, phrases and forms of numbers and dates, loaded when needed."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType
from typing import Any, Final, Protocol

from webagent.agent.deterministic.reading.chunks import Cuts, folded, pieces_of
from webagent.json_text import packaged_json

VERB: Final = "#v"
"""What the id of a verb's concept begins with."""
_CODES: Final = ("en", "de", "fr", "es", "ar")
_STEMMERS: Final = "webagent_stemmers"
_LONGEST_STEMMED: Final = 40
_LONGEST_DETECTED: Final = 120
"""Words of a text that say its language."""

_LONGEST_COMPARED: Final = 4_000
"""Characters of a text whose language is looked for by its small words."""

_WORD_ROLES: Final = (
    "negators", "denying", "ceasing", "without", "conjunctions", "questions", "polite", "wanting", "statements",
    "pronouns", "prepositions", "superlatives", "quantifiers", "booleans", "corrections", "counters", "past", "subjects",
    "owners", "possessives", "parties", "withdrawals", "copulas", "fillers", "existence", "that_clauses",
)  # fmt: skip
_VALUE_ROLES: Final = (
    "numbers", "scales", "number_scales", "collectives", "fractions", "fraction_tails", "multipliers", "times_words",
    "ordinals", "number_joins", "number_pronouns", "articles", "ones", "minus", "percents", "bounds", "bounds_after", "moment_bounds",
    "amounts", "shares", "totals", "rates", "rate_signs", "range_starts", "range_joins", "units", "currencies", "minor_currencies",
    "days", "same_days", "feasts", "periods", "day_parts", "day_part_starts", "halves", "times", "moment_joins", "date_cues", "clock_cues", "length_cues", "months", "weekdays", "weekday_groups",
)  # fmt: skip
_PATTERN_ROLES: Final = ("dates", "weekday_dates", "month_dates", "offsets", "clock")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802


class Word(Protocol):
    """What a phrase is matched with: `Token` has it."""

    @property
    def key(self) -> str:
        """The word in lower case without accents."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One or more words with a role in a sentence or in a value."""

    role: str
    keys: tuple[str, ...]
    meaning: Any


@dataclass(frozen=True, slots=True)
class Slot:
    """One place of a pattern: words, one of which it is, or the name of what is read there."""

    keys: frozenset[str]
    name: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A form of dates or times, such as `half past {h}`."""

    role: str
    slots: tuple[Slot, ...]
    meaning: Any


@dataclass(frozen=True, slots=True)
class Language:
    """A language: all that the reader knows of it, as data."""

    code: str
    glosses: Mapping[str, tuple[str, ...]]
    """Stems of common words, each with the English stem, the concepts (`#v12`) and the broader
    concepts (`<n3`) that it may mean."""
    verbs: frozenset[str]
    """Stems of the verbs among them."""
    idioms: Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]
    """Phrases by their first stem, the longest first, with what they mean."""
    particles: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Particles of separable verbs: by the verb's stem what they mean together, in English."""
    stop: frozenset[str]
    phrases: Mapping[str, tuple[Phrase, ...]]
    """All phrases by their first word, the longest first."""
    roles: Mapping[str, Mapping[str, Any]]
    """The same by role: the phrase, and its meaning."""
    patterns: Mapping[str, tuple[Pattern, ...]]
    """All patterns by what they may begin with: a word, or the name of a slot."""
    pronoun_endings: tuple[tuple[str, str], ...]
    """Pronouns that are written as the end of a verb: `envíamelo`."""
    inflections: tuple[tuple[str, str], ...]
    """Endings of verbs that the stemmer leaves, with those of the infinitive: `macht`, `machen`."""
    decimal: str
    group: str
    date_orders: tuple[str, ...]
    """Orders of figures in a date, the usual one first: `dmy`."""
    ordinal_signs: frozenset[str]
    """What follows the figures of an ordinal: `th`, `.`."""
    teen_tens: frozenset[int]
    """Tens that go on to nineteen: soixante-dix, quatre-vingt-treize."""
    bare_scales: bool
    """Whether `hundert` alone is a number, as `hundred` is not."""
    compound_numbers: bool
    compound_words: bool
    cuts: Cuts
    contractions: Mapping[str, str]
    """Words with an apostrophe, by how they are written without: `whats`."""

    def key(self, word: str) -> str:
        """Return a word as the dictionary has it: in lower case, without accents."""
        key = folded(word, self.cuts.spellings)
        return self.contractions.get(key, key)

    def stem(self, word: str) -> str:
        """Return the stem of a word."""
        return _stem(self.code, folded(word, self.cuts.spellings))

    def phrase_at(self, words: Sequence[Word], at: int, *roles: str) -> tuple[Phrase, int] | None:
        """Return the longest phrase with one of some roles that starts at a word, and its end."""
        if at >= len(words):
            return None
        for phrase in self.phrases.get(words[at].key, ()):
            if phrase.role in roles:
                end = at + len(phrase.keys)
                if end == at + 1 or tuple(word.key for word in words[at:end]) == phrase.keys:
                    return phrase, end
        return None

    def gloss(self, stem: str, key: str) -> tuple[str, ...]:
        """Return the English stems of a word; a compound has those of its parts."""
        if found := self.glosses.get(stem):
            if self.compound_words and len(stem) > 6:
                return (*found, *_compound(self.code, stem))
            return found
        for ending, _ in self.pronoun_endings:
            if key.endswith(ending) and len(key) > len(ending) + 2:
                verb = _stem(self.code, key[: -len(ending)])
                if verb in self.verbs:
                    return self.glosses[verb]
        for ending, infinitive in self.inflections:
            if key.endswith(ending) and len(key) > len(ending) + 2:
                verb = _stem(self.code, key.removesuffix(ending) + infinitive)
                if verb in self.verbs:
                    return self.glosses[verb]
        if key[1:-1].count("-") == 1:
            # `Nacht-Läufe`, but `the-salt-ledger` is an id.
            parts = [part for part in key.split("-") if len(part) > 2]
            return tuple(g for part in parts for g in self.gloss(_stem(self.code, part), part))
        return _compound(self.code, stem) if self.compound_words and len(stem) > 6 else ()

    def pronoun_of(self, key: str) -> str:
        """Return what the pronoun at the end of a verb stands for: "one", "many" or nothing."""
        for ending, number in self.pronoun_endings:
            if key.endswith(ending) and _stem(self.code, key[: -len(ending)]) in self.verbs:
                return number
        return ""


def english_stem(word: str) -> str:
    """Return the stem of an English word; unlike `language("en").stem` it needs no lexicon."""
    return _stem("en", word.lower())


def languages() -> tuple[str, ...]:
    """Return the codes of the languages that can be read."""
    return _CODES


@cache
def language(code: str) -> Language:
    """Return a language by its code.

    Raises:
        KeyError: There are no data for it.
    """
    if code not in _CODES:
        raise KeyError(code)
    return _built(code, _data(code))


_LONGEST_SHORT: Final = 4
"""Letters of the short name of a day or month, which may be a word of another language."""
_NAME: Final = re.compile(
    r"(?<=[^\s.!?:] )[A-ZÀ-Þ][\w'’]*(?: (?:(?:of|the|de|du|la|le|el|van|von|der|del) ){0,2}[A-ZÀ-Þ][\w'’]*)+|“[^”]{1,80}”"
)
_BETWEEN: Final = re.compile(r"\s+|(?<=\w\w)-(?=\w\w)")
"""What is between words: `mets-moi` has two, and `e-mail` is one."""
_CAPITALS: Final = re.compile(r"(?<=[^\s.!?:] )[A-ZÀ-Þ][\w'’]*")


def detect(text: str) -> Language:
    """Return the language of most words of a text; English if nothing speaks for another."""
    scores = dict.fromkeys(_CODES, 0.0)
    known = _known_words()
    # A name may be of another language: `was kostet The Hobbit?`
    unnamed = _NAME.sub(" ", text[:4000])
    written = _BETWEEN.split(unnamed.lower().replace("’", "'"))[:_LONGEST_DETECTED]
    words = [word.strip(".,;:!?¿¡()\"“”„«»'") for word in written]
    for word in words:
        for code in known.get(word) or known.get(word.partition("'")[0] + "'", ()):
            scores[code] += 1 / len(known[word]) if word in known else 1
    for code in _CODES:
        letters = _data(code).get("letters", "")
        scores[code] += sum(min(text.count(letter), 3) for letter in letters)
    most = max(scores.values())
    alike = [code for code in _CODES if scores[code] == most]
    if len(alike) > 1:
        # No small words, or those of several languages: the others decide.
        # `e-mail Tom`: a name alone says nothing.
        names = set() if most else {word.lower() for word in _CAPITALS.findall(text)}
        others = {word for word in words if word not in known} - names
        alike.sort(key=lambda code: -_known(code, others, words))
    return language(alike[0])


def _known(code: str, others: Iterable[str], words: Iterable[str]) -> int:
    """Return how many of some words the lexicon of a language has, and how many join others in it."""
    data = _data(code)
    spellings = str.maketrans(data.get("spellings", {}))
    glosses, joins = data["glosses"], data["conjunctions"]
    # `y` joins in Spanish, and is only known in French.
    return sum(_stem(code, folded(word, spellings)) in glosses for word in others) + sum(
        word in joins for word in words
    )


_LETTERS: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")

_CLEARLY: Final = 4
"""How many times as many words of one language as of any other a text has that is clearly in it."""


def clear_language(text: str, least: int) -> str:
    """Return the code of the language that a text is clearly written in; empty if it is not clear.

    Only small words count that no other known language has. The lexicon is not needed.

    Args:
        text: The text.
        least: Different words of the language that it must have.
    """
    found = dict.fromkeys(_CODES, 0)
    for word in {*_lower_words(text)} & _only_words().keys():
        found[_only_words()[word]] += 1
    second, most = sorted(found.values())[-2:]
    clear = most >= least and most >= _CLEARLY * second
    return max(found, key=lambda code: found[code]) if clear else ""


@cache
def field_names(code: str) -> Mapping[str, str]:
    """Return the English names of fields by what they are called in a language: `from` for `von`."""
    names = _hand(code).get("field_names", {})
    return {one: english for several, english in names.items() for one in several.split("|")}


def denies(text: str) -> bool:
    """Whether a text has a word such as `not`, in any language."""
    return any(word in _negators() or word.endswith("n't") for word in _lower_words(text))


def _lower_words(text: str) -> list[str]:
    return _LETTERS.findall(text[:_LONGEST_COMPARED].lower().replace("’", "'"))


@cache
def _only_words() -> Mapping[str, str]:
    """Return the small words that one language has alone, each with its code."""
    found: dict[str, str] = {}
    for code in _CODES:
        generated = _file(f"{code}.cldr")
        for word in {*_hand(code)["stop"].split(), *generated["seen"].split()}:
            found[word] = "" if word in found else code
    return {word: code for word, code in found.items() if code}


@cache
def _negators() -> frozenset[str]:
    words = (word for code in _CODES for word in _hand(code)["negators"])
    return frozenset(word for word in words if " " not in word)


@lru_cache(maxsize=1)
def _known_words() -> Mapping[str, tuple[str, ...]]:
    """Return the words of all languages, each with the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for code in _CODES:
        data = _data(code)
        words = set(data["stop"].split()) | set(data["seen"].split())
        # `clique sur Save` has no other word of its language.
        page = _file(f"{code}.page")["page_acts"]
        words |= {word for text in page for word in re.split(r"[ |]", text) if len(word) > 2}
        words |= {
            name
            for names in (data["weekdays"], data["months"])
            for name in names
            if len(name) > _LONGEST_SHORT
        }
        # `trois croissants`, `Taxi gestern`
        words |= {
            name
            for role in ("numbers", "days")
            for names in data[role]
            for name in names.split("|")
        }
        for word in words:
            found[word] = (*found.get(word, ()), code)
    return found


def _file(name: str) -> Any:
    return packaged_json(__file__, f"languages/{name}.json")


@cache
def _hand(code: str) -> Mapping[str, Any]:
    data: dict[str, Any] = _file(code)
    return data


@cache
def _data(code: str) -> dict[str, Any]:
    """Return what is written by hand about a language, what was generated, and the lexicon."""
    data = dict(_hand(code))
    generated = _file(f"{code}.cldr")
    generated |= _lexicon(code)
    for role, meanings in generated.items():
        if isinstance(meanings, dict):
            data[role] = meanings | data.get(role, {})
        else:
            data.setdefault(role, meanings)
    return data


def _lexicon(name: str) -> dict[str, Any]:
    """Return a part of the lexicon. Its modules reach a page after the start, so they come last."""
    module = importlib.import_module(f"webagent.agent.deterministic.reading.lexicon.{name}")
    data: dict[str, Any] = json.loads(module.DATA)
    return data


@lru_cache(maxsize=16_384)
def _stem(code: str, key: str) -> str:
    if len(key) > _LONGEST_STEMMED or not key.isalpha():
        return key
    return _stemmer(_hand(code)["stemmer"]).stemWord(key)


@cache
def _stemmer(name: str) -> _Stemmer:
    """Load one stemmer; the package itself would load all thirty, which takes longer than a run."""
    if _STEMMERS not in sys.modules:
        spec = importlib.util.find_spec("snowballstemmer")
        package = ModuleType(_STEMMERS)
        package.__path__ = list(spec.submodule_search_locations or ()) if spec else []
        sys.modules[_STEMMERS] = package
    module = importlib.import_module(f"{_STEMMERS}.{name}_stemmer")
    stemmer: _Stemmer = getattr(module, f"{name.capitalize()}Stemmer")()
    return stemmer


@lru_cache(maxsize=8192)
def _compound(code: str, stem: str) -> tuple[str, ...]:
    """Return the English stems of both parts of a compound, such as `Kundenname`."""
    glosses, links = language(code).glosses, ("", "s", "n", "en", "e", "er", "es")
    for cut in range(3, min(len(stem), _LONGEST_STEMMED) - 2):
        if last := glosses.get(stem[cut:]):
            for link in links:
                if first := glosses.get(stem[:cut].removesuffix(link)):
                    # `Bücherkarton` has to do with books, and not with booking.
                    acts = verbs_in(first) if link == "er" else ()
                    return (*last, *(one for one in first if one not in acts))
    for cut in range(4, min(len(stem), _LONGEST_STEMMED) - 3):
        if last := glosses.get(stem[cut:]):
            return last
    for cut in range(len(stem) - 4, 4, -1):
        for link in links:
            if first := glosses.get(stem[:cut].removesuffix(link)):
                # `Familienshooting`: only what it has to do with is known.
                return tuple(one for one in first if one not in verbs_in(first))
    return ()


def _built(code: str, data: Mapping[str, Any]) -> Language:
    spellings = str.maketrans(data.get("spellings", {}))
    endings = data.get("endings", "").split() or [""]

    def spread(entries: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for text, meaning in entries.items():
            for one in text.split("|"):
                if "*" in one:
                    yield from ((one.replace("*", ending), meaning) for ending in endings)
                else:
                    yield one.strip(), meaning

    units = dict(spread(data["units"]))
    numerals = {
        folded(word, spellings)
        for role in ("numbers", "scales", "number_joins", "ordinals", "fractions", "collectives")
        for text, _ in spread(data.get(role, {}))
        for word in text.replace("-", " ").split()
    }
    signs = {name for name in data["ordinal_signs"].split() if name.isalpha()}
    halves = {name for text, _ in spread(data["halves"]) for name in text.split()}
    suffixes = {*units, *signs, *halves, *data["suffixes"].split(), "½", "¼", "¾"}
    prefixed = frozenset(
        folded(word, spellings)
        for role in ("numbers", "scales", "months", "weekdays", "units", "days", "day_parts")
        if data.get("prefixes")
        for text, _ in spread(data.get(role, {}))
        for word in text.split()
    )
    cuts = Cuts(
        frozenset(folded(word, spellings) for word in data.get("elisions", "").split()),
        tuple(data.get("enclitics", "").split()),
        frozenset(folded(word, spellings) for word in suffixes),
        frozenset(data.get("hyphened", "").split()),
        frozenset({"x", *(name.lower() for name in data["currencies"] if len(name) == 3)}),
        frozenset(numerals),
        frozenset(folded(word, spellings) for word, n in spread(data["numbers"]) if n > 1),
        tuple(data.get("prefixes", "").split()),
        prefixed,
        spellings,
    )

    def keys_of(text: str) -> tuple[str, ...]:
        if text.isalpha():
            return (folded(text, spellings),)
        found: list[str] = []
        for word in text.split():
            key = folded(word, spellings)
            if key in cuts.elisions:
                found.append(key)
            else:
                found += (
                    folded(word[start:end], spellings) for start, end in pieces_of(word, cuts)
                )
        return tuple(found)

    roles: dict[str, dict[str, Any]] = {}
    phrases: dict[str, list[Phrase]] = {}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for role in (*_WORD_ROLES, *_VALUE_ROLES):
        entries = data.get(role, {})
        if isinstance(entries, str):
            entries = dict.fromkeys(entries.split(), True)
        if isinstance(entries, list):
            entries = dict.fromkeys(entries, True)
        named = roles.setdefault(role, {})
        owned = [""]
        if code == "en" and role in ("days", "weekdays", "months"):
            # `tomorrow's meeting`
            owned.append("'s")
        for text, meaning in (
            (f"{one}{end}", meaning) for end in owned for one, meaning in spread(entries)
        ):
            keys = keys_of(text)
            if keys and (role, keys) not in seen:
                seen.add((role, keys))
                named[" ".join(keys)] = meaning
                phrases.setdefault(keys[0], []).append(Phrase(role, keys, meaning))
    patterns: dict[str, list[Pattern]] = {}
    for role in _PATTERN_ROLES:
        for text, meaning in data.get(role, {}).items():
            pattern = Pattern(role, tuple(_slot(part, keys_of) for part in text.split()), meaning)
            for start in _starts(pattern.slots):
                patterns.setdefault(start, []).append(pattern)
    stop = frozenset(key for word in data["stop"].split() for key in keys_of(word))
    contractions = {
        bare: key
        for key in (*stop, *(" ".join(keys) for _, keys in seen if len(keys) == 1))
        if "'" in key[1:-1] and len(bare := key.replace("'", "")) > 3
        and bare not in stop and bare not in phrases and bare not in data["glosses"]
    }  # fmt: skip
    return Language(
        code=code,
        glosses={stem: tuple(words.split()) for stem, words in data["glosses"].items()},
        verbs=frozenset(stem for stem, words in data["glosses"].items() if VERB in words),
        idioms=_idioms(data["phrases"]),
        particles={
            particle: {stem: tuple(words.split()) for stem, words in verbs.items()}
            for particle, verbs in data["particles"].items()
        },
        stop=stop,
        phrases={
            key: tuple(sorted(found, key=lambda phrase: -len(phrase.keys)))
            for key, found in phrases.items()
        },
        roles=roles,
        patterns={key: tuple(found) for key, found in patterns.items()},
        pronoun_endings=tuple(data.get("pronoun_endings", {}).items()),
        inflections=tuple(
            (one, verb)
            for verb, many in data.get("inflections", {}).items()
            for one in many.split()
        ),
        decimal=data["decimal"],
        group=data["group"],
        date_orders=tuple(data["date_orders"].split()),
        ordinal_signs=frozenset(data["ordinal_signs"].split()),
        teen_tens=frozenset(data.get("teen_tens", ())),
        bare_scales=bool(data.get("bare_scales")),
        compound_numbers=bool(data.get("compound_numbers")),
        compound_words=bool(data.get("compound_words")),
        cuts=cuts,
        contractions=contractions,
    )


def _idioms(
    phrases: Mapping[str, str],
) -> dict[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]:
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for text, means in phrases.items():
        stems = tuple(text.split())
        found.setdefault(stems[0], []).append((stems[1:], tuple(means.split())))
    return {stem: tuple(sorted(rest, key=lambda one: -len(one[0]))) for stem, rest in found.items()}


@cache
def verb_relations() -> Mapping[str, tuple[str, str]]:
    """Return the English stem of each verb's concept and the concept of its opposite, by its id."""
    return {one: (stem, opposite) for one, (stem, opposite) in _lexicon("relations").items()}


@cache
def named_codes(part: str) -> Mapping[str, str]:
    """Return the names of `languages`, `countries` or `currencies` by their codes, joined by `|`."""
    names: dict[str, str] = _file("names.cldr")[part]
    return names


@cache
def unit_names() -> Mapping[str, str]:
    """Return the units by their names in all languages, in lower case without accents."""
    return {
        folded(name, {}): str(unit)
        for code in _CODES
        for names, unit in _data(code)["units"].items()
        for name in names.split("|")
    }


@cache
def country_names() -> Mapping[str, str]:
    """Return the English names of countries by their names in all languages, as keys."""
    known = named_codes("countries").values()
    return _by_key({names: names.partition("|")[0].title() for names in known})


@cache
def iata_codes(*parts: str) -> Mapping[str, str]:
    """Return the IATA codes of `airports`, `cities` or `airlines` by their names, as keys."""
    known = _file("iata")
    return _by_key({names: code for part in parts for code, names in known[part].items()})


def _by_key(meant: Mapping[str, str]) -> Mapping[str, str]:
    """Return what names mean that `|` separates, by the keys that each language gives a name."""
    known = [language(code) for code in _CODES]
    return {
        speech.key(name): meaning
        for names, meaning in meant.items()
        for name in names.split("|")
        for speech in known
    }


def verbs_in(glosses: Iterable[str]) -> frozenset[str]:
    """Return the concepts of verbs among what a word may mean, and the English stems of these."""
    ids = [one for one in glosses if one.startswith(VERB)]
    return frozenset((*ids, *(verb_relations()[one][0] for one in ids))) if ids else frozenset()


def _slot(part: str, keys_of: Any) -> Slot:
    optional = part.endswith("?") and len(part) > 1
    part = part.removesuffix("?") if optional else part
    if part.startswith("{"):
        return Slot(frozenset(), part.strip("{}"), optional)
    return Slot(frozenset(key for word in part.split("|") for key in keys_of(word)), "", optional)


def _starts(slots: Sequence[Slot]) -> list[str]:
    """Return what a pattern may begin with: words, or slots in braces."""
    found: list[str] = []
    for slot in slots:
        found += slot.keys or [f"{{{slot.name}}}"]
        if not slot.optional:
            break
    return found
