"""Rules about parameters: that they can be read, and that a call can follow their order."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading


def optional_before_required(reading: Reading) -> Iterator[Finding]:
    """A parameter may be left out, but one behind it may not."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if len(tool.params) < 2:
            continue
        needed = (i for i, p in enumerate(tool.params) if p.required and p.name[:3] != "...")
        last = max(needed, default=-1)
        for param, spot in zip(tool.params[: max(last, 0)], place.params, strict=False):
            if not param.required:
                yield Finding(
                    "optional-before-required",
                    Severity.WARNING,
                    f"`{param.name}` is optional, but `{tool.params[last].name}` behind it is "
                    "required, so a call cannot leave it out",
                    "move optional parameters behind the required ones, here and in the function",
                    spot.span,
                    tool.name,
                )


def required_with_default(reading: Reading) -> Iterator[Finding]:
    """A parameter has to be passed and has a default."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        for param, spot in zip(tool.params, place.params, strict=True):
            if param.required and param.default is not None:
                yield Finding(
                    "required-with-default",
                    Severity.WARNING,
                    f"`{param.name}` is required, so its default `{param.default}` is never used",
                    "write `optional`, or leave the default out",
                    spot.span,
                    tool.name,
                )


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
