"""The rows of an audit: what each is about, how much it counts, and when there is nothing to judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from webagent.checks import Report
from webagent.rules import RULES
from webagent_dev.audit.announced_files import AnnouncedFiles
from webagent_dev.audit.announcements import has_trial, is_twin
from webagent_dev.audit.page_facts import PageFacts
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles


@dataclass(frozen=True, slots=True)
class Subject:
    """All that is known of the site."""

    site: SiteFiles
    report: Report
    """Its manifest; an empty one without."""
    files: AnnouncedFiles
    facts: PageFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row: it passes unless there is a finding of one of its rules."""

    name: str
    title: str
    weight: int
    rules: frozenset[str]
    lighthouse: tuple[str, ...] = ()
    """The audits of Lighthouse whose findings are among those of this row."""
    inapplicable: Callable[[Subject], str] = lambda _: ""
    """Returns why there is nothing to judge, and how there could be; empty if there is something."""


def _without_manifest(subject: Subject) -> str:
    if subject.site.manifest:
        return ""
    return "the site has no manifest - `webagent-dev extract` drafts one"


def _without_agent(subject: Subject) -> str:
    if subject.site.has_agent:
        return ""
    return "the page has no agent of its own - `webagent-dev build` brings one"


def _without_forms(subject: Subject) -> str:
    return "" if subject.facts.forms else "the page has no form"


def _without_registered(subject: Subject) -> str:
    half = any(bool(one["toolname"]) != bool(one["tooldescription"]) for one in subject.facts.forms)
    if subject.facts.registered or half:
        return ""
    return "the page registers no tools - `document.modelContext` and `toolname` do"


def _without_robots(subject: Subject) -> str:
    found = 400 <= subject.files.robots.status < 500
    return "there is no `/robots.txt`, so everything is allowed" if found else ""


def _absent(name: str, file: Callable[[AnnouncedFiles], FetchedFile]) -> Callable[[Subject], str]:
    def reason(subject: Subject) -> str:
        if 400 <= file(subject.files).status < 500:
            return f"there is no {name} - `webagent-dev build` writes one"
        return ""

    return reason


def _without_catalogue(subject: Subject) -> str:
    if subject.files.catalogue_signals or subject.files.catalogue.status == 200:
        return ""
    return "there is no catalogue - `webagent-dev build` writes one"


def _without_twin(subject: Subject) -> str:
    if is_twin(subject.files.twin):
        return ""
    return (
        "the server has the page as HTML only - `webagent_site` sends Markdown to who asks for it"
    )


def _without_trial(subject: Subject) -> str:
    if has_trial(subject.site):
        return ""
    return "the page has no token for the trial of WebMCP - browsers that need none do without"


ROWS: tuple[Row, ...] = (
    Row(
        name="manifest",
        title="The manifest is there and means what it says",
        weight=3,
        rules=frozenset((*RULES, "no-manifest")),
    ),
    Row(
        name="announcement",
        title="Page and headers announce the manifest",
        weight=2,
        rules=frozenset(("not-announced", "manifest-redirected", "announcements-differ")),
        inapplicable=_without_manifest,
    ),
    Row(
        name="headers",
        title="The manifest is sent as text that stays fresh",
        weight=1,
        rules=frozenset(("manifest-type", "manifest-charset", "manifest-caching")),
        inapplicable=_without_manifest,
    ),
    Row(
        name="security",
        title="Nobody changes the tools on their way or finds a secret, and the policy allows agents",
        weight=2,
        rules=frozenset(
            (
                "insecure-page",
                "key-in-answer",
                "token-in-page",
                "policy-blocks-agent",
                "policy-blocks-programs",
                "policy-blocks-webmcp",
                "gateway-refuses-pages",
                "gateway-tokens",
                "gateway-limits",
                "gateway-body",
            )
        ),
    ),
    Row(
        name="agent",
        title="The agent of the page starts",
        weight=2,
        rules=frozenset(
            (
                "agent-fails",
                "bundle-caching",
                "bundle-compression",
                "bundle-integrity",
                "bundle-missing",
                "development-tags",
            )
        ),
        inapplicable=_without_agent,
    ),
    Row(
        name="promises",
        title="The tools of the manifest are in its pages",
        weight=3,
        rules=frozenset(("tool-not-there",)),
        inapplicable=_without_manifest,
    ),
    Row(
        name="tools",
        title="The page offers tools, and not too many",
        weight=3,
        rules=frozenset(("page-without-tools", "too-many-tools")),
        lighthouse=("webmcp-registered-tools",),
    ),
    Row(
        name="schemas",
        title="Tools of the page are described, with their parameters",
        weight=2,
        rules=frozenset(
            (
                "tool-schema-invalid",
                "tool-not-described",
                "parameter-not-described",
                "form-half-described",
                "field-without-name",
            )
        ),
        lighthouse=("webmcp-schema-validity",),
        inapplicable=_without_registered,
    ),
    Row(
        name="forms",
        title="Forms are tools",
        weight=1,
        rules=frozenset(("form-without-tool",)),
        lighthouse=("webmcp-form-coverage",),
        inapplicable=_without_forms,
    ),
    Row(
        name="names",
        title="Controls, pictures and the page have names",
        weight=2,
        rules=frozenset(("element-without-name",)),
        lighthouse=("agent-accessibility-tree",),
    ),
    Row(
        name="tree",
        title="The accessibility tree is right",
        weight=1,
        rules=frozenset(("wrong-aria",)),
        lighthouse=("agent-accessibility-tree",),
    ),
    Row(
        name="layout",
        title="The page stays where it is while it loads",
        weight=1,
        rules=frozenset(("layout-shift",)),
        lighthouse=("cumulative-layout-shift",),
    ),
    Row(
        name="llms-txt",
        title="llms.txt leads to the pages",
        weight=1,
        rules=frozenset(("llms-txt-invalid", "llms-txt-form")),
        lighthouse=("llms-txt",),
        inapplicable=_absent("`/llms.txt`", lambda files: files.llms),
    ),
    Row(
        name="robots",
        title="robots.txt lets agents in that visitors send",
        weight=1,
        rules=frozenset(("robots-blocks-agents", "robots-unreadable")),
        inapplicable=_without_robots,
    ),
    Row(
        name="catalogue",
        title="The catalogue fits its specification",
        weight=1,
        rules=frozenset(("catalogue-invalid", "catalogue-incomplete", "catalogue-not-announced")),
        lighthouse=("ard-schema",),
        inapplicable=_without_catalogue,
    ),
    Row(
        name="skills",
        title="Skills have the digests of their index",
        weight=1,
        rules=frozenset(("skills-invalid",)),
        inapplicable=_absent("index of skills", lambda files: files.skills),
    ),
    Row(
        name="markdown",
        title="Markdown for who asks for it, and caches know",
        weight=1,
        rules=frozenset(("markdown-not-varied",)),
        inapplicable=_without_twin,
    ),
    Row(
        name="trial",
        title="The token for the trial of WebMCP holds",
        weight=1,
        rules=frozenset(("origin-trial-invalid", "origin-trial-ends")),
        inapplicable=_without_trial,
    ),
)
"""All rows, in the order in which they are shown."""
