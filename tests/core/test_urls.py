import pytest

from webagent.urls import absolute, origin_of, path_of, same_page


@pytest.mark.parametrize(
    ("url", "full"),
    [
        ("/x", "https://shop.example/x"),
        ("x?y=1", "https://shop.example/a/x?y=1"),
        (" https://other.example ", "https://other.example"),
        ("//other.example/x", "https://other.example/x"),
        ("javascript:alert(1)", None),
        ("mailto:a@b.example", None),
        ("data:text/html,x", None),
        ("https://[", None),
        ("https://host:1:2/", None),
        ("https://host:99999/", None),
        ("https://host:port/", None),
        ("https://host:0/", None),
        ("//host:1:2/", None),
        (r"https://evil.example\@shop.example/", "https://evil.example/@shop.example/"),
        (r"/\evil.example", "https://evil.example"),
    ],
)
def test_addresses_are_completed(url: str, full: str | None) -> None:
    """A relative address is resolved; the result is None unless it is the address of a page."""
    assert absolute("https://shop.example/a/b", url) == full


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://shop.example/x", "https://shop.example"),
        ("https://shop.example:443/", "https://shop.example"),
        ("http://127.0.0.1:8000/x", "http://127.0.0.1:8000"),
        ("https://user:word@SHOP.example/", "https://shop.example"),
        ("https://shop.example.evil.example/", "https://shop.example.evil.example"),
        ("http://[::1]:80/", "http://[::1]"),
        ("https://shop.example:x/", ""),
        ("about:blank", ""),
        ("", ""),
    ],
)
def test_origins(url: str, origin: str) -> None:
    """The origin is scheme, host and port, as browsers write it."""
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("asked", "shown", "same"),
    [
        ("/contact", "/contact/", True),
        ("/contact", "/contact.html", True),
        ("/contact", "/en/contact", True),
        ("/", "/index.html", True),
        ("/account", "/login?next=/account", False),
        ("/", "/login", False),
        ("/orders", "/preorders", False),
    ],
)
def test_a_page_may_be_shown_under_another_address(asked: str, shown: str, same: bool) -> None:
    """Sites change addresses by themselves, and the page stays the same."""
    base = "https://shop.example"
    assert same_page(base + asked, base + shown) is same
    assert path_of(base + asked).startswith("/")
