"""A server that others can reach: who gets in."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from tests.devserver.http.test_guard import ask
from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import resolve_config
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError
from webagent_site.http.assets import Assets

LAN = "http://192.0.2.7:8000"


@pytest.fixture(name="make")
def _make(root: Path, bundle: Path) -> Callable[..., ASGIApp]:
    def make(**options: object) -> ASGIApp:
        config = ServeConfig(root, visit_token="open-sesame", **options)  # type: ignore[arg-type]
        return create_app(config, Site(root), Assets(bundle), Console(io.StringIO()))

    return make


@pytest.fixture(name="visitor")
async def _visitor(make: Callable[..., ASGIApp]) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody on the network of a server that listens on all addresses."""
    transport = httpx.ASGITransport(make(host="0.0.0.0"))
    async with httpx.AsyncClient(transport=transport, base_url=LAN) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/webagents.md", "/__webagent__/webagent.js", "/nothing"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
async def test_nobody_gets_in_without_the_token(
    visitor: httpx.AsyncClient, path: str, method: str
) -> None:
    """For any path, and from this machine too: a wrong address is easily given."""
    assert (await visitor.request(method, path)).status_code == 401
    here = {"host": "127.0.0.1:8000"}
    assert (await visitor.request(method, path, headers=here)).status_code == 401


async def test_a_person_without_the_token_gets_a_page(visitor: httpx.AsyncClient) -> None:
    """It says where the token is, and never what it is; programs get a sentence."""
    page = await visitor.get("/", headers={"accept": "text/html"})

    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "The terminal in which it runs shows a URL with the token" in page.text
    assert (await visitor.get("/style.css")).headers["content-type"].startswith("text/plain")


async def test_the_first_visit_sets_the_cookie(visitor: httpx.AsyncClient) -> None:
    """The token moves from the address into a cookie that scripts cannot read."""
    first = await visitor.get("/a%20b?x=1&webagent-token=open-sesame&y=%26")
    cookie = first.headers["set-cookie"]

    assert first.status_code == 303
    assert first.headers["location"] == "/a%20b?x=1&y=%26"
    assert first.headers["referrer-policy"] == "no-referrer"
    assert first.headers["cache-control"] == "no-store"
    assert cookie.startswith("webagent-visit-8000=open-sesame; ")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert (await visitor.get("/")).status_code == 200


@pytest.mark.parametrize(
    "query",
    [
        "webagent-token=",
        "webagent-token=open-sesam",
        "webagent-token=open-sesame&webagent-token=open-sesame",
        "webagent-token=%C3%A4",
        "token=open-sesame",
    ],
)
async def test_a_wrong_token_opens_nothing(visitor: httpx.AsyncClient, query: str) -> None:
    """Neither in the address nor in a cookie."""
    assert (await visitor.get(f"/?{query}")).status_code == 401
    value = query.partition("=")[2]
    cookie = {"cookie": f"webagent-visit-8000={value}"}
    wrong = value != "open-sesame"
    assert (await visitor.get("/", headers=cookie)).status_code == 401 or not wrong


async def test_a_token_does_not_excuse_a_foreign_origin(visitor: httpx.AsyncClient) -> None:
    """All other rules stay."""
    for headers, status in (
        ({"host": "evil.example:8000"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}, 403),
    ):
        answer = await visitor.get("/?webagent-token=open-sesame", headers=headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (status, False)


async def test_no_token_leads_to_another_site(visitor: httpx.AsyncClient) -> None:
    """A path that looks like a host is refused before."""
    answer = await visitor.get(f"{LAN}//evil.example/?webagent-token=open-sesame")
    assert answer.status_code == 400


async def test_this_machine_needs_no_token(make: Callable[..., ASGIApp]) -> None:
    """Only programs of this machine can ask, and other sites are kept out anyway."""
    transport = httpx.ASGITransport(make())
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        assert (await client.get("/")).status_code == 200


@pytest.mark.parametrize(
    ("allowed", "host", "passes"),
    [
        ("shop.test", "shop.test:8000", True),
        ("shop.test", "SHOP.TEST", True),
        ("shop.test", "a.shop.test", False),
        (".shop.test", "a.shop.test:443", True),
        (".shop.test", "shop.test", False),
        (".shop.test", "evilshop.test", False),
        ("shop.test", "shop.test.evil.example", False),
    ],
)
def test_more_names_are_allowed_one_by_one(allowed: str, host: str, passes: bool) -> None:
    """With any port, since a tunnel has its own; and with the token, since others may use it."""
    config = {"allow_host": (allowed,)}
    assert ask(headers={"host": host}, **config) == (401 if passes else 421)  # type: ignore[arg-type]
    cookie = {"host": host, "cookie": "webagent-visit-8000=open-sesame"}
    passed = ask(headers=cookie, visit_token="open-sesame", **config)  # type: ignore[arg-type]
    assert passed == (None if passes else 421)


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("https://shop.test", None),
        ("http://shop.test", None),
        ("https://evil.example", 403),
        ("https://shop.test.evil.example", 403),
        ("null", 403),
    ],
)
def test_a_page_behind_a_tunnel_is_one_of_ours(origin: str, status: int | None) -> None:
    """It speaks HTTPS with the tunnel."""
    headers = {"host": "shop.test", "origin": origin, "cookie": "webagent-visit-8000=t"}
    assert ask(headers=headers, allow_host=("shop.test",), visit_token="t") == status


@pytest.mark.parametrize(
    "name", ["*", "http://shop.test", "shop.test:80", "", ".", "a b", "ä.test"]
)
def test_an_invalid_name_is_refused(root: Path, name: str) -> None:
    """A star would let every site in."""
    with pytest.raises(
        ConfigError, match=r"is not the name of a server - .* - write `--allow-host shop"
    ):
        resolve_config(str(root), allow_host=[name])


def test_the_address_to_open_has_the_token_where_one_is_needed(root: Path) -> None:
    """And only there."""
    here = ServeConfig(root, allow_host=("shop.test",), visit_token="t")
    everywhere = ServeConfig(root, host="0.0.0.0", visit_token="t")

    assert here.visit_url() == "http://127.0.0.1:8000/"
    assert here.visit_url("shop.test") == "http://shop.test:8000/?webagent-token=t"
    assert everywhere.visit_url() == "http://127.0.0.1:8000/?webagent-token=t"
    assert everywhere.visit_url("192.0.2.7") == "http://192.0.2.7:8000/?webagent-token=t"
    assert "visit_token" not in repr(everywhere)
