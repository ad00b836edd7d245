"""The pages of the rules, from the tables of the core and of the development server."""

from __future__ import annotations

from collections.abc import Iterable

from tests.reference.markdown import table
from webagent.rules import RULES, Rule, page
from webagent_dev.config.audit_rules import AUDIT_RULES
from webagent_dev.config.live_rules import LIVE_RULES

INDEX = """\
# Rules

For those who know the name of a rule, and want to know what it is about.

The rules that `webagent-dev check` and the server apply.
An error means that the file does not say what its author means.
A warning means that an agent will probably get something wrong.
An info means that nothing is wrong, but something is worth knowing.

{manifest}

## A published site

`webagent-dev check URL` [looks at the answers of a server](../../how-to/check.md#a-site-that-is-published), too:

{site}

## An audit

`webagent-dev check --audit` [scores a site](../../how-to/audit.md) by all of these, and by more:

{audit}
"""


def pages() -> dict[str, str]:
    """Return the text of each page by the name of its file."""
    site = [rule for name, rule in LIVE_RULES.items() if name not in AUDIT_RULES]
    index = INDEX.format(
        manifest=_listed(RULES.values()), site=_listed(site), audit=_listed(AUDIT_RULES.values())
    )
    rules = RULES | LIVE_RULES
    return {"README.md": index} | {f"{name}.md": page(rule) for name, rule in rules.items()}


def _listed(rules: Iterable[Rule]) -> str:
    rows = ((f"[{rule.name}]({rule.name}.md)", rule.severity.value, rule.what) for rule in rules)
    return table(("rule", "severity", "finds"), rows)
