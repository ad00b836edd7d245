"""Calling one tool of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.permissions import Intent
from webagent.agent.redact import fill_in
from webagent.errors import Denied, MissingFunction
from webagent.registry import Binding, ToolRegistry
from webagent.registry.arguments import from_named
from webagent.types import Effect


class CallTool:
    """Calls a tool of the page with named arguments."""

    definition = define(
        "call_tool",
        "Call one tool of the page; its result is the answer.",
        "name",
        name={"type": "string", "description": "Name of the tool."},
        arguments={"type": "object", "description": "Its arguments by name."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Say which tool it is; what cannot be called now is told without asking anybody."""
        binding = await callable_now(context.registry, arguments["name"])
        context.work.judged[context.call.id] = binding
        named = _named(arguments, context)
        from_named(binding, named)
        return intent_of(binding, named, context.run.origin)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return the tool's value, as the registry encodes it."""
        named = _named(arguments, context)
        unchanged(context.registry, context.work.judged.pop(context.call.id))
        result = await context.registry.invoke(arguments["name"], named)
        if result.error is not None:
            raise result.error
        return result.value


def _named(arguments: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Return the arguments of the tool."""
    given, secret = arguments.get("arguments") or {}, context.work.secret
    return {key: fill_in(value, (key,), secret) for key, value in given.items()}


async def callable_now(registry: ToolRegistry, name: str) -> Binding:
    """Return a tool that can be called on the page as it is.

    Raises:
        UnknownTool: There is none of that name.
        Denied: It is for other pages.
        MissingFunction: The page lacks its function.
    """
    await registry.refresh()
    binding = registry.get(name)
    if binding.problem is None:
        return binding
    if binding.tool.behavior.paths:
        places = ", ".join(f"`{path}`" for path in binding.tool.behavior.paths)
        raise Denied(binding.problem, tool=name, help=f"open one of these first: {places}")
    raise MissingFunction(binding.problem, tool=name, help="use another tool, or the page itself")


def unchanged(registry: ToolRegistry, judged: Binding) -> None:
    """Refuse to call a tool that took the place of the one that was judged.

    Raises:
        Denied: Another tool has that name now.
    """
    if judged.name not in registry.names() or registry.get(judged.name) != judged:
        raise Denied(
            f"`{judged.name}` has changed since it was allowed",
            tool=judged.name,
            help="look at the tools again",
        )


def intent_of(binding: Binding, arguments: Mapping[str, Any], origin: str) -> Intent:
    """Return what a call is about to do.

    A form that a person has to submit by hand changes nothing by being filled.
    """
    effect: Effect = binding.tool.behavior.effect
    if binding.attended and effect != "irreversible":
        effect = "read"
    to = "" if binding.origin in ("", origin) else binding.origin
    title = binding.tool.title or binding.name
    return Intent("call_tool", effect, arguments, tool=binding.name, label=title, to=to)
