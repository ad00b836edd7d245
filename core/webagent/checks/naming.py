"""Rules about the names of tools and parameters: they are valid and distinct."""

from __future__ import annotations

from collections.abc import Iterator

from webagent.codegen.identifiers import RESERVED
from webagent.confusables import lookalike_in, skeleton
from webagent.diagnostics import Finding, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.parser.names import UNCALLABLE, is_identifier

DUPLICATE_TOOL = Rule(
    "duplicate-tool",
    Severity.ERROR,
    what="Two tools have the same name.",
    why="A page has one function of a name, so the second declaration is never used.",
    bad="# Shop\n\n## pay\nPay now.\n\n### Params\n\n## pay\nPay later.\n\n### Params\n",
    good="# Shop\n\n## pay\nPay now.\n\n### Params\n\n## payLater\nPay later.\n\n### Params\n",
)


@DUPLICATE_TOOL.check
def duplicate_tool(reading: Reading) -> Iterator[Finding]:
    """Report tools whose name another tool has."""
    seen: set[str] = set()
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if tool.name in seen:
            yield DUPLICATE_TOOL.finding(
                place.name,
                f"`{tool.name}` is declared a second time, and the page has one function of a name",
                help="remove one of the two, or rename it",
                tool=tool.name,
            )
        seen.add(tool.name)


DUPLICATE_PARAM = Rule(
    "duplicate-param",
    Severity.ERROR,
    what="A tool has two parameters of the same name.",
    why="One of them was probably meant to have another name, and agents pass arguments by position.",
    bad="# Shop\n\n## move\nMove.\n\n### Params\n- `x` (number): Left.\n- `x` (number): Top.\n",
    good="# Shop\n\n## move\nMove.\n\n### Params\n- `x` (number): Left.\n- `y` (number): Top.\n",
)


@DUPLICATE_PARAM.check
def duplicate_param(reading: Reading) -> Iterator[Finding]:
    """Report parameters whose name another parameter of the tool has."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if len(tool.params) < 2:
            continue
        seen: set[str] = set()
        for param, spot in zip(tool.params, place.params, strict=True):
            if param.name in seen:
                yield DUPLICATE_PARAM.finding(
                    spot.name,
                    f"`{param.name}` is declared a second time for `{tool.name}`",
                    help="remove one of the two, or rename it",
                    tool=tool.name,
                )
            seen.add(param.name)


INVALID_NAME = Rule(
    "invalid-name",
    Severity.ERROR,
    what="The name of a tool is not one that a function can have.",
    why="The heading of a tool is the name of a function of the page: agents call "
    "`global.searchProducts(…)`.",
    bad="# Shop\n\n## Search products\nFind.\n\n### Params\n",
    good="# Shop\n\n## searchProducts\nFind.\n\n### Params\n",
)


@INVALID_NAME.check
def invalid_name(reading: Reading) -> Iterator[Finding]:
    """Report tools whose name a function cannot have."""
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not is_identifier(tool.name):
            yield INVALID_NAME.finding(
                place.name,
                f"`{tool.name}` is not the name of a function, so `global.{tool.name}()` cannot work",
                help="write the function's own name, of letters, digits, `_` and `$`: `searchProducts`",
                tool=tool.name,
            )
        elif tool.name in UNCALLABLE:
            yield INVALID_NAME.finding(
                place.name,
                f"`{tool.name}` is a part of every object of JavaScript, so it cannot be a tool",
                help="rename the function: `searchProducts`",
                tool=tool.name,
            )


CONFUSABLE_NAME = Rule(
    "confusable-name",
    Severity.WARNING,
    what="The name of a tool looks like another name: of another tool, or of plain Latin letters.",
    why="A person who is asked to allow `p\u0430y`, with a Cyrillic letter, reads `pay`.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n\n## p\u0430y\nPay later.\n\n### Params\n",
    good="# Shop\n\n## pay\nPay.\n\n### Params\n\n## payLater\nPay later.\n\n### Params\n",
)


@CONFUSABLE_NAME.check
def confusable_name(reading: Reading) -> Iterator[Finding]:
    """Report tools whose name looks like that of another tool, or passes for ASCII."""
    first: dict[str, str] = {}
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        other = first.setdefault(skeleton(tool.name), tool.name)
        letter = lookalike_in(tool.name) or (lookalike_in(other) if other != tool.name else None)
        if other != tool.name:
            message = f"`{tool.name}` looks like `{other}`, which is another tool"
        elif letter is not None:
            message = f"`{tool.name}` can be read as another name"
        else:
            continue
        yield CONFUSABLE_NAME.finding(
            place.name,
            f"{message}: in `{letter.word}` {letter}" if letter else message,
            help="rename the function, with letters that cannot be mistaken",
            tool=tool.name,
        )


INVALID_PARAM_NAME = Rule(
    "invalid-param-name",
    Severity.WARNING,
    what="The name of a parameter cannot be written in JavaScript.",
    why="Agents see a similar name that is valid. Arguments go by position, so calls still work.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `shoe-size` (number): Size.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `shoeSize` (number): Size.\n",
)


@INVALID_PARAM_NAME.check
def invalid_param_name(reading: Reading) -> Iterator[Finding]:
    """Report parameters whose name cannot be written in JavaScript."""
    for tool, param, spot in reading.params:
        name = param.name.removeprefix("...")
        if name not in RESERVED and is_identifier(name):
            continue
        why = "a reserved word" if name in RESERVED else "not a valid name"
        yield INVALID_PARAM_NAME.finding(
            spot.name,
            f"`{param.name}` is {why} in JavaScript; agents are shown another name",
            help="rename it; arguments are passed by position, so callers do not notice",
            tool=tool.name,
        )
