"""A rule: what findings of one name have in common."""

from __future__ import annotations

from dataclasses import dataclass

from webagent.diagnostics.finding import Severity

_WIDTH = 160
"""Characters of a line of an example that a page shows at most."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule looks for, and why; the texts are Markdown without headings."""

    name: str
    """Stable kebab-case name."""
    severity: Severity
    what: str
    """One sentence on what the rule finds."""
    why: str
    """What goes wrong if nobody acts on it."""
    example: str
    """A whole manifest in which the rule finds something."""
    instead: str
    """The same manifest, mended."""
    script: str = ""
    """JavaScript of the page, for a rule that compares the manifest with the page."""

    def __str__(self) -> str:
        return self.name


def page(rule: Rule) -> str:
    """Return the page of a rule as Markdown."""
    return (
        f"# {rule.name}\n\nSeverity: {rule.severity.value}\n\n"
        f"## What\n\n{rule.what}\n\n## Why\n\n{rule.why}\n\n"
        f"## Example\n\n{_script(rule)}{_fenced(rule.example)}\n\n## Instead\n\n{_fenced(rule.instead)}\n"
    )


def _script(rule: Rule) -> str:
    return f"The page has:\n\n```js\n{rule.script.strip()}\n```\n\n" if rule.script else ""


def _fenced(text: str) -> str:
    """Return a manifest in a fence that its own fences do not close.

    Long lines are cut, and what cannot be seen is spelled out.
    """
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    lines = []
    for line in text.strip().split("\n"):
        seen = "".join(c if c.isprintable() else f"[U+{ord(c):04X}]" for c in line)
        many = f"… ({len(line):,} characters)"
        lines.append(seen if len(seen) <= _WIDTH else f"{seen[:_WIDTH]}{many}")
    return "\n".join(["````markdown", *lines, "````"])
