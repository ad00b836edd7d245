"""Texts that are hidden from models and logs, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webagent.agent.redact import Redactor, is_card, is_iban

redact = Redactor().redact
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("key sk-proj-abcdefghij0123456789 is mine", "key ••• is mine"),
        ("sk_live_abcdefghijklmnopqrstuvwx12", "•••"),
        ("use ghp_0123456789abcdefghijABCDEFGHIJ0123.", "use •••."),
        ("AKIAIOSFODNN7EXAMPLE", "•••"),
        (f"cookie {JWT}; path", "cookie •••; path"),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer •••"),
        ("https://anna:geheim@host/x", "https://anna:•••@host/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabc=\n-----END RSA PRIVATE KEY-----\nend",
         "•••\nend"),
        ("password: hunter2", "password: •••"),
        ("Password: secretly", "Password: •••"),
        ("Passwort: kaninchen", "Passwort: •••"),
        ('{"password": "hunter", "name": "Ann"}', '{"password": "•••", "name": "Ann"}'),
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"•••\\"}'),
        ("?user=ann&password=rabbit&next=/", "?user=ann&password=•••&next=/"),
        ("db_password='a1b2'", "db_password='•••'"),
        ('"api_key": "0a1b2c3d4e"', '"api_key": "•••"'),
        ("access_token=abcDEF123456", "access_token=•••"),
        ("client_secret: 0a1b2c3d4e5f", "client_secret: •••"),
        ("PIN: 4711, thanks", "PIN: •••, thanks"),
        ("CVV=123", "CVV=•••"),
        ("pay with 4111 1111 1111 1111 12/28", "pay with ••• 12/28"),
        ("4111-1111-1111-1111", "•••"),
        ("4111111111111111.", "•••."),
        ('{"card": 5500005555555559}', '{"card": •••}'),
        ("amex 3782 822463 10005", "amex •••"),
        ("diners 3056 930009 0204", "diners •••"),
        ("4222222222222", "•••"),
        ("6011 0009 9013 9424, 3566 0020 2036 0505", "•••, •••"),
        ("order 1234 4111 1111 1111 1111", "order 1234 •••"),
        ("4000056655665556123 4111111111111111", "4000056655665556123 •••"),
        ("DE89 3704 0044 0532 0130 00 is it", "••• is it"),
        ("IBAN GB82WEST12345698765432,", "IBAN •••,"),
        ("de89370400440532013000", "•••"),
        ("FR14 2004 1010 0505 0001 3M02 606 PLEASE", "••• PLEASE"),
    ],
)  # fmt: skip
def test_secrets_are_hidden(text: str, shown: str) -> None:
    """Keys, passwords, cards and accounts are hidden, and nothing around them."""
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "the price is 1,299.00 EUR or 4,111,111.11",
        "ISBN 978-3-16-148410-0 and 9783161484100",
        "EAN 4006381333931",
        "call +49 30 123456 or +1 (415) 555-2671 or 0049 30 90182 4711",
        "order 4111111111111112, ref 1234567890123456",
        "timestamps 1700000000000 and 2026-11-22T05:04:03.123456Z",
        "2024-01-01 2024-01-02 2024-01-03 2024-01-04",
        "0.4111111111111111 and 14.111111111111111111",
        "message 381234567890123451 and 391234567890123450 of the chat",
        "550e8400-e29b-41d4-a716-446655440000",
        "a4111111111111111f and id_4111111111111111",
        "0000 0000 0000 0000",
        "login(user: string, password: string): Promise<boolean>",
        'errors: {"password": "is too short"}',
        '{"type": "object", "properties": {"password": {"type": "string"}}}',
        "Password: required",
        '[12] textbox "Password"',
        "Forgot your password? Reset it",
        "your password: must be long",
        "nextPageToken: abc123def456",
        '"max_tokens": 4096, "tokens": 123456789',
        "shipping: 4.99, spin: 1234, opinion: 1234",
        "bearer bonds and basic internationalization",
        "a task-force-of-many-people-in-2024",
        "https://host:8080/a@b and mailto:a@b.example",
        "the secret: never give up",
        "DE89 3704 0044 0532 0130 01",
        "XX12 ABCD 1234 ABCD 1234 ABCD",
        "token: ${token}",
        "password: •••",
    ],
)
def test_other_text_stays(text: str) -> None:
    """Prices, numbers of books, phones and orders, times, types and talk stay as they are."""
    assert redact(text) == text


@pytest.mark.hostile
@pytest.mark.parametrize(
    "piece",
    ["4", "4 ", "41111 ", "4111 1111 1111 1111 ", "4-", "DE89 ", "DE891", "password:", "password=a",
     "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "eyJ", "eyJabcdefgh.", "sk-", "://a:", "://a:b",
     "a", "a-", "token ", "token\\\\\\", "secret: '", "bearer ", "\\", " ", "{\"pin\": "],
)  # fmt: skip
def test_hostile_texts_take_their_time_and_no_more(piece: str) -> None:
    """Half a million characters of anything are done; a pattern that goes back would never be."""
    redact(piece * (500_000 // len(piece)))


@given(st.text(alphabet="4510 -DE\n\"':=passwordtken", max_size=200))
def test_redacted_text_stays_the_same(text: str) -> None:
    """A second time nothing more is found than what is next to something hidden."""
    once = redact(text)

    assert redact(redact(once)) == redact(once)


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True))
def test_one_digit_makes_the_card(digits: str) -> None:
    """Of the ten last digits exactly one gives the number of a card."""
    found = [last for last in "0123456789" if is_card(digits + last)]

    assert len(found) == 1 or len(set(digits)) == 1


def test_checks_of_accounts() -> None:
    """The check digits and the length of the country decide."""
    assert is_iban("NL91 ABNA 0417 1643 00")
    assert not is_iban("NL92 ABNA 0417 1643 00")
    assert not is_iban("NL91 ABNA 0417 1643 0")
