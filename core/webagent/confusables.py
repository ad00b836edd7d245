"""Letters that look like others, in words that mix scripts and in names that can be mistaken.

The browser's half is `browser_bundle/src/ui/confusables.ts`; a test compares the two tables.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

CONFUSABLES: dict[str, str] = {
    pair[0]: pair[1:]
    for group in (
        # Cyrillic
        "аa еe кk оo рp сc уy хx ѕs іi јj һh ԁd ԛq ԝw ѵv ӏl үy",
        "АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ЅS ІI ЈJ ԌG ԚQ ԜW ѴV ҮY ӀI",
        # Greek
        "αa γy ιi κk νv οo ρp σo υu ϲc ϳj ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC ͿJ",
        # Armenian and Cherokee
        "օo ոn սu հh զq ցg յj ՕO ՏS ՍU ԼL",
        "ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ Ꭵi",
        # Latin letters that are not ASCII
        "ıi ȷj ɑa ɡg ſf ɩi ʋv ɯw ᴄc ᴏo ᴜu ᴠv ᴡw ᴢz ꜱs ƖI ǀl",
    )
    for pair in group.split()
}
"""Letters by what they look like in ASCII: the pairs of Unicode's UTS #39 that matter for names."""

LETTERS = str.maketrans(CONFUSABLES)
"""For `str.translate`: each of them as the letter of ASCII that it looks like."""

_FOLDED = str.maketrans("0I1", "Oll")
"""Characters of ASCII that look alike in many fonts."""

_WORD = re.compile(r"[^\W_]+")

_FOREIGN = frozenset(("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU"))
"""Scripts, as names of characters begin, whose letters pass for Latin ones."""


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A letter that looks like another one, and the word that it is in."""

    word: str
    place: int
    """Index of the letter in the word."""

    @property
    def letter(self) -> str:
        """The letter itself."""
        return self.word[self.place]

    def __str__(self) -> str:
        """Return ``the 2nd letter is Cyrillic `а` (U+0430)``."""
        number = self.place + 1
        tens, ones = divmod(number, 10)
        suffix = "th" if tens % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(ones, "th")
        script = unicodedata.name(self.letter, "another letter").split()[0].capitalize()
        return f"the {number}{suffix} letter is {script} `{self.letter}` (U+{ord(self.letter):04X})"


def skeleton(name: str) -> str:
    """Return a name in which letters that look alike are the same."""
    return unicodedata.normalize("NFKC", name).translate(LETTERS).translate(_FOLDED)


def mixed_words(text: str) -> Iterator[Lookalike]:
    """Yield each word that mixes Latin with a script that looks like it, at its first such letter.

    Units such as `μm` and `kΩ` mix scripts too; their letters look like no other.
    """
    if text.isascii():
        return
    for match in _WORD.finditer(text):
        if (found := _mixed(match[0])) is not None:
            yield found


def lookalike_in(name: str) -> Lookalike | None:
    """Return the first letter of a name that passes for ASCII, if the name can be read as ASCII.

    A word that is plainly of another script, such as `поиск`, is not such a name.
    """
    if name.isascii():
        return None
    whole = skeleton(name).isascii()
    for match in _WORD.finditer(name):
        if whole:
            place = next((i for i, c in enumerate(match[0]) if not c.isascii()), None)
            if place is not None:
                return Lookalike(match[0], place)
        elif (found := _mixed(match[0])) is not None:
            return found
    return None


def _mixed(word: str) -> Lookalike | None:
    if word.isascii() or not any(_script(c) == "LATIN" for c in word):
        return None
    for place, letter in enumerate(word):
        script = _script(letter)
        if script in _FOREIGN and (script != "GREEK" or letter in CONFUSABLES):
            return Lookalike(word, place)
    return None


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").split(" ")[0]
