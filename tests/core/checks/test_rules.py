"""The table of rules is complete, true, and what the documentation shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from webagent.checks import CHECKS, check_bytes, whole_file
from webagent.diagnostics import drift_rules
from webagent.rules import RULES, Rule

ROOT = Path(__file__).parent.parent.parent.parent
PACKAGE = ROOT / "core" / "webagent"


def modules() -> Iterator[tuple[ModuleType, str]]:
    """Yield all modules of the package that define or import rules, each with its source."""
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text("utf-8")
        if "Rule" in source or "parser.rules" in source or "drift_rules" in source:
            parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
            yield import_module(".".join(part for part in parts if part != "__init__")), source


def reported(module: ModuleType, source: str) -> set[str]:
    """Return every rule that code of a module gives a finding."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "finding":
            found.add(ast.unparse(node.func.value))
        elif node.func.attr == "report":
            found.add(ast.unparse(node.args[0]))
    names = {name.rpartition(".")[2] for name in found}
    rules = [rule for one in (module, whole_file, drift_rules) for rule in vars(one).values()]
    return {each.name for each in rules if isinstance(each, Rule) and constant(each) in names}


def constant(rule: Rule) -> str:
    """Return the name of the constant that holds a rule."""
    return rule.name.upper().replace("-", "_")


def found_in(text: str) -> dict[str, Rule]:
    """Return the rules of the findings of a text; lone surrogates stand for single bytes."""
    report = check_bytes(text.encode("utf-8", "surrogateescape"))
    for finding in report.findings:
        assert finding.severity is RULES[finding.rule].severity
    return {finding.rule: RULES[finding.rule] for finding in report.findings}


def test_every_rule_is_listed_and_reported() -> None:
    """`RULES` holds each rule that is defined, and some code reports each of them."""
    defined = {
        value.name
        for module, _ in modules()
        for name, value in vars(module).items()
        if isinstance(value, Rule) and name == constant(value)
    }
    by_table = {"invalid-declaration", "duplicate-type", "circular-type"}

    assert set(RULES) == defined
    assert set(RULES) == {name for each in modules() for name in reported(*each)} | by_table


def test_checks_are_the_rules_with_a_function() -> None:
    """A rule that carries a check is in `CHECKS`, once; one that lacks it is not."""
    names = [rule.name for rule in CHECKS]

    assert len(names) == len(set(names))
    assert set(names) == {rule.name for rule in RULES.values() if rule.function}


@pytest.mark.parametrize("rule", [r for r in RULES.values() if not r.script], ids=str)
def test_the_bad_example_has_the_finding_and_the_good_one_does_not(rule: Rule) -> None:
    """Each rule shows a manifest in which it finds something, and one in which it does not."""
    assert rule.name in found_in(rule.bad)
    assert rule.name not in found_in(rule.good)


@pytest.mark.parametrize("rule", RULES.values(), ids=str)
def test_rules_are_described_in_sentences(rule: Rule) -> None:
    """Names are kebab-case; what and why are sentences."""
    assert rule.name.replace("-", "").isalnum()
    assert rule.name == rule.name.lower()
    assert rule.what.endswith(".")
    assert rule.why.endswith(".")
