"""What a Content-Security-Policy allows."""

from __future__ import annotations

import pytest

from webagent_dev.http.csp import allows, forbidden, may_be_framed, reaches

SELF = ("'self'",)
WASM = ("'wasm-unsafe-eval'", "'unsafe-eval'")
URL = "https://shop.example/a"


@pytest.mark.parametrize(
    ("policy", "directive", "wanted", "allowed"),
    [
        ("", "script-src", SELF, True),
        ("img-src 'none'", "script-src", SELF, True),
        ("default-src 'none'", "script-src", SELF, False),
        ("default-src 'none'; script-src 'self'", "script-src", SELF, True),
        ("script-src 'none'; SCRIPT-SRC 'self'", "script-src", SELF, False),
        ("script-src 'SELF'", "script-src", SELF, True),
        ("script-src https:", "script-src", SELF, True),
        ("script-src http:", "script-src", SELF, False),
        ("script-src *", "script-src", SELF, True),
        ("script-src shop.example", "script-src", SELF, True),
        ("script-src https://shop.example", "script-src", SELF, True),
        ("script-src https://*.example", "script-src", SELF, True),
        ("script-src https://other.example", "script-src", SELF, False),
        ("script-src https://shop.example/only/this.js", "script-src", SELF, False),
        ("script-src *", "script-src", WASM, False),
        ("script-src 'self' 'unsafe-eval'", "script-src", WASM, True),
        ("child-src 'none'", "frame-src", SELF, False),
        ("child-src 'none'; frame-src 'self'", "frame-src", SELF, True),
        ("default-src 'self'; connect-src api.example", "connect-src", SELF, False),
        ("script-src 'self' 'nonce-x' 'strict-dynamic'", "script-src", SELF, False),
        (" ; ;script-src", "script-src", SELF, False),
    ],
)
def test_a_policy_is_read_as_browsers_read_it(
    policy: str, directive: str, wanted: tuple[str, ...], allowed: bool
) -> None:
    """Fallbacks, the first of two, and the ways to write one's own origin."""
    assert allows(policy, directive, wanted, URL) is allowed


def test_an_address_that_is_not_known_yet_may_be_any_host() -> None:
    """Keywords are judged all the same."""
    assert allows("script-src https://shop.example", "script-src", SELF, None)
    assert not allows("script-src 'nonce-x' data:", "script-src", SELF, None)


@pytest.mark.parametrize(
    ("policy", "remedies"),
    [
        ("", []),
        ("script-src 'self'", ["add `'wasm-unsafe-eval'` to its `script-src`"]),
        (
            "default-src 'self' cdn.example",
            ["add `script-src 'self' cdn.example 'wasm-unsafe-eval'` to it"],
        ),
        (
            "script-src 'nonce-x' 'strict-dynamic' 'wasm-unsafe-eval'",
            ["give the tags of the agent the nonce of the policy"],
        ),
        ("frame-src 'none'", ["add `'self'` to its `frame-src`"]),
        ("connect-src api.example", ["add `'self'` to its `connect-src`"]),
    ],
)
def test_what_a_policy_forbids_is_told_with_its_remedy(policy: str, remedies: list[str]) -> None:
    """In the words that belong into the policy as it is."""
    assert [remedy for _, remedy in forbidden([policy], URL)] == remedies


@pytest.mark.parametrize(
    ("policy", "there"),
    [
        ("default-src 'self'", False),
        ("connect-src 'self' https://llm.example", True),
        ("connect-src *.example", True),
        ("script-src 'self'", True),
    ],
)
def test_a_model_elsewhere_is_reached_or_not(policy: str, there: bool) -> None:
    """By the directive for requests."""
    assert reaches(policy, "https://llm.example/v1") is there


@pytest.mark.parametrize(
    ("policy", "framed"),
    [
        ("default-src 'none'", True),
        ("frame-ancestors 'none'", False),
        ("frame-ancestors 'self'", True),
        ("frame-ancestors https://shop.example", True),
        ("frame-ancestors https://other.example", False),
    ],
)
def test_a_file_may_be_framed_or_not(policy: str, framed: bool) -> None:
    """Only `frame-ancestors` says so."""
    assert may_be_framed(policy, URL) is framed
