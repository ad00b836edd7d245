"""The page about the packages of npm has every public name, with its type and words about it."""

from __future__ import annotations

import re

from tests.reference import npm
from tests.reference.contracts import column
from tests.reference.declarations import modules
from tests.reference.typescript import exports

ELSEWHERE = {
    "the language and browsers": "AbortSignal AddEventListenerOptions CustomEvent Error "
    "EventListenerOrEventListenerObject EventTarget Extract File Iterable Omit Promise Record URL "
    "Window",
    "packages that ours are for": "Expect MaybeRef Page PlaywrightTestArgs PlaywrightTestOptions "
    "PlaywrightWorkerArgs PlaywrightWorkerOptions Plugin TestType",
    "parameters of types": "Given Name",
}
"""Names in declarations that are not described on the page."""


def test_every_export_has_its_section() -> None:
    """Each name that the source of a module exports, there or where it was described before."""
    parts = npm.parts()
    missing = []
    for part in parts:
        source, _ = modules()[part.name]
        shown = {each.title for each in part.exports} | {each.name for each in part.again}
        missing += [(part.name, name) for name in exports(source.read_text("utf-8")).keys() - shown]

    assert sum(len(part.exports) for part in parts) > 30
    assert missing == []


def test_every_addition_to_pages_has_its_section() -> None:
    """The globals, the member of the document and the module that the bundler has."""
    titles = {each.title for part in npm.parts() for each in part.exports}

    assert titles >= {
        "window.webagent",
        "window.global",
        "WebAgentGlobal",
        "document.modelContext",
        "virtual:webagent",
    }


def test_the_agent_has_every_promised_member() -> None:
    """As the contracts list them, and no other."""
    (agent,) = [each for part in npm.parts() for each in part.exports if each.title == "WebAgent"]
    named = re.findall(r"^  (?:readonly )?(\w+)[(:<?]", agent.text, re.MULTILINE)

    assert {*named} - {"addEventListener"} == {*column("Members", "member")}


def test_every_name_has_words() -> None:
    """A comment where it is declared."""
    parts = npm.parts()
    sections = [each for part in parts for each in (*part.exports, *part.besides)]

    assert [each.title for each in sections if not each.comment] == []


def test_every_type_is_described() -> None:
    """Each name in a declaration, unless it comes from elsewhere."""
    parts = npm.parts()
    sections = [each for part in parts for each in (*part.exports, *part.besides)]
    code = "\n".join(each.text for each in sections)
    named = re.findall(r"\b[A-Z]\w*", re.sub(r'(?s)/\*.*?\*/|"[^"\n]*"', "", code))

    known = {name for names in ELSEWHERE.values() for name in names.split()}

    assert {*named} - {each.title for each in sections} == known
