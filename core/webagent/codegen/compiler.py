"""The compiler of types: from a type as an author wrote it to one that TypeScript accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from webagent.codegen.identifiers import TAKEN, argument_names
from webagent.codegen.scope import NO_TYPES, Problem, Resolved, SharedTypes
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError, instead, print_member, print_type, read_type
from webagent.tstypes.declarations import read_local_type, starts_with_declaration
from webagent.tstypes.known_names import GENERIC_INSTEAD, LIBRARY, OWN_WORDS, PRIMITIVES, UNREADABLE
from webagent.tstypes.nodes import (
    NOWHERE,
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
    Mapped,
    Member,
    Name,
    Object,
    Operator,
    Template,
    Tuple,
    Type,
    is_bigint,
    property_key,
)
from webagent.tstypes.plain import LONGEST, Plain, plain_type
from webagent.tstypes.python_types import from_python
from webagent.tstypes.utility_types import object_of, structure
from webagent.tstypes.walk import infer_nodes

_UNKNOWN = Name("unknown")

_MAX_INDEXED = 50
"""Most parts of shared types (`Book["id"]`) that one type may name. It stops chains."""

_MAX_CACHED_LENGTH = 200
"""Most characters of a type that is cached."""

_MAX_CACHED = 2_000
"""Most types in the cache; a full cache is cleared."""


def resolve(text: str, shared: SharedTypes = NO_TYPES) -> Resolved:
    """Return a type that compiles for a type as its author wrote it.

    `Promise<T>` as a whole becomes `T`, because all results are promises.

    Args:
        text: The author's text. It may also hold declarations, or types of other languages.
        shared: The shared types that it may name.
    """
    if len(text) > _MAX_CACHED_LENGTH:
        return _resolve(text, shared)
    kept = shared.resolved
    found = kept.get(text)
    if found is None:
        if len(kept) >= _MAX_CACHED:
            kept.clear()
        found = kept[text] = _resolve(text, shared)
    return found


def _resolve(text: str, shared: SharedTypes) -> Resolved:
    """Return the same as `resolve`, without its cache."""
    word = text.strip()
    # Phrases (`list of strings`) and keywords (`function`) would be syntax errors. Words such as
    # `int` read as names, and are replaced where they occur in a type.
    phrase = instead(word) if " " in word or word in UNREADABLE else None
    if phrase is not None:
        problem = Problem(text, 0, len(text), "is not TypeScript", phrase)
        return Resolved(read_type(phrase), (problem,))
    declares = starts_with_declaration(text)
    meant = None if declares else from_python(text, lambda name: shared.arity(name) is not None)
    if meant is not None:
        problem = Problem(text, 0, len(text), "is not TypeScript", print_type(meant))
        resolved = resolve_node(meant, text, shared)
        return Resolved(resolved.node, (problem, *resolved.problems))
    try:
        node, recursive = read_local_type(text) if declares else (read_type(text), frozenset())
    except TypeSyntaxError as error:
        # The error is cached; its traceback would keep the reader alive.
        return Resolved(_UNKNOWN, (), error.with_traceback(None))
    while (
        isinstance(node, Name) and node.name in ("Promise", "Awaited") and len(node.arguments) == 1
    ):
        node = node.arguments[0]
    return resolve_node(node, text, shared, recursive=recursive)


def known_plain(text: str, shared: SharedTypes = NO_TYPES) -> Plain | None:
    """Return a plain type whose names are known, so that it compiles and prints as it is written."""
    plain = plain_type(text) if len(text) <= LONGEST else None
    if plain is None or not plain.names or all(shared.arity(name) == 0 for name in plain.names):
        return plain
    return None


def print_resolved(text: str, shared: SharedTypes = NO_TYPES) -> str:
    """Return the text of the type that compiles for a type as its author wrote it."""
    return text if known_plain(text, shared) else print_type(resolve(text, shared).node)


def print_members(text: str, shared: SharedTypes = NO_TYPES) -> tuple[str, Sequence[str]]:
    """Return the text of `print_resolved`, and the printed members of a type that is an object."""
    if plain := known_plain(text, shared):
        return text, plain.members
    node = resolve(text, shared).node
    return print_type(node), [*map(print_member, node.members)] if isinstance(node, Object) else []


def with_undefined(node: Type) -> Type:
    """Return the type with `undefined` added."""
    undefined = Name("undefined")
    if isinstance(node, Combined) and node.operator == "|":
        return replace(node, types=(*node.types, undefined))
    return Combined("|", (node, undefined), NOWHERE)


def resolve_node(
    node: Type,
    text: str,
    shared: SharedTypes,
    parameters: frozenset[str] = frozenset(),
    recursive: frozenset[str] = frozenset(),
) -> Resolved:
    """Return a type that compiles for one that was read.

    Args:
        node: The type.
        text: The text that it was read from.
        shared: The shared types that it may name.
        parameters: Type parameters in scope, which stay as they are.
        recursive: Local types that contain themselves, which cannot be inlined.
    """
    compiler = _Compiler(text, shared, parameters, recursive)
    return Resolved(compiler.type(node), tuple(compiler.problems))


class _Compiler:
    """Rebuilds a type so that it compiles, and collects problems.

    Nodes that need no change are returned as they are, so that callers can compare with `is`.
    """

    def __init__(
        self,
        text: str,
        shared: SharedTypes,
        parameters: frozenset[str],
        recursive: frozenset[str],
    ) -> None:
        self.text = text
        self.shared = shared
        self.parameters = parameters
        self.recursive = recursive
        self.problems: list[Problem] = []
        self.indexed_parts = 0
        """Number of parts of shared types named so far."""
        self.inside_part = False
        """Whether the current node is part of a shared type, whose spans are of another text."""
        self.keys: dict[str, Type] = {}
        """Key types of the enclosing mapped types, by the name of the key."""

    def problem(self, span: Span, why: str, remedy: str = "") -> None:
        """Report a part of the text.

        Args:
            span: The part.
            why: A predicate for it: `is not TypeScript`.
            remedy: The text to write instead, if there is one.
        """
        part = self.text[span.start : span.end]
        self.problems.append(Problem(part, span.start, span.end, why, remedy))

    def type(self, node: Type) -> Type:
        """Return a type that compiles for any node."""
        if isinstance(node, Name):
            return self.name(node)
        if isinstance(node, ArrayType):
            inner = self.type(node.element)
            return node if inner is node.element else replace(node, element=inner)
        if isinstance(node, Combined):
            types = self.types(node.types)
            return node if types is node.types else replace(node, types=types)
        if isinstance(node, Object):
            return self.object_type(node)
        if isinstance(node, Function):
            return replace(
                node,
                arguments=self.arguments(node.arguments),
                returns=self.type(node.returns),
            )
        if isinstance(node, Tuple):
            return self.tuple_type(node)
        if isinstance(node, Template):
            return replace(node, types=tuple(self.hole(inner) for inner in node.types))
        if isinstance(node, Operator):
            inner = self.type(node.type)
            # Its array may have been replaced by `unknown`.
            if node.operator == "readonly" and not isinstance(inner, ArrayType | Tuple):
                return inner
            return node if inner is node.type else replace(node, type=inner)
        if isinstance(node, Indexed):
            return self.indexed_type(node)
        if isinstance(node, Conditional):
            return self.conditional(node)
        if isinstance(node, Mapped):
            return self.mapped_type(node)
        if isinstance(node, Infer) and not self.may_declare(node.name):
            self.problem(node.span, f"declares `{node.name}`, which has a meaning already")
            return _UNKNOWN
        return node

    def may_declare(self, name: str) -> bool:
        """Whether a type may use a name for a key or an inferred type."""
        return name not in TAKEN and self.shared.arity(name) is None

    def conditional(self, node: Conditional) -> Type:
        """Rebuild a condition. The types that it infers are in scope in its first branch."""
        check, extends = self.type(node.check), self.type(node.extends)
        outer = self.parameters
        self.parameters = outer | {inner.name for inner in infer_nodes(extends)}
        yes = self.type(node.yes)
        self.parameters = outer
        return replace(node, check=check, extends=extends, yes=yes, no=self.type(node.no))

    def mapped_type(self, node: Mapped) -> Type:
        """Rebuild a mapped type, with its key in scope inside."""
        keys = self.type(node.keys)
        if not self.may_declare(node.key_name) or not self.is_key(keys, set()):
            self.problem(node.span, "has invalid keys, or gives them a name that is taken")
            return read_type("Record<string, unknown>")
        outer, outer_keys = self.parameters, self.keys
        self.parameters = outer | {node.key_name}
        self.keys = {**outer_keys, node.key_name: keys}
        inner = self.type(node.type)
        self.parameters, self.keys = outer, outer_keys
        return replace(node, keys=keys, type=inner)

    def types(self, nodes: tuple[Type, ...]) -> tuple[Type, ...]:
        """Return types that compile; the same tuple if all are unchanged."""
        found = tuple([self.type(node) for node in nodes])
        return nodes if all(map(is_, found, nodes)) else found

    def name(self, node: Name) -> Type:
        """Return the type for a name, which is looked up from the innermost scope outwards."""
        name, arguments = node.name, self.types(node.arguments) if node.arguments else ()
        if not arguments:
            if name in PRIMITIVES or name in self.parameters:
                return node
            if name in OWN_WORDS:
                return read_type(OWN_WORDS[name])
        arity = self.shared.arity(name)
        if arity is not None:
            if arity == len(arguments):
                return node if arguments is node.arguments else replace(node, arguments=arguments)
            self.problem(node.span, f"takes {arity} type arguments, not {len(arguments)}")
            return _UNKNOWN
        if arguments and name in GENERIC_INSTEAD:
            word = Span(node.span.start, node.span.start + len(name))
            self.problem(word, "is not TypeScript", GENERIC_INSTEAD[name])
            name = GENERIC_INSTEAD[name]
        # After shared types: an author may declare a type `List` or `Text`.
        remedy = instead(name) if not arguments else None
        if remedy is not None:
            self.problem(node.span, "is not TypeScript", remedy)
            return read_type(remedy)
        if name in LIBRARY:
            fewest, most = LIBRARY[name]
            if fewest <= len(arguments) <= most:
                if name != node.name or arguments is not node.arguments:
                    node = replace(node, name=name, arguments=arguments)
                return self.library(node)
            self.problem(node.span, f"takes {most} type arguments, not {len(arguments)}")
            return _UNKNOWN
        self.problem(node.span, self.why_unknown(name))
        return _UNKNOWN

    def why_unknown(self, name: str) -> str:
        """Return why a name is unknown."""
        if name in self.recursive:
            return "contains itself, which only types in `## Types` may do; agents see `unknown`"
        return "is not declared, so agents see `unknown`"

    def library(self, node: Name) -> Type:
        """Return a type of the library, or a substitute if its arguments violate its constraints."""
        if node.name in ("Record", "Omit"):
            at = 0 if node.name == "Record" else 1
            if not self.is_key(node.arguments[at], set()):
                self.problem(node.span, "has invalid keys")
                return read_type("Record<string, unknown>")
        elif node.name == "Pick":
            source, wanted = node.arguments
            found = object_of(source, self.shared)
            keys = structure(wanted, self.shared)
            names = {m.key for m in found.members if isinstance(m, Member)} if found else set()
            choices = keys.types if isinstance(keys, Combined) else (keys,)
            if not all(
                isinstance(k, LiteralType) and property_key(k.text) in names for k in choices
            ):
                self.problem(node.span, "picks keys that are not there")
                return source
        return node

    def is_key(self, node: Type, seen: set[str]) -> bool:
        """Whether all values of a type can be keys: strings, numbers and symbols.

        Args:
            node: The type.
            seen: Names of shared types that are being looked at.
        """
        if isinstance(node, Name):
            if node.name in ("string", "number", "symbol") or node.name in seen:
                return True
            if node.name in ("Exclude", "Extract"):
                return self.is_key(node.arguments[0], seen)
            body = self.shared.body(node)
            seen.add(node.name)
            return body is not None and not node.arguments and self.is_key(body, seen)
        if isinstance(node, LiteralType):
            return node.text not in ("true", "false") and not is_bigint(node)
        if isinstance(node, Combined):
            return node.operator == "|" and all(self.is_key(inner, seen) for inner in node.types)
        if isinstance(node, Operator):
            return node.operator == "keyof"
        return isinstance(node, Template)

    def object_type(self, node: Object) -> Type:
        """Rebuild an object type without duplicate members and invalid keys."""
        members: list[Member | Index] = []
        names: set[str] = set()
        keys: set[str] = set()
        indexed = any(isinstance(member, Index) for member in node.members)
        for member in node.members:
            if isinstance(member, Index):
                key = print_type(member.key)
                if key not in ("string", "number", "symbol") or key in keys:
                    self.problem(node.span, f"has a key of type `{key}` twice or of no use")
                    continue
                keys.add(key)
                inner = self.type(member.type)
                # TypeScript demands that all other members fit the type of an index signature.
                alone = len(node.members) == 1
                (name,) = argument_names([member.key_name])
                changed = inner if alone else _UNKNOWN
                members.append(replace(member, key_name=name, type=changed))
            elif member.key in names:
                self.problem(node.span, f"has the member `{member.name}` twice")
            else:
                names.add(member.key)
                inner = self.type(member.type)
                members.append(member if inner is member.type else replace(member, type=inner))
        if indexed and not members:
            return read_type("Record<string, unknown>")
        unchanged = len(members) == len(node.members) and all(map(is_, members, node.members))
        return node if unchanged else replace(node, members=tuple(members))

    def arguments(self, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
        """Rebuild the parameters of a function type with valid names, and optional ones at the end."""
        found: list[Argument] = []
        last = max(
            (i for i, a in enumerate(arguments) if not a.optional and not a.rest), default=-1
        )
        names = argument_names(argument.name for argument in arguments)
        for index, (argument, name) in enumerate(zip(arguments, names, strict=True)):
            inner = self.type(argument.type)
            rest = argument.rest and index == len(arguments) - 1
            if rest and not isinstance(inner, ArrayType):
                inner = ArrayType(inner, NOWHERE)
            optional = argument.optional and index > last and not rest
            if argument.optional and not optional:
                inner = with_undefined(inner)
            found.append(Argument(name, inner, optional, rest))
        return tuple(found)

    def tuple_type(self, node: Tuple) -> Type:
        """Rebuild a tuple with its rest element at the end, and no required one after an optional."""
        elements: list[Element] = []
        # TypeScript before 5.2 wants all elements named, or none.
        named = all(element.name for element in node.elements)
        names = argument_names(element.name for element in node.elements) if named else ()
        optional = False
        for index, element in enumerate(node.elements):
            inner = self.type(element.type)
            rest = element.rest and index == len(node.elements) - 1
            if rest and not isinstance(inner, ArrayType):
                inner = ArrayType(inner, NOWHERE)
            optional = (optional or element.optional) and not rest
            elements.append(Element(inner, names[index] if named else "", optional, rest))
        return replace(node, elements=tuple(elements))

    def hole(self, node: Type) -> Type:
        """Return the type of a template's hole: `string`, unless its values can be written as text."""
        inner = self.type(node)
        if isinstance(inner, LiteralType) or (
            isinstance(inner, Name) and inner.name in ("string", "number", "boolean", "bigint")
        ):
            return inner
        return Name("string")

    def indexed_type(self, node: Indexed) -> Type:
        """Return the type of a member, `T["key"]`. `T[K]` stays if `K` is a key of `T` by declaration."""
        keys = self.keys.get(node.index.name) if isinstance(node.index, Name) else None
        if isinstance(keys, Operator) and keys.operator == "keyof":
            # Its problems are reported only if the result is used.
            known = len(self.problems)
            base = self.type(node.type)
            if keys.type == base:
                return replace(node, type=base)
            del self.problems[known:]
        found = object_of(node.type, self.shared)
        if found and isinstance(node.index, LiteralType) and not self.inside_part:
            key = property_key(node.index.text)
            self.indexed_parts += 1
            for member in found.members if self.indexed_parts <= _MAX_INDEXED else ():
                if isinstance(member, Member) and member.key == key:
                    known = len(self.problems)
                    self.inside_part = not isinstance(node.type, Object)
                    inner = self.type(member.type)
                    if self.inside_part:
                        # They are problems of the shared type, and reported there.
                        del self.problems[known:]
                    self.inside_part = False
                    return inner
        self.problem(node.span, "names a part of a type that cannot be found")
        return _UNKNOWN
