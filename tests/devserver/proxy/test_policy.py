"""What a Content-Security-Policy forbids of the agent."""

from __future__ import annotations

import pytest

from webagent_dev.proxy.policy import NEEDS, forbidden, nonce, parse

OURS = "http://127.0.0.1:8000"
SCRIPTS, PYTHON, NETWORK, FRAMES = (need.what for need in NEEDS)
ALL = [SCRIPTS, PYTHON, NETWORK, FRAMES]


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
    ],
)
def test_what_a_policy_forbids_is_known(header: str, refused: list[str]) -> None:
    """The most exact directive decides, and every policy has to agree."""
    assert [need.what for need, _ in forbidden(parse(header), OURS)] == refused


def test_the_directive_that_forbids_is_named() -> None:
    """That is where something has to be added."""
    found = forbidden(parse("default-src 'none'; script-src 'self'"), OURS)

    assert {need.what: directive for need, directive in found} == {
        PYTHON: "script-src",
        NETWORK: "default-src",
        FRAMES: "default-src",
    }


def test_scripts_that_stand_before_a_policy_are_not_its_matter() -> None:
    """A policy in a meta tag holds for what comes after it."""
    found = forbidden(parse("script-src 'none'"), OURS, scripts_stand=True)

    assert [need.what for need, _ in found] == [PYTHON]


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
    assert nonce(parse(header)) == found
