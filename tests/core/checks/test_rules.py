"""The table of rules is complete, true, and what the documentation shows."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from webagent.checks import CHECKS, check_bytes
from webagent.checks.rules import RULES, Rule

ROOT = Path(__file__).parent.parent.parent.parent
PACKAGE = ROOT / "core" / "webagent"


def reported() -> set[str]:
    """Return every rule that code of the package gives a finding."""
    found = {rule for rules, _ in CHECKS for rule in rules}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
                called = node.func.id if isinstance(node.func, ast.Name) else called
                if called in ("Finding", "report"):
                    found.add(str(node.args[0].value))
    return found


def found_in(text: str) -> dict[str, Rule]:
    """Return the rules of the findings of a text; lone surrogates stand for single bytes."""
    report = check_bytes(text.encode("utf-8", "surrogateescape"))
    for finding in report.findings:
        assert finding.severity is RULES[finding.rule].severity
    return {finding.rule: RULES[finding.rule] for finding in report.findings}


def test_every_rule_is_in_the_table() -> None:
    """What code can report is told in `webagent/checks/rules`, and nothing else is."""
    assert set(RULES) == reported()


@pytest.mark.parametrize("rule", [r for r in RULES.values() if not r.script], ids=str)
def test_the_example_has_the_finding_and_the_mended_one_has_not(rule: Rule) -> None:
    """Each rule shows a manifest in which it finds something, and one in which it does not."""
    assert rule.name in found_in(rule.example)
    assert rule.name not in found_in(rule.instead)


@pytest.mark.parametrize("rule", RULES.values(), ids=str)
def test_rules_are_told_in_sentences(rule: Rule) -> None:
    """Names are kebab-case; what and why are sentences."""
    assert rule.name.replace("-", "").isalnum()
    assert rule.name == rule.name.lower()
    assert rule.what.endswith(".")
    assert rule.why.endswith(".")
