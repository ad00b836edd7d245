"""The catalogue of a registry: bindings made from a manifest and from what a page offers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from json import dumps, loads

from webagent.codegen.scope import SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.modelcontext import from_model_context
from webagent.page.offers import REGISTERED, Offers, PageTool, Target
from webagent.registry.binding import Binding, Calling, ToolSource
from webagent.types import Manifest, Tool

_LONGEST_CACHED = 4_000
"""Characters of a definition in the cache, so that a page cannot fill the memory."""


def bindings_of(manifest: Manifest, offers: Offers) -> dict[str, Binding]:
    """Return all tools by name: the manifest's, then those that the page registered, by frame.

    If the page lacks the function of a tool of the manifest, a tool of that name that the page
    registered takes its place, with the schema of its parameters. Of two tools of the manifest with one name the first counts. Tools of
    other origins come last and replace nothing, so that no frame can pose as the page.
    """
    registered = sorted(offers.tools, key=lambda tool: _order(tool, offers.origin))
    names = UniqueNames()
    found: dict[str, Binding] = {}
    types = shared_types(manifest)
    # The order is reversed, so that the first tool of a name wins.
    own = [tool for tool in registered if not is_foreign(tool.target, offers.origin)]
    by_name = {bare_name(tool.target): tool for tool in reversed(own)}
    bound: set[int] = set()
    for tool in manifest.tools:
        if tool.name in found:
            continue
        stand_in = None if tool.name in offers.functions else by_name.get(tool.name)
        if stand_in is not None:
            bound.add(id(stand_in))
        found[names.take(tool.name, tool.name)] = _declared(tool, types, offers, stand_in)
    for offered in registered:
        if id(offered) not in bound:
            binding = _registered(offered, names, offers)
            found[binding.name] = binding
    return found


def _declared(tool: Tool, types: SharedTypes, offers: Offers, stand_in: PageTool | None) -> Binding:
    problem = wrong_path(tool.name, tool.behavior.paths, offers.path)
    if problem is None and (reason := offers.unavailable.get(tool.name)):
        problem = f"`{tool.name}` cannot be called now - {reason}"
    if tool.name not in offers.functions and stand_in is None:
        problem = f"the page has no function `{tool.name}`"
    # A form and its manifest say the same, which the tests of a site prove.
    if stand_in is not None and stand_in.target.kind != "form":
        tool = _with_params(tool, _definition(stand_in))
    return Binding(
        tool,
        Target("function", tool.name) if stand_in is None else stand_in.target,
        tool.name,
        types=types,
        origin=offers.origin,
        attended=stand_in is not None and stand_in.attended,
        problem=problem,
    )


def _with_params(tool: Tool, offered: Tool) -> Tool:
    """Return a tool whose parameters take what the page says now, such as the hours that are free."""
    now = {each.name: each for each in offered.params}
    if now.keys() != {each.name for each in tool.params}:
        return tool
    params = [now[each.name] for each in tool.params]
    return tool.model_copy(update={"params": params, "input_schema": offered.input_schema})


def _registered(offered: PageTool, names: UniqueNames, offers: Offers) -> Binding:
    tool, target = _definition(offered), offered.target
    source = ToolSource(target.kind)
    bare = bare_name(target)
    return Binding(
        tool,
        target,
        names.take(bare, f"{source.value}_{bare}"),
        source,
        Calling.OBJECT,
        origin=target.origin or offers.origin,
        attended=offered.attended,
    )


def wrong_path(name: str, patterns: Sequence[str], path: str) -> str | None:
    """Return why a tool is not for the page at a path, or None if it is."""
    if not patterns or any(matches_path(pattern, path) for pattern in patterns):
        return None
    places = " or ".join(f"`{pattern}`" for pattern in patterns)
    return f"`{name}` works on {places}, and the page is at `{path}`"


def matches_path(pattern: str, path: str) -> bool:
    """Whether a pattern matches a path: `*` matches any characters, and `/a/*` also `/a`."""
    literal = re.sub(r"([\[?])", r"[\1]", pattern)
    return fnmatchcase(path, literal) or (literal.endswith("/*") and path == literal[:-2])


def bare_name(target: Target) -> str:
    """Return the name of a tool where no other tool has it."""
    return f"{target.component}_{target.name}" if target.component else target.name


def is_foreign(target: Target, origin: str) -> bool:
    """Whether a target belongs to another origin than the page's."""
    return (target.origin or origin) != origin


def _order(tool: PageTool, origin: str) -> tuple[bool, int, int]:
    frame = tool.target.frame
    kind = REGISTERED.index(tool.target.kind)
    return is_foreign(tool.target, origin), kind, -1 if frame is None else frame


class UniqueNames:
    """Gives each tool a unique name; the first one keeps its bare name."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str, qualified: str) -> str:
        """Return `name`, or `qualified` if that is taken, or `qualified` with a number from 2."""
        found = name if name not in self._taken else qualified
        number = 2
        while found in self._taken:
            found = f"{qualified}_{number}"
            number += 1
        self._taken.add(found)
        return found


def _definition(offered: PageTool) -> Tool:
    """Return the definition of a registered tool; equal definitions are read once."""
    text = dumps(offered.definition())
    return _read_cached(text) if len(text) <= _LONGEST_CACHED else _read(text)


def _read(definition: str) -> Tool:
    return from_model_context(loads(definition))


_read_cached = lru_cache(maxsize=4096)(_read)
