"""What a Content-Security-Policy allows."""

from __future__ import annotations

import pytest

from webagent_dev.golive.policy import allows

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
        (" ; ;script-src", "script-src", SELF, False),
    ],
)
def test_a_policy_is_read_as_browsers_read_it(
    policy: str, directive: str, wanted: tuple[str, ...], allowed: bool
) -> None:
    """Fallbacks, the first of two, and the ways to write one's own origin."""
    assert allows(policy, directive, wanted, URL) is allowed
