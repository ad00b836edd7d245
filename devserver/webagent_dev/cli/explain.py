"""`webagent-dev explain`: tells what a rule finds, why, and what to write instead."""

from __future__ import annotations

from difflib import get_close_matches

from webagent.checks.rules import RULES, page
from webagent_dev.config.live_rules import LIVE_RULES
from webagent_dev.errors import UsageError
from webagent_dev.terminal import Console


def run(name: str | None, console: Console) -> int:
    """Write the page of a rule, or a line on each; return the exit code, 0.

    Raises:
        UsageError: There is no such rule.
    """
    rules = RULES | LIVE_RULES
    if name is None:
        width = max(map(len, rules))
        for each in rules.values():
            console.line(f"{each.name.ljust(width)}  {each.severity.value.ljust(7)}  {each.what}")
        return 0
    rule = rules.get(name.strip().strip("[]`").lower())
    if rule is None:
        near = get_close_matches(name, rules, 1)
        remedy = f"write `{near[0]}`" if near else "`webagent-dev explain` lists all rules"
        raise UsageError(f"`{name}` is no rule - {remedy}")
    console.write(page(rule))
    return 0
