"""Redaction of secrets: those known by their form, and those of the person.

Keys, passwords after their names, card numbers and bank accounts are known by their form; every
pattern takes time in proportion to the text, whatever the text is. A secret of the person is taken
out of their words before anything plans with them, sends, logs or stores them. The vault of the run
keeps it, in memory only; it is put back only into a field or parameter that takes secrets of its
kind. Secrets that a page's own calls have shown are in `webagent.registry.secrets`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webagent.agent.person import Answer, Request
from webagent.errors import InvalidArguments
from webagent.registry.credentials import Kind, credentials_in, names_credential
from webagent.registry.secrets import MASK, Secrets, is_secret
from webagent.speech import say

_KEYS = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"(?:sk|rk)[-_][A-Za-z0-9_-]{20,}"
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{20,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36}"
    r"|pypi-[A-Za-z0-9_-]{50,}|whsec_[A-Za-z0-9]{24,}|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}"
    r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*"
    r")"
)
"""API keys in the form of their issuers, and JSON Web Tokens."""

_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s]|\\n)*+"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)

_BEARER = re.compile(r"\b((?:bearer|basic)[ \t]{1,3})([A-Za-z0-9._~+/=-]{12,})", re.IGNORECASE)

_LOGIN_IN_URL = re.compile(r"(://[^\s/@:]{1,100}:)([^\s/@]{1,200})(?=@)")

_PHRASES = r"passwor[dt]|passwd|passphrase|passcode|kennwort|contraseña|senha|wachtwoord"

_DIGITS = r"(?<![A-Za-z])(?:pwd|pin|otp|cvv2?|cvc2?)"

_STRINGS = (
    r"secret|api[-_ ]?key|private[-_ ]?key|access[-_ ]?key|session[-_ ]?(?:id|key)|credentials?"
    r"|(?:access|refresh|auth|bearer|session|id|csrf|xsrf|login|security)[-_ ]?token"
    r"|(?<![A-Za-z_-])token"
)

_PAIR = re.compile(
    rf"(?:(?P<password>{_PHRASES})|(?P<code>{_DIGITS})|(?:{_STRINGS}))"
    r"(?P<sign>\\{0,3}[\"'`]?[ \t]{0,3}[:=][ \t]{0,3})"
    r"(?:(?P<mark>\\{0,3}[\"'`])(?P<quoted>[^\"'`\\\n]{1,200})(?=[\"'`\\])"
    r"|(?P<bare>[^\s\"'`<>,;&{}()\[\]\\|]{3,200}))",
    re.IGNORECASE,
)
"""A name and its value: `password: …`, `"api_key": "…"`, `token=…`."""

_NO_SECRETS = frozenset(
    [
        "string",
        "number",
        "boolean",
        "object",
        "array",
        "any",
        "unknown",
        "null",
        "undefined",
        "true",
        "false",
        "none",
        "void",
        "optional",
        "required",
        "missing",
        "invalid",
        "wrong",
        "incorrect",
        "expired",
        "empty",
        "hidden",
        "secret",
        "token",
        "password",
        "forgotten",
        "forgot",
        "reset",
        "change",
        "changed",
        "show",
        "text",
    ]
)
"""Words that declarations, forms and messages have after such a name."""

_DIGIT = re.compile(r"\d")

_ODD = re.compile(r"\d|[^A-Za-z0-9.:!?]|[a-z][A-Z]")

_CARD = re.compile(r"(?<![\w+])(?<!\d[.,])\d{4,19}(?:[ \u00a0\u202f-]\d{1,19}){0,5}(?![\w])")

_GROUP = re.compile(r"\d+")

_ACCOUNT = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ \u00a0]?[A-Za-z0-9]){11,30}")


Hide = Callable[[str, Kind], str]
"""Returns what replaces a secret of a kind."""


class Redactor:
    """Hides what looks like a secret in texts for models and logs."""

    def redact(self, text: str) -> str:
        """Return a text in which each key, password, card number and account is `•••`."""
        return replace_secrets(text, lambda secret, kind: MASK)


def replace_secrets(text: str, hide: Hide) -> str:
    """Return a text in which each key, password, card number and account is replaced.

    Args:
        text: The text.
        hide: Returns what replaces a secret.
    """
    text = _PRIVATE_KEY.sub(lambda match: hide(match[0], "key"), text)
    text = _KEYS.sub(
        lambda match: hide(match[0], "key") if _DIGIT.search(match[0]) else match[0], text
    )
    text = _BEARER.sub(
        lambda match: match[1] + hide(match[2], "key") if _DIGIT.search(match[2]) else match[0],
        text,
    )
    text = _LOGIN_IN_URL.sub(lambda match: match[1] + hide(match[2], "password"), text)
    text = _PAIR.sub(lambda match: _pair(match, hide), text)
    text = _ACCOUNT.sub(lambda match: _account(match, hide), text)
    return _CARD.sub(lambda match: _card(match, hide), text)


def _pair(match: re.Match[str], hide: Hide) -> str:
    value = match["quoted"] or match["bare"]
    if not _is_secret(match, value):
        return match[0]
    kind: Kind = "password" if match["password"] else "code" if match["code"] else "key"
    return match[0][: len(match[0]) - len(value)] + hide(value, kind)


def _is_secret(match: re.Match[str], value: str) -> bool:
    if value.lower().strip(".:!?") in _NO_SECRETS or value.startswith((MASK, "$", "*")):
        return False
    if match["code"]:
        return value.strip(".").isdigit() and len(value) <= 9
    if match["quoted"] and " " in value:
        # It is a sentence about a password. A password with spaces is not recognized.
        return False
    if match["password"]:
        last = match.end() == len(match.string) or match.string[match.end()] in "\r\n"
        return bool(match["quoted"]) or "=" in match["sign"] or last or bool(_ODD.search(value))
    return len(value) >= 8 and (bool(_ODD.search(value)) or len(value) >= 20)


def _card(match: re.Match[str], hide: Hide) -> str:
    """Return a run of digits with the card numbers in it hidden."""
    text = match[0]
    groups = list(_GROUP.finditer(text))
    kept, start, place = [], 0, 0
    while place < len(groups):
        end = _end_of_card(groups, place)
        if end:
            first, last = groups[place].start(), groups[end - 1].end()
            kept += [text[start:first], hide(text[first:last], "card")]
            start, place = last, end
        else:
            place += 1
    return "".join([*kept, text[start:]])


def _end_of_card(groups: list[re.Match[str]], start: int) -> int:
    """Return the end of the card number that begins with a group of digits, or 0."""
    digits = ""
    for place in range(start, len(groups)):
        digits += groups[place][0]
        if len(digits) > 19:
            break
        if len(digits) >= 13 and is_card(digits):
            return place + 1
        if len(groups[place][0]) < 4:
            # Only the last group of a card number is short.
            break
    return 0


def _account(match: re.Match[str], hide: Hide) -> str:
    text = match[0]
    if "•" not in text and is_iban(text):
        return hide(text, "account")
    # A text may begin with an account and go on with words.
    for place in reversed([place for place, char in enumerate(text) if char in " \u00a0"]):
        if is_iban(text[:place]):
            return hide(text[:place], "account") + text[place:]
    return text


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
"""The first digits of each issuer's card numbers (ISO/IEC 7812), and their lengths."""

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
"""Countries by the length of their account numbers (the registry of ISO 13616)."""

