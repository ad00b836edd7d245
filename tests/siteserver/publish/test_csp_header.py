"""The policy that the server of a site has to send."""

from __future__ import annotations

import base64
import hashlib

import pytest

from webagent_site.publish.csp_header import page_policy, sandbox_policy


def rules(policy: str) -> dict[str, list[str]]:
    return {name: values for name, *values in map(str.split, policy.split(";"))}


def test_a_site_without_anything_inline_gets_a_strict_policy() -> None:
    """Nothing from elsewhere, no text as code but WebAssembly."""
    found = rules(page_policy(["<!doctype html><script src=a.js></script>"], []))

    assert found["script-src"] == ["'self'", "'wasm-unsafe-eval'"]
    assert found["style-src"] == found["connect-src"] == found["default-src"] == ["'self'"]
    assert found["object-src"] == ["'none'"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_inline_scripts_are_allowed_by_their_hash(end: str) -> None:
    """As browsers compute it; data is not a script, and equal scripts have one hash."""
    page = f'<script>{end}go();</script><script type="application/json">{{}}</script>'
    hashed = base64.b64encode(hashlib.sha256(b"\ngo();").digest()).decode()

    assert rules(page_policy([page, page], []))["script-src"][2:] == [f"'sha256-{hashed}'"]


def test_handlers_in_tags_are_allowed_by_their_hash() -> None:
    """With entities decoded; no other inline code is allowed."""
    hashed = base64.b64encode(hashlib.sha256(b"go('a')").digest()).decode()
    page = "<button onclick=\"go(&#39;a&#39;)\"></button><b one></b><i on=''></i>"

    assert rules(page_policy([page], []))["script-src"][2:] == [
        "'unsafe-hashes'",
        f"'sha256-{hashed}'",
    ]


def test_other_origins_of_pages_stay_allowed() -> None:
    """Each kind by its own directive; data and addresses of the site need nothing."""
    page = """<script src="https://cdn.example/a.js"></script><img src="//img.example/a.png">
        <link rel="preload stylesheet" href="https://css.example:8443/a.css"><img src="data:,">
        <iframe src="/b.html"></iframe><video src="https://v.example/a.mp4"></video>"""
    found = rules(page_policy([page, page], []))

    assert found["script-src"][2:] == ["https://cdn.example"]
    assert found["img-src"] == ["'self'", "data:", "blob:", "img.example"]
    assert found["style-src"] == ["'self'", "https://css.example:8443"]
    assert found["media-src"] == ["'self'", "https://v.example"]
    assert found["frame-src"] == ["'self'"]


@pytest.mark.parametrize("page", ["<style>p{}</style>", "<p style='color:red'>"])
def test_inline_styles_are_allowed_where_there_are_any(page: str) -> None:
    """A site that has none does not need it."""
    assert "'unsafe-inline'" in rules(page_policy([page], []))["style-src"]


@pytest.mark.parametrize(
    ("llm", "asked"),
    [
        ("https://m.example/v1#gpt", ["https://m.example"]),
        ("a2a+https://m.example:8443/a", ["https://m.example:8443"]),
        ("/llm/v1#gpt", []),
        ("builtin", []),
    ],
)
def test_a_model_elsewhere_may_be_asked(llm: str, asked: list[str]) -> None:
    """Its origin is allowed, and none other."""
    assert rules(page_policy([], [llm, ""]))["connect-src"] == ["'self'", *asked]


def test_the_fallback_may_be_asked_too() -> None:
    """An origin that both have is written once."""
    models = ["https://m.example/v1#a", "anthropic+https://m.example/v2#b"]
    assert rules(page_policy([], models))["connect-src"] == ["'self'", "https://m.example"]
    models[1] = "https://n.example/v1#b"
    assert rules(page_policy([], models))["connect-src"][2:] == ["https://n.example"]


def test_the_sandbox_keeps_its_own_policy() -> None:
    """It is read from the file."""
    page = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; x">'

    assert sandbox_policy(page) == "default-src 'none'; x"


@pytest.mark.parametrize("address", ["http://[", "//[::1/a.js", "http://[x]/"])
def test_an_address_that_browsers_do_not_load_needs_nothing(address: str) -> None:
    """And ends no build."""
    page = f'<script src="{address}"></script><link rel="stylesheet" href="{address}">'

    assert rules(page_policy([page], [])) == rules(page_policy([], []))
