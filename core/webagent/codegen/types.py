"""From a type as an author wrote it to one that compiles.

What cannot be read becomes `unknown`; so does a name that nobody declared, with what surrounds it
kept. Words like `int` become the TypeScript they mean. Each such change is a problem to report.
"""

from __future__ import annotations

from webagent.codegen.compiler import resolve_node
from webagent.codegen.scope import NO_TYPES, Problem, Resolved, SharedTypes
from webagent.tstypes import TypeSyntaxError, instead, print_member, print_type, read_type
from webagent.tstypes.declarations import read_local_type, starts_with_declaration
from webagent.tstypes.known_names import UNREADABLE
from webagent.tstypes.nodes import Name, Object
from webagent.tstypes.plain import Plain, plain_members, plain_type
from webagent.tstypes.python_types import from_brackets

_UNKNOWN = Name("unknown")
_LONGEST_KEPT = 200
"""Length, in characters, of a type that is kept once it is resolved."""
_MOST_KEPT = 2_000
"""Types that are kept; then it starts anew."""


def resolve(text: str, shared: SharedTypes = NO_TYPES) -> Resolved:
    """Return what a type stands for; `Promise<T>` as a whole is `T`, as results are promised.

    Args:
        text: The type as its author wrote it.
        shared: The types that it may name.
    """
    if len(text) > _LONGEST_KEPT:
        return _resolve(text, shared)
    kept = shared.resolved
    found = kept.get(text)
    if found is None:
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        found = kept[text] = _resolve(text, shared)
    return found


def is_plain(text: str, shared: SharedTypes = NO_TYPES) -> bool:
    """Whether a type is known at first sight to compile as it is written."""
    found = plain_type(text)
    return found is not None and _are_known(found, shared)


def print_resolved(text: str, shared: SharedTypes = NO_TYPES) -> str:
    """Return a type as an author wrote it in the form in which it compiles."""
    return text if is_plain(text, shared) else print_type(resolve(text, shared).node)


def members_of(text: str, shared: SharedTypes = NO_TYPES) -> list[str] | None:
    """Return the printed members of a type that is one object with members, None for others."""
    plain = plain_type(text)
    if plain is not None and _are_known(plain, shared):
        return plain_members(text) if plain.one_object else None
    node = resolve(text, shared).node
    if isinstance(node, Object) and node.members:
        return [print_member(member) for member in node.members]
    return None


def _are_known(plain: Plain, shared: SharedTypes) -> bool:
    return not plain.names or all(shared.arity(name) == 0 for name in plain.names)


def _resolve(text: str, shared: SharedTypes) -> Resolved:
    word = text.strip()
    phrase = instead(word) if " " in word or word in UNREADABLE else None
    if phrase is not None:
        problem = Problem(text, 0, len(text), "is no TypeScript", phrase)
        return Resolved(read_type(phrase), (problem,))
    declares = starts_with_declaration(text)
    meant = None if declares else from_brackets(text, lambda name: shared.arity(name) is not None)
    if meant is not None:
        problem = Problem(text, 0, len(text), "is no TypeScript", print_type(meant))
        resolved = resolve_node(meant, text, shared)
        return Resolved(resolved.node, (problem, *resolved.problems))
    try:
        node, recursive = read_local_type(text) if declares else (read_type(text), frozenset())
    except TypeSyntaxError as error:
        # The error is kept for long; what it was raised in is not.
        return Resolved(_UNKNOWN, (), error.with_traceback(None))
    while (
        isinstance(node, Name) and node.name in ("Promise", "Awaited") and len(node.arguments) == 1
    ):
        node = node.arguments[0]
    return resolve_node(node, text, shared, recursive=recursive)
