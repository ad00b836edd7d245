"""Secrets that no log may show: passwords in arguments, and tokens that a login returns."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol
from urllib.parse import quote, quote_plus

MASK = "•••"

_KEY = re.compile(
    r"(?:.*[-_ ]|)(?:password|passwd|pwd|passphrase|passcode|secret|token|jwt|bearer|cookie|otp|pin"
    r"|cvv|cvc|csc|api[-_ ]?key|session[-_ ]?(?:id|key)?|auth(?:orization)?|credentials?"
    r"|(?:one[-_ ]?time|verification|security|two[-_ ]?factor|2fa|mfa|totp|pin)[-_ ]?code|totp|tan"
    r"|passwort|kennwort|geheimzahl|mot[-_ ]?de[-_ ]?passe|mdp|contrase(?:ñ|n)a|senha|wachtwoord"
    r"|lösenord|passord|adgangskode|salasana|hasło|heslo|jelszó|пароль|şifre|密码|密碼|パスワード"
    r"|비밀번호)",
    re.IGNORECASE,
)
"""Keys and parameters whose values are secrets: `password`, `access_token`, `sessionId`."""

_VAGUE = re.compile(r"session|auth", re.IGNORECASE)
"""Keys of secrets that are also keys of something else: short values under them are words."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_LOGIN = re.compile(r"(?:log|sign)[-_ ]?(?:in|on|up)\b|\bauthenticate", re.IGNORECASE)

_SHORTEST = 6
"""Characters of a secret that is masked inside of words; a shorter one is masked as a word."""

_SMALLEST_NUMBER = 100
"""The smallest secret that is masked as a number; smaller ones are counts and indices."""

_LONGEST_KEY = 100

_MOST = 1_000
"""Secrets that are remembered."""

_MOST_STEPS = 500
"""Values of one result that are searched; secrets are near its top."""

_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
"""The escapes of `html.escape`, whose module would bring a table of 2,231 entities into each page."""

_NESTING = (dict, list, tuple)

_SHOWN = (dict, list, tuple, bool)
"""Types that are not masked under any key: objects are searched, and booleans say nothing."""

_HIDING = (dict, list, tuple, str, int)

_FLAT = (int, float, type(None))


_KEYWORDS = frozenset(("kind", "action", "tool", "effect", "state", "key", "role", "by", "type"))
"""Keys of a record whose values are our own words, and never what somebody typed."""

_CONTENTS = frozenset(("arguments", "value", "data", "results", "given", "form_data", "sends"))
"""Keys of a record under which data of a page begin, whose keys may be secrets too."""


class Secrets:
    """The secrets that were typed and shown so far, in memory only."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._variants: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn(self, secret: str, placeholder: str = MASK) -> None:
        """Remember what was typed into a field for secrets, or named as one; it may be short.

        Args:
            secret: The secret.
            placeholder: What it is masked with.
        """
        self._remember({secret: placeholder})

    def learn_arguments(self, named: Mapping[str, Any]) -> None:
        """Remember the arguments that are secrets by their names."""
        self.learn_values(
            text
            for key, text in _texts(named)
            if key and is_secret(key) and (len(text) >= _SHORTEST or not _VAGUE.fullmatch(key))
        )

    def learn_values(self, secrets: Iterable[str]) -> None:
        """Remember secrets; those that are known keep their placeholders."""
        self._remember({text: self._known.get(text, MASK) for text in secrets})

    def learn_result(self, tool: str, value: Any) -> None:
        """Remember the values that are secrets by their keys, and the whole value of a login."""
        found = [text for key, text in _texts(value) if key and is_secret(key)]
        if isinstance(value, str) and _LOGIN.search(_CAMEL.sub(" ", tool)) and " " not in value:
            found.append(value)
        # Nobody typed these, so a short one may be any word.
        self._remember({text: MASK for text in found if len(text) >= _SHORTEST})

    def mask(self, data: Any) -> Any:
        """Return JSON data with each secret, and each value under a secret's key, masked."""
        return self._masked(data, self._pattern, own=False)

    def mask_record(self, data: Any) -> Any:
        """Return data with our own keys and keywords, such as an event, with secrets masked."""
        return self._masked(data, self._pattern, own=True)

    def mask_text(self, text: str) -> str:
        """Return a text with each secret masked."""
        return text if self._pattern is None else self._pattern.sub(self._placeholder, text)

    def _placeholder(self, match: re.Match[str]) -> str:
        return self._variants[match[0]]

    def _masked(self, data: Any, pattern: re.Pattern[str] | None, *, own: bool) -> Any:
        kind = type(data)
        if kind is str:
            return pattern.sub(self._placeholder, data) if pattern else data
        if kind is int and pattern and not own:
            return self._known.get(str(data), data) if abs(data) >= _SMALLEST_NUMBER else data
        # Long results have many values, so those that cannot hold a secret are skipped.
        visited = _HIDING if pattern else _NESTING
        if kind is list or kind is tuple:
            return [self._masked(v, pattern, own=own) if type(v) in visited else v for v in data]
        if kind is not dict:
            return data
        return {
            key if own or not pattern else pattern.sub(self._placeholder, key): value
            if own and key in _KEYWORDS and type(value) is str
            else self._known.get(str(value), MASK)
            if type(value) not in _SHOWN and value is not None and is_secret(key)
            else self._masked(value, pattern, own=own and key not in _CONTENTS)
            if type(value) in visited
            else value
            for key, value in data.items()
        }

    def _remember(self, found: Mapping[str, str]) -> None:
        new = {
            text: placeholder
            for text, placeholder in found.items()
            if text.strip()
            and "•" not in text
            and not is_secret(text)
            and self._known.get(text) != placeholder
        }
        if not new:
            return
        self._known.update(new)
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        self._variants = {
            variant: placeholder
            for text, placeholder in self._known.items()
            for variant in _variants(text)
        }
        longest_first = sorted(self._variants, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_alternative, longest_first)))


