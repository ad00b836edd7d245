"""Generate what CLDR and the stemmers know of the languages that the planner reads.

    python scripts/languages.py           writes languages/*.cldr.json
    python scripts/languages.py --check   exits with 1 when one of them is not up to date

Babel (BSD) has the data of CLDR (Unicode licence): names of months, weekdays, units and
currencies, and the signs of numbers. The stems of the dictionaries are made here too, because
stemming them would take longer than a run.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import snowballstemmer
from babel import Locale
from babel.dates import get_day_names, get_month_names

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "core")]

from webagent.agent.deterministic.reading.chunks import folded  # noqa: E402

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
PARTS = ("verbs", "nouns", "adjectives")


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    old = []
    for code in CODES:
        path = FOLDER / f"{code}.cldr.json"
        text = as_json(generated(code))
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
    spellings = str.maketrans(hand.get("spellings", {}))
    return {
        "months": names(get_month_names, code),
        "weekdays": names(get_day_names, code),
        "units": units(locale, stop),
        "currencies": currencies(locale, stop),
        **stems(code, hand, spellings),
    }


def names(get: Any, code: str) -> dict[str, int]:
    """Return names of months or weekdays with their numbers, full and short."""
    found: dict[str, int] = {}
    for width in ("wide", "abbreviated"):
        for context in ("format", "stand-alone"):
            for number, name in get(width, context, locale=code).items():
                found.setdefault(name.lower().rstrip("."), number)
    return found


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


def stems(code: str, hand: dict[str, Any], spellings: dict[int, str]) -> dict[str, Any]:
    """Return the dictionary by stems, the stems of verbs, particles, and the words as written."""
    english = snowballstemmer.stemmer("english")
    own = snowballstemmer.stemmer(hand["stemmer"])
    synonyms = json.loads((FOLDER / "en.json").read_text("utf-8"))
    glosses: dict[str, list[str]] = {}
    verbs: set[str] = set()
    seen: set[str] = set()
    particles: dict[str, dict[str, str]] = {}

    def meaning(gloss: str) -> list[str]:
        words = [gloss]
        for part in PARTS:
            words += synonyms[part].get(gloss, "").split()
        return [english.stemWord(word) for word in words]

    for part in PARTS:
        for gloss, words in hand[part].items():
            for word in [gloss] if code == "en" else words.split():
                seen.add(word)
                key = folded(word, spellings)
                stem = own.stemWord(key)
                heard = glosses.setdefault(stem, [])
                more = meaning(gloss.split("/")[0])
                if code == "en":
                    more = [english.stemWord(other) for other in words.split()]
                heard += [
                    other
                    for other in more
                    if other not in heard and (code != "en" or other != stem)
                ]
                if part == "verbs":
                    verbs.add(stem)
                    for particle in hand.get("separable", "").split():
                        base = word.removeprefix(particle)
                        if base != word and len(base) > 3:
                            verb = own.stemWord(folded(base, spellings))
                            at = particles.setdefault(folded(particle, spellings), {})
                            at[verb] = " ".join(dict.fromkeys([*at.get(verb, "").split(), *more]))
    for phrase, gloss in hand.get("phrasal", {}).items():
        verb, particle = (folded(word, spellings) for word in phrase.split())
        found = [other for word in gloss.split() for other in meaning(word)]
        particles.setdefault(particle, {})[own.stemWord(verb)] = " ".join(dict.fromkeys(found))
    return {
        "glosses": {stem: " ".join(words) for stem, words in sorted(glosses.items()) if words},
        "verb_stems": " ".join(sorted(verbs)),
        "particles": {one: dict(sorted(all_.items())) for one, all_ in sorted(particles.items())},
        "seen": " ".join(sorted(seen)),
    }


def as_json(data: dict[str, Any]) -> str:
    """Return data as JSON with one line for each part."""
    lines = (
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.exit(main())
