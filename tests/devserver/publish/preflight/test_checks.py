"""Findings on a published site that need no browser."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from webagent.html_tags import start_tags
from webagent_dev.config.audit_rules import AUDIT_RULES
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.publish.preflight.checks import server_findings
from webagent_dev.publish.preflight.fetch import FetchedFile, Script, SiteFiles

SITE = "https://shop.example"
MANIFEST = "<meta name=webagents-md content=/webagents.md>"
FOLDER = "/webagent/0123456789abcdef/"
BODY = b"export {};"
HASH = "sha384-" + base64.b64encode(hashlib.sha384(BODY).digest()).decode()
FOR_EVER = "public, max-age=31536000, immutable"
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"


def seen(path: str = "/", body: str = "", status: int = 200, **headers: str) -> FetchedFile:
    given = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return FetchedFile(SITE + path, SITE + path, status, given, body.encode())


def fetch_site(
    page: FetchedFile | None = None,
    manifest: FetchedFile | None = None,
    *,
    agent: FetchedFile | None = None,
) -> SiteFiles:
    page = page or seen(body=MANIFEST)
    tags = tuple(start_tags(page.html.text))
    manifest = manifest or seen(
        "/webagents.md", content_type="text/markdown; charset=utf-8", cache_control="no-cache"
    )
    scripts = tuple(
        Script(tag, "webagent.js", agent) for tag in tags if tag.name == "script" and agent
    )
    return SiteFiles(page, tags, manifest, scripts, None)


def with_agent(
    integrity: str = HASH,
    *,
    status: int = 200,
    policy: str = POLICY,
    body: str = BODY.decode(),
    **headers: str,
) -> SiteFiles:
    path = f"{FOLDER}webagent.js"
    tag = f'<script type=module src="{path}" integrity="{integrity}"></script>'
    script = seen(path, body, status, **{"cache_control": FOR_EVER, **headers})
    return fetch_site(seen(body=MANIFEST + tag, content_security_policy=policy), agent=script)


def rules(visited: SiteFiles) -> list[str]:
    return [found.finding.rule for found in server_findings(visited)]


def test_a_site_as_it_should_be_has_no_findings() -> None:
    """With an agent and without."""
    assert rules(fetch_site()) == []
    assert rules(with_agent()) == []
    assert rules(with_agent("")) == []


def redirected(to: str) -> SiteFiles:
    return fetch_site(manifest=replace(fetch_site().manifest, url=to))


CASES = {
    "insecure-page": fetch_site(
        FetchedFile("http://shop.example/", "http://shop.example/", 200, (), MANIFEST.encode())
    ),
    "not-announced": fetch_site(seen(body="<title>Shop</title>")),
    "manifest-redirected": redirected("https://shop.example/agents.md"),
    "manifest-type": fetch_site(manifest=seen("/webagents.md", content_type="application/json")),
    "manifest-charset": fetch_site(manifest=seen("/webagents.md", content_type="text/markdown")),
    "manifest-caching": fetch_site(
        manifest=seen(
            "/webagents.md",
            content_type="text/plain;charset=UTF-8",
            cache_control="public, max-age=86400",
        )
    ),
    "policy-blocks-agent": with_agent(policy="script-src 'self'"),
    "policy-blocks-programs": replace(
        with_agent(), sandbox=seen(f"{FOLDER}sandbox.html", content_security_policy=POLICY)
    ),
    "development-tags": fetch_site(
        seen(body=MANIFEST + "<meta name=webagent-live content=/__webagent__/live?token=x>")
    ),
    "bundle-missing": with_agent(status=404),
    "bundle-integrity": with_agent("sha384-AAAA"),
    "bundle-caching": with_agent(cache_control="no-cache"),
    "bundle-compression": with_agent("", body="x" * 2000),
    "token-in-page": fetch_site(
        seen(body=MANIFEST + "<meta name=token content=webagent_page_1790000000_0123abcd>")
    ),
    "key-in-answer": fetch_site(
        seen(body=MANIFEST + "<script>const key = 'sk-ant-api03-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6'")
    ),
}
"""A site for each rule that needs no browser."""


@pytest.mark.parametrize("rule", CASES)
def test_each_rule_finds_what_it_is_for(rule: str) -> None:
    """That, and nothing else; the sentence says what to do instead, the place is in the text."""
    found = list(server_findings(CASES[rule]))

    assert [found.finding.rule for found in found] == [rule]
    finding, source = found[0].finding, found[0].source
    assert finding.severity is LIVE_RULES[rule].severity
    assert finding.message
    assert finding.help
    assert 0 <= finding.span.start <= finding.span.end <= len(source.text)


def test_every_rule_has_a_case_or_needs_a_browser() -> None:
    """A new rule comes with its test; others have those of gateways, and of the audit."""
    others = {rule for rule in LIVE_RULES.keys() - AUDIT_RULES if not rule.startswith("gateway-")}

    assert others - set(CASES) == {"agent-fails", "tool-not-there"}


def test_every_rule_is_in_the_documentation() -> None:
    """The list of rules has all of them, with their severity."""
    text = (Path(__file__).parents[4] / "docs/reference/rules/README.md").read_text("utf-8")

    for rule in LIVE_RULES.values():
        assert f"| [{rule.name}]({rule.name}.md) | {rule.severity.value} | {rule.what} |" in text


def test_a_header_that_is_wrong_is_pointed_at() -> None:
    """The place of the finding is the line of the header."""
    found = next(server_findings(CASES["manifest-caching"]))

    start, end = found.finding.span
    assert found.source.text[start:end] == "cache-control: public, max-age=86400"


def test_a_redirect_to_another_origin_says_what_follows() -> None:
    """Agents do not follow it."""
    (found,) = server_findings(redirected("https://other.example/webagents.md"))

    assert "another origin" in found.finding.message


@pytest.mark.parametrize(
    ("sandbox", "rule", "words"),
    [
        (seen(f"{FOLDER}sandbox.html", status=404), "bundle-missing", "status 404"),
        (
            seen(f"{FOLDER}sandbox.html", x_frame_options="DENY"),
            "policy-blocks-programs",
            "x-frame-options: DENY",
        ),
        (
            seen(f"{FOLDER}sandbox.html", content_security_policy="frame-ancestors 'none'"),
            "policy-blocks-programs",
            "in a frame",
        ),
    ],
)
def test_programs_need_their_file_in_a_frame(sandbox: FetchedFile, rule: str, words: str) -> None:
    """It has to be there, and the page has to be allowed to show it."""
    (found,) = server_findings(replace(with_agent(), sandbox=sandbox))

    assert found.finding.rule == rule
    assert words in found.finding.message


@pytest.mark.parametrize(
    "models",
    [
        'data-llm="a2a+https://llm.example/a#x"',
        'data-llm="/llm/v1#x" data-llm-fallback="https://llm.example/v1#y"',
        'data-llm="https://llm.example/v1#x" data-llm-fallback="https://llm.example/v1#y"',
        'data-llm="https://[llm/v1#x" data-llm-fallback="https://llm.example/v1#y"',
    ],
)
def test_a_model_that_the_policy_blocks_is_reported(models: str) -> None:
    """The directive for requests has to name its origin."""
    path = f"{FOLDER}webagent.js"
    tag = f'<script type=module src="{path}" {models}></script>'
    agent = seen(path, BODY.decode(), cache_control=FOR_EVER)
    page = seen(body=MANIFEST + tag, content_security_policy=POLICY)
    (found,) = server_findings(fetch_site(page, agent=agent))

    assert "requests to `https://llm.example`" in found.finding.message
    assert found.finding.help == "add `https://llm.example` to its `connect-src`"


@pytest.mark.parametrize(("nonce", "count"), [('nonce="abc"', 0), ("", 1)])
def test_a_policy_by_nonces_needs_the_nonce_in_the_tag(nonce: str, count: int) -> None:
    """`'strict-dynamic'` leaves nothing else."""
    path = f"{FOLDER}webagent.js"
    policy = "script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'"
    tag = f'<script type=module {nonce} src="{path}"></script>'
    agent = seen(path, BODY.decode(), cache_control=FOR_EVER)
    page = seen(body=MANIFEST + tag, content_security_policy=policy)

    assert len(rules(fetch_site(page, agent=agent))) == count


@pytest.mark.parametrize("value", ["sha256-x sha384-AAAA " + HASH, "md5-x " + HASH, HASH + "?opt"])
def test_one_hash_that_fits_is_enough(value: str) -> None:
    """As browsers judge it."""
    assert rules(with_agent(value)) == []


def test_a_server_of_this_machine_is_not_published() -> None:
    """Plain http and the tags of the development server are all right there."""
    url = "http://127.0.0.1:8000/"
    body = MANIFEST + "<script src=/__webagent__/webagent.js></script>"

    assert rules(fetch_site(FetchedFile(url, url, 200, (), body.encode()))) == []


def test_the_tools_of_an_application_are_not_tags_of_development() -> None:
    """They are below the same path."""
    script = "<script src=/__webagent__/tools/0123456789abcdef.js></script>"

    assert rules(fetch_site(seen(body=MANIFEST + script))) == []


@pytest.mark.parametrize(
    "text",
    [
        "sk-spinner-animation-with-a-very-long-name-of-a-class",
        "task-0123456789abcdef0123456789abcdef0123456789",
        "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
    ],
)
def test_other_words_are_not_keys(text: str) -> None:
    """Nobody revokes the name of a class."""
    assert rules(fetch_site(seen(body=f"{MANIFEST}<p class='{text}'>"))) == []
