"""Exports of a registry: declarations for a model, a manifest to publish, WebMCP definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from webagent.codegen import generate_types, generate_typescript, shared_types
from webagent.codegen.types_section import undeclared_text
from webagent.errors import UnknownTool
from webagent.llm.tool_names import safe_names
from webagent.modelcontext import to_model_context
from webagent.registry.binding import Binding, Calling, ToolSource
from webagent.registry.catalogue import bare_name
from webagent.serializer import normalize
from webagent.tstypes.nodes import member_name
from webagent.types import Manifest, Note, Param, Tool

_LISTED = "`listTools()` has the names of all"
"""Help for a name that no tool has."""
_LONGEST_LINE = 200

_BOUNDS = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
)
"""Keywords of JSON Schema that no type can express."""


def typescript(manifest: Manifest, bindings: Sequence[Binding], *, docs: bool = False) -> str:
    """Return one `declare const global` with all tools, each as programs call it.

    Args:
        manifest: The site's manifest, for shared types.
        bindings: All tools.
        docs: Whether the comments include parameters, effects, limits and sample code.
    """
    tools = [_as_function(_documented(binding) if docs else binding) for binding in bindings]
    return generate_typescript(manifest.model_copy(update={"tools": tools}), docs=docs)


def site_texts(manifest: Manifest) -> tuple[str, list[Note]]:
    """Return the declarations of the shared types, and the notes without what they declare."""
    shared = shared_types(manifest)
    texts = [(note, undeclared_text(note, shared).strip()) for note in manifest.notes]
    notes = [note.model_copy(update={"text": text}) for note, text in texts if text]
    return generate_types(manifest), notes


def describe_tools(manifest: Manifest, bindings: Sequence[Binding], name: str | None) -> Any:
    """Return the declaration of a tool, or `[{name, description}]` of all tools.

    Raises:
        UnknownTool: There is no tool of that name.
    """
    if name is None:
        return [{"name": b.name, "description": _first_line(b.tool.description)} for b in bindings]
    found = [binding for binding in bindings if binding.name == name]
    if not found:
        raise UnknownTool(f"there is no tool `{name[:200]}`", tool=name[:200], help=_LISTED)
    return typescript(manifest, found, docs=True)


def manifest_to_publish(
    manifest: Manifest, bindings: Sequence[Binding], *, origin: str
) -> Manifest:
    """Return the manifest with all the site's own tools that it lacks so far.

    A tool that takes one object gets a parameter for each of its properties. When the manifest is
    bound to the page, they are passed as that object again.

    Args:
        manifest: The site's manifest; empty if it has none.
        bindings: All tools of a page.
        origin: The page's origin; tools of other origins are left out.
    """
    new = [
        binding.tool.model_copy(update={"name": binding.name})
        for binding in bindings
        if binding.source is not ToolSource.MANIFEST
        and binding.origin == origin
        and binding.name == bare_name(binding.target)
    ]
    return normalize(manifest.model_copy(update={"tools": [*manifest.tools, *new]}))


def model_context_tools(bindings: Sequence[Binding]) -> list[dict[str, Any]]:
    """Return the manifest's functions as `document.modelContext` takes them.

    Each is `{"name": of the binding, "tool": definition without execute}`. Tools that the page
    registered itself are left out, since `document.modelContext` has them already.
    """
    ours = [b for b in bindings if b.target.kind == "function" and b.problem is None]
    safe = safe_names(binding.name for binding in ours)
    return [
        {"name": binding.name, "tool": _registrable(binding, safe[binding.name])}
        for binding in ours
    ]


def _documented(binding: Binding) -> Binding:
    """Return a tool whose description has its effect, and whose parameters have their bounds."""
    tool = binding.tool
    properties = (tool.input_schema or {}).get("properties")
    schemas = properties if isinstance(properties, Mapping) else {}
    params = [_bounded(param, schemas.get(param.name)) for param in tool.params]
    return replace(
        binding, tool=tool.model_copy(update={"description": binding.about(), "params": params})
    )


def _bounded(param: Param, schema: object) -> Param:
    """Return a parameter whose description has the bounds that only its schema says."""
    if not isinstance(schema, Mapping):
        return param
    bounds = [
        f"{name}: {schema[name]}"
        for name in _BOUNDS
        if isinstance(schema.get(name), str | int | float)
    ]
    words = [param.description, f"({', '.join(bounds)[:_LONGEST_LINE]})" if bounds else ""]
    return param.model_copy(update={"description": " ".join(filter(None, words))})


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:_LONGEST_LINE]


def _registrable(binding: Binding, name: str) -> dict[str, Any]:
    definition = to_model_context(binding.tool, types=binding.types)
    # `registerTool` refuses a tool without a description.
    description = definition["description"] or binding.tool.title or binding.name
    return definition | {"name": name, "description": description}


def _as_function(binding: Binding) -> Tool:
    """Return a tool as a function of the arguments that a program passes."""
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
    """Return a property of the one object, with the author's description."""
    words = " ".join(param.description.split()).replace("*/", "*\\/")
    doc = f"/** {words} */ " if words else ""
    return f"{doc}{member_name(param.name)}{'' if param.required else '?'}: {param.type}"
