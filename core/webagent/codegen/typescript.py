"""The declarations of all tools: `declare const global: { … }`. They compile for any manifest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webagent.codegen.compiler import print_members, print_resolved, resolve, with_undefined
from webagent.codegen.identifiers import argument_names, property_name
from webagent.codegen.scope import SharedTypes
from webagent.codegen.types_section import shared_types
from webagent.tstypes import print_member, print_type
from webagent.tstypes.declarations import Declaration
from webagent.tstypes.nodes import ArrayType, Name, Object, Tuple
from webagent.types import Manifest, Param, Tool

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")

_COLUMNS = 100
"""The longest line of a tool whose return type, an object, stays on it."""

_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""A character that no editor shows as itself."""


def generate_typescript(manifest: Manifest, *, docs: bool = False) -> str:
    """Return the declarations of all tools. Of two tools with one name, the first is declared.

    With shared types the result is a module, so that they may have the name of a DOM type such as
    `Event` or `Node`. Without them it is a script.

    Args:
        manifest: The manifest.
        docs: Whether the comments include parameters, further subsections and sample code.
    """
    declared: dict[str, Tool] = {}
    for tool in manifest.tools:
        declared.setdefault(tool.name, tool)
    shared = shared_types(manifest)
    parts = [f"{_declaration(declaration)}\n\n" for declaration in shared.declarations.values()]
    end = "\nexport {};\n" if parts else ""
    tools = [_tool(tool, shared, docs) for tool in declared.values()]
    block = (
        ["declare const global: {\n", *tools, "};\n"] if tools else ["declare const global: {};\n"]
    )
    return _visible("".join([*parts, *block, end]))


def generate_types(manifest: Manifest) -> str:
    """Return the declarations of the shared types alone; empty if there are none."""
    declared = shared_types(manifest).declarations.values()
    return _visible("\n".join(map(_declaration, declared)))


def _visible(text: str) -> str:
    """Return code with escapes for characters that reorder it, end a line or steer a terminal."""
    # Those characters are not printable, and looking for that is faster.
    if text.replace("\n", "").isprintable():
        return text
    # They are in strings and comments only: no name may have one.
    return _STEERING.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    """Return the escape of a character. A backslash before it that escapes it is part of that."""
    text, first = match.string, match.start()
    while first and text[first - 1] == "\\":
        first -= 1
    return f"{'' if (match.start() - first) % 2 else chr(92)}u{ord(match[0]):04x}"


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
    """Return the lines that declare a tool, with its comment."""
    params = tool.params
    names = argument_names([param.name for param in params])
    comment = tool.description
    if docs:
        parts = [comment, *(f"{note.title}: {note.text}" for note in tool.notes)]
        parts += [_param_doc(param, name) for param, name in zip(params, names, strict=True)]
        parts += [f"@example\n{tool.sample_code}"] if tool.sample_code else []
        comment = "\n".join(part for part in parts if part)
    if tool.behavior.deprecated:
        comment = f"{comment}\n@deprecated {tool.behavior.deprecated}".lstrip()
    arguments = ", ".join(_arguments(params, names, shared))
    head = f"  {property_name(tool.name)}({arguments}): Promise<"
    returns, members = print_members(tool.returns, shared) if tool.returns.strip() else ("any", [])
    # A declaration that fits is one line, as the format's SDK writes it.
    line = f"{head}{returns}>;"
    if len(line) > _COLUMNS and members:
        inner = ";\n    ".join(members)
        line = f"{head}{{\n    {inner};\n  }}>;"
    return f"{_comment(comment)}{line}\n"


def _arguments(params: Sequence[Param], names: Sequence[str], shared: SharedTypes) -> list[str]:
    """Return the parameters in the declaration of a tool."""
    found: list[str] = []
    # From the last one: TypeScript allows `?` only after all required parameters.
    mark = "?"
    for param, name in zip(reversed(params), reversed(names), strict=True):
        if not found and param.name.startswith("..."):
            found.append(_rest_argument(param, name, shared))
        elif param.required or mark:
            mark = "" if param.required else mark
            found.append(f"{name}{mark}: {print_resolved(param.type, shared)}")
        else:
            node = with_undefined(resolve(param.type, shared).node)
            found.append(f"{name}: {print_type(node)}")
    found.reverse()
    return found


def _rest_argument(param: Param, name: str, shared: SharedTypes) -> str:
    node = resolve(param.type, shared).node
    array = isinstance(node, ArrayType | Tuple) or (isinstance(node, Name) and node.name == "Array")
    return f"...{name}: {print_type(node if array else ArrayType(node))}"


def _param_doc(param: Param, name: str) -> str:
    default = f"(default: {param.default})" if param.default is not None else ""
    text = " ".join(part for part in (param.description, default) if part)
    return f"@param {name} - {text}" if text else ""


def _comment(text: str, margin: str = "  ") -> str:
    """Return a JSDoc comment with a text, or an empty text. `*/` in it is escaped."""
    if not text.isprintable() or "*/" in text:
        text = _CONTROL.sub(" ", text.replace("\r\n", "\n")).replace("*/", "*\\/")
    text = text.strip()
    if not text:
        return ""
    if "\n" not in text:
        return f"{margin}/** {text} */\n"
    lines = "".join(f"{margin} * {line}".rstrip() + "\n" for line in text.split("\n"))
    return f"{margin}/**\n{lines}{margin} */\n"
