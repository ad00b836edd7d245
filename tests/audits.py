"""Our audit beside the agentic category of Lighthouse: `python -m tests.audits [SITE]...`.

It prints the table that is in `docs/how-to/audit.md`: for each site what Lighthouse finds, whether the
audit lacks any of it, and what the audit finds besides. A site is the shop as `serve` shows it, the
documentation (`make docs` writes it), or one of `tests/sites`; the last two get a valid llms.txt and a
valid catalogue where they have none, so that all of the category applies.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from tests.lighthouse import (
    AGENTIC,
    ROOT,
    SITES,
    Result,
    agentic,
    docs,
    lighthouse,
    shop,
    static,
)
from tests.reference.markdown import table
from webagent.rules import RULES
from webagent_dev.audit.site_audit import Audit, audit_site
from webagent_dev.config.live_rules import LIVE_RULES

FOLDERS = ROOT / "tests" / "sites"
LLMS = "# Site\n\n> A site of our tests.\n\n## Pages\n\n- [Start](index.html): the first page\n"
CATALOGUE: Mapping[str, Any] = {
    "specVersion": "1.0",
    "entries": [
        {
            "identifier": "urn:air:site.example:tests:site",
            "displayName": "Site",
            "type": "application/mcp-server-card+json",
            "url": "https://site.example/card.json",
            "representativeQueries": ["find the first page", "open the first page"],
        }
    ],
}

_ISSUES = {
    "Form level": "form-half-described",
    "Missing `name`": "field-without-name",
    "Add a description": "parameter-not-described",
}
"""The rule for each sentence of Lighthouse's audit of schemas, by its beginning."""


@dataclass(frozen=True)
class Beside:
    """Both on one site."""

    site: str
    lighthouse: Result
    audit: Audit

    @property
    def rules(self) -> Counter[str]:
        """How many findings of each rule the audit has."""
        return Counter(one.rule for report in self.audit.reports for one in report.findings)

    def expected(self) -> Counter[str]:
        """Return how many findings of each rule Lighthouse has."""
        found: Counter[str] = Counter()
        for name, audit in agentic(self.lighthouse).items():
            items = [*_items(audit.get("details") or {})]
            match name:
                case "agent-accessibility-tree":
                    found["element-without-name or wrong-aria"] += len(items)
                case "webmcp-form-coverage":
                    found["form-without-tool"] += len(items)
                case "webmcp-registered-tools":
                    found["too-many-tools"] += len(audit.get("warnings") or ())
                case "webmcp-schema-validity":
                    found.update(_rule_of(str(item["issue"])) for item in items)
                case "cumulative-layout-shift":
                    found["layout-shift"] += float(audit["numericValue"]) > 0.1
                case "llms-txt":
                    found["llms-txt-invalid"] += len(items) or (audit["score"] == 0)
                case "ard-schema":
                    errors = [item for item in items if item["severity"] == "Error"]
                    found["catalogue-invalid"] += bool(errors) or (audit["score"] == 0)
                    found["catalogue-incomplete"] += len(items) - len(errors)
                case _:
                    raise AssertionError(f"Lighthouse has another audit: {name}")
        return +found

    def missing(self) -> list[str]:
        """Return the rules of which Lighthouse has findings and the audit none, or fewer."""
        rules = self.rules
        return [
            f"{name}: {count} of Lighthouse"
            for name, count in self.expected().items()
            if sum(rules[rule] for rule in name.split(" or ")) < count
        ]

    def besides(self) -> list[str]:
        """Return the rules of the audit of which Lighthouse has no finding."""
        known = {rule for name in self.expected() for rule in name.split(" or ")}
        return [rule for rule in [*RULES, *LIVE_RULES] if self.rules[rule] and rule not in known]


def _rule_of(issue: str) -> str:
    return next(rule for beginning, rule in _ISSUES.items() if issue.startswith(beginning))


def _items(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table of Lighthouse, or of the tables of a list."""
    for item in details.get("items") or ():
        inner = item.get("value") if item.get("type") == "list-section" else None
        if inner:
            yield from _items(inner)
        else:
            yield item


def beside(site: str) -> Beside:
    """Run both on a site."""
    with served(site) as url:
        found = lighthouse(url, AGENTIC)
        rules = {*RULES, *LIVE_RULES}
        return Beside(site, found, audit_site(site, url, rules, print_nothing))


def print_nothing(_: str) -> None:
    """Take the progress of an audit."""


def served(site: str) -> AbstractContextManager[str]:
    """Serve a site while the block runs; yield its address."""
    if site == "shop":
        return shop()
    also = {"/llms.txt": LLMS, "/.well-known/ai-catalog.json": json.dumps(CATALOGUE)}
    return docs(also) if site == "docs" else static(FOLDERS / site, also)


def names() -> list[str]:
    """Return all sites."""
    return [*SITES, *sorted(path.name for path in FOLDERS.iterdir() if path.is_dir())]


def report(compared: list[Beside]) -> str:
    """Return the table."""
    rows = (
        (
            one.site,
            _outcome(one.lighthouse),
            ", ".join(f"{name} ({count})" for name, count in one.expected().items()) or "–",
            "; ".join(one.missing()) or "nothing",
            str(one.audit.score),
            ", ".join(f"`{rule}`" for rule in one.besides()) or "–",
        )
        for one in compared
    )
    heads = (
        "site",
        "Lighthouse",
        "it finds",
        "the audit lacks",
        "our score",
        "the audit finds besides",
    )
    return table(heads, rows)


def _outcome(result: Result) -> str:
    audits = agentic(result).values()
    judged = [
        one for one in audits if one["scoreDisplayMode"] in ("binary", "numeric", "metricSavings")
    ]
    return f"{sum(one['score'] == 1 for one in judged)} of {len(judged)}"


if __name__ == "__main__":
    print(report([beside(site) for site in sys.argv[1:] or names()]))
