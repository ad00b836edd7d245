"""Arguments of a tool: those that its declaration allows, and those that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

from webagent.errors import InvalidArguments
from webagent.page.values import encode
from webagent.registry import Binding
from webagent.registry.arguments import from_named
from webagent.schema import input_schema
from webagent.schema.tools import param_type
from webagent.tstypes.nodes import Name
from webagent_dev.contract.generation import Drawing, Values

Seen = Mapping[str, Sequence[Any]]
"""Encoded values that a parameter was given before, by its name."""

_TAGGED = {"bigint": st.integers(), "Date": st.datetimes().map(lambda m: f"{m.isoformat()[:19]}Z")}


def arguments(binding: Binding, seen: Seen) -> Values:
    """Return encoded arguments by name, as `ToolRegistry.invoke` takes them.

    Args:
        binding: The tool.
        seen: What it was given before; that is drawn too, since it may be known to the site.
    """
    schema = input_schema(binding.tool, types=binding.types)
    drawn = Drawing(schema).of(schema).map(encode)
    for param in binding.params:
        name = param.name.removeprefix("...")
        node = param_type(param, binding.types)
        if isinstance(node, Name) and node.name in _TAGGED:
            drawn = _with(drawn, name, _TAGGED[node.name].map(_tagged(node.name)))
        if seen.get(name):
            drawn = _with(
                drawn, name, st.none() | st.sampled_from([(v,) for v in seen[name]]), maybe=True
            )
    return drawn.filter(lambda given: fits(binding, given))


def fits(binding: Binding, given: Any) -> bool:
    """Whether a tool takes arguments by name, as far as its declaration says."""
    if not isinstance(given, Mapping):
        return False
    try:
        from_named(binding, given)
    except InvalidArguments:
        return False
    return True


def wrong_arguments(binding: Binding, good: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield arguments by name of which one is of a type that the tool does not declare.

    Args:
        binding: The tool.
        good: Arguments that it takes.
    """
    wrong: tuple[Any, ...] = (None, "text", 1.5, True, [], {}, {"$type": "undefined"})
    for param in binding.params:
        name = param.name.removeprefix("...")
        for value in wrong:
            given = {**good, name: value}
            if not fits(binding, given):
                yield given


def _with(drawn: Values, name: str, values: Values, *, maybe: bool = False) -> Values:
    """Return arguments in which one that is there is drawn from elsewhere.

    Args:
        drawn: Arguments by name.
        name: Which one.
        values: What it may be; with `maybe` each in a tuple, and None keeps what was drawn.
        maybe: Whether it may stay as it was drawn.
    """

    def put(pair: tuple[Any, Any]) -> Any:
        given, value = pair
        if not isinstance(given, Mapping) or (maybe and value is None) or name not in given:
            return given
        return {**given, name: value[0] if maybe else value}

    return st.tuples(drawn, values).map(put)


def _tagged(name: str) -> Any:
    kind = name.lower()
    return lambda value: {"$type": kind, "value": str(value)}
