"""The sessions that are kept: whose they are, who can read them, and to which site they go."""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main
from webagent_dev.config.saved_sessions import (
    MOST_BYTES,
    SavedSession,
    read_session,
    session_for,
    session_names,
)
from webagent_site.errors import UsageError

ORIGIN = "https://shop.example"

VALUE = "4f0b6a5f4f0b6a5f"

COOKIE = {
    "name": "sid",
    "value": VALUE,
    "domain": "shop.example",
    "path": "/",
    "expires": -1,
    "httpOnly": True,
    "secure": False,
    "sameSite": "Lax",
}

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")


@pytest.fixture(name="folder", autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "webagent" / "sessions"


def session(
    *cookies: dict[str, Any],
    origin: str = ORIGIN,
    items: dict[str, str] | None = None,
    name: str = "shop",
) -> SavedSession:
    storage = [{"name": key, "value": value} for key, value in (items or {}).items()]
    state: Any = {
        "cookies": [{**COOKIE, **cookie} for cookie in cookies],
        "origins": [{"origin": origin, "localStorage": storage}],
    }
    return SavedSession.of(name, origin, state)


def test_only_what_is_of_the_origin_is_kept() -> None:
    """Cookies of its host and of domains above it, and the items of the very origin."""
    state: Any = {
        "cookies": [
            {**COOKIE, "name": "host"},
            {**COOKIE, "name": "above", "domain": ".example"},
            {**COOKIE, "name": "dotted", "domain": ".shop.example"},
            {**COOKIE, "name": "own", "partitionKey": "https://shop.example"},
            {**COOKIE, "name": "in a frame", "partitionKey": "https://news.example"},
            {**COOKIE, "name": "below", "domain": "pay.shop.example"},
            {**COOKIE, "name": "beside", "domain": ".pay.example"},
            {**COOKIE, "name": "like", "domain": "myshop.example"},
            {**COOKIE, "name": "provider", "domain": ".login.test"},
        ],
        "origins": [
            {"origin": "https://shop.example", "localStorage": [{"name": "a", "value": "1"}]},
            {"origin": "http://shop.example", "localStorage": [{"name": "b", "value": "2"}]},
            {"origin": "https://login.test", "localStorage": [{"name": "c", "value": "3"}]},
        ],
    }
    kept = SavedSession.of("shop", ORIGIN, state)
    assert [cookie["name"] for cookie in kept.cookies] == ["host", "above", "dotted", "own"]
    assert kept.local_storage == [{"name": "a", "value": "1"}]
    sent = kept.storage_state
    assert {(cookie["domain"], cookie["secure"]) for cookie in sent["cookies"]} == {
        ("shop.example", True)
    }
    assert [one["origin"] for one in sent["origins"]] == [ORIGIN]


@posix
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_only_its_owner_can_read_it(folder: Path, mask: int) -> None:
    """With any mask of the process, and any earlier mode of the folder."""
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    before = os.umask(mask)
    try:
        session({}).write()
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "shop.json").stat().st_mode) == 0o600
    assert read_session("shop") == session({})


@posix
def test_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    """A link in the place of a session is replaced, and not read; one in that of the folder is refused."""
    other = tmp_path / "other"
    session({}).write()
    (folder / "shop.json").rename(other)
    (folder / "shop.json").symlink_to(other)
    with pytest.raises(UsageError, match="cannot be read"):
        read_session("shop")
    session({"value": "another value of it"}).write()
    assert "another" not in other.read_text()
    assert read_session("shop").cookies[0]["value"] == "another value of it"
    elsewhere = tmp_path / "elsewhere"
    folder.rename(elsewhere)
    folder.symlink_to(elsewhere)
    with pytest.raises(UsageError, match="it is a link"):
        session({}, name="second").write()


@posix
def test_a_file_that_others_can_read_is_not_used(folder: Path) -> None:
    """They may have written it."""
    session({}).write()
    (folder / "shop.json").chmod(0o640)
    with pytest.raises(UsageError, match="other users can read it"):
        read_session("shop")


