"""The words of a person that are secrets, and those that only look like one."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.timing import grows_at_most

from webagent.agent.redact import without_secrets
from webagent.registry.credentials import credentials_in, names_credential

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "cases" / "credentials.json").read_text("utf-8")
)


@pytest.mark.parametrize(("words", "secret"), CASES["secret"])
def test_a_secret_is_taken_out(words: str, secret: str) -> None:
    """Exactly the secret is replaced, in each language and form."""
    before, _, after = words.partition(secret)

    assert without_secrets(words) == f"{before}•••{after}"


@pytest.mark.parametrize("words", CASES["harmless"])
def test_other_words_lose_nothing(words: str) -> None:
    """Words about passwords, PINs and codes stay as they are."""
    assert without_secrets(words) == words


def test_the_table_is_large_enough() -> None:
    """There are more than 60 phrases of each sort."""
    assert min(len(CASES["secret"]), len(CASES["harmless"])) >= 60


@pytest.mark.hostile
@pytest.mark.parametrize(
    "text",
    ["password ", "password is ", "pass ", "x as ", "pin 1 ", "my password to ", " ", "'", "a "],
)
def test_long_texts_take_time_in_proportion(text: str) -> None:
    """Twice the text takes about twice the time."""
    short, long = ((text * length)[:length] for length in (10_000, 40_000))

    credentials_in(short)
    assert grows_at_most(12, lambda: credentials_in(short), lambda: credentials_in(long))


@pytest.mark.parametrize(
    ("question", "secret"),
    [
        ("What is your password?", True),
        ("Wie lautet Ihr Kennwort?", True),
        ("Quel est votre mot de passe ?", True),
        ("Which PIN?", True),
        ("What is the verification code?", True),
        ("Which code did you get? Enter the code.", True),
        ("What is your zip code?", False),
        ("Which colour?", False),
        ("Do you have a season pass?", False),
    ],
)
def test_questions_for_secrets(question: str, secret: bool) -> None:
    """A question that names a credential asks for a secret."""
    assert names_credential(question) is secret
