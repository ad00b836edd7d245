"""The actions `call_tool` and `search_tools`, and what programs share: which tools run, with which intent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.permissions import Intent
from webagent.agent.person import GivenFile
from webagent.agent.toolset import declarations, file_parameters
from webagent.errors import Denied, InvalidArguments, MissingFunction, UnknownTool
from webagent.page.values import FileValue, files_taken
from webagent.registry import Binding, PreparedCall, ToolRegistry
from webagent.registry.binding import prepare
from webagent.registry.secrets import MASK
from webagent.registry.sentences import names, sentence, titles
from webagent.registry.tool_search import search_tools
from webagent.types import Effect


class CallTool:
    """Calls a tool of the page with named arguments."""

    definition = define(
        "call_tool",
        "Call one tool of the page; its result is the answer. A Blob or File is written as the "
        "name of a file that the person gives.",
        "name",
        name={"type": "string", "description": "Name of the tool."},
        arguments={"type": "object", "description": "Its arguments by name."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Prepare the call; a tool that cannot be called now fails before anybody is asked."""
        context.prepared = call = await _prepared(arguments, context)
        named = without_fillings(call, arguments.get("arguments") or {})
        return intent_of(call.binding, named, context.run.origin)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Make the call; return the tool's value, as the registry encodes it."""
        call = context.prepared or await _prepared(arguments, context)
        work = context.work
        made = context.registry.invoke_prepared(call, ask=work.asker(call.name))
        result = await work.person.unless_ended(made)
        if result.error is not None:
            raise result.error

        def keep(file: FileValue) -> str:
            return work.files.keep(GivenFile(file.name, file.type, file.data))

        return files_taken(result.value, keep)


_MOST_FOUND = 5
"""Tools whose declarations one search returns."""