MENDS: list[Callable[[dict[str, Any]], Any]] = [
    lambda data: [data],
    lambda data: {**data, "name": "other"},
    lambda data: {**data, "origin": "shop.example"},
    lambda data: {**data, "origin": f"{ORIGIN}/path"},
    lambda data: {**data, "made_s": "now"},
    lambda data: {**data, "cookies": {"sid": "x"}},
    lambda data: {**data, "cookies": [{**data["cookies"][0], "domain": "evil.example"}]},
    lambda data: {**data, "cookies": [{**data["cookies"][0], "expires": "never"}]},
    lambda data: {**data, "cookies": ["sid"]},
    lambda data: {**data, "cookies": 7},
    lambda data: {**data, "local_storage": [["a", "b"]]},
    lambda data: {**data, "local_storage": [{"name": "a", "value": 7}]},
    lambda data: {key: data[key] for key in ("origin", "made_s", "cookies")},
]


@pytest.mark.parametrize("mend", MENDS)
def test_a_damaged_file_is_refused(folder: Path, mend: Callable[[dict[str, Any]], Any]) -> None:
    """The message repeats nothing of it, and says how to be rid of it."""
    session({}, items={"a": "b"}).write()
    file = folder / "shop.json"
    data = json.loads(file.read_text())
    file.write_text(json.dumps(mend(data)))
    with pytest.raises(UsageError, match="it is damaged") as raised:
        read_session("shop")
    assert "sessions shop --delete" in str(raised.value)
    assert VALUE not in str(raised.value)


