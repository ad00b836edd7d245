"""Headers on their way through the proxy."""

from __future__ import annotations

import pytest

from webagent_dev.proxy.headers import from_upstream, to_upstream
from webagent_site.config.urls import Address

HERE = Address("http", "localhost", 5173)
THERE = Address("https", "shop.example", 443)
OURS = "http://127.0.0.1:8000"


def asked(upstream: Address, **headers: str) -> dict[str, str]:
    pairs = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    sent = to_upstream([(b"host", b"127.0.0.1:8000"), *pairs], upstream, OURS, "127.0.0.1")
    assert len({name for name, _ in sent}) == len(sent)
    return {name.decode(): value.decode() for name, value in sent}


def answered(upstream: Address, *headers: tuple[str, str]) -> list[tuple[str, str]]:
    pairs = [(name.encode(), value.encode()) for name, value in headers]
    return [(n.decode(), v.decode()) for n, v in from_upstream(pairs, upstream, OURS)]


def test_an_upstream_on_this_machine_gets_the_host_of_the_page() -> None:
    """So its addresses, its cookies and its checks of `Origin` against `Host` stay right."""
    sent = asked(HERE, origin=OURS, referer=f"{OURS}/a", cookie="a=1; b=2")

    assert sent == {
        "host": "127.0.0.1:8000",
        "origin": OURS,
        "referer": f"{OURS}/a",
        "cookie": "a=1; b=2",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-host": "127.0.0.1:8000",
        "x-forwarded-proto": "http",
    }


def test_an_upstream_elsewhere_gets_its_own_host() -> None:
    """It knows no other."""
    sent = asked(THERE, origin=OURS, referer=f"{OURS}/a?b=1", cookie="a=1")

    assert sent == {
        "host": "shop.example",
        "origin": "https://shop.example",
        "referer": "https://shop.example/a?b=1",
        "cookie": "a=1",
    }
    assert asked(THERE, origin="null", referer="http://127.0.0.1:80001/") | {"host": ""} == {
        "host": "",
        "origin": "null",
        "referer": "http://127.0.0.1:80001/",
    }


def test_headers_of_one_connection_end_here() -> None:
    """Also those that `Connection` names (RFC 9110, 7.6.1)."""
    sent = asked(
        HERE,
        connection="keep-alive, X-Private",
        x_private="1",
        keep_alive="timeout=5",
        te="trailers",
        upgrade="h2c",
        transfer_encoding="chunked",
        proxy_authorization="Basic x",
        accept="*/*",
    )
    assert set(sent) == {
        "host",
        "accept",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-proto",
    }
    assert answered(
        HERE,
        ("Connection", "close, X-Private"),
        ("X-Private", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Trailer", "X"),
        ("X-Kept", "1"),
        ("X-Kept", "2"),
    ) == [("x-kept", "1"), ("x-kept", "2")]


def test_a_client_cannot_choose_its_address() -> None:
    """Headers of proxies before us are not passed on."""
    sent = asked(
        HERE,
        x_forwarded_for="10.0.0.1",
        x_forwarded_host="evil.example",
        forwarded="for=10.0.0.1",
        x_real_ip="10.0.0.1",
    )

    assert sent["x-forwarded-for"] == "127.0.0.1"
    assert sent["x-forwarded-host"] == "127.0.0.1:8000"
    assert not {"forwarded", "x-real-ip"} & set(sent)


@pytest.mark.parametrize(
    ("upstream", "location", "seen"),
    [
        (HERE, "http://localhost:5173/a?b#c", f"{OURS}/a?b#c"),
        (HERE, "http://127.0.0.1:5173/a", f"{OURS}/a"),
        (HERE, "http://localhost:5173", f"{OURS}/"),
        (HERE, "//localhost:5173/a", f"{OURS}/a"),
        (HERE, "/a", "/a"),
        (HERE, "a?next=http://localhost:5173/", "a?next=http://localhost:5173/"),
        (HERE, "http://localhost:5174/a", "http://localhost:5174/a"),
        (HERE, "https://login.example/", "https://login.example/"),
        (HERE, "http://[", "http://["),
        (THERE, "https://shop.example/a", f"{OURS}/a"),
        (THERE, "https://shop.example:443/a", f"{OURS}/a"),
        (THERE, "http://shop.example/a", "http://shop.example/a"),
        (THERE, "https://www.shop.example/a", "https://www.shop.example/a"),
    ],
)
def test_redirects_to_the_upstream_lead_to_us(upstream: Address, location: str, seen: str) -> None:
    """Others are not changed."""
    assert answered(upstream, ("Location", location)) == [("location", seen)]


@pytest.mark.parametrize(
    ("cookie", "seen"),
    [
        ("a=1; Path=/; HttpOnly", "a=1; Path=/; HttpOnly"),
        ("a=1; Domain=shop.example; Path=/", "a=1; Path=/"),
        ("a=1;DOMAIN=.example", "a=1"),
        ("a=1; Domain=other.example", "a=1; Domain=other.example"),
        ("domain=shop.example", "domain=shop.example"),
    ],
)
def test_cookies_are_ours(cookie: str, seen: str) -> None:
    """A browser would refuse those of another domain."""
    assert answered(THERE, ("Set-Cookie", cookie)) == [("set-cookie", seen)]


def test_headers_about_the_other_origin_are_dropped() -> None:
    """HSTS would keep every server on `localhost` from being opened over HTTP."""
    assert answered(
        THERE,
        ("Strict-Transport-Security", "max-age=1"),
        ("Alt-Svc", 'h3=":443"'),
        ("Server", "x"),
    ) == [("server", "x")]
