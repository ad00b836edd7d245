"""All rules by name, and their pages: for `webagent-dev explain` and `docs/reference/rules/`."""

from __future__ import annotations

from webagent.checks import (
    declared_types,
    foreign,
    injections,
    naming,
    parameters,
    safety,
    suggestions,
    tool_sections,
    whole_file,
)
from webagent.checks.sample_code import samples
from webagent.diagnostics import drift_rules as drift
from webagent.diagnostics.rule import Rule
from webagent.parser import rules as parser

__all__ = ["RULES", "Rule", "page"]

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        whole_file.NOT_UTF_8,
        foreign.FOREIGN_DOCUMENT,
        whole_file.EMPTY_MANIFEST,
        whole_file.FRONT_MATTER,
        whole_file.MISSING_TITLE,
        whole_file.NO_TOOLS,
        parser.UNCLOSED_FENCE,
        parser.FENCE_SWALLOWS_HEADING,
        parser.UNCLOSED_HTML,
        parser.HIDDEN_COMMENT,
        parser.HEADING_WITHOUT_SPACE,
        whole_file.LARGE_MANIFEST,
        parser.IMPLICIT_TOOL,
        tool_sections.NOTE_LOOKS_LIKE_TOOL,
        tool_sections.NESTED_TOOL,
        tool_sections.MISSING_DESCRIPTION,
        tool_sections.MISSING_OUTPUT,
        parser.UNKNOWN_SUBSECTION,
        parser.DUPLICATE_SUBSECTION,
        parser.MISPLACED_TEXT,
        parser.MISPLACED_VERSION,
        parser.NESTED_TOO_DEEP,
        parser.UNKNOWN_BEHAVIOR,
        tool_sections.UNKNOWN_PLACEHOLDER,
        suggestions.UNUSABLE_SUGGESTIONS,
        tool_sections.UNKNOWN_INVERSE,
        whole_file.LARGE_TOOL,
        tool_sections.COMMENT_CLOSING,
        naming.INVALID_NAME,
        naming.CONFUSABLE_NAME,
        naming.DUPLICATE_TOOL,
        naming.DUPLICATE_PARAM,
        naming.INVALID_PARAM_NAME,
        parser.UNREADABLE_PARAM,
        parser.PARAM_NOT_IN_SIGNATURE,
        parameters.OPTIONAL_BEFORE_REQUIRED,
        parameters.REQUIRED_WITH_DEFAULT,
        parameters.CHOICES_IN_DESCRIPTION,
        parser.INVALID_TYPE,
        declared_types.UNKNOWN_TYPE,
        parser.OUTPUT_NOT_A_TYPE,
        parser.OUTPUT_IS_SAMPLE,
        declared_types.INVALID_DECLARATION,
        declared_types.DUPLICATE_TYPE,
        declared_types.CIRCULAR_TYPE,
        parser.INVALID_SCHEMA,
        declared_types.SCHEMA_MISMATCH,
        declared_types.DEFAULT_TYPE,
        parser.UNFENCED_CODE,
        samples.SAMPLE_SYNTAX,
        samples.SAMPLE_WITHOUT_CALL,
        samples.SAMPLE_UNKNOWN_TOOL,
        samples.DEPRECATED_TOOL,
        samples.SAMPLE_ARGUMENTS,
        injections.INSTRUCTION_INJECTION,
        safety.HIDDEN_CHARACTER,
        safety.HIDDEN_TEXT,
        safety.UNSAFE_LINK,
        drift.MISSING_FUNCTION,
        drift.UNDECLARED_FUNCTION,
        drift.WRONG_ARITY,
        drift.RESULT_MISMATCH,
        drift.UNKNOWN_AGENT_MODE,
    )
}
"""All rules of the core, in the order in which an author meets them."""

_LINE_WIDTH = 160
"""Most characters of a line of an example that a page shows."""


def page(rule: Rule) -> str:
    """Return the page of a rule as Markdown."""
    script, instead = _script(rule.script), _script(rule.good_script)
    return (
        f"# {rule.name}\n\nSeverity: {rule.severity.value}\n\n"
        f"## What\n\n{rule.what}\n\n## Why\n\n{rule.why}\n\n"
        f"## Example\n\n{script}{_fence(rule.bad)}\n\n## Instead\n\n{instead}{_fence(rule.good)}\n"
    )


def _script(text: str) -> str:
    return f"The page has:\n\n```js\n{text.strip()}\n```\n\n" if text else ""


def _fence(text: str) -> str:
    """Return a manifest in a fence that its own fences do not close.

    Long lines are cut, and invisible characters are written as their code points.
    """
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    lines = []
    for line in text.strip().split("\n"):
        visible = "".join(c if c.isprintable() else f"[U+{ord(c):04X}]" for c in line)
        cut = f"{visible[:_LINE_WIDTH]}… ({len(line):,} characters)"
        lines.append(visible if len(visible) <= _LINE_WIDTH else cut)
    return "\n".join(["````markdown", *lines, "````"])
