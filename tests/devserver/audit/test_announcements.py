"""Findings on what announces a site to machines."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

import pytest

from tests.devserver.audit.kit import (
    ENTRY,
    LLMS,
    META,
    SITE,
    announced,
    catalogue,
    missing,
    rules,
    sent,
    site,
    token,
)
from webagent_dev.audit.announced_files import SKILLS, AnnouncedFiles
from webagent_dev.audit.announcements import file_findings
from webagent_dev.audit.robots import VISITING_AGENTS, Robots
from webagent_dev.publish.preflight.fetch import FetchedFile

SKILL = "---\nname: buy-books\n---\n"
DIGEST = f"sha256:{hashlib.sha256(SKILL.encode()).hexdigest()}"


def skills(status: int = 200, **entry: Any) -> AnnouncedFiles:
    url = "buy-books/SKILL.md"
    whole = {
        "name": "buy-books",
        "type": "skill-md",
        "description": "Buys books.",
        "url": url,
        "digest": DIGEST,
    } | entry
    schema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    index = json.dumps({"$schema": schema, "skills": [whole]})
    return announced(skills=sent(SKILLS, index), skill_files={url: sent(url, SKILL, status)})


def test_a_site_without_these_files_has_no_findings() -> None:
    """Nobody has promised them."""
    assert rules() == []


def test_files_as_they_should_be_have_no_findings() -> None:
    """Each with what its specification asks for."""
    assert rules(announced(llms=sent("/llms.txt", LLMS))) == []
    assert rules(announced(robots=sent("/robots.txt", "User-agent: *\nDisallow: /account/"))) == []
    assert rules(catalogue(ENTRY, host={"displayName": "Shop"})) == []
    assert rules(skills()) == []
    assert (
        rules(announced(twin=sent("/", "# Shop", content_type="text/markdown", vary="Accept")))
        == []
    )


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (sent("/llms.txt", LLMS.replace("# Shop", "Shop", 1).replace("## ", "")), "no title"),
        (
            sent("/llms.txt", "# Shop\n\nAll about books, which we send by post since 1987."),
            "no links",
        ),
        (sent("/llms.txt", "# Shop\n[a](/b)"), "14 characters"),
        (sent("/llms.txt", LLMS, content_type="text/html"), "is a page"),
        (sent("/llms.txt", status=503), "status 503"),
        (
            sent("/llms.txt", "`/llms.txt` cannot be fetched - it leads away - see", 0),
            "it leads away",
        ),
        (sent("/llms.txt", status=0), "not answered"),
    ],
)
def test_llms_txt(file: FetchedFile, words: str) -> None:
    """A title, a link, and a server that sends it."""
    (found,) = file_findings(site(), announced(llms=file))

    assert found.finding.rule == "llms-txt-invalid"
    assert words in found.finding.message


def test_a_hostile_llms_txt() -> None:
    """Text that almost is a link, and as much of it as an answer may have, holds nothing up."""
    begun = time.monotonic()
    for text in ("[" * 5_000_000, "[a](" * 1_250_000):
        assert rules(announced(llms=sent("/llms.txt", f"# Shop\n{text}"))) == ["llms-txt-invalid"]

    assert time.monotonic() - begun < 20


def test_llms_txt_in_another_form() -> None:
    """It can be read, so this is a warning."""
    text = LLMS.replace("## Pages\n", "## Pages\n\nAll of them:\n")

    assert rules(announced(llms=sent("/llms.txt", text))) == ["llms-txt-form"]


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("User-agent: *\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\nAllow: /webagents.md\nAllow: /$", False),
        ("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /", False),
        ("User-agent: GPTBot\nUser-agent: claude-user\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: ChatGPT-User\nDisallow:\n", True),
        ("User-agent: *\nDisallow: *.md$", True),
        ("", False),
    ],
)
def test_robots_txt_that_keeps_visiting_agents_out(text: str, closed: bool) -> None:
    """Those that collect texts may be kept out."""
    found = rules(announced(robots=sent("/robots.txt", text)))

    assert set(found) == ({"robots-blocks-agents"} if closed else set())


@pytest.mark.parametrize(
    ("pattern", "path", "allowed"),
    [
        ("/a", "/abc", False),
        ("/a$", "/abc", True),
        ("/a$", "/a", False),
        ("/*.md$", "/x/webagents.md", False),
        ("/*.md$", "/x.md/y", True),
        ("/*/a*/b", "/1/a2/3/b4", False),
        ("/a*a$", "/a", True),
    ],
)
def test_a_pattern_fits_as_rfc_9309_says(pattern: str, path: str, allowed: bool) -> None:
    """`*` is anything, `$` the end."""
    assert Robots(f"User-agent: *\nDisallow: {pattern}").allows(VISITING_AGENTS[0], path) is allowed


def test_a_hostile_pattern_takes_no_time() -> None:
    """As many stars as there is room for."""
    robots = Robots("User-agent: *\nDisallow: /" + "*a" * 50_000 + "$\n")
    started = time.perf_counter()

    assert robots.allows("Claude-User", "/" + "a" * 40_000)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    "file", [sent("/robots.txt", status=500), sent("/robots.txt", content_type="text/html")]
)
def test_robots_txt_that_cannot_be_read(file: FetchedFile) -> None:
    """A failure closes the site, a page says nothing."""
    assert rules(announced(robots=file)) == ["robots-unreadable"]


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        (catalogue(ENTRY | {"identifier": "books"}), "catalogue-invalid"),
        (catalogue(ENTRY | {"data": {}}), "catalogue-invalid"),
        (
            catalogue({key: value for key, value in ENTRY.items() if key != "url"}),
            "catalogue-invalid",
        ),
        (catalogue(ENTRY | {"representativeQueries": ["one"]}), "catalogue-invalid"),
        (catalogue(ENTRY | {"trustManifest": {}}), "catalogue-invalid"),
        (catalogue(ENTRY, collections=[]), "catalogue-invalid"),
        (catalogue(ENTRY, specVersion="0.9"), "catalogue-invalid"),
        (catalogue(ENTRY | {"representativeQueries": None}), "catalogue-invalid"),
        (catalogue(ENTRY | {"type": "application/json"}), "catalogue-incomplete"),
        (catalogue(ENTRY, signals=()), "catalogue-not-announced"),
        (
            announced(catalogue=sent("/c", "{"), catalogue_signals=("a header",)),
            "catalogue-invalid",
        ),
        (announced(catalogue_signals=("a header",)), "catalogue-invalid"),
    ],
)
def test_catalogue(files: AnnouncedFiles, rule: str) -> None:
    """The specification is kept, and a catalogue that is announced is there."""
    assert rule in rules(files)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (skills(name="Buy Books"), "index.skills[0].name"),
        (skills(type="zip"), "index.skills[0].type"),
        (skills(digest=f"sha256:{'0' * 64}"), "the file has another one"),
        (skills(status=404), "status 404"),
        (announced(skills=sent(SKILLS, "<p>")), "not JSON"),
        (announced(skills=sent(SKILLS, status=500)), "status 500"),
    ],
)
def test_skills(files: AnnouncedFiles, words: str) -> None:
    """The index fits, and each skill is what its digest says."""
    (found,) = file_findings(site(), files)

    assert found.finding.rule == "skills-invalid"
    assert words in found.finding.message


def test_markdown_for_who_asks_needs_vary() -> None:
    """Without it a cache gives it to everyone."""
    twin = sent("/", "# Shop", content_type="text/markdown; charset=utf-8", vary="Accept-Encoding")

    assert rules(announced(twin=twin)) == ["markdown-not-varied"]


def test_two_announcements_that_differ() -> None:
    """The same one in both is fine, however it is written."""
    same = site(META, link=f'<{SITE}/webagents.md>; rel="webagents-md"')
    other = site(META, link='</old.md>; rel="webagents-md"')

    assert rules(of=same) == []
    assert rules(of=other) == ["announcements-differ"]


def test_a_policy_that_turns_webmcp_off() -> None:
    """Only an empty list does."""
    assert rules(of=site(permissions_policy="camera=(), tools=()")) == ["policy-blocks-webmcp"]
    assert rules(of=site(permissions_policy="camera=(), tools=(self)")) == []


DAY_S = 24 * 3600


@pytest.mark.parametrize(
    ("payload", "rule"),
    [
        ({"expiry": int(time.time()) + 60 * DAY_S}, None),
        ({"expiry": int(time.time()) + 20 * DAY_S}, "origin-trial-ends"),
        ({"expiry": 1_700_000_000}, "origin-trial-invalid"),
        ({"expiry": 4_000_000_000, "origin": "https://other.example:443"}, "origin-trial-invalid"),
        ({"expiry": 4_000_000_000, "origin": "https://example:443", "isSubdomain": True}, None),
        ({"expiry": 1_700_000_000, "feature": "Other"}, None),
    ],
)
def test_the_token_of_a_trial(payload: dict[str, Any], rule: str | None) -> None:
    """It ends, and it is for one origin; tokens of other trials are not ours to judge."""
    in_page = site(f'{META}<meta http-equiv="Origin-Trial" content="{token(**payload)}">')
    in_header = site(origin_trial=token(**payload))

    assert rules(of=in_page) == rules(of=in_header) == ([rule] if rule else [])


@pytest.mark.parametrize(
    "content", ["AAAA", "not base64!", token(expiry="soon"), token(expiry=4e9)[:-8]]
)
def test_a_token_that_cannot_be_read(content: str) -> None:
    """A part of one, or something else."""
    assert rules(of=site(origin_trial=content)) == ["origin-trial-invalid"]


def test_missing_files_are_fine() -> None:
    """A server that has none answers so."""
    assert rules(announced(llms=missing("/llms.txt"), skills=missing(SKILLS))) == []