@pytest.mark.parametrize("text", ["", "{", "null", '{"a":' * 100, "\ud800", "x" * (MOST_BYTES + 1)])
def test_a_file_without_json_is_refused(folder: Path, text: str) -> None:
    """Nor one that is too large."""
    session({}).write()
    (folder / "shop.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(UsageError, match="it is damaged"):
        read_session("shop")


def test_a_session_has_a_largest_size(folder: Path) -> None:
    """Nothing of a larger one is written."""
    with pytest.raises(UsageError, match="has more than 1,000,000 bytes"):
        session({}, items={"all": "x" * MOST_BYTES}).write()
    assert not folder.exists()


@pytest.mark.parametrize("name", ["", "Shop", "a/b", "..", "a.b", "ä", "x" * 65, "a\n"])
def test_a_name_that_may_be_a_path_is_refused(name: str) -> None:
    """It becomes the name of a file."""
    with pytest.raises(UsageError, match="is not the name of a session"):
        session_for(name, f"{ORIGIN}/")


def test_a_session_goes_to_its_origin_alone(tmp_path: Path) -> None:
    """Not to another scheme, port or host, and not to a folder."""
    session({}).write()
    assert session_for(None, "https://other.example/") is None
    for target in (f"{ORIGIN}/orders?all", "HTTPS://SHOP.example:443"):
        assert session_for("shop", target) == session({})
    for target in (
        "http://shop.example/",
        f"{ORIGIN}:8443/",
        "https://pay.shop.example/",
        "https://shop.example@evil.example/",
        "https://evil.example/#https://shop.example/",
    ):
        with pytest.raises(UsageError, match="sent to no other site"):
            session_for("shop", target)
    with pytest.raises(UsageError, match="a folder has no login"):
        session_for("shop", str(tmp_path))
    with pytest.raises(UsageError, match="webagent-dev login URL --session other"):
        session_for("other", ORIGIN)


def test_cookies_of_a_request_are_those_of_its_path() -> None:
    """As a browser sends them; an expired one is sent no more."""
    kept = session(
        {"name": "a"},
        {"name": "b", "path": "/orders"},
        {"name": "c", "path": "/orders/"},
        {"name": "d", "expires": 1},
    )
    assert kept.cookie_header(ORIGIN) == f"a={VALUE}"
    assert kept.cookie_header(f"{ORIGIN}/orderslist") == f"a={VALUE}"
    assert kept.cookie_header(f"{ORIGIN}/orders/7") == f"a={VALUE}; b={VALUE}; c={VALUE}"
    assert not kept.cookie_header("http://shop.example/orders/7")
    assert not kept.cookie_header("https://cdn.shop.example/")


@pytest.mark.parametrize(
    ("kept", "expired"),
    [
        (session({"expires": 1}), True),
        (session({"expires": 1e300}), False),
        (session({}), False),
        # A cookie that scripts can read is rarely a login.
        (session({"expires": 1}, {"expires": 1e10, "httpOnly": False}), True),
        (session({"expires": 1e10, "httpOnly": False}), False),
        (session({"expires": 1}, items={"token": "x"}), False),
        (session(items={"token": "x"}), False),
    ],
)
def test_a_session_without_a_valid_cookie_has_expired(kept: SavedSession, expired: bool) -> None:
    """A login that is in localStorage has no end that is known."""
    kept.write()
    shown = CliRunner().invoke(main, ["sessions"]).output
    assert (", expired" in shown) is expired
    if expired:
        with pytest.raises(UsageError, match=r"has expired - .* - log in again with `webagent-dev"):
            session_for("shop", ORIGIN)
    else:
        assert session_for("shop", ORIGIN) == kept


def test_tokens_are_hidden_and_settings_are_not() -> None:
    """In texts and in JSON, whose form stays; a short value may be any word."""
    token, inner = "0123456789abcdef0123", "nested-token-of-the-site"
    kept = session(
        {"value": token},
        {"value": "dark"},
        items={"state": json.dumps({"deep": [{"jwt": inner}], "theme": "dark"})},
    )
    hidden = kept.hide(json.dumps({"a": [token, f"Bearer {inner}"], token: "dark", "n": 4}))
    assert json.loads(hidden) == {"a": ["•••", "Bearer •••"], "•••": "dark", "n": 4}
    assert kept.hide(f"GET /?token={token}: 500") == "GET /?token=•••: 500"
    assert token not in repr(kept)
    assert inner not in repr(kept)


def test_sessions_are_listed_shown_and_deleted(folder: Path) -> None:
    """By their names, without a value; one that cannot be read does not hide the others."""
    session({"expires": time.time() + 86_400}, {"name": "t\x1b", "httpOnly": False}).write()
    session(items={"token": "value-of-it"}, name="b2").write()
    (folder / "c.json").write_text("{")
    (folder / "c.json").chmod(0o600)
    (folder / "No Name.json").write_text("{}")
    assert session_names() == ["b2", "c", "shop"]

    def said(*typed: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["sessions", *typed])
        return result.exit_code, result.output

    code, listed = said()
    assert code == 0
    b2, damaged, shop = listed.splitlines()
    assert b2.startswith(f"b2  {ORIGIN}, made 2")
    assert b2.endswith(", 1 item")
    assert "it is damaged" in damaged
    assert ", 2 cookies, until 2" in shop
    shown = said("shop")[1] + said("b2")[1]
    assert "cookie  sid, until 2" in shown
    assert ", hidden from scripts\n" in shown
    assert "cookie  t�, until the browser ends\n" in shown
    assert "item    token\n" in shown
    assert "value" not in shown
    assert VALUE not in shown
    assert said("c", "--delete") == (0, "the session `c` is deleted\n")
    assert session_names() == ["b2", "shop"]
    assert said("c", "--delete")[0] == 2
    assert said("--delete")[0] == 2


def test_a_login_needs_an_address_and_keeps_one_site_by_a_name() -> None:
    """Both are said before a browser is started."""

    def refused(*typed: str) -> str:
        result = CliRunner().invoke(main, ["login", *typed])
        assert result.exit_code == 2
        return result.output

    session({}).write()
    assert "is not an address" in refused("shop.example", "--session", "shop")
    assert "is of `https://shop.example` already" in refused(
        "https://other.example/", "--session", "shop"
    )
    assert "is not the name of a session" in refused(ORIGIN, "--session", "My shop")
