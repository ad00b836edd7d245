"""Rules about sample code: its syntax, the tools that it calls, and their arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Set
from difflib import get_close_matches
from functools import cache

from webagent.checks.sample_code.javascript import Call, Code, Fault, Kind
from webagent.checks.sample_code.literals import UNDEFINED, UNKNOWN, read_literal
from webagent.checks.sample_code.pieces import Piece, read_pieces
from webagent.codegen.scope import SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.diagnostics import Edit, Finding, Fix, Severity
from webagent.diagnostics.rule import Rule
from webagent.parser import Reading
from webagent.schema.tools import param_type
from webagent.schema.validate_value import check_value
from webagent.types import Tool

_SEARCH = (
    "# Shop\n\n## searchProducts\nFind.\n\n### Params\n- `query` (string, required): Words.\n\n"
)


_TEXT = re.compile("str|text|char", re.IGNORECASE)
"""The words for the type of a text."""

_MAX_NAMES = 200
"""Most tools among which a similar name is looked for, as that takes time for each tool."""

_PAGE_FUNCTIONS = frozenset(
    [
        "alert",
        "atob",
        "btoa",
        "cancelAnimationFrame",
        "clearInterval",
        "clearTimeout",
        "confirm",
        "dispatchEvent",
        "fetch",
        "getComputedStyle",
        "matchMedia",
        "open",
        "postMessage",
        "print",
        "prompt",
        "queueMicrotask",
        "requestAnimationFrame",
        "scrollBy",
        "scrollTo",
        "setInterval",
        "setTimeout",
        "structuredClone",
        "addEventListener",
        "removeEventListener",
    ]
)
"""Functions of the global object of every page."""


SAMPLE_SYNTAX = Rule(
    "sample-syntax",
    Severity.WARNING,
    what="Sample code cannot be JavaScript: something is never closed, brackets do not match, an "
    "operator lacks its operand, or two values follow each other.",
    why="Agents model their own code on the samples. The code is split into tokens, not parsed, so "
    "other mistakes are not found.",
    bad=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes);\n```\n',
    good=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
)

SAMPLE_WITHOUT_CALL = Rule(
    "sample-without-call",
    Severity.WARNING,
    what="The sample code of a tool does not call the tool.",
    why="It was probably copied from another tool, and shows nothing about this one.",
    bad=_SEARCH + '### Sample Code\n```js\nawait fetch("/search?q=shoes");\n```\n',
    good=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
)

SAMPLE_UNKNOWN_TOOL = Rule(
    "sample-unknown-tool",
    Severity.WARNING,
    what="Sample code calls a function of `global` that the manifest does not declare.",
    why="Agents can call only declared tools, so a call like this fails.",
    bad=_SEARCH + '### Sample Code\n```js\nawait global.searchproducts("shoes");\n```\n',
    good=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
)

SAMPLE_ARGUMENTS = Rule(
    "sample-arguments",
    Severity.WARNING,
    what="Sample code calls a tool with too few or too many arguments, with one object, or with a "
    "value that does not have the parameter's type.",
    why="Arguments go by position, in the order of the parameters, and agents copy the sample.",
    bad=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts({ query: "shoes" });\n```\n',
    good=_SEARCH + '### Sample Code\n```js\nawait global.searchProducts("shoes");\n```\n',
)


_OLD_MANIFEST = (
    "# Shop\n\n## search\nSearch.\n\n### Params\n\n### Sample Code\n```js\n"
    "const found = await global.{}();\n```\n\n"
    "## find\nFind.\n\n### Params\n\n### Behavior\n- deprecated: use search\n"
)

DEPRECATED_TOOL = Rule(
    "deprecated-tool",
    Severity.WARNING,
    what="Sample code calls a deprecated tool, or one is the inverse of another tool.",
    why="Agents model their own code on the samples, so they go on calling what will be gone.",
    bad=_OLD_MANIFEST.format("find(await global.search)"),
    good=_OLD_MANIFEST.format("search"),
)


@DEPRECATED_TOOL.check
def deprecated_use(reading: Reading) -> Iterator[Finding]:
    """Report where the manifest uses a tool that it declares deprecated."""
    old = {
        tool.name: tool.behavior.deprecated
        for tool in reading.manifest.tools
        if tool.behavior.deprecated
    }
    if not old:
        return
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        uses = [
            (call.name.text, piece.span(call.name.start, call.name.start + len(call.name.text)))
            for piece in (read_pieces(reading.source, tool, place) if tool.sample_code else ())
            for call in piece.code.calls
        ]
        if tool.behavior.inverse:
            uses.append((tool.behavior.inverse, place.name))
        for name, span in uses:
            if name in old and name != tool.name:
                yield DEPRECATED_TOOL.finding(
                    span,
                    f"`{tool.name}` uses `{name}`, which is deprecated: {old[name]}",
                    help="call the tool that has its place",
                    tool=tool.name,
                )


@SAMPLE_SYNTAX.check
@SAMPLE_WITHOUT_CALL.check
@SAMPLE_UNKNOWN_TOOL.check
@SAMPLE_ARGUMENTS.check
def sample_code(reading: Reading) -> Iterator[Finding]:
    """Report mistakes in the sample code of each tool. One check reads it for all four rules."""
    tools = {tool.name: tool for tool in reversed(reading.manifest.tools)}
    shared = shared_types(reading.manifest)
    untyped = cache(lambda: _untyped(reading))
    # Names without case and underscores: `search_products` is a typo of `searchProducts`.
    plain = {_plain(name): name for name in tools}
    for tool, place in zip(reading.manifest.tools, reading.tools, strict=True):
        if not tool.sample_code:
            continue
        pieces = read_pieces(reading.source, tool, place)
        faults = [_syntax(tool, piece, piece.code.fault) for piece in pieces if piece.code.fault]
        yield from faults
        calls = [(piece, call) for piece in pieces for call in piece.code.calls]
        if pieces and not faults and not any(call.name.text == tool.name for _, call in calls):
            yield _without_call(tool, pieces[0])
        for piece, call in calls:
            called = tools.get(call.name.text)
            if called is not None:
                if call.owner or called is tool:
                    yield from _check_arguments(tool, called, piece, call, shared, untyped)
            elif call.owner and call.name.text not in _PAGE_FUNCTIONS:
                yield _unknown_tool(reading, tool, piece, call, plain)


def _syntax(tool: Tool, piece: Piece, fault: Fault) -> Finding:
    return SAMPLE_SYNTAX.finding(
        piece.span(fault.start, fault.end),
        f"the sample code of `{tool.name}` is not JavaScript: {fault.message}",
        help="correct it, as agents model their own code on it",
        tool=tool.name,
    )


def _without_call(tool: Tool, piece: Piece) -> Finding:
    return SAMPLE_WITHOUT_CALL.finding(
        piece.span(0, len(piece.text.split("\n")[0])),
        f"the sample code of `{tool.name}` does not call `{tool.name}`",
        help=f"show a call: `await {_call_of(tool)}`",
        tool=tool.name,
    )


def _unknown_tool(
    reading: Reading, tool: Tool, piece: Piece, call: Call, plain: Mapping[str, str]
) -> Finding:
    name = call.name.text
    span = piece.span(call.name.start, call.name.start + len(name))
    same = plain.get(_plain(name))
    near = [same] if same else []
    if not near and len(plain) <= _MAX_NAMES:
        near = get_close_matches(name, sorted(plain.values()), 1)
    remedy = f"write `{near[0]}`" if near else "declare it, or remove the call"
    exact = reading.source.text[span.start : span.end] == name
    return SAMPLE_UNKNOWN_TOOL.finding(
        span,
        f"the sample code of `{tool.name}` calls `global.{name}`, which is not declared",
        help=remedy,
        tool=tool.name,
        fix=Fix(remedy, (Edit(span, same),)) if same and exact else None,
    )


def _check_arguments(
    tool: Tool,
    called: Tool,
    piece: Piece,
    call: Call,
    shared: SharedTypes,
    untyped: Callable[[], Set[tuple[str, str]]],
) -> Iterator[Finding]:
    code = piece.code
    problem = _argument_problem(called, code, call.opening)
    if problem:
        end = code.tokens[code.closes[call.opening]].start + 1
        yield SAMPLE_ARGUMENTS.finding(
            piece.span(call.name.start, end),
            f"the sample code of `{tool.name}` calls `{called.name}` with {problem}",
            help=f"write `{_call_of(called)}`",
            tool=tool.name,
        )
        return
    for param, first in zip(called.params, _arguments(code, call.opening), strict=False):
        if param.name.startswith("...") or code.tokens[first].text == "...":
            return
        value, end = read_literal(code, first)
        if value is UNKNOWN or code.tokens[end].text not in (",", ")"):
            continue
        if value == UNDEFINED and not param.required:
            continue
        wrong = check_value(value, param_type(param, shared), types=shared, path=param.name)
        # Few samples have a wrong value, so most manifests need no look at how types are written.
        if wrong and (called.name, param.name) not in untyped():
            start = code.tokens[first].start
            yield SAMPLE_ARGUMENTS.finding(
                piece.span(start, code.tokens[end - 1].start + len(code.tokens[end - 1].text)),
                f"the sample code of `{tool.name}` calls `{called.name}` with a wrong value: {wrong[0]}",
                help="write a value of the declared type, or correct the type",
                tool=tool.name,
            )


def _untyped(reading: Reading) -> Set[tuple[str, str]]:
    """Return the parameters whose author wrote no type, each as the names of tool and parameter."""
    text = reading.source.text
    if not text:
        return frozenset()
    return {
        (tool.name, param.name)
        for tool, place in zip(reading.manifest.tools, reading.tools, strict=True)
        for param, spot in zip(tool.params, place.params, strict=True)
        # They count as `string`.
        if param.type == "string" and not _TEXT.search(text, spot.type.start, spot.type.end)
    }


def _argument_problem(tool: Tool, code: Code, opening: int) -> str:
    """Return the mistake in the arguments of a call, in words; or an empty text."""
    arguments = _arguments(code, opening)
    # Nobody knows how many arguments a spread has.
    if any(code.tokens[first].text == "..." for first in arguments):
        return ""
    given = len(arguments)
    fewest = max((i + 1 for i, param in enumerate(tool.params) if param.required), default=0)
    rest = bool(tool.params) and tool.params[-1].name.startswith("...")
    most = given if rest else len(tool.params)
    if given == 1 and _is_named_arguments(tool, code, arguments[0]):
        return "one object, but arguments go by position"
    if fewest <= given <= most:
        return ""
    takes = f"{fewest}" if fewest == len(tool.params) else f"{fewest} to {len(tool.params)}"
    if rest:
        takes = f"at least {fewest}"
    elif not tool.params:
        takes = "none"
    return f"{_count(given, 'argument')}, and it takes {takes}"


def _is_named_arguments(tool: Tool, code: Code, first: int) -> bool:
    """Whether an argument is an object whose keys are the names of the parameters."""
    tokens = code.tokens
    if tokens[first].text != "{" or not tool.params:
        return False
    written = tool.params[0].type.strip().lower()
    if written[:1] in ("{", "") or not re.match(
        r"(?:string|number|boolean|int|integer|float|bool)\b", written
    ):
        return False
    # A parameter that takes an object may get one; only a scalar one shows the mistake.
    keys = set()
    index = first + 1
    close = code.closes[first]
    while index < close:
        token = tokens[index]
        if token.kind not in (Kind.NAME, Kind.STRING):
            return False
        keys.add(token.text.strip("\"'"))
        index = _after_value(code, index, close)
    return bool(keys) and keys <= {param.name for param in tool.params}


def _arguments(code: Code, opening: int) -> list[int]:
    """Return the index of the first token of each argument of a call."""
    close = code.closes[opening]
    found = []
    index = opening + 1
    while index < close:
        found.append(index)
        index = _after_value(code, index, close)
    return found


def _after_value(code: Code, index: int, close: int) -> int:
    """Return the index of the token after the next comma, or `close` if there is none.

    Commas inside brackets and templates do not count.
    """
    # Parts of a template are not in `closes`, so its holes are counted.
    holes = 0
    while index < close:
        token = code.tokens[index]
        if token.kind is Kind.TEMPLATE:
            holes += token.text.endswith("${") - (token.text[0] == "}")
        elif token.text == "," and not holes:
            return index + 1
        index = code.closes.get(index, index) + 1
    return close


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _call_of(tool: Tool) -> str:
    """Return a call of a tool with its required arguments, for help."""
    last = max((i + 1 for i, param in enumerate(tool.params) if param.required), default=0)
    names = (param.name if param.required else "undefined" for param in tool.params[:last])
    return f"global.{tool.name}({', '.join(names)})"


def _count(number: int, word: str) -> str:
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"
