"""The block `declare const global: { … }`. Whatever the author wrote, it compiles."""

from __future__ import annotations

import re

from webagent.codegen.names import argument_names, property_name
from webagent.codegen.scope import SharedTypes
from webagent.codegen.shared import shared_types
from webagent.codegen.types import resolve, with_undefined
from webagent.source import Span
from webagent.tstypes import print_member, print_type
from webagent.tstypes.declarations import Declaration
from webagent.tstypes.nodes import ArrayType, Name, Object, Tuple, Type
from webagent.types import Manifest, Param, Tool

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def generate_typescript(manifest: Manifest, *, docs: bool = False) -> str:
    """Return the declarations of all tools; of two with one name, the first.

    Args:
        manifest: What to declare.
        docs: Whether parameters, further subsections and sample code are in the comments too.
    """
    tools = {tool.name: tool for tool in reversed(manifest.tools)}
    declared = [tool for tool in manifest.tools if tools[tool.name] is tool]
    shared = shared_types(manifest)
    types = "".join(f"{_declaration(d)}\n\n" for d in shared.declarations.values())
    if not declared:
        return f"{types}declare const global: {{}};\n"
    inner = "\n".join(_tool(tool, shared, docs) for tool in declared)
    return f"{types}declare const global: {{\n{inner}\n}};\n"


def _declaration(declaration: Declaration) -> str:
    """Return the declaration of a shared type."""
    comment = _comment(declaration.doc, "")
    parameters = f"<{', '.join(declaration.parameters)}>" if declaration.parameters else ""
    name, node = f"{declaration.name}{parameters}", declaration.type
    if not declaration.interface or not isinstance(node, Object):
        return f"{comment}type {name} = {print_type(node)};"
    members = "".join(f"  {print_member(member)};\n" for member in node.members)
    return f"{comment}interface {name} {{\n{members}}}"


def _tool(tool: Tool, shared: SharedTypes, docs: bool) -> str:
    names = argument_names(param.name.removeprefix("...") for param in tool.params)
    rest = len(names) - 1 if tool.params and tool.params[-1].name.startswith("...") else None
    last = max((i for i, param in enumerate(tool.params[:rest]) if param.required), default=-1)
    arguments = [
        _argument(param, name, shared, index < last, index == len(names) - 1)
        for index, (param, name) in enumerate(zip(tool.params, names, strict=True))
    ]
    comment = [tool.description]
    if docs:
        comment += [f"{note.title}: {note.text}" for note in tool.notes]
        comment += [_param_doc(param, name) for param, name in zip(tool.params, names, strict=True)]
        comment += [f"@example\n{tool.sample_code}"] if tool.sample_code else []
    returns = _returns(tool.returns, shared) if tool.returns.strip() else "any"
    signature = f"  {property_name(tool.name)}({', '.join(arguments)}): Promise<{returns}>;"
    return _comment("\n".join(part for part in comment if part)) + signature


def _argument(
    param: Param, name: str, shared: SharedTypes, before_required: bool, last: bool
) -> str:
    node = resolve(param.type, shared).node
    if param.name.startswith("...") and last:
        array = isinstance(node, ArrayType | Tuple) or (
            isinstance(node, Name) and node.name == "Array"
        )
        node = node if array else ArrayType(node, Span(0, 0))
        return f"...{name}: {print_type(node)}"
    if param.required:
        return f"{name}: {print_type(node)}"
    if before_required:
        return f"{name}: {print_type(with_undefined(node))}"
    return f"{name}?: {print_type(node)}"


def _param_doc(param: Param, name: str) -> str:
    default = f"(default: {param.default})" if param.default is not None else ""
    text = " ".join(part for part in (param.description, default) if part)
    return f"@param {name} - {text}" if text else ""


def _returns(text: str, shared: SharedTypes) -> str:
    """Return a type as the argument of `Promise<>`; the members of an object get lines."""
    node: Type = resolve(text, shared).node
    if isinstance(node, Object) and node.members:
        members = "".join(f"    {print_member(member)};\n" for member in node.members)
        return f"{{\n{members}  }}"
    return print_type(node)


def _comment(text: str, margin: str = "  ") -> str:
    """Return a JSDoc comment that nothing in the text can end."""
    text = _CONTROL.sub(" ", text.replace("\r\n", "\n")).replace("*/", "*\\/").strip()
    if not text:
        return ""
    if "\n" not in text:
        return f"{margin}/** {text} */\n"
    lines = "".join(f"{margin} * {line}".rstrip() + "\n" for line in text.split("\n"))
    return f"{margin}/**\n{lines}{margin} */\n"
