"""Text cut into pieces: words, numbers and signs with their places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from webagent.registry.secrets import MASK

_MARKS: Final = r"\u0300-\u036f\u064b-\u065f\u0670"
"""Accents and vowel signs that are letters of their own; `\\w` leaves them out."""
_PIECE: Final = re.compile(
    rf"{MASK}\d{{0,3}}"
    r"|https?://[^\s<>\"“”]{0,499}[^\s<>\"“”.,;:!?)\]}']"
    r"|www\.[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?:/[^\s<>\"“”]{0,400})?"
    r"|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
    r"|(?:Dr|Mrs?|Ms|Prof|Dra|Sra?|Mme|St|Hr|Fr)\.(?=\s[^\W\d_a-z])|[^\W\d_]{1,30}str\.(?=\s\d)|[Nn][or]\.(?=\s?\d)"
    rf"|[^\W_](?:[\w{_MARKS}]|['’.&+-](?=[^\W_])|(?<=\d)[,:/٫٬](?=\d))*"
    r"|[^\s\w]|_"
)
_FIGURES: Final = re.compile(r"\d+(?:[.,:/'’٫٬]\d+)*")
_ISO: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?")
_GLUED: Final = re.compile(
    r"(\d+(?:[.,:/'’٫٬]\d+)*)([^\W\d_]+(?:\.[^\W\d_]|[²³])?|[¼-¾⅐-⅞])(\d{1,2})?"
)
_LEADING: Final = re.compile(r"(\d+(?:[.,:/'’٫٬]\d+)*)-(?=\d|[^\W\d_]{2})")
_FRONTED: Final = re.compile(r"([^\W\d_]{1,3})(\d+(?:[.,]\d+)*)")
_COUNTED: Final = 3
"""Letters of the shortest word that a number counts: not `three-in-one`."""
_LONGEST: Final = 80
"""Letters of a piece that is cut further; a longer one means nothing to anybody."""


def folded(text: str, spellings: Mapping[int, str]) -> str:
    """Return a text in lower case without accents; the letters of `spellings` are rewritten."""
    low = text.lower()
    if low.isascii():
        return low
    low = unicodedata.normalize("NFC", low).replace("’", "'").translate(spellings)
    if low.isascii():
        return low
    parts = unicodedata.normalize("NFD", low)
    return "".join(part for part in parts if not unicodedata.combining(part))


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where a language cuts inside of words."""

    elisions: frozenset[str]
    """Short words before an apostrophe, such as `l'`."""
    enclitics: tuple[str, ...]
    """Short words behind a hyphen, such as `-moi`."""
    suffixes: frozenset[str]
    """What may follow figures without a space: units, `pm`, `th`."""
    hyphened: frozenset[str]
    """Words whose hyphen joins no words of their own: `rendez-vous`, `two-factor`."""
    fronts: frozenset[str]
    """What may precede figures without a space: `EUR`."""
    numerals: frozenset[str]
    """Words of numbers, which a hyphen may join."""
    counts: frozenset[str]
    """Words of numbers from two on, which a hyphen may join to what they count."""
    prefixes: tuple[str, ...]
    """Letters before a word of a number or date that are words of their own."""
    prefixed: frozenset[str]
    """The words that may carry a prefix."""
    spellings: Mapping[int, str]


def pieces_of(text: str, cuts: Cuts) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each piece of a text, in order."""
    for match in _PIECE.finditer(text):
        start, end = match.span()
        if end - start == 1 or end - start > _LONGEST:
            yield start, end
        elif text[start:end].isalpha():
            if cut := _prefix(text[start:end], cuts):
                yield start, start + cut
                start += cut
            yield start, end
        else:
            yield from _parts(text, start, end, cuts)


def _parts(text: str, start: int, end: int, cuts: Cuts) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece.startswith(("http", "www.", MASK)) or "@" in piece:
        yield start, end
    elif piece[0].isdecimal():
        yield from _figures(text, start, end, cuts)
    elif (cut := _elided(piece, cuts)) or (cut := _fronted(piece, cuts)):
        yield start, start + cut
        yield from _parts(text, start + cut, end, cuts)
    elif "-" in piece:
        yield from _hyphened(piece, start, cuts)
    else:
        yield start, end


def _prefix(piece: str, cuts: Cuts) -> int:
    for prefix in cuts.prefixes:
        if piece.startswith(prefix) and len(piece) > len(prefix):
            rest = folded(piece[len(prefix) :], cuts.spellings)
            if rest in cuts.prefixed and folded(piece, cuts.spellings) not in cuts.prefixed:
                return len(prefix)
    return 0


def _elided(piece: str, cuts: Cuts) -> int:
    at = piece[:9].replace("’", "'").find("'") + 1
    return at if at and folded(piece[:at], cuts.spellings) in cuts.elisions else 0


def _fronted(piece: str, cuts: Cuts) -> int:
    match = _FRONTED.fullmatch(piece)
    return match.end(1) if match and match[1].lower() in cuts.fronts else 0


def _figures(text: str, start: int, end: int, cuts: Cuts) -> Iterator[tuple[int, int]]:
    """Cut `5-9`, `750g`, `7pm`, `10h30` and `90-minute`; `4f9a2c` stays whole."""
    while start < end:
        piece = text[start:end]
        if _FIGURES.fullmatch(piece) or _ISO.fullmatch(piece):
            break
        if match := _LEADING.match(piece):
            cut = start + match.end(1)
            yield start, cut
            yield cut, cut + 1
            start = cut + 1
            if not text[start].isdecimal():
                yield from _parts(text, start, end, cuts)
                return
            continue
        match = _GLUED.match(piece)
        if match is None or folded(match[2], cuts.spellings) not in cuts.suffixes:
            break
        if match.end() < len(piece) and piece[match.end()] != "-":
            break
        for group in (1, 2, 3):
            if match[group]:
                yield start + match.start(group), start + match.end(group)
        start += match.end()
        if start < end:
            yield start, start + 1
            start += 1
            if not text[start].isdecimal():
                yield from _parts(text, start, end, cuts)
                return
    if start < end:
        yield start, end


def _hyphened(piece: str, start: int, cuts: Cuts) -> Iterator[tuple[int, int]]:
    """Cut `twenty-five` and `two-hour`, and short words behind a verb: `montre-moi`."""
    low = folded(piece, cuts.spellings)
    end, tail = start + len(piece), []
    while len(low) == end - start:
        ending = next((word for word in cuts.enclitics if low.endswith(word)), "")
        if not ending or len(ending) >= len(low) or low in cuts.hyphened:
            break
        low = low[: -len(ending)]
        tail.append((end - len(ending) + 1, end))
        end -= len(ending)
    parts = low.split("-")
    numeral = len(parts) > 1 and parts[0] in cuts.numerals
    if numeral and all(part in cuts.numerals or part in cuts.suffixes for part in parts):
        at = start
        while (cut := piece.find("-", at - start)) >= 0 and start + cut < end:
            yield at, start + cut
            yield start + cut, start + cut + 1
            at = start + cut + 1
        yield at, end
    elif (
        len(parts) > 1
        and parts[0] in cuts.counts
        and len(parts[1]) >= _COUNTED
        and low not in cuts.hyphened
    ):
        # `a two-bedroom flat`
        cut = start + piece.find("-")
        yield start, cut
        yield cut, cut + 1
        yield cut + 1, end
    else:
        yield start, end
    yield from reversed(tail)
