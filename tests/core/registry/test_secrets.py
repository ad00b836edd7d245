"""Logs never show a secret."""

from typing import Any

import pytest

from webagent.page.fakes import FakePage
from webagent.registry import ToolRegistry
from webagent.registry.secrets import MASK, Secrets, is_secret
from webagent.types import Manifest, Param, Tool


@pytest.mark.parametrize(
    "key",
    ["password", "access_token", "accessToken", "sessionId", "JWT", "api-key", "apiKey", "cardPin"],
)
def test_secrets_are_known_by_their_key(key: str) -> None:
    """The usual words count, alone or as the last part of a name."""
    assert is_secret(key)


@pytest.mark.parametrize("key", ["query", "tokens", "pinned", "author", "shippingAddress", ""])
def test_other_keys_are_not_secrets(key: str) -> None:
    """A word that only contains one of them does not count."""
    assert not is_secret(key)


async def test_a_token_is_masked_in_all_events_after_the_login() -> None:
    """The caller gets the token; listeners see neither it nor the password, also later."""
    events: list[dict[str, Any]] = []
    login = Tool(name="login", params=[Param(name="email"), Param(name="password")])
    orders = Tool(name="getOrders", params=[Param(name="key")])
    page = FakePage(
        {
            "login": lambda email, password: {"user": email, "token": "tok-123456"},
            "getOrders": lambda key: f"sent {key}",
        }
    )
    registry = ToolRegistry(page, on_call=events.append)
    await registry.bind(Manifest(tools=[login, orders]))

    result = await registry.call("login", ["ada@shop.example", "ropewalk14"])
    later = await registry.call("getOrders", ["tok-123456"])

    assert result.value["token"] == "tok-123456"
    assert later.value == "sent tok-123456"
    assert "tok-123456" not in repr(events)
    assert "ropewalk14" not in repr(events)
    assert events[0]["arguments"] == ["ada@shop.example", MASK]
    assert events[3]["value"] == f"sent {MASK}"


def test_the_whole_answer_of_a_login_may_be_the_token() -> None:
    """A text without spaces that a login gives is its token; a sentence is not."""
    secrets = Secrets()
    secrets.learn_result("signIn", "eyJhbGciOiJIUzI1NiJ9")
    secrets.learn_result("signIn", "welcome back")
    secrets.learn_result("getName", "adalovelace")

    assert secrets.mask_text("eyJhbGciOiJIUzI1NiJ9 welcome back adalovelace") == (
        f"{MASK} welcome back adalovelace"
    )


def test_masking_goes_into_keys_and_lists() -> None:
    """The text is hidden anywhere in JSON data, a number as a whole."""
    secrets = Secrets()
    secrets.learn_arguments({"password": "hunter22", "pin": 1234})

    assert secrets.mask([{"hunter22": ["my hunter22"], "n": 1234}, 12345, None]) == [
        {MASK: [f"my {MASK}"], "n": MASK},
        12345,
        None,
    ]


def test_a_short_secret_is_hidden_as_a_word() -> None:
    """A typed secret is hidden as a word of its own, and not within other words."""
    secrets = Secrets()
    secrets.learn_arguments({"password": "x", "pin": "47"})

    assert secrets.mask_text("x, not xylophone; pin:47 of 470") == (
        f"{MASK}, not xylophone; pin:{MASK} of 470"
    )
    assert secrets.mask({"a": "x", "b": [47]}) == {"a": MASK, "b": [47]}


def test_a_secret_is_hidden_as_addresses_and_json_have_it() -> None:
    """Its escaped forms are hidden too."""
    secrets = Secrets()
    secrets.learn('p&ss "1"')

    for shown in ("?p=p%26ss%20%221%22", "?p=p%26ss+%221%22", "p&amp;ss &quot;1&quot;"):
        assert MASK in secrets.mask_text(shown)
        assert "ss" not in secrets.mask_text(shown)
    assert secrets.mask_text('{"p": "p&ss \\"1\\""}') == f'{{"p": "{MASK}"}}'


def test_the_words_of_a_record_stay() -> None:
    """An event keeps its own keys and keywords, whatever the password is; a result does not."""
    secrets = Secrets()
    secrets.learn("finished", "•••2")

    event = {"state": "finished", "finished": "finished", "value": {"finished": "finished"}}
    assert secrets.mask_record(event) == {
        "state": "finished",
        "finished": "•••2",
        "value": {"•••2": "•••2"},
    }


async def test_short_and_numeric_secrets_are_hidden_by_their_name() -> None:
    """A value under such a name, as a parameter or a key, is no one's to read."""
    events: list[dict[str, Any]] = []
    pay = Tool(name="pay", params=[Param(name="pin", type="number | string"), Param(name="to")])
    page = FakePage({"pay": lambda pin, to: {"pin": pin, "to": to}})
    registry = ToolRegistry(page, on_call=events.append)
    await registry.bind(Manifest(tools=[pay]))

    await registry.call("pay", [4711, "bob"])
    await registry.call("pay", ["47", "bob"])

    for started, finished in (events[:2], events[2:]):
        assert started["arguments"] == [MASK, "bob"]
        assert finished["value"] == {"pin": MASK, "to": "bob"}


def test_booleans_are_not_secrets() -> None:
    """`session: true` says whether something may be done, and shows nothing."""
    assert Secrets().mask({"session": True, "token": "abcdef"}) == {"session": True, "token": MASK}


async def test_secrets_behind_one_another_are_hidden_too() -> None:
    """A last parameter that takes all further arguments gives each of them its name."""
    events: list[dict[str, Any]] = []
    tool = Tool(name="unlock", params=[Param(name="door"), Param(name="...pin", type="string[]")])
    page = FakePage({"unlock": lambda *_: None})
    registry = ToolRegistry(page, on_call=events.append)
    await registry.bind(Manifest(tools=[tool]))

    await registry.call("unlock", ["red", "1234", "ropewalk14", "ropewalk15"])

    assert events[0]["arguments"] == ["red", MASK, MASK, MASK]
    assert registry.secrets.mask_text("red ropewalk15") == f"red {MASK}"


async def test_arguments_are_secrets_by_their_schema() -> None:
    """`format: password` and `writeOnly` count as names do, before the call is made."""
    secret = {"type": "string", "format": "password"}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "phrase": {"$ref": "#/$defs/secret"},
            "rows": {"type": "array", "items": {"properties": {"code": {"writeOnly": True}}}},
            "city": {"type": "string"},
        },
        "$defs": {"secret": secret, "loop": {"$ref": "#/$defs/loop"}},
    }
    params = [Param(name=name, type="any") for name in schema["properties"]]
    tool = Tool(name="logIn", params=params, input_schema=schema)
    events: list[dict[str, Any]] = []
    registry = ToolRegistry(FakePage({"logIn": lambda **_: None}), on_call=events.append)
    await registry.bind(Manifest(tools=[tool]))
    given = {"phrase": "ropewalk14", "rows": [{"code": "tarragon7"}], "city": "Lisbon-on-sea"}
    registry.prepare("logIn", given)

    shown = registry.secrets.mask_text("ropewalk14 tarragon7 Lisbon-on-sea")
    assert shown == f"{MASK} {MASK} Lisbon-on-sea"

    # However the call is made.
    await registry.invoke("logIn", given | {"phrase": "capstan15"})
    await registry.call("logIn", [{"phrase": "hawser16", "rows": []}])
    assert "Lisbon-on-sea" in repr(events)
    assert not any(secret in repr(events) for secret in ("capstan15", "hawser16", "tarragon7"))