def _variants(text: str) -> Iterable[str]:
    """Return a secret as it is written in addresses, in JSON and in HTML too."""
    if text.isascii() and text.isalnum():
        return (text,)
    written = json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]
    return {
        text,
        quote(text, safe=""),
        quote(text),
        quote_plus(text),
        text.translate(_ESCAPED),
        *written,
    }


def _alternative(text: str) -> str:
    """Return the pattern of a secret; a short one only matches as a word of its own."""
    if len(text) >= _SHORTEST:
        return re.escape(text)
    before = r"(?<!\w)" if text[0].isalnum() else ""
    return before + re.escape(text) + (r"(?!\w)" if text[-1].isalnum() else "")


def is_secret(key: str) -> bool:
    """Whether a key is the name of a secret."""
    return len(key) <= _LONGEST_KEY and _is_name_of_secret(key)


@lru_cache(maxsize=1_000)
def _is_name_of_secret(key: str) -> bool:
    return _KEY.fullmatch(_CAMEL.sub("_", key)) is not None


def _texts(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text and number in JSON data, with the nearest key above it."""
    left = deque([(key, data)])
    for _ in range(_MOST_STEPS):
        if not left:
            return
        name, inner = left.popleft()
        if isinstance(inner, str):
            yield name, inner
        elif isinstance(inner, _FLAT):
            if type(inner) is int and abs(inner) >= _SMALLEST_NUMBER:
                yield name, str(inner)
        elif isinstance(inner, list):
            left.extend([(name, item) for item in inner[:_MOST_STEPS]])
        elif isinstance(inner, Mapping):
            pairs = islice(inner.items(), _MOST_STEPS)
            left.extend([(name if k == "value" else str(k), v) for k, v in pairs])


_MOST_CACHED = 200
"""Texts whose redacted form is cached."""

_SHORTEST_CACHED = 500
"""Characters of a text that is worth caching."""

_LONGEST_CACHED = 50_000


class TextRedactor(Protocol):
    """Hides secrets by their form, such as keys and card numbers."""

    def redact(self, text: str) -> str:
        """Return a text with its secrets hidden."""


class Mask:
    """Hides the secrets that calls have shown, and those that a redactor finds."""

    def __init__(self, secrets: Secrets, redactor: TextRedactor) -> None:
        self._secrets = secrets
        # Most messages to a model were in the conversation before.
        self._redact_long = lru_cache(maxsize=_MOST_CACHED)(redactor.redact)
        self._redact_short = redactor.redact

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._redact(self._secrets.mask_text(text))

    def data(self, data: Any) -> Any:
        """Return JSON data without secrets."""
        return self._redacted(self._secrets.mask(data))

    def record(self, data: Any) -> Any:
        """Return data with our own keys, such as an event, without secrets."""
        return self._redacted(self._secrets.mask_record(data))

    def _redact(self, text: str) -> str:
        long = _SHORTEST_CACHED <= len(text) <= _LONGEST_CACHED
        return self._redact_long(text) if long else self._redact_short(text)

    def _redacted(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._redact(data)
        if isinstance(data, list | tuple):
            return [self._redacted(item) for item in data]
        if isinstance(data, dict):
            return {key: self._redacted(value) for key, value in data.items()}
        return data
