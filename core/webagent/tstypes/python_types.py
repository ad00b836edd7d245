"""The TypeScript for types of Python: `list[str]`, `Optional[int]`, `Dict[str, int]`."""

from __future__ import annotations

import re
from collections.abc import Callable

from webagent.tstypes.known_names import instead
from webagent.tstypes.nodes import ArrayType, Combined, Element, Name, Tuple, Type
from webagent.tstypes.reader import LONGEST, read_type
from webagent.tstypes.scanner import TypeSyntaxError
from webagent.tstypes.walk import rebuild

_LISTS = ("list", "sequence", "iterable", "set", "array")
_RECORDS = ("dict", "dictionary", "mapping")
_GENERICS = (*_LISTS, *_RECORDS, "optional", "union", "tuple")
_START = re.compile(rf"(?<![\w$.])(?:{'|'.join(_GENERICS)})\[(?!\s*\])", re.IGNORECASE)
_PIECE = re.compile(
    rf"{_START.pattern}|[\[\]]|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'", re.IGNORECASE | re.DOTALL
)


def from_python(text: str, is_known: Callable[[str], bool]) -> Type | None:
    """Return the TypeScript for a type with Python's generic types, or None if it has none.

    Args:
        text: The type as its author wrote it.
        is_known: Whether a name is declared as a type. Then `name[…]` is a part of that type.
    """
    if len(text) > LONGEST or not _START.search(text):
        return None
    # The brackets of generic types become `<…>`, so that the reader of TypeScript can be used.
    pieces: list[str] = []
    closing: list[str] = []
    end = 0
    found = False
    for match in _PIECE.finditer(text):
        piece = match[0]
        pieces.append(text[end : match.start()])
        end = match.end()
        if piece == "]":
            piece = closing.pop() if closing else piece
        elif piece == "[":
            closing.append("]")
        elif piece[-1] == "[":
            generic = not is_known(piece[:-1])
            found = found or generic
            closing.append(">" if generic else "]")
            piece = f"{piece[:-1]}<" if generic else piece
        pieces.append(piece)
    try:
        return _meaning(read_type("".join(pieces) + text[end:]), text) if found else None
    except TypeSyntaxError:
        return None


def _meaning(node: Type, text: str) -> Type:
    """Return a type with words and generic types of Python replaced by TypeScript.

    Args:
        node: The type, whose generic types have `<…>`.
        text: The author's text, which shows whether a name had square brackets there.
    """
    node = rebuild(node, lambda inner: _meaning(inner, text))
    if not isinstance(node, Name):
        return node
    if not node.arguments:
        word = instead(node.name)
        return node if word is None else read_type(word)
    # Only brackets were replaced, one by one, so the spans are those of the author's text.
    return _generic(node) if text[node.span.start + len(node.name)] == "[" else node


def _generic(node: Name) -> Type:
    """Return the TypeScript for a generic type of Python.

    Raises:
        TypeSyntaxError: It has the wrong number of arguments.
    """
    name, (first, *others) = node.name.lower(), node.arguments
    if name in _LISTS and not others:
        return ArrayType(first, node.span)
    if name in _RECORDS and len(others) == 1:
        return Name("Record", node.arguments, node.span)
    if name == "optional" and not others:
        return _union((first, Name("null")))
    if name == "union":
        return _union(node.arguments)
    if name == "tuple":
        return Tuple(tuple(Element(inner) for inner in node.arguments), node.span)
    raise TypeSyntaxError(f"`{node.name}` has other arguments", node.span.start, node.span.end)


def _union(types: tuple[Type, ...]) -> Type:
    flat: list[Type] = []
    for node in types:
        if isinstance(node, Combined) and node.operator == "|":
            flat += node.types
        else:
            flat.append(node)
    return flat[0] if len(flat) == 1 else Combined("|", tuple(flat))
