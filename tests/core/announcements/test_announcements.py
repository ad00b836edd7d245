"""The announcements of a site: each file by the rules of its specification, for the shop and for any site."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from webagent import parse
from webagent.announcements import (
    AI_CATALOG,
    ANNOUNCEMENTS,
    LLMS_TXT,
    SKILLS_FOLDER,
    Announcement,
    is_announcement,
)
from webagent.announcements.files import announcement_files
from webagent.announcements.llms_txt import SitePage, llms_txt_problems, named_pages
from webagent.types import Behavior, Manifest, Note, Tool

SHOP = parse((Path(__file__).parents[3] / "site_template/webagents.md").read_text("utf-8"))
BASE = "https://shop.example/"

# Agentic Resource Discovery 0.9 with specVersion 1.0: what its conformance test asks of a catalogue.
CATALOG = {
    "type": "object",
    "required": ["specVersion", "entries"],
    "additionalProperties": False,
    "properties": {
        "specVersion": {"const": "1.0"},
        "host": {
            "type": "object",
            "required": ["displayName"],
            "properties": {"displayName": {"type": "string", "minLength": 1}},
            "additionalProperties": False,
        },
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["identifier", "displayName", "type"],
                "oneOf": [{"required": ["url"]}, {"required": ["data"]}],
                "properties": {
                    "identifier": {"pattern": r"^urn:air:[a-zA-Z0-9.-]+(:[a-zA-Z0-9._-]+)+$"},
                    "displayName": {"type": "string", "minLength": 1},
                    "type": {
                        "enum": [
                            "application/a2a-agent-card+json",
                            'text/markdown; profile="urn:air:agent-skills"',
                        ]
                    },
                    "url": {"pattern": "^https?://"},
                    "description": {"type": "string"},
                    "capabilities": {"type": "array", "items": {"type": "string"}},
                    "representativeQueries": {
                        "type": "array",
                        "minItems": 2,
                        "maxItems": 5,
                        "items": {"type": "string"},
                    },
                },
            },
        },
    },
}
# Agent Skills Discovery 0.2.0.
SKILLS = {
    "type": "object",
    "required": ["$schema", "skills"],
    "properties": {
        "$schema": {"const": "https://schemas.agentskills.io/discovery/0.2.0/schema.json"},
        "skills": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "type", "description", "url", "digest"],
                "properties": {
                    "name": {"pattern": "^(?=.{1,64}$)[a-z0-9]+(-[a-z0-9]+)*$"},
                    "type": {"const": "skill-md"},
                    "description": {"type": "string", "minLength": 1, "maxLength": 1024},
                    "digest": {"pattern": "^sha256:[0-9a-f]{64}$"},
                },
            },
        },
    },
}


def _check(files: dict[str, bytes], base: str) -> None:
    """Fail if one of the files does not follow its specification."""
    assert not [*llms_txt_problems(files[LLMS_TXT].decode())]
    index = json.loads(files[f"{SKILLS_FOLDER}index.json"])
    Draft202012Validator(SKILLS).validate(index)
    for skill in index["skills"]:
        data = files[SKILLS_FOLDER + skill["url"]]
        assert skill["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        front = _front_matter(data.decode())
        assert front == {"name": skill["name"], "description": skill["description"]}
        assert skill["url"] == f"{skill['name']}/SKILL.md"
    if "://" in base:
        catalog = json.loads(files[AI_CATALOG])
        Draft202012Validator(CATALOG).validate(catalog)
        for entry in catalog["entries"]:
            assert entry["url"].startswith(base)


def _front_matter(text: str) -> dict[str, Any]:
    """Return the fields of a file; a JSON text is YAML, too."""
    top = re.match(r"---\nname: (\S+)\ndescription: (\".*\")\n---\n\n# ", text)
    assert top
    return {"name": top[1], "description": json.loads(top[2])}


def test_the_shop() -> None:
    """The shop has all of them, with the goals that it suggests."""
    pages = [
        SitePage("", "Catchword Books", "A bookshop."),
        SitePage("contact.html", "Write [to] us"),
    ]

    files = announcement_files(SHOP, BASE, pages, has_card=True)

    _check(files, BASE)
    text = files[LLMS_TXT].decode()
    assert text.startswith("# Catchword Books\n\n> A small bookshop in Wrenmouth.")
    assert "- [Catchword Books](https://shop.example/): A bookshop.\n" in text
    assert r"- [Write \[to\] us](https://shop.example/contact.html)" in text
    assert "- [Tools](https://shop.example/webagents.md): Functions of the pages: " in text
    skill, card = json.loads(files[AI_CATALOG])["entries"]
    assert skill["identifier"] == "urn:air:shop.example:skill:catchword-books"
    assert skill["url"] == f"{BASE}{SKILLS_FOLDER}catchword-books/SKILL.md"
    assert "searchBooks" in skill["capabilities"]
    assert skill["representativeQueries"][0] == "Find a book about the sea"
    assert card["url"] == f"{BASE}.well-known/agent-card.json"
    written = files[f"{SKILLS_FOLDER}catchword-books/SKILL.md"].decode()
    assert "## Good to know" in written
    assert "searchBooks(query: string" in written
    assert "## Suggestions" not in written


def test_a_site_without_an_origin_has_no_catalogue() -> None:
    """Its addresses would not be whole; the other files have paths."""
    files = announcement_files(SHOP, "/app/", named_pages(SHOP))

    assert AI_CATALOG not in files
    _check(files, "/app/")
    assert "(/app/webagents.md)" in files[LLMS_TXT].decode()


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "shop"])
def test_a_host_without_a_domain_has_the_name_of_a_local_agent(host: str) -> None:
    """The specification has no names for such hosts."""
    files = announcement_files(SHOP, f"http://{host}/", [])

    entries = json.loads(files[AI_CATALOG])["entries"]
    assert [one["identifier"] for one in entries] == [
        "urn:air:agent.localhost:skill:catchword-books"
    ]


@pytest.mark.parametrize("left_out", ANNOUNCEMENTS)
def test_each_can_be_left_out(left_out: Announcement) -> None:
    """A site without one has the others."""
    wanted = [one for one in ANNOUNCEMENTS if one != left_out]
    files = announcement_files(SHOP, BASE, [], wanted, has_card=True)

    assert all(is_announcement(name, wanted) for name in files)
    whole = announcement_files(SHOP, BASE, [], has_card=True)
    assert (files == whole) == (left_out == "markdown")
    if left_out == "agent-skills":
        assert [one["type"] for one in json.loads(files[AI_CATALOG])["entries"]] == [
            "application/a2a-agent-card+json"
        ]


def test_a_site_without_tools_has_nothing_for_agents() -> None:
    """Only the list of its pages."""
    assert [*announcement_files(Manifest(name="Shop"), BASE, [])] == [LLMS_TXT]


def test_the_pages_of_a_manifest() -> None:
    """Where nobody lists the pages, the ones that tools name."""
    tools = [
        Tool(name="pay", behavior=Behavior(paths=["/checkout", "/orders/*"])),
        Tool(name="send", behavior=Behavior(paths=["/checkout", "/a b"])),
    ]
    pages = named_pages(Manifest(name="Shop", tools=tools))

    assert [page.path for page in pages] == ["", "checkout", "a%20b"]
    assert [page.title for page in pages] == ["Shop", "/checkout", "/a b"]


WORDS = st.text(max_size=40)
MANIFESTS = st.builds(
    Manifest,
    name=WORDS,
    description=WORDS,
    notes=st.lists(st.builds(Note, title=WORDS, text=WORDS), max_size=3),
    tools=st.lists(st.builds(Tool, name=WORDS, title=WORDS), min_size=1, max_size=3),
)


@given(MANIFESTS, st.lists(st.builds(SitePage, WORDS, WORDS, WORDS), min_size=1, max_size=3))
def test_any_manifest_gives_valid_files(manifest: Manifest, pages: list[SitePage]) -> None:
    """The words of a site are text in the files."""
    _check(announcement_files(manifest, BASE, pages, has_card=True), BASE)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "begin with the name"),
        ("Shop\n\n## Pages\n\n- [a](/a)\n", "begin with the name"),
        ("# Shop\n\n# Shop\n\n## Pages\n\n- [a](/a)\n", "two titles"),
        ("# Shop\n\n## Pages\n\n### Old\n\n- [a](/a)\n", "heading within a section"),
        ("# Shop\n\n## Pages\n\nSome.\n\n- [a](/a)\n", "more than a list"),
        ("# Shop\n\n## Pages\n\n- /a\n", "is not a link"),
        ("# Shop\n\n## Pages\n\n- [a](/a) is this\n", "is not a link"),
        ("# Shop\n\nText.\n\n> Late.\n\n## Pages\n\n- [a](/a)\n", "summary comes late"),
        ("# Shop\n\n> Books.\n", "no links"),
    ],
)
def test_mistakes_in_a_file(text: str, problem: str) -> None:
    """By the format at https://llmstxt.org."""
    assert any(problem in found for found in llms_txt_problems(text))


def test_a_good_file() -> None:
    """Notes behind a colon, and an `Optional` section, are part of the format."""
    text = "# Shop\n\n> Books.\n\nMore, and\n\n- a list.\n\n## Pages\n\n- [a](/a): First.\n\n## Optional\n\n- [b](/b)\n"

    assert not [*llms_txt_problems(text)]
