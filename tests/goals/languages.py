"""Generate what CLDR and the stemmers know of the languages that the planner reads.

    python -m tests.goals.languages           writes languages/*.cldr.json and *.lexicon.json
    python -m tests.goals.languages --check   exits with 1 when one of them is not up to date

Babel (BSD) has the data of CLDR (Unicode licence): names of months, weekdays, units and
currencies, and the signs of numbers. The stems of the dictionaries are made here too, because
stemming them would take longer than a run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import snowballstemmer
from babel import Locale
from babel.dates import get_day_names, get_month_names

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "core")]

from webagent.agent.deterministic.reading.chunks import folded  # noqa: E402

MOST_KINDS = 20
TOGETHER = ("ge", "zu")
"""What forms of a German verb begin with that no particle stands apart from."""
APART = ("geben", "gehen")
"""The other verbs that begin like these."""
QUOTES = '"' * 3
LEXICON = ROOT / "tests/goals/lexicon"
FOLDER = ROOT / "core/webagent/agent/deterministic/reading/languages"
CODES = ("en", "de", "fr", "es", "ar")
CURRENCIES = [
    "EUR",
    "USD",
    "GBP",
    "JPY",
    "CHF",
    "CNY",
    "INR",
    "AUD",
    "CAD",
    "NZD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
    "HUF",
    "RON",
    "BGN",
    "TRY",
    "RUB",
    "UAH",
    "BRL",
    "MXN",
    "ARS",
    "CLP",
    "COP",
    "PEN",
    "ZAR",
    "EGP",
    "MAD",
    "TND",
    "DZD",
    "SAR",
    "AED",
    "QAR",
    "KWD",
    "BHD",
    "ILS",
    "KRW",
    "SGD",
    "HKD",
    "THB",
    "IDR",
    "MYR",
    "PHP",
    "VND",
    "ISK",
]


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    old = []
    files = {f"{code}.cldr.json": generated(code) for code in CODES}
    files |= {f"../lexicon/{code}.py": lexicon(code) for code in CODES}
    files |= {"../lexicon/relations.py": relations(), "names.cldr.json": named_codes()}
    for name, data in files.items():
        path = FOLDER / name
        text = as_module(data) if path.suffix == ".py" else as_json(data)
        if not path.exists() or path.read_text("utf-8") != text:
            old.append(path.name)
            if not check:
                path.write_text(text, "utf-8")
    print("out of date:" if check else "written:", *old if old else ["nothing"])
    return 1 if check and old else 0


def generated(code: str) -> dict[str, Any]:
    """Return the generated data of a language."""
    hand = json.loads((FOLDER / f"{code}.json").read_text("utf-8"))
    stop = set(hand["stop"].split())
    locale = Locale(code)
    common = (word for one in concepts(LEXICON / "generic.tsv") for word in one.words[code])
    return {
        "seen": " ".join(
            sorted({part for word in common for part in word.split("_") if len(part) > 2})
        ),
        "months": names(get_month_names, code),
        "weekdays": names(get_day_names, code),
        "units": units(locale, stop),
        "currencies": currencies(locale, stop),
    }


def names(get: Any, code: str) -> dict[str, int]:
    """Return names of months or weekdays with their numbers, full and short."""
    found: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for number, name in get(width, context, locale=code).items():
                found.setdefault(name.lower().rstrip("."), number)
    return found


def named_codes() -> dict[str, dict[str, str]]:
    """Return the names of languages, countries and currencies in all languages, by their codes."""
    found: dict[str, dict[str, list[str]]] = {"languages": {}, "countries": {}, "currencies": {}}
    for code in CODES:
        locale = Locale(code)
        for part, names, length in (
            ("languages", locale.languages, 2),
            ("countries", locale.territories, 2),
            ("currencies", {one: locale.currencies.get(one, "") for one in CURRENCIES}, 3),
        ):
            for key, name in names.items():
                if len(key) == length and key.isalpha() and name:
                    text = re.sub(r" ?\(.*\)", "", str(name)).lower()
                    found[part].setdefault(key, []).append(text)
    return {
        part: {key: "|".join(dict.fromkeys(names)) for key, names in sorted(known.items())}
        for part, known in found.items()
    }


def units(locale: Locale, stop: set[str]) -> dict[str, str]:
    """Return the names of units, long and short, with their ids."""
    known = json.loads((FOLDER / "units.json").read_text("utf-8"))
    wanted = {unit for members in known.values() for unit in members}
    found: dict[str, str] = {}
    for width in ("long", "short"):
        for name, patterns in locale._data["unit_patterns"].items():
            unit = name.partition("-")[2]
            if unit not in wanted or name.startswith(("angle", "concentr")):
                continue
            for form, pattern in dict(patterns.get(width, {})).items():
                if form in ("per", "case", "gender") or not isinstance(pattern, str):
                    continue
                text = pattern.replace("{0}", "").replace("\u00a0", " ").replace("\u202f", " ")
                text = text.replace("\u200f", "").strip(" .").lower()
                # A single k is a thousand sooner than a kelvin.
                if text and text not in stop and text != "k":
                    found.setdefault(text, unit)
    return found


def currencies(locale: Locale, stop: set[str]) -> dict[str, str]:
    """Return the codes, names and signs of the common currencies."""
    found = {code: code for code in CURRENCIES}
    for code in CURRENCIES:
        forms = dict(locale._data["currency_names_plural"].get(code, {})).values()
        for name in (locale.currencies.get(code, ""), *forms):
            if name and name.lower() not in stop:
                found.setdefault(name.lower().replace("\u200f", ""), code)
        sign = locale.currency_symbols.get(code, "")
        if sign and not re.search(r"[a-z]|^[A-Z]$", sign) and sign not in ("$", "£"):
            found.setdefault(sign.replace("\u200f", ""), code)
    return found


@dataclass(frozen=True)
class Concept:
    """A meaning that words of several languages share."""

    id: str
    """`#v12`: a verb, a noun (`n`) or what describes (`a`)."""
    words: Mapping[str, Sequence[str]]
    """By language its words and phrases, the usual one first; `_` joins the words of a phrase."""
    broader: Sequence[str]
    opposite: str


def concepts(*paths: Path) -> list[Concept]:
    """Return the concepts of some files, by default of the whole lexicon.

    Raises:
        ValueError: A line has not seven columns.
    """
    rows: list[list[str]] = []
    for path in paths or sorted(LEXICON.glob("*.tsv")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) != 7:
                raise ValueError(f"{path.name}:{number}: {len(cells)} columns - a concept has 7")
            rows.append(cells)
    merged: dict[str, list[list[str]]] = {}
    for cells in rows:
        head = cells[1].split(",")[0].strip()
        merged.setdefault(f"{cells[0]} {head}", []).append(cells)
    ids = {name: f"#{name[0]}{number}" for number, name in enumerate(merged)}
    found = []
    for name, lines in merged.items():
        words = {
            code: list(dict.fromkeys(
                one.strip().lower() for line in lines for one in line[1 + at].split(",") if one.strip()
            ))
            for at, code in enumerate(CODES)
        }  # fmt: skip
        broader, opposite = [], ""
        for relation in " ".join(line[6] for line in lines).split():
            targets = [ids.get(f"{kind} {relation[1:]}", "") for kind in (name[0], *"nva")]
            target = next((one for one in targets if one and one != ids[name]), "")
            if relation[0] == "<" and target:
                broader.append(target)
            elif relation[0] == "!" and target:
                opposite = target
        found.append(Concept(ids[name], words, broader, opposite))
    # A kind of very many things says nothing of one of them.
    kinds = Counter(broader for one in found for broader in one.broader)
    return [
        replace(one, broader=[b for b in one.broader if kinds[b] <= MOST_KINDS]) for one in found
    ]


def lexicon(code: str) -> dict[str, Any]:
    """Return the lexicon of a language by stems: what words, phrases and separable verbs mean."""
    hand = json.loads((FOLDER / f"{code}.json").read_text("utf-8"))
    spellings = str.maketrans(hand.get("spellings", {}))
    own, english = snowballstemmer.stemmer(hand["stemmer"]), snowballstemmer.stemmer("english")
    glosses: dict[str, dict[str, None]] = {}
    particles: dict[str, dict[str, dict[str, None]]] = {}
    phrases: dict[str, dict[str, None]] = {}

    def stem(word: str) -> str:
        key = folded(word, spellings)
        return str(own.stemWord(key)) if key.isalpha() else key

    separable = sorted(hand.get("separable", "").split(), key=len, reverse=True)
    for concept in concepts():
        heads = [english.stemWord(part) for part in concept.words["en"][0].split("_")]
        if concept.id.startswith("#v") and len(heads) > 1:
            heads = []
        means = dict.fromkeys([*heads, concept.id, *(f"<{one[1:]}" for one in concept.broader)])
        is_verb = concept.id.startswith("#v")
        for word in concept.words[code]:
            parts = word.split("_")
            if len(parts) == 1:
                # That an English word means itself need not be said.
                own_stem = stem(word) if code == "en" else ""
                glosses.setdefault(stem(word), {}).update(
                    dict.fromkeys(one for one in means if one != own_stem)
                )
                particle = next((one for one in separable if word.startswith(one)), "")
                base = word.removeprefix(particle)
                # `raus` stands apart from `nehmen`, and never from `genommen` and `zunehmen`.
                apart = base in APART or not base.startswith(TOGETHER)
                if is_verb and particle and apart and len(base) > 3:
                    at = particles.setdefault(folded(particle, spellings), {})
                    at.setdefault(stem(base), {}).update(means)
            elif len(parts) == 2 and parts[1] in separable and concept.id[1] in "vn":
                at = particles.setdefault(folded(parts[1], spellings), {})
                at.setdefault(stem(parts[0]), {}).update(means)
            else:
                phrases.setdefault(" ".join(map(stem, parts)), {}).update(means)
    # A phrase for a thing of which one word means all of it anyway need not be looked for.
    kept = {
        text: means for text, means in phrases.items()
        if any(one.startswith("#v") for one in means)
        or not any(means.keys() <= {one, *glosses.get(one, ())} for one in text.split())
    }  # fmt: skip
    return {
        "glosses": {one: " ".join(means) for one, means in sorted(glosses.items())},
        "particles": {
            one: {verb: " ".join(means) for verb, means in sorted(verbs.items())}
            for one, verbs in sorted(particles.items())
        },
        "phrases": {one: " ".join(means) for one, means in sorted(kept.items())},
    }


def relations() -> dict[str, Any]:
    """Return of each verb its English stem and its opposite, by its id."""
    english = snowballstemmer.stemmer("english")
    return {
        one.id: [english.stemWord(one.words["en"][0].replace("_", " ")), one.opposite]
        for one in concepts()
        if one.id.startswith("#v")
    }


def as_module(data: dict[str, Any]) -> str:
    """Return data as a module: modules that nothing imports at the start reach a page later.

    Raises:
        ValueError: A word of the lexicon would end the literal.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if QUOTES in text or "\\" in text:
        raise ValueError("a word of the lexicon ends the literal")
    title = "A part of the lexicon; `python -m tests.goals.languages` writes it."
    return f"{QUOTES}{title}{QUOTES}\n\nDATA = {QUOTES}{text}{QUOTES}\n"


def as_json(data: dict[str, Any]) -> str:
    """Return data as JSON with one line for each part."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
