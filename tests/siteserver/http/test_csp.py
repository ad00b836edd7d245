"""Content-Security-Policies are read as browsers read them."""

from __future__ import annotations

import pytest

from webagent_site.http.csp import (
    NEEDS,
    allows,
    forbidden,
    header_policies,
    may_be_framed,
    nonce,
    reaches,
    violations,
)

SELF = ("'self'",)
WASM = ("'wasm-unsafe-eval'", "'unsafe-eval'")
URL = "https://shop.example/a"
LOCAL = "http://127.0.0.1:8000"
SCRIPTS, PYTHON, NETWORK, FRAMES = (need.purpose for need in NEEDS)
ALL = [SCRIPTS, PYTHON, NETWORK, FRAMES]


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
        ("script-src https://shop.example:443", "script-src", SELF, True),
        ("script-src https://shop.example:8443", "script-src", SELF, False),
        ("script-src-elem 'self'; script-src 'none'", "script-src-elem", SELF, True),
        ("script-src 'self'; script-src-elem 'none'", "script-src-elem", SELF, False),
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
        (
            "script-src 'self' 'unsafe-eval'; script-src-elem cdn.example",
            ["add `'self'` to its `script-src-elem`"],
        ),
        ("frame-src 'none'", ["add `'self'` to its `frame-src`"]),
        ("connect-src api.example", ["add `'self'` to its `connect-src`"]),
    ],
)
def test_a_violation_has_a_remedy(policy: str, remedies: list[str]) -> None:
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


@pytest.mark.parametrize(
    ("header", "refused"),
    [
        ("", []),
        ("img-src 'none'; report-uri /r", []),
        ("default-src 'none'", ALL),
        ("default-src 'self'", [PYTHON]),
        ("default-src 'self' 'unsafe-eval'", []),
        ("DEFAULT-SRC 'SELF' 'WASM-UNSAFE-EVAL'", []),
        ("script-src 'self'", [PYTHON]),
        ("script-src 'self' 'wasm-unsafe-eval'; connect-src https://api.example", [NETWORK]),
        ("script-src 'nonce-abc' 'strict-dynamic'", [PYTHON]),
        ("script-src 'strict-dynamic' 'self' 'wasm-unsafe-eval'", [SCRIPTS]),
        ("script-src-elem 'self'; script-src 'none'", [PYTHON]),
        ("frame-src 'none'", [FRAMES]),
        ("child-src 'none'; frame-src 'self'", []),
        ("connect-src *", []),
        ("connect-src http:", []),
        ("connect-src https:", [NETWORK]),
        ("connect-src 127.0.0.1:8000", []),
        ("connect-src http://127.0.0.1:*", []),
        ("connect-src 127.0.0.1", [NETWORK]),
        ("connect-src http://127.0.0.1:8001", [NETWORK]),
        ("connect-src 'self', connect-src 'none'", [NETWORK]),
        ("connect-src 'self'; connect-src 'none'", []),
        ("connect-src", [NETWORK]),
        ("connect-src http://127.0.0.1:8000/", []),
        ("connect-src http://127.0.0.1:8000/only/this", [NETWORK]),
    ],
)
def test_violations_of_a_policy_are_found(header: str, refused: list[str]) -> None:
    """The most exact directive decides, and every policy has to agree."""
    found = violations(header_policies(header), LOCAL, has_nonce=True)

    assert [violation.need.purpose for violation in found] == refused


def test_the_directive_that_forbids_is_named() -> None:
    """That is where something has to be added."""
    found = violations(header_policies("default-src 'none'; script-src 'self'"), LOCAL)

    assert {violation.need.purpose: violation.directive for violation in found} == {
        PYTHON: "script-src",
        NETWORK: "default-src",
        FRAMES: "default-src",
    }


def test_scripts_before_a_policy_are_not_checked() -> None:
    """A policy in a meta tag holds for what comes after it."""
    found = violations(header_policies("script-src 'none'"), LOCAL, has_scripts=True)

    assert [violation.need.purpose for violation in found] == [PYTHON]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("script-src 'nonce-aB3+/_-=='", "aB3+/_-=="),
        ("default-src 'nonce-x'; script-src 'self'", None),
        ("script-src 'nonce-\"><script>'", None),
        ("style-src 'nonce-x'", None),
    ],
)
def test_the_nonce_of_scripts_is_found(header: str, found: str | None) -> None:
    """Our tags carry it, as the site's own do."""
    assert nonce(header_policies(header)) == found
