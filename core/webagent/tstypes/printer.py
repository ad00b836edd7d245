"""The printer of types. Equal types print as the same text."""

from __future__ import annotations

from webagent.tstypes.nodes import (
    Argument,
    ArrayType,
    Combined,
    Conditional,
    Element,
    Function,
    Index,
    Indexed,
    Infer,
    LiteralType,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
)
from webagent.tstypes.scanner import print_doc

# Precedence, from the loosest to the tightest.
_FUNCTION, _UNION, _INTERSECTION, _OPERATOR, _POSTFIX = range(5)


def print_type(node: Type) -> str:
    """Return a type on one line."""
    return _print(node, _FUNCTION)


def print_argument(argument: Argument) -> str:
    """Return a parameter: `name?: T`."""
    dots, mark = "..." * argument.rest, "?" * argument.optional
    return f"{dots}{argument.name}{mark}: {print_type(argument.type)}"


def print_member(member: Member | Index) -> str:
    """Return a member of an object type, without the `;` after it."""
    readonly = "readonly " * member.readonly
    if isinstance(member, Index):
        key = f"[{member.key_name}: {print_type(member.key)}]"
        return f"{readonly}{key}: {print_type(member.type)}"
    name = f"{readonly}{member.name}{'?' * member.optional}"
    return f"{print_doc(member.doc)}{name}: {print_type(member.type)}"


def _print(node: Type, level: int) -> str:
    """Return the text of a node, in parentheses if it binds less tightly than `level`."""
    text, own = _text(node)
    return f"({text})" if own < level else text


def _text(node: Type) -> tuple[str, int]:
    """Return the text of a node, and its precedence."""
    if isinstance(node, Name):
        arguments = ", ".join(print_type(argument) for argument in node.arguments)
        return (f"{node.name}<{arguments}>" if arguments else node.name), _POSTFIX
    if isinstance(node, LiteralType):
        return node.text, _POSTFIX
    if isinstance(node, Template):
        holes = (f"${{{print_type(inner)}}}" for inner in node.types)
        parts = (text + hole for text, hole in zip(node.texts[:-1], holes, strict=True))
        return f"`{''.join(parts)}{node.texts[-1]}`", _POSTFIX
    if isinstance(node, ArrayType):
        return f"{_print(node.element, _POSTFIX)}[]", _POSTFIX
    if isinstance(node, Tuple):
        return f"[{', '.join(_element(element) for element in node.elements)}]", _POSTFIX
    if isinstance(node, Object):
        members = "; ".join(print_member(member) for member in node.members)
        return (f"{{ {members} }}" if members else "{}"), _POSTFIX
    if isinstance(node, Function):
        arguments = ", ".join(print_argument(argument) for argument in node.arguments)
        return f"({arguments}) => {print_type(node.returns)}", _FUNCTION
    if isinstance(node, Combined):
        level = _UNION if node.operator == "|" else _INTERSECTION
        return f" {node.operator} ".join(_print(t, level + 1) for t in node.types), level
    if isinstance(node, Operator):
        return f"{node.operator} {_print(node.type, _OPERATOR)}", _OPERATOR
    if isinstance(node, Indexed):
        return f"{_print(node.type, _POSTFIX)}[{print_type(node.index)}]", _POSTFIX
    if isinstance(node, Infer):
        return f"infer {node.name}", _OPERATOR
    if isinstance(node, Conditional):
        test = f"{_print(node.check, _UNION)} extends {_print(node.extends, _UNION)}"
        return f"{test} ? {print_type(node.yes)} : {print_type(node.no)}", _FUNCTION
    key = f"[{node.key_name} in {print_type(node.keys)}]"
    readonly = f"{node.readonly} " * bool(node.readonly)
    return f"{{ {readonly}{key}{node.optional}: {print_type(node.type)} }}", _POSTFIX


def _element(element: Element) -> str:
    dots, mark = "..." * element.rest, "?" * element.optional
    if element.name:
        return f"{dots}{element.name}{mark}: {print_type(element.type)}"
    # `?` binds like a postfix: `(A | B)?`.
    level = _POSTFIX if element.optional else _FUNCTION
    return f"{dots}{_print(element.type, level)}{mark}"