class SearchTools:
    """Finds tools that the prompt has only in a line."""

    definition = define(
        "search_tools",
        "Find tools of the page by words in their names, descriptions and parameters. Returns the "
        "declarations of the best matches.",
        "query",
        query={"type": "string", "minLength": 1, "description": "Words, or a tool's name."},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> Intent:
        """Return a read: nothing is called."""
        return Intent("search_tools", "read", arguments)

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return `{declarations, more}`: TypeScript, and the names of further matches."""
        tools = context.registry.list()
        found = search_tools(tools, arguments["query"], 4 * _MOST_FOUND)
        if not found:
            raise UnknownTool(
                "no tool has these words", help="use other words, or names from the list of tools"
            )
        best, more = found[:_MOST_FOUND], found[_MOST_FOUND:]
        return {
            "declarations": declarations(context.registry.manifest, best),
            "more": [binding.name for binding in more],
        }


async def _prepared(arguments: Mapping[str, Any], context: Context) -> PreparedCall:
    name, given = arguments["name"], arguments.get("arguments") or {}
    await callable_now(context.registry, name)
    return await with_secrets(name, given, context)


async def with_secrets(name: str, given: Mapping[str, Any], context: Context) -> PreparedCall:
    """Return a call with the person's secrets and files in place of their placeholders and names.

    Raises:
        InvalidArguments: A secret is where none belongs, or the arguments do not fit.
        Denied: The person did not give a file, or a secret that is not known any more.
    """
    given = await _with_files(name, given, context)
    named = {key: await context.fill(value, (key,)) for key, value in given.items()}
    try:
        return context.registry.prepare(name, named)
    except InvalidArguments:
        numbers = {key: _number(value, given[key]) for key, value in named.items()}
        if numbers == named:
            raise
        return context.registry.prepare(name, numbers)


async def _with_files(name: str, given: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """Return arguments with files of the person in place of their names."""
    files = file_parameters(context.registry.get(name))
    found = dict(given)
    for key, value in given.items():
        if key in files and isinstance(value, str):
            found[key] = await _file(value, context)
        elif key in files and isinstance(value, list) and all(isinstance(v, str) for v in value):
            found[key] = [await _file(each, context) for each in value[:_MOST_FILES]]
    return found


async def _file(name: str, context: Context) -> dict[str, str]:
    file = await context.file(name)
    return FileValue(file.name, file.type, file.data).encoded()


_MOST_FILES = 20


def _number(value: Any, written: Any) -> Any:
    """Return a secret of digits as a number, for a parameter that takes one."""
    filled = value != written and isinstance(value, str)
    return int(value) if filled and value.isdecimal() else value


def without_fillings(call: PreparedCall, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments of a call as they may be shown: with placeholders, as they were given."""
    masked = {key: value for key, value in given.items() if _stands_for_another(key, call, value)}
    return {key: masked.get(key, value) for key, value in call.named.items()}


def _stands_for_another(key: str, call: PreparedCall, value: Any) -> bool:
    """Whether a value that was given is a placeholder, or the name of a file."""
    held = call.named.get(key)
    held = held[0] if isinstance(held, list) and held else held
    return MASK in str(value) or (isinstance(held, dict) and held.get("$type") == "file")


async def callable_now(registry: ToolRegistry, name: str) -> Binding:
    """Return a tool that can be called on the page as it is.

    Raises:
        UnknownTool: There is no tool of that name.
        Denied: It is for other pages, or the page says that it cannot be called now.
        MissingFunction: The page lacks its function.
    """
    binding = await registry.find(name)
    if binding.problem is None:
        return binding
    if name in registry.offers.unavailable:
        raise Denied(binding.problem, tool=name, help="do first what it waits for")
    if binding.tool.behavior.paths:
        places = ", ".join(f"`{path}`" for path in binding.tool.behavior.paths)
        raise Denied(binding.problem, tool=name, help=f"open one of these first: {places}")
    raise MissingFunction(binding.problem, tool=name, help="use another tool, or the page itself")


def before_call(call: PreparedCall, given: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """Return fields of a `step` event, for people, that are known before a call is made.

    Args:
        call: The call.
        given: Its arguments, as they may be shown.
        context: The action that makes it.
    """
    found = {
        "title": call.binding.tool.title,
        "names": names(given, context.run.results(context.scene.earlier)),
        "attended": call.binding.attended,
    }
    return {key: said for key, said in found.items() if said}


def for_person(
    call: PreparedCall, given: Mapping[str, Any], value: Any, context: Context
) -> dict[str, Any]:
    """Return what the panel shows of a call of this site besides its value: fields of a `step` event.

    Args:
        call: The call that was made.
        given: Its arguments, as they may be shown.
        value: Its result.
        context: The action that made it.
    """
    behavior = call.binding.tool.behavior
    results = [value, *context.run.results(context.scene.earlier)]
    found = {
        "sentence": sentence(behavior.done, given, results),
        "labels": titles(call.binding.tool.output_schema),
        "undo": _undo(behavior.inverse, given, value, context),
    }
    return {key: said for key, said in found.items() if said}


_LONGEST_UNDO = 2_000
"""Characters of the arguments of an undo, which the panel stores."""


def _undo(name: str, given: Mapping[str, Any], value: Any, context: Context) -> dict[str, Any]:
    """Return `{tool, arguments}` of the call that undoes one; empty if not all of it is known.

    Each parameter gets the argument of its name, or else that member of the result.
    """
    binding = context.scene.own_tool(name, context.run.origin)
    if binding is None:
        return {}
    known = {**(value if isinstance(value, Mapping) else {}), **given}
    found = {param.name: known[param.name] for param in binding.params if param.name in known}
    try:
        prepare(binding, found)
    except InvalidArguments:
        return {}
    # A placeholder of a secret or a file means nothing in another run.
    hidden = MASK in str(found) or context.registry.secrets.mask_record(found) != found
    short = len(json.dumps(found)) <= _LONGEST_UNDO
    return {"tool": name, "arguments": found} if short and not hidden else {}


def intent_of(binding: Binding, arguments: Mapping[str, Any], origin: str) -> Intent:
    """Return the intent of a call with these arguments, as they may be shown.

    To fill in a form that the person submits by hand is a read, as it changes nothing.
    """
    effect: Effect = binding.tool.behavior.effect
    if binding.attended and effect != "irreversible":
        effect = "read"
    to = "" if binding.origin in ("", origin) else binding.origin
    title = binding.tool.title or binding.name
    return Intent("call_tool", effect, arguments, tool=binding.name, label=title, to=to)
