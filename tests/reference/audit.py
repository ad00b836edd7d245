"""The rows of an audit, from their table."""

from __future__ import annotations

from tests.reference.markdown import table
from webagent.rules import RULES
from webagent_dev.audit.audit_rows import ROWS, Row
from webagent_dev.config.live_rules import LIVE_RULES

NAME = "audit"
TITLE = "The rows of an audit"
FOR = "For those who read the score of `webagent-dev check --audit`."


def body() -> str:
    """Return the page's text."""
    rows = (
        (f"`{row.name}`", str(row.weight), row.title, _rules(row), ", ".join(row.lighthouse) or "–")
        for row in ROWS
    )
    return f"""\
[Audit a site](../how-to/audit.md) explains the score.
A row fails with an error among the findings of its rules, and has a warning with a warning.
The last column names the audits of Lighthouse whose findings the row has too.

{table(("row", "weight", "what passes", "rules", "Lighthouse"), rows)}
"""


def _rules(row: Row) -> str:
    """Return the rules of a row, linked; all rules for manifests are one link."""
    own = [name for name in LIVE_RULES if name in row.rules]
    links = [f"[`{name}`](rules/{name}.md)" for name in own]
    return ", ".join(["[those for manifests](rules/README.md)"] * (row.rules >= {*RULES}) + links)
