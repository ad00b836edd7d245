"""Numbers of cards and bank accounts, told from other numbers by their checks."""

from __future__ import annotations

import re

_CARDS: tuple[tuple[re.Pattern[str], frozenset[int]], ...] = (
    (re.compile(r"4"), frozenset({13, 16, 19})),
    (re.compile(r"5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720"), frozenset({16})),
    (re.compile(r"3[47]"), frozenset({15})),
    (re.compile(r"30[0-5]|3[689]"), frozenset({14, 16})),
    (re.compile(r"35(?:2[89]|[3-8])"), frozenset({16})),
    (re.compile(r"6011|64[4-9]|65|62|81"), frozenset(range(16, 20))),
    (re.compile(r"220[0-4]|9792"), frozenset(range(16, 20))),
    (re.compile(r"50|5[6-8]|6[0-9]"), frozenset(range(13, 20))),
)
"""How the numbers of the issuers begin (ISO/IEC 7812), and how many digits they have."""
_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)

_ACCOUNTS: dict[int, str] = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL SD",
    19: "MK SI",
    20: "AT BA EE KZ LT LU MN XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS",
    23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB NI PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU YE",
    31: "MT SC",
    32: "LC",
    33: "RU",
}
"""How long the account numbers of the countries are (the registry of ISO 13616)."""
_LENGTHS = {
    country: length for length, countries in _ACCOUNTS.items() for country in countries.split()
}
_SPACES = re.compile(r"[ \u00a0]")


def is_card(digits: str) -> bool:
    """Whether 13 to 19 digits are the number of a card, by their issuer and the Luhn check."""
    if not any(form.match(digits) and len(digits) in lengths for form, lengths in _CARDS):
        return False
    if (len(digits) == 13 and _article_check(digits)) or len(set(digits)) == 1:
        # The number of an article in a shop is more often met than a card of 13 digits.
        return False
    doubled = sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])
    return (doubled + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a text is the number of a bank account, by its country, length and check."""
    plain = _SPACES.sub("", text).upper()
    if _LENGTHS.get(plain[:2]) != len(plain) or not plain.isascii() or not plain.isalnum():
        return False
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def _article_check(digits: str) -> bool:
    """Whether 13 digits pass the check of EAN and ISBN."""
    return sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(digits)) % 10 == 0