_LENGTHS = {
    country: length for length, countries in _ACCOUNTS.items() for country in countries.split()
}

_SPACES = re.compile(r"[ \u00a0]")


def is_card(digits: str) -> bool:
    """Whether 13 to 19 digits are a card number, by issuer and Luhn check."""
    if not any(form.match(digits) and len(digits) in lengths for form, lengths in _CARDS):
        return False
    if (len(digits) == 13 and _article_check(digits)) or len(set(digits)) == 1:
        # Article numbers of shops are more frequent than cards with 13 digits.
        return False
    doubled = sum(_DOUBLED[int(digit)] for digit in digits[-2::-2])
    return (doubled + sum(int(digit) for digit in digits[-1::-2])) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a text is an IBAN, by country, length and check digits."""
    compact = _SPACES.sub("", text).upper()
    if _LENGTHS.get(compact[:2]) != len(compact) or not compact.isascii() or not compact.isalnum():
        return False
    return int("".join(str(int(char, 36)) for char in compact[4:] + compact[:4])) % 97 == 1


def _article_check(digits: str) -> bool:
    """Whether 13 digits pass the check of EAN and ISBN."""
    return sum(int(digit) * (1, 3)[i % 2] for i, digit in enumerate(digits)) % 10 == 0


_PLACEHOLDER = re.compile(rf"{MASK}(?:[2-9]|[1-9]\d{{1,2}})?(?!\d)")

_WORD = re.compile(r"[\w-]+")

_NESTED_NAME = re.compile(r"[^\W_]+")

_TAKES: Final[Mapping[str, re.Pattern[str]]] = {
    "code": re.compile(r"code|tan|otp|pin|token|verif|kod|código|codice|код", re.IGNORECASE),
    "pin": re.compile(r"pin|code|geheimzahl|nip|пин", re.IGNORECASE),
    "card": re.compile(r"card|karte|cc|carte|tarjeta|cart[aã]o?|kaart|kort|kart|number|pan", re.IGNORECASE),
    "account": re.compile(r"iban|account|konto|compte|cuenta|conto|conta|rekening|bank", re.IGNORECASE),
    "key": re.compile(r"key|token|secret|schlüssel|clé|clave|authorization", re.IGNORECASE),
}  # fmt: skip
"""Names of fields and parameters for each kind of secret, besides those of `is_secret`."""


class Vault:
    """The secrets of one run."""

    def __init__(self, secrets: Secrets, kinds: MutableMapping[str, str]) -> None:
        """Create a vault without secrets.

        Args:
            secrets: Learns each secret, so that it is masked wherever it appears.
            kinds: The kind of each placeholder. It belongs to the run and is stored with it; after
                a navigation it names secrets that the vault does not hold.
        """
        self._secrets = secrets
        self._kinds = kinds
        self._values: dict[str, str] = {}

    def take(self, text: str) -> str:
        """Return the person's words with each secret replaced by its placeholder."""
        parts, end = [], 0
        for found in credentials_in(text):
            secret = text[found.start : found.end]
            parts += [text[end : found.start], self.hold(secret, found.kind)]
            end = found.end
        text = "".join([*parts, text[end:]])
        # The person may have written it twice.
        return self._secrets.mask_text(replace_secrets(text, self.hold))

    def hold(self, secret: str, kind: Kind) -> str:
        """Keep a secret and return its placeholder."""
        known = next((name for name, value in self._values.items() if value == secret), "")
        if known:
            return known
        number = len(self._kinds) + 1
        placeholder = MASK if number == 1 else f"{MASK}{number}"
        self._kinds[placeholder] = kind
        self.restore(placeholder, secret)
        return placeholder

    def restore(self, placeholder: str, secret: str) -> None:
        """Keep the secret of a placeholder that was given out on an earlier page."""
        self._kinds.setdefault(placeholder, "password")
        self._values[placeholder] = secret
        self._secrets.learn(secret, placeholder)

    def value_of(self, placeholder: str) -> str:
        """Return a secret; empty if the vault does not hold it."""
        return self._values.get(placeholder, "")

    def answer(self, request: Request, answer: Answer) -> Answer:
        """Return an answer of the person with placeholders for the secrets in it."""
        text, data = self.take(answer.text), answer.data
        if request.details.get("secret") is True and answer.yes and text == answer.text.strip():
            text = self.hold(text, kind_of(request.text)) if text else ""
        if data is not None:
            fields = request.details["schema"]["properties"]
            data = {
                # A choice is no word of the person.
                name: self.take(value)
                if isinstance(value, str) and "oneOf" not in fields[name]
                else value
                for name, value in data.items()
            }
        return replace(answer, text=text, data=data)

    def shown(self, request: Request) -> Request:
        """Return a request without the secrets that its details hold."""
        details = self._secrets.mask_record(dict(request.details))
        # The label of a password is not one.
        if labels := request.details.get("labels"):
            details["labels"] = {
                name: self._secrets.mask_text(text) for name, text in labels.items()
            }
        return replace(request, text=self._secrets.mask_text(request.text), details=details)

    def lost(self, value: Any, names: Sequence[str]) -> list[str]:
        """Return the placeholders in a value whose secrets the vault does not hold.

        Args:
            value: An argument, as `fill` takes it.
            names: Names of its field or parameter.

        Raises:
            InvalidArguments: A placeholder is where no secret belongs.
        """
        found: list[str] = []
        for placeholder in self._places(value, names):
            if not self.value_of(placeholder) and placeholder not in found:
                found.append(placeholder)
        return found

    def fill(self, value: Any, names: Sequence[str]) -> Any:
        """Return an argument with secrets in place of their placeholders.

        A secret goes only where its kind belongs, so that no text of a page can redirect it.

        Args:
            value: The argument: JSON.
            names: Names of its field or parameter.

        Raises:
            InvalidArguments: A placeholder is where no secret belongs.
        """
        self._places(value, names)
        return self._filled(value)

    def question(self, placeholder: str) -> str:
        """Return the question for a secret that the vault does not hold."""
        return say(f"again_{self._kinds.get(placeholder, 'password')}")

    def _places(self, value: Any, names: Sequence[str]) -> list[str]:
        """Return the placeholders in a value."""
        if isinstance(value, Mapping):
            nested = [(inner, (str(key), *names[1:])) for key, inner in value.items()]
            return [place for inner, called in nested for place in self._places(inner, called)]
        if isinstance(value, list):
            return [place for inner in value for place in self._places(inner, names)]
        if not isinstance(value, str) or MASK not in value:
            return []
        found = [match[0] for match in _PLACEHOLDER.finditer(value)]
        meant = [one for one in found if one == value or one in self._kinds]
        for placeholder in meant:
            if not takes(self._kinds.get(placeholder, "password"), names):
                raise InvalidArguments(
                    f"`{placeholder}` stands for a secret, and `{names[0]}` takes none",
                    path=names[0],
                    help="write what is meant",
                )
        return meant

    def _filled(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: self._filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._filled(inner) for inner in value]
        if not isinstance(value, str) or MASK not in value:
            return value
        return _PLACEHOLDER.sub(lambda match: self.value_of(match[0]) or match[0], value)


def takes(kind: str, names: Sequence[str]) -> bool:
    """Whether a field or parameter of these names takes a kind of secret."""
    fitting = _TAKES.get(kind)
    return any(
        is_secret(name.strip(" *:"))
        or names_credential(name)
        or (fitting is not None and fitting.search(name) is not None)
        for name in names
    )


def kind_of(question: str) -> Kind:
    """Return the kind of secret that a question asks for."""
    words = {word.lower() for word in _NESTED_NAME.findall(question)}
    if words & {"pin", "geheimzahl"}:
        return "pin"
    return "code" if any(_TAKES["code"].fullmatch(word) for word in words) else "password"


def asks_for_secret(question: str) -> bool:
    """Whether a question asks for a secret, by its words."""
    asked = question[:1000]
    return names_credential(asked) or any(map(is_secret, _WORD.findall(asked)))


def without_secrets(text: str) -> str:
    """Return a person's words as they may be logged and stored."""
    return Vault(Secrets(), {}).take(text)


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")


def printable(text: str) -> str:
    """Return a text without control characters, and without those that reverse its direction."""
    return _CONTROL.sub("", text.replace("\r\n", "\n"))
