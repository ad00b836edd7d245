"""`webagent-dev explain`: what a rule finds, why it matters, and what to write instead."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

import click

from webagent_dev.cli.candidates import rules
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.errors import UsageError


@click.command("explain")
@click.argument("rule", required=False, shell_complete=rules)
@run_command
def command(console: Console, rule: str | None) -> int:
    """Explain what RULE finds, why it matters and what to write instead; without RULE, list all rules.

    \b
    Example:
      webagent-dev explain unclosed-fence
    """
    from webagent.rules import RULES, page
    from webagent_dev.config.live_rules import LIVE_RULES

    rules = RULES | LIVE_RULES
    if rule is None:
        width = max(map(len, rules))
        for one in rules.values():
            console.line(f"{one.name.ljust(width)}  {one.severity.value.ljust(7)}  {one.what}")
        return 0
    found = rules.get(rule.strip().strip("[]`").lower())
    if found is None:
        raise unknown_rule(rule, rules)
    console.write(page(found))
    return 0


def unknown_rule(name: str, known: Collection[str]) -> UsageError:
    """Return the error for a name that is not that of a rule."""
    near = get_close_matches(name, known, 1)
    remedy = f"write `{near[0]}`" if near else "`webagent-dev explain` lists all rules"
    return UsageError(f"`{name}` is not a rule - {remedy}")
