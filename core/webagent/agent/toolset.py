"""The page's tools as a model gets them, within a budget of tokens.

If all fit, each is offered with its schema. Otherwise the prompt lists them in a line each, the ones
that the goal and the page speak of are declared in full, and `search_tools` returns the others. A
tool that is too long is shortened, so that none hides another.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webagent.llm.chat import Offer, ToolDefinition
from webagent.registry import Binding
from webagent.registry.binding import ToolSource
from webagent.registry.export import typescript
from webagent.registry.tool_search import search_tools
from webagent.types import Manifest, Param, Tool

BYTES_PER_TOKEN = 3.2
"""Lower than the average of models, so that estimates are rather too high."""

PREFIX = "tool_"
"""Prefix of a tool that has the name of an action."""

_FOR_MORE = ("call_tool", "search_tools")
"""Actions that serve the tools for which there is no room."""

_MOST_TOKENS = 1_500
"""Tokens of one tool."""

_SHORT_DESCRIPTION = 600
"""Characters of the description of a tool that is too long."""

_SHORT_PARAMETER = 100
"""Characters of the description of its parameters."""

_MOST_PARAMETERS = 20

_LONGEST_LINE = 120
"""Characters of what a tool is for in the list, if there is room."""

_DECLARED = 12
"""The most tools that are declared in full for a goal if not all are."""

_DECLARED_SHARE = 0.4
"""Their share of the budget."""


TOOL_TOKENS = 3_000
"""Tokens of the definitions of a page's tools, unless a driver is configured otherwise."""

_WINDOW_SHARE = 0.25
"""The most of a model's window that they may take."""


def room_for_tools(tool_tokens: int, context_tokens: int) -> int:
    """Return the tokens for a page's tools in the window of a model."""
    return min(tool_tokens, int(context_tokens * _WINDOW_SHARE))


def tokens_in(text: str) -> int:
    """Return the estimated tokens of a text."""
    return int(len(text.encode("utf-8", "replace")) / BYTES_PER_TOKEN) + 1


@dataclass(frozen=True, slots=True)
class Toolset:
    """The page's tools as a model gets them."""

    native: Sequence[ToolDefinition] = ()
    """The tools that it may call by their names."""
    listed: str = ""
    """All tools, declared or in a line each, for a prompt that is the same for each goal."""
    declared: str = ""
    """Declarations of the tools that the goal speaks of, unless all are declared."""
    whole: bool = True
    """Whether nothing was left out for want of room."""

    @property
    def empty(self) -> bool:
        """Whether the page has no tools."""
        return not self.native and not self.listed


def offered_tools(
    actions: Sequence[ToolDefinition],
    manifest: Manifest,
    tools: Sequence[Binding],
    goal: str,
    *,
    offer: Offer,
    most: int,
) -> tuple[list[ToolDefinition], Toolset]:
    """Return the tools that a model may call: actions, and the page's own as far as there is room.

    Args:
        actions: The definitions of all actions.
        manifest: The site's manifest.
        tools: All tools of the page.
        goal: The person's goal.
        offer: How the model uses the page's tools.
        most: Tokens that these tools may take.
    """
    named = {action.name: action for action in actions}
    if "call_tool" not in named:
        offer = "code"
    elif "execute_js" not in named:
        offer = "native"
    usable = tools if {"call_tool", "execute_js"} & named.keys() else ()
    toolset = toolset_of(manifest, usable, goal, offer=offer, most=most, taken=named)
    if toolset.empty or offer == "native":
        named.pop("execute_js", None)
    if toolset.whole:
        for name in _FOR_MORE:
            named.pop(name, None)
    return [*named.values(), *toolset.native], toolset


def toolset_of(
    manifest: Manifest,
    tools: Sequence[Binding],
    goal: str,
    *,
    offer: Offer,
    most: int,
    taken: Collection[str] = (),
) -> Toolset:
    """Return the tools as a model gets them.

    Tools that only the current page has come after those of the manifest, so that the beginning is
    the same on all pages of a site. Deprecated ones come after others.

    Args:
        manifest: The site's manifest, for shared types.
        tools: All tools.
        goal: The person's goal.
        offer: How the model uses them.
        most: Tokens that they may take.
        taken: Names of actions, which no tool gets.
    """
    if not tools:
        return Toolset()
    ordered = sorted(
        tools,
        key=lambda one: (one.source is not ToolSource.MANIFEST, one.tool.behavior.deprecated != ""),
    )
    if offer == "code":
        text = declarations(manifest, ordered)
        if tokens_in(text) <= most:
            return Toolset(listed=text)
    else:
        native = [_native(binding, taken, offer == "both") for binding in ordered]
        if sum(map(definition_tokens, native)) <= most:
            return Toolset(native)
    share = int(most * _DECLARED_SHARE)
    listed = _lines(ordered, most - share)
    return Toolset(listed=listed, declared=_declared(manifest, ordered, goal, share), whole=False)


