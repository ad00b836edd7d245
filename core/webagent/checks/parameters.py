"""Rules about parameters: that they can be read, and that a call can follow their order."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

PARAMS = (
    Rule(
        "unreadable-param",
        Severity.ERROR,
        "Something among the parameters names none, or cannot be read to its end.",
        "The parameter does not reach the declarations, so agents do not pass it, and those behind "
        "it move up.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- the words to look for\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `query` (string): The words to look for.\n",
    ),
    Rule(
        "param-not-in-signature",
        Severity.WARNING,
        "A parameter is described, but the signature of its tool does not have it.",
        "Arguments go by position. The signature gives the order; for this parameter nobody knows "
        "its place, so it is put last.",
        "# Shop\n\n## search(query)\nFind.\n\n### Params\n- `query` (string): Words.\n"
        "- `limit` (number, optional): Most results.\n",
        "# Shop\n\n## search(query, limit)\nFind.\n\n### Params\n- `query` (string): Words.\n"
        "- `limit` (number, optional): Most results.\n",
    ),
    Rule(
        "optional-before-required",
        Severity.WARNING,
        "A parameter may be left out, but one behind it may not.",
        "Arguments go by position, so a call cannot leave out one in the middle.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional): Most.\n"
        "- `query` (string, required): Words.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `query` (string, required): Words.\n"
        "- `limit` (number, optional): Most.\n",
    ),
    Rule(
        "required-with-default",
        Severity.WARNING,
        "A parameter is required and has a default.",
        "A default is what counts when nothing is passed; something is always passed here.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, required, default=5): Most.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=5): Most.\n",
    ),
)
