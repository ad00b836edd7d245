"""English words cut to their stems: the Porter2 algorithm (snowballstem.org/algorithms/english)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_VOWELS: Final = "aeiouy"
_DOUBLES: Final = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_LI: Final = "cdeghkmnrt"
_LONGEST = 40
"""Longer words are names and codes; they are left as they are."""

_EXCEPTIONS: Final = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
    "early": "earli", "only": "onli", "singly": "singl", "sky": "sky", "news": "news",
    "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
    "menus": "menu", "gurus": "guru", "people": "person", "children": "child", "men": "man", "women": "woman", "feet": "foot",
    "mice": "mouse", "geese": "goose", "teeth": "tooth", "movies": "movi", "bought": "buy",
    "sent": "send", "found": "find", "gave": "give", "given": "give", "made": "make",
    "went": "go", "wrote": "write", "written": "write", "paid": "pay", "left": "left",
    "took": "take", "taken": "take", "shown": "show", "got": "get", "data": "data",
    "analyses": "analysi", "cheapest": "cheap", "cheaper": "cheap",
}  # fmt: skip
_KEPT: Final = frozenset(
    {"inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"}
)
_STEP2: Final = (
    ("ational", "ate"), ("ization", "ize"), ("fulness", "ful"), ("ousness", "ous"),
    ("iveness", "ive"), ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"),
    ("entli", "ent"), ("ation", "ate"), ("alism", "al"), ("aliti", "al"), ("ousli", "ous"),
    ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"), ("anci", "ance"), ("abli", "able"),
    ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"),
)  # fmt: skip
_STEP3: Final = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP4: Final = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous",
    "ive", "ize", "al", "er", "ic",
)  # fmt: skip
_NO_WORD = re.compile(r"[^a-z']")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the stem of a word in lower case; what is no plain word stays as it is."""
    word = word.replace("’", "'").removesuffix("'s").strip("'")
    if len(word) <= 2 or len(word) > _LONGEST or _NO_WORD.search(word):
        return word
    if found := _EXCEPTIONS.get(word):
        return found
    word = _marked(word)
    r1, r2 = _regions(word)
    word = _step1a(word)
    if word in _KEPT:
        return word
    word = _step1c(_step1b(word, r1))
    word = _step2(word, r1)
    word = _step3(word, r1, r2)
    word = _step4(word, r2)
    return _step5(word, r1, r2).replace("Y", "y")


def _marked(word: str) -> str:
    """Write `y` where it is a consonant as `Y`."""
    letters = list(word)
    for index, letter in enumerate(letters):
        if letter == "y" and (index == 0 or letters[index - 1] in _VOWELS):
            letters[index] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    for prefix in ("gener", "commun", "arsen"):
        if word.startswith(prefix):
            return len(prefix), _after_syllable(word, len(prefix))
    r1 = _after_syllable(word, 0)
    return r1, _after_syllable(word, r1)


def _after_syllable(word: str, start: int) -> int:
    for index in range(start + 1, len(word)):
        if word[index] not in _VOWELS and word[index - 1] in _VOWELS:
            return index + 1
    return len(word)


def _has_vowel(part: str) -> bool:
    return any(letter in _VOWELS for letter in part)


def _short_end(word: str) -> bool:
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    return (
        len(word) > 2
        and word[-1] not in _VOWELS
        and word[-1] not in "wxY"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )


def _step1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith(("us", "ss")):
        return word
    if word.endswith("s") and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _step1b(word: str, r1: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            return word[: -len(suffix)] + "ee" if len(word) - len(suffix) >= r1 else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if not word.endswith(suffix):
            continue
        rest = word[: -len(suffix)]
        if not _has_vowel(rest):
            return word
        if rest.endswith(("at", "bl", "iz")):
            return rest + "e"
        if rest.endswith(_DOUBLES):
            return rest[:-1]
        if _short_end(rest) and r1 >= len(rest):
            return rest + "e"
        return rest
    return word


def _step1c(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _step2(word: str, r1: int) -> str:
    for suffix, new in _STEP2:
        if word.endswith(suffix):
            return word[: -len(suffix)] + new if len(word) - len(suffix) >= r1 else word
    if word.endswith("ogi") and len(word) - 3 >= r1 and word[-4] == "l":
        return word[:-1]
    if word.endswith("li") and len(word) - 2 >= r1 and word[-3] in _LI:
        return word[:-2]
    return word


def _step3(word: str, r1: int, r2: int) -> str:
    for suffix, new in _STEP3:
        if word.endswith(suffix):
            return word[: -len(suffix)] + new if len(word) - len(suffix) >= r1 else word
    if word.endswith("ative") and len(word) - 5 >= r2:
        return word[:-5]
    return word


def _step4(word: str, r2: int) -> str:
    for suffix in _STEP4:
        if word.endswith(suffix):
            return word[: -len(suffix)] if len(word) - len(suffix) >= r2 else word
    if word.endswith(("sion", "tion")) and len(word) - 3 >= r2:
        return word[:-3]
    return word


def _step5(word: str, r1: int, r2: int) -> str:
    end = len(word) - 1
    if word.endswith("e"):
        if end >= r2 or (end >= r1 and not _short_end(word[:-1])):
            return word[:-1]
    elif word.endswith("ll") and end >= r2:
        return word[:-1]
    return word
