"""The vault of a run: secrets of the person, in memory only, and the placeholders in their stead.

A secret is taken out of the person's words before anything plans with them, sends, logs or stores
them. It is put back only into a field or parameter that takes secrets of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any, Final

from webagent.agent.person import Answer, Request
from webagent.agent.redact import replace_secrets
from webagent.errors import InvalidArguments
from webagent.registry.credentials import Kind, credentials_in, names_credential
from webagent.registry.secrets import MASK, Secrets, is_secret

_PLACEHOLDER = re.compile(rf"{MASK}(?:[2-9]|[1-9]\d{{1,2}})?(?!\d)")

_NESTED_NAME = re.compile(r"[^\W_]+")

_TAKES: Final[Mapping[str, re.Pattern[str]]] = {
    "code": re.compile(r"code|tan|otp|pin|token|verif|kod|código|codice|код", re.IGNORECASE),
    "pin": re.compile(r"pin|code|geheimzahl|nip|пин", re.IGNORECASE),
    "card": re.compile(r"card|karte|cc|carte|tarjeta|cart[aã]o?|kaart|kort|kart|number|pan", re.IGNORECASE),
    "account": re.compile(r"iban|account|konto|compte|cuenta|conto|conta|rekening|bank", re.IGNORECASE),
    "key": re.compile(r"key|token|secret|schlüssel|clé|clave|authorization", re.IGNORECASE),
}  # fmt: skip
"""Names of fields and parameters for each kind of secret, besides those of `is_secret`."""

_CALLED: Final[Mapping[str, str]] = {
    "password": "password",
    "pin": "PIN",
    "code": "code",
    "key": "key",
    "card": "card number",
    "account": "account number",
}


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
        text = self.take(answer.text)
        if request.details.get("secret") is True and answer.yes and text == answer.text.strip():
            text = self.hold(text, kind_of(request.text)) if text else ""
        return replace(answer, text=text)

    def shown(self, request: Request) -> Request:
        """Return a request without the secrets that its details hold."""
        details = self._secrets.mask_record(dict(request.details))
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
        called = _CALLED[self._kinds.get(placeholder, "password")]
        return f"I need the {called} again, because it is not kept: please enter your {called}."

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


def without_secrets(text: str) -> str:
    """Return a person's words as they may be logged and stored."""
    return Vault(Secrets(), {}).take(text)
