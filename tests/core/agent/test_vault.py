"""The vault: secrets are taken out of words, and filled in only where they belong."""

from typing import Any

import pytest

from webagent.agent.person import Answer, Request
from webagent.agent.redact import Vault, without_secrets
from webagent.errors import InvalidArguments
from webagent.registry.secrets import Secrets


def vault(kinds: dict[str, str] | None = None) -> Vault:
    return Vault(Secrets(), {} if kinds is None else kinds)


def test_each_secret_of_a_text_gets_a_placeholder_of_its_own() -> None:
    """Several secrets are kept apart, and one that is written twice has one placeholder."""
    safe = vault()

    words = safe.take("log in with password ropewalk14, PIN 4711; repeat ropewalk14")

    assert words == "log in with password •••, PIN •••2; repeat •••"
    assert safe.fill("•••", ("password",)) == "ropewalk14"
    assert safe.fill({"pin": "•••2"}, ("data",)) == {"pin": "4711"}
    assert safe.take("again ropewalk14") == "again •••"


def test_an_old_and_a_new_secret_are_both_taken() -> None:
    """A change of a credential names two of them."""
    assert vault().take("change my PIN from 1234 to 5678") == "change my PIN from ••• to •••2"


def test_the_vault_is_the_only_one_that_has_a_secret() -> None:
    """A stored run names the kinds of its secrets, and not the secrets."""
    kinds: dict[str, str] = {}
    vault(kinds).take("my PIN is 4711 and card 4111 1111 1111 1111")

    assert kinds == {"•••": "pin", "•••2": "card"}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("password ropewalk14", "Password *"),
        ("password ropewalk14", "Passwort"),
        ("password ropewalk14", "mot de passe"),
        ("code 123456", "verificationCode"),
        ("code 123456", "code"),
        ("PIN 4711", "pinCode"),
        ("card 4111 1111 1111 1111", "cardNumber"),
        ("from DE89 3704 0044 0532 0130 00", "iban"),
        ("my api key is abcd1234efgh5678", "apiKey"),
    ],
)
def test_a_secret_is_filled_in_where_its_kind_belongs(words: str, name: str) -> None:
    """Fields are known by their names, and each kind of secret has its own."""
    safe = vault()
    safe.take(words)

    assert safe.fill("•••", (name,)) in words
    with pytest.raises(InvalidArguments, match="`comment` takes none"):
        safe.fill("•••", ("comment",))
    with pytest.raises(InvalidArguments, match="`comment` takes none"):
        safe.fill("this is ••• of mine", ("comment",))
    with pytest.raises(InvalidArguments, match="`note` takes none"):
        safe.fill([{"note": "•••"}], ("items",))


def test_a_secret_is_filled_in_as_a_part() -> None:
    """Text around a placeholder stays; other text is left alone."""
    safe = vault()
    safe.take("my access token is abcd1234efgh5678")

    assert safe.fill("Bearer •••", ("authorization",)) == "Bearer abcd1234efgh5678"
    assert safe.fill("text", ("comment",)) == "text"
    assert safe.fill(["a", 1, None], ("comment",)) == ["a", 1, None]


def test_bullets_that_are_not_a_placeholder_are_text() -> None:
    """A vault without secrets leaves dots within other text as they are."""
    assert vault().fill("ends with ••• dots", ("comment",)) == "ends with ••• dots"


def test_a_vault_of_a_later_page_knows_what_it_lacks() -> None:
    """Placeholders outlive the vault; new secrets get other ones, and the kind is kept."""
    safe = vault({"•••": "pin"})

    assert safe.lost("•••", ("pin",)) == ["•••"]
    assert "PIN" in safe.question("•••")
    assert safe.take("password ropewalk14") == "password •••2"
    safe.restore("•••", "4711")
    assert safe.lost("•••", ("pin",)) == []
    assert safe.fill("•••", ("pin",)) == "4711"


@pytest.mark.parametrize(
    ("question", "said", "heard"),
    [
        (True, "ropewalk14", "•••"),
        (True, "it is my dog", "•••"),
        (True, "my password is ropewalk14", "my password is •••"),
        (False, "the blue one", "the blue one"),
        (False, "my password is x", "my password is •••"),
    ],
)
def test_answers_lose_their_secrets(question: bool, said: str, heard: str) -> None:
    """The whole answer to a question for a secret is one, unless it says which word is."""
    request = Request("question", "Your password?", {"secret": True} if question else {})

    assert vault().answer(request, Answer(True, said)).text == heard


def test_a_reason_for_a_no_is_not_a_secret() -> None:
    """A person who does not answer may say why; a secret in the reason is taken out."""
    request = Request("question", "Your password?", {"secret": True})

    assert vault().answer(request, Answer(False, "not now")).text == "not now"
    assert vault().answer(request, Answer(False, "no, password x")).text == "no, password •••"


def test_a_request_shows_no_secret() -> None:
    """What a person is shown has placeholders; the keywords of a request stay."""
    safe = vault()
    safe.take("password approval")
    details: dict[str, Any] = {"arguments": {"password": "approval"}, "action": "approval"}

    shown = safe.shown(Request("approval", "May I send `approval`?", details))

    assert shown.kind == "approval"
    assert shown.text == "May I send `•••`?"
    assert shown.details == {"arguments": {"password": "•••"}, "action": "approval"}


def test_the_label_of_a_secret_is_shown() -> None:
    """It says for what the dots stand, unless it holds the secret itself."""
    safe = vault()
    safe.take("password ropewalk14")
    labels = {"password": "Password of the account", "pin": "Not ropewalk14"}

    shown = safe.shown(Request("approval", "May I log in?", {"labels": labels}))

    assert shown.details["labels"] == {"password": "Password of the account", "pin": "Not •••"}


def test_words_without_secrets() -> None:
    """Logs and stores get the words alone."""
    assert without_secrets("log in with password x") == "log in with password •••"
    assert without_secrets("how do I reset my password") == "how do I reset my password"
