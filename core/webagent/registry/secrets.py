"""Secrets that no log may show: passwords in arguments, and tokens that a login returns."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

MASK = "•••"

_KEY = re.compile(
    r"(?:.*[-_ ]|)(?:password|passwd|pwd|passphrase|passcode|secret|token|jwt|bearer|cookie|otp|pin"
    r"|cvv|cvc|api[-_ ]?key|session[-_ ]?(?:id|key)?|auth(?:orization)?|credentials?)",
    re.IGNORECASE,
)
"""Keys and parameters whose values are secrets: `password`, `access_token`, `sessionId`."""

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_LOGIN = re.compile(r"(?:log|sign)[-_ ]?(?:in|on|up)\b|\bauthenticate", re.IGNORECASE)

_SHORTEST = 6
"""Characters of a secret that is masked in other texts; shorter ones could be any word."""

_LONGEST_KEY = 100

_MOST = 1_000
"""Secrets that are remembered."""

_MOST_STEPS = 500
"""Values of one result that are searched; secrets are near its top."""

_NESTING = (dict, list)

_SHOWN = (dict, list, bool)
"""Types that are not masked under any key: objects are searched, and booleans say nothing."""

_HIDING = (dict, list, str)


class Secrets:
    """The secrets that calls have shown so far."""

    def __init__(self) -> None:
        self._known: dict[str, None] = {}
        self._pattern: re.Pattern[str] | None = None

    def learn_arguments(self, named: Mapping[str, Any]) -> None:
        """Remember the arguments that are secrets by their names."""
        self._remember(text for key, text in _texts(named) if key and is_secret(key))

    def learn_result(self, tool: str, value: Any) -> None:
        """Remember the values that are secrets by their keys, and the whole value of a login."""
        found = [text for key, text in _texts(value) if key and is_secret(key)]
        if isinstance(value, str) and _LOGIN.search(_CAMEL.sub(" ", tool)) and " " not in value:
            found.append(value)
        self._remember(found)

    def mask(self, data: Any) -> Any:
        """Return JSON data with each secret, and each value under a secret's key, as `•••`."""
        return self._masked(data, self._pattern)

    def mask_text(self, text: str) -> str:
        """Return a text with each secret as `•••`."""
        return text if self._pattern is None else self._pattern.sub(MASK, text)

    def _masked(self, data: Any, pattern: re.Pattern[str] | None) -> Any:
        kind = type(data)
        if kind is str:
            return pattern.sub(MASK, data) if pattern else data
        # Long results have many values, so those that cannot hold a secret are skipped.
        visited = _HIDING if pattern else _NESTING
        if kind is list:
            return [self._masked(v, pattern) if type(v) in visited else v for v in data]
        if kind is not dict:
            return data
        return {
            pattern.sub(MASK, key) if pattern else key: MASK
            if type(value) not in _SHOWN and value is not None and is_secret(key)
            else self._masked(value, pattern)
            if type(value) in visited
            else value
            for key, value in data.items()
        }

    def _remember(self, texts: Iterator[str] | list[str]) -> None:
        new = [text for text in texts if len(text) >= _SHORTEST and text not in self._known]
        if not new:
            return
        self._known.update(dict.fromkeys(new))
        while len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        longest_first = sorted(self._known, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))


def is_secret(key: str) -> bool:
    """Whether a key is the name of a secret."""
    return len(key) <= _LONGEST_KEY and _is_name_of_secret(key)


@lru_cache(maxsize=1_000)
def _is_name_of_secret(key: str) -> bool:
    return _KEY.fullmatch(_CAMEL.sub("_", key)) is not None


def _texts(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in JSON data, with the nearest key above it."""
    left = deque([(key, data)])
    for _ in range(_MOST_STEPS):
        if not left:
            return
        name, inner = left.popleft()
        if isinstance(inner, str):
            yield name, inner
        elif isinstance(inner, list):
            left.extend((name, item) for item in inner[:_MOST_STEPS])
        elif isinstance(inner, Mapping):
            pairs = islice(inner.items(), _MOST_STEPS)
            left.extend((name if k == "value" else str(k), v) for k, v in pairs)


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
