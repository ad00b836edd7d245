"""Valid TypeScript names for parameters, properties and types."""

from __future__ import annotations

import re
from collections.abc import Iterable

from webagent.parser.names import is_identifier
from webagent.tstypes.known_names import LIBRARY, OWN_WORDS, PRIMITIVES, UNREADABLE
from webagent.tstypes.nodes import quoted

RESERVED = frozenset(
    [
        "arguments",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "debugger",
        "default",
        "delete",
        "do",
        "else",
        "enum",
        "eval",
        "export",
        "extends",
        "false",
        "finally",
        "for",
        "function",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "let",
        "new",
        "null",
        "package",
        "private",
        "protected",
        "public",
        "return",
        "static",
        "super",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "undefined",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ]
)
"""Words that cannot name a parameter in strict code."""

TAKEN = (
    PRIMITIVES
    | OWN_WORDS.keys()
    | LIBRARY.keys()
    | UNREADABLE
    | RESERVED
    | {"Function", "Object", "globalThis", "intrinsic", "keyof", "readonly"}
)
"""Words that cannot name a declared type."""


def property_name(name: str) -> str:
    """Return a name as that of a property, in quotes if needed."""
    # Without quotes, `new(…)` in an object type is a construct signature.
    if is_identifier(name) and name not in ("constructor", "new"):
        return name
    return quoted(name)


def argument_names(names: Iterable[str]) -> list[str]:
    """Return valid and distinct names for parameters: `user-id` becomes `userId`."""
    found = [
        name if name.isidentifier() and name not in RESERVED else _argument_name(name)
        for name in names
    ]
    # A fast path: nearly all tools have distinct names.
    if len(set(found)) == len(found):
        return found
    taken: dict[str, int] = {}
    for index, name in enumerate(found):
        unique = name
        while unique in taken:
            taken[name] += 1
            unique = f"{name}{taken[name]}"
        taken[unique] = 1
        found[index] = unique
    return found


def _argument_name(name: str) -> str:
    """Return a valid name that is similar to an invalid one."""
    if not is_identifier(name):
        words = [word for word in re.split(r"[^\w$]+", name) if word]
        name = "".join([*words[:1], *(word[:1].upper() + word[1:] for word in words[1:])])
        if not is_identifier(name):
            name = f"_{name}" if is_identifier(f"_{name}") else "arg"
    return f"{name}_" if name in RESERVED else name