def declarations(manifest: Manifest, tools: Sequence[Binding]) -> str:
    """Return the TypeScript declarations of tools with all that the manifest says of them.

    A tool that is too long is shortened.
    """
    return typescript(manifest, [_shortened(binding) for binding in tools], docs=True)


def definition_tokens(definition: ToolDefinition) -> int:
    """Return the estimated tokens of a tool's definition."""
    schema = json.dumps(definition.parameters, ensure_ascii=False, default=str)
    return tokens_in(f"{definition.name}{definition.description}{schema}") + 8


def _native(binding: Binding, taken: Collection[str], programs: bool) -> ToolDefinition:
    """Return a tool as providers take it; its description has the rest of the declaration."""
    tool = binding.tool
    name = f"{PREFIX}{binding.name}" if binding.name in taken else binding.name
    schema = binding.schema()
    returns = " ".join(tool.returns.split())
    result = f"Promise<{returns}>" if returns else "Promise<any>"
    if programs:
        result = f"In a program: `global.{binding.signature()}: {result}`."
    else:
        result = f"Returns `{returns}`." if returns else ""
    files = ", ".join(f"`{name}`" for name in file_parameters(binding))
    files = f"Write a file's name as {files}; the person gives it." if files else ""
    words = [binding.about() or tool.title, files, result]
    found = ToolDefinition(name, _lines_of(words), schema)
    if definition_tokens(found) <= _MOST_TOKENS:
        return found
    words = [_cut(text, _SHORT_DESCRIPTION) for text in words]
    found = ToolDefinition(name, _lines_of(words), schema)
    if definition_tokens(found) <= _MOST_TOKENS:
        return found
    return ToolDefinition(name, found.description, _bare(schema))


_FILE = re.compile(r"(?<![\w.])(?:Blob|File)(?![\w.])")
"""A type of the page that takes a file."""


def file_parameters(binding: Binding) -> list[str]:
    """Return the names of the parameters that take files of the person."""
    return [param.name for param in binding.params if _FILE.search(param.type)]


def _lines_of(words: Sequence[str]) -> str:
    return "\n".join(filter(None, words))


def _bare(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a schema with the names and types of its properties alone, as far as there is room."""
    properties = schema.get("properties")
    bare: dict[str, Any] = {"type": "object", "properties": {}}
    if not isinstance(properties, Mapping):
        return bare
    for name, given in properties.items():
        kind = given.get("type") if isinstance(given, Mapping) else None
        bare["properties"][name] = {"type": kind} if isinstance(kind, str) else {}
        if tokens_in(json.dumps(bare)) > _MOST_TOKENS // 2:
            break
    required = schema.get("required")
    if isinstance(required, Sequence) and not isinstance(required, str):
        kept = [name for name in required if name in bare["properties"]]
        return bare | ({"required": kept} if kept else {})
    return bare


def _shortened(binding: Binding) -> Binding:
    """Return a tool whose declaration is not longer than that of one tool may be."""
    tool = binding.tool
    if _size(tool) <= _MOST_TOKENS:
        return binding
    params = [
        param.model_copy(update={"description": _cut(param.description, _SHORT_PARAMETER)})
        for param in tool.params[:_MOST_PARAMETERS]
    ]
    update: dict[str, Any] = {
        "description": _cut(tool.description, _SHORT_DESCRIPTION),
        "params": params,
        "sample_code": "",
        "notes": [],
    }
    if _size(tool.model_copy(update=update)) > _MOST_TOKENS:
        update["params"] = [Param(name=_cut(param.name, 100), type="unknown") for param in params]
        update |= {"returns": "", "input_schema": None}
    return replace(binding, tool=tool.model_copy(update=update))


def _size(tool: Tool) -> int:
    """Return the estimated tokens of a tool's declaration."""
    return tokens_in(tool.model_dump_json(exclude={"input_schema", "output_schema"}))


def _lines(tools: Sequence[Binding], most: int) -> str:
    """Return a line for each tool, its name and what it is for; the longest lines that fit."""

    def listed(length: int) -> str:
        return "\n".join(_line(binding, length) for binding in tools)

    lengths = range(_LONGEST_LINE + 1)
    fitting = bisect_right(lengths, most, key=lambda length: tokens_in(listed(length)))
    return listed(lengths[max(fitting - 1, 0)])


def _line(binding: Binding, length: int) -> str:
    words = " ".join((binding.tool.description or binding.tool.title).split())
    first = words.partition(". ")[0] if length else ""
    return f"- {binding.name}: {_cut(first, length)}" if first else f"- {binding.name}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def _declared(manifest: Manifest, tools: Sequence[Binding], goal: str, most: int) -> str:
    """Return the declarations of the tools that a goal speaks of, as far as there is room."""
    here = [binding for binding in tools if binding.problem is None]
    found = search_tools(here, goal, _DECLARED) or search_tools(tools, goal, _DECLARED)
    kept: list[Binding] = []
    text = ""
    for binding in found:
        longer = declarations(manifest, [*kept, binding])
        if tokens_in(longer) > most:
            break
        kept.append(binding)
        text = longer
    return text
