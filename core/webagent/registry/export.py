"""What a registry tells a model, and the manifest that its site should publish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webagent.codegen import generate_typescript
from webagent.errors import UnknownTool
from webagent.llm.tool_names import safe_names
from webagent.modelcontext import to_model_context
from webagent.registry.binding import Binding, Calling, ToolSource
from webagent.registry.catalogue import bare_name
from webagent.serializer import normalize
from webagent.tstypes.nodes import member_name
from webagent.types import Manifest, Param, Tool

_LISTED = "`listTools()` has the names of all"
_LONGEST_LINE = 200


def typescript(manifest: Manifest, bindings: Sequence[Binding]) -> str:
    """Return one `declare const global` over all tools, each as it is called.

    Args:
        manifest: The site's, for the types that its tools share.
        bindings: All tools.
    """
    tools = [_declared(binding) for binding in bindings]
    return generate_typescript(manifest.model_copy(update={"tools": tools}))


def described(manifest: Manifest, bindings: Sequence[Binding], name: str | None) -> Any:
    """Return what a program learns of a tool: its declaration; of all: `[{name, description}]`.

    Raises:
        UnknownTool: There is no tool of that name.
    """
    if name is None:
        return [{"name": b.name, "description": _first_line(b.tool.description)} for b in bindings]
    found = [binding for binding in bindings if binding.name == name]
    if not found:
        raise UnknownTool(f"there is no tool `{name[:200]}`", tool=name[:200], help=_LISTED)
    return typescript(manifest, found)


def published(manifest: Manifest, bindings: Sequence[Binding], *, origin: str) -> Manifest:
    """Return the manifest with all tools of the site's own that it does not name yet.

    A tool that takes one object gets a parameter for each of its properties; who binds the
    manifest to the page passes them as that object again.

    Args:
        manifest: The site's; empty when it has none.
        bindings: All tools of a page.
        origin: The page's; tools of other origins are not the site's to publish.
    """
    new = [
        binding.tool.model_copy(update={"name": binding.name})
        for binding in bindings
        if binding.source is not ToolSource.MANIFEST
        and binding.origin == origin
        and binding.name == bare_name(binding.target)
    ]
    return normalize(manifest.model_copy(update={"tools": [*manifest.tools, *new]}))


def exposed(bindings: Sequence[Binding]) -> list[dict[str, Any]]:
    """Return the manifest's functions as `document.modelContext` takes them.

    Each is `{"name": of the binding, "tool": definition without execute}`; a tool that the page
    registered itself is there already.
    """
    ours = [b for b in bindings if b.target.kind == "function" and b.problem is None]
    safe = safe_names(binding.name for binding in ours)
    return [
        {"name": binding.name, "tool": _registrable(binding, safe[binding.name])}
        for binding in ours
    ]


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST_LINE]


def _registrable(binding: Binding, name: str) -> dict[str, Any]:
    definition = to_model_context(binding.tool, types=binding.types)
    # A tool without a description is refused.
    described = definition["description"] or binding.tool.title or binding.name
    return definition | {"name": name, "description": described}


def _declared(binding: Binding) -> Tool:
    """Return the tool as a function of the arguments that a caller passes."""
    tool = binding.tool
    params = tool.params
    if binding.calling is Calling.OBJECT:
        params = [_one_object(tool)]
    return tool.model_copy(update={"name": binding.name, "params": params})


def _one_object(tool: Tool) -> Param:
    """Return the one parameter of a tool that takes its arguments by name."""
    if not tool.params:
        return Param(name="input", type="Record<string, unknown>", required=False)
    members = "; ".join(_member(param) for param in tool.params)
    required = any(param.required for param in tool.params)
    return Param(name="input", type=f"{{ {members} }}", required=required)


def _member(param: Param) -> str:
    """Return a property of the one object, with what the author says of it."""
    words = " ".join(param.description.split()).replace("*/", "*\\/")
    doc = f"/** {words} */ " if words else ""
    return f"{doc}{member_name(param.name)}{'' if param.required else '?'}: {param.type}"
