"""Every rule that a finding can have: what it finds, why that matters, and what to write instead.

`webagent-dev explain` and the pages in `docs/rules/` are made from this table.
"""

from __future__ import annotations

from webagent.checks.declared_types import TYPES
from webagent.checks.drift_rules import PAGE
from webagent.checks.naming import NAMES
from webagent.checks.parameters import PARAMS
from webagent.checks.safety import SAFETY
from webagent.checks.sample_code.samples import SAMPLES
from webagent.checks.tool_sections import SECTIONS
from webagent.checks.whole_file import DOCUMENT
from webagent.diagnostics.rule import Rule, page

__all__ = ["RULES", "Rule", "index_page", "page"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for table in (DOCUMENT, SECTIONS, NAMES, PARAMS, TYPES, SAMPLES, SAFETY, PAGE)
    for rule in table
}
"""All rules by name, in the order in which an author meets them."""


def index_page() -> str:
    """Return the page that lists all rules, as Markdown."""
    rows = [f"| [{r.name}]({r.name}.md) | {r.severity.value} | {r.what} |" for r in RULES.values()]
    head = (
        "# Rules\n\n"
        "What `webagent-dev check` and the server look for. An error means that the file does not say\n"
        "what its author means, a warning that an agent will probably get something wrong, an info\n"
        "that nothing is wrong but something is worth knowing.\n\n"
        "| rule | severity | finds |\n|---|---|---|\n"
    )
    return head + "\n".join(rows) + "\n"
