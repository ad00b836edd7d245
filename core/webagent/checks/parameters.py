"""Rules about the order of parameters, their defaults and their choices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading

OPTIONAL_BEFORE_REQUIRED = Rule(
    "optional-before-required",
    Severity.WARNING,
    what="A parameter is optional, but one after it is required.",
    why="Arguments go by position, so a call cannot omit one in the middle.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional): Most.\n"
    "- `query` (string, required): Words.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `query` (string, required): Words.\n"
    "- `limit` (number, optional): Most.\n",
)


@OPTIONAL_BEFORE_REQUIRED.check
def optional_before_required(reading: Reading) -> Iterator[Finding]:
    """Report optional parameters that come before a required one."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if len(tool.params) < 2:
            continue
        # A rest parameter may stay empty, so a call can omit the parameters before it.
        needed = (i for i, p in enumerate(tool.params) if p.required and p.name[:3] != "...")
        last = max(needed, default=-1)
        for param, spot in zip(tool.params[: max(last, 0)], place.params, strict=False):
            if not param.required:
                yield OPTIONAL_BEFORE_REQUIRED.finding(
                    spot.span,
                    f"`{param.name}` is optional, but `{tool.params[last].name}` after it is "
                    "required, so a call cannot omit it",
                    help="move optional parameters after the required ones, here and in the function",
                    tool=tool.name,
                )


REQUIRED_WITH_DEFAULT = Rule(
    "required-with-default",
    Severity.WARNING,
    what="A parameter is required and has a default.",
    why="A default applies when nothing is passed, but something is always passed here.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, required, default=5): Most.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=5): Most.\n",
)


@REQUIRED_WITH_DEFAULT.check
def required_with_default(reading: Reading) -> Iterator[Finding]:
    """Report required parameters that have a default."""
    for tool, param, spot in reading.params:
        if param.required and param.default is not None:
            yield REQUIRED_WITH_DEFAULT.finding(
                spot.span,
                f"`{param.name}` is required, so its default `{param.default}` is never used",
                help="write `optional`, or remove the default",
                tool=tool.name,
            )


CHOICES_IN_DESCRIPTION = Rule(
    "choices-in-description",
    Severity.INFO,
    what="The description of a text parameter lists all values that it may have.",
    why="Agents read a description as advice. A type is checked before each call, forms offer its "
    "values as a list, and an agent without a model chooses among them.",
    bad="# Shop\n\n## sort\nSort the list.\n\n### Params\n"
    "- `by` (string, required): One of `price`, `title` or `year`.\n",
    good="# Shop\n\n## sort\nSort the list.\n\n### Params\n"
    '- `by` ("price" | "title" | "year", required): What to sort by.\n',
)
_CHOICE = r"""(?:"([\w.+-]{1,40})"|'([\w.+-]{1,40})'|`([\w.+-]{1,40})`)"""
_CHOICES = re.compile(
    r"\b(?:one of|either|must be|allowed values(?: are)?|possible values(?: are)?)(?: the following)?:?\s+"
    rf"({_CHOICE}(?:(?:,? or |,? and |, ?| ?[|/] ?){_CHOICE}){{1,20}})(?![\w`\"'|/]|\s*(?:,|…|\.\.\.|or\b|and\b|etc))",
    re.IGNORECASE,
)
"""Quoted values after a phrase that excludes others, such as `one of`; examples are not meant."""
_SHORTEST = len("either 'a'|'b'")
_LONGEST_READ = 2_000


@CHOICES_IN_DESCRIPTION.check
def choices_in_description(reading: Reading) -> Iterator[Finding]:
    """Report text parameters whose description lists their values."""
    for tool, param, spot in reading.params:
        if param.type != "string" or len(param.description) < _SHORTEST:
            continue
        if found := _CHOICES.search(param.description[:_LONGEST_READ]):
            values = ["".join(parts) for parts in re.findall(_CHOICE, found[1])]
            written = " | ".join(f'"{value}"' for value in values)
            yield CHOICES_IN_DESCRIPTION.finding(
                spot.span,
                f"`{param.name}` is any text by its type, but its description lists all values",
                help=f"write the type `{written}` in place of `string`",
                tool=tool.name,
            )
