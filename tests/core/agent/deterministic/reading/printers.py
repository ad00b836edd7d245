"""Print numbers, words for them, and dates as four locales do, to be read back."""

from __future__ import annotations

from decimal import Decimal

SIGNS = {"en": (",", "."), "de": (".", ","), "fr": ("\u202f", ","), "es": (".", ",")}
"""The group and the decimal sign."""


def grouped(value: Decimal, code: str, decimals: int, group: str | None = None) -> str:
    """Return `1,234.50` as a locale has it."""
    sign, point = SIGNS[code]
    text = f"{abs(value):,.{decimals}f}"
    whole, _, rest = text.partition(".")
    whole = whole.replace(",", sign if group is None else group)
    return ("-" if value < 0 else "") + whole + (point + rest if rest else "")


EN_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
EN_TENS = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
DE_ONES = [
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
DE_TENS = [
    "-",
    "-",
    "zwanzig",
    "dreißig",
    "vierzig",
    "fünfzig",
    "sechzig",
    "siebzig",
    "achtzig",
    "neunzig",
]
FR_ONES = [
    "zéro",
    "un",
    "deux",
    "trois",
    "quatre",
    "cinq",
    "six",
    "sept",
    "huit",
    "neuf",
    "dix",
    "onze",
    "douze",
    "treize",
    "quatorze",
    "quinze",
    "seize",
    "dix-sept",
    "dix-huit",
    "dix-neuf",
]
FR_TENS = ["-", "-", "vingt", "trente", "quarante", "cinquante", "soixante"]
ES_ONES = [
    "cero",
    "uno",
    "dos",
    "tres",
    "cuatro",
    "cinco",
    "seis",
    "siete",
    "ocho",
    "nueve",
    "diez",
    "once",
    "doce",
    "trece",
    "catorce",
    "quince",
    "dieciséis",
    "diecisiete",
    "dieciocho",
    "diecinueve",
    "veinte",
    "veintiuno",
    "veintidós",
    "veintitrés",
    "veinticuatro",
    "veinticinco",
    "veintiséis",
    "veintisiete",
    "veintiocho",
    "veintinueve",
]
ES_TENS = [
    "-",
    "-",
    "-",
    "treinta",
    "cuarenta",
    "cincuenta",
    "sesenta",
    "setenta",
    "ochenta",
    "noventa",
]
ES_HUNDREDS = [
    "-",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
]


def in_words(number: int, code: str) -> str:
    """Return a number below a million in words."""
    return {"en": _english, "de": _german, "fr": _french, "es": _spanish}[code](number)


def _english(number: int) -> str:
    if number < 20:
        return EN_ONES[number]
    if number < 100:
        return EN_TENS[number // 10] + (f"-{EN_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = f" and {_english(number % 100)}" if number % 100 else ""
        return f"{EN_ONES[number // 100]} hundred{rest}"
    rest = number % 1000
    tail = (" and " if rest < 100 else " ") + _english(rest) if rest else ""
    return f"{_english(number // 1000)} thousand{tail}"


def _german(number: int, *, last: bool = True) -> str:
    if number < 20:
        return "eins" if number == 1 and last else DE_ONES[number]
    if number < 100:
        one = f"{DE_ONES[number % 10]}und" if number % 10 else ""
        return one + DE_TENS[number // 10]
    if number < 1000:
        rest = _german(number % 100, last=last) if number % 100 else ""
        return f"{DE_ONES[number // 100]}hundert{rest}"
    rest = _german(number % 1000) if number % 1000 else ""
    return f"{_german(number // 1000, last=False)}tausend{rest}"


def _french(number: int) -> str:
    if number < 20:
        return FR_ONES[number]
    if number < 70:
        one = number % 10
        tail = " et un" if one == 1 else f"-{FR_ONES[one]}" if one else ""
        return FR_TENS[number // 10] + tail
    if number < 80:
        return "soixante et onze" if number == 71 else f"soixante-{FR_ONES[number - 60]}"
    if number < 100:
        return "quatre-vingts" if number == 80 else f"quatre-vingt-{FR_ONES[number - 80]}"
    if number < 1000:
        head = "cent" if number < 200 else f"{FR_ONES[number // 100]} cent"
        head += "s" if number >= 200 and number % 100 == 0 else ""
        return head + (f" {_french(number % 100)}" if number % 100 else "")
    head = "mille" if number < 2000 else f"{_french(number // 1000)} mille"
    return head + (f" {_french(number % 1000)}" if number % 1000 else "")


def _spanish(number: int) -> str:
    if number < 30:
        return ES_ONES[number]
    if number < 100:
        return ES_TENS[number // 10] + (f" y {ES_ONES[number % 10]}" if number % 10 else "")
    if number == 100:
        return "cien"
    if number < 1000:
        rest = f" {_spanish(number % 100)}" if number % 100 else ""
        return ES_HUNDREDS[number // 100] + rest
    thousands = number // 1000
    head = "mil" if thousands == 1 else f"{_spanish(thousands).replace('uno', 'un')} mil"
    head = head.replace("veintiun ", "veintiún ")
    return head + (f" {_spanish(number % 1000)}" if number % 1000 else "")


MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}


def month(number: int, code: str) -> str:
    """Return the name of a month."""
    return MONTHS[code].split()[number - 1]


def ordinal(day: int) -> str:
    """Return `21st`."""
    ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
