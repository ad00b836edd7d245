"""Rules about the names of tools and parameters."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

NAMES = (
    Rule(
        "invalid-name",
        Severity.ERROR,
        "The name of a tool is none that a function can have.",
        "The heading of a tool is the name of the function in the page: agents call "
        "`global.searchProducts(…)`.",
        "# Shop\n\n## Search products\nFind.\n\n### Params\n",
        "# Shop\n\n## searchProducts\nFind.\n\n### Params\n",
    ),
    Rule(
        "duplicate-tool",
        Severity.ERROR,
        "Two tools have the same name.",
        "A page has one function of a name, so the second declaration is never used.",
        "# Shop\n\n## pay\nPay now.\n\n### Params\n\n## pay\nPay later.\n\n### Params\n",
        "# Shop\n\n## pay\nPay now.\n\n### Params\n\n## payLater\nPay later.\n\n### Params\n",
    ),
    Rule(
        "duplicate-param",
        Severity.ERROR,
        "A tool has two parameters of the same name.",
        "One of them was probably meant to have another name, and agents pass arguments by position.",
        "# Shop\n\n## move\nMove.\n\n### Params\n- `x` (number): Left.\n- `x` (number): Top.\n",
        "# Shop\n\n## move\nMove.\n\n### Params\n- `x` (number): Left.\n- `y` (number): Top.\n",
    ),
    Rule(
        "invalid-param-name",
        Severity.WARNING,
        "The name of a parameter cannot be written in JavaScript.",
        "Agents are shown a similar name that can; arguments go by position, so calls still work.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `shoe-size` (number): Size.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `shoeSize` (number): Size.\n",
    ),
)
