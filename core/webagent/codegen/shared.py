"""The types that a manifest shares among its tools: TypeScript in a note with the title `Types`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from webagent.codegen.names import RESERVED
from webagent.codegen.scope import NO_TYPES, Problem, SharedTypes, Trouble
from webagent.codegen.types import resolve_node
from webagent.diagnostics import Severity
from webagent.markdown import Fence, scan
from webagent.source import Span
from webagent.tstypes.declarations import Declaration, read_declarations
from webagent.tstypes.nodes import Combined, Indexed, Name, Operator, Template, Type
from webagent.tstypes.structure import UNKNOWN
from webagent.tstypes.walk import parts
from webagent.tstypes.words import LIBRARY, OWN_WORDS, PRIMITIVES, UNREADABLE
from webagent.types import Manifest, Note

TITLE = "types"
"""Title, in lower case, of a note that holds shared types."""

LANGUAGES = ("ts", "typescript", "tsx", "dts", "d.ts")
_MOST = 500
"""Declarations of one manifest; what follows is left out, with a finding."""

_TAKEN = (
    PRIMITIVES
    | OWN_WORDS.keys()
    | LIBRARY.keys()
    | UNREADABLE
    | RESERVED
    | {"Function", "Object", "globalThis", "intrinsic", "keyof", "readonly"}
)
_DEFERRED = ("Array", "ReadonlyArray", "Promise", "Map", "Set")


def shared_types(manifest: Manifest) -> SharedTypes:
    """Return the types that the notes of a manifest declare."""
    texts = tuple(note.text for note in manifest.notes if is_types(note))
    return _read(texts) if texts else NO_TYPES


def is_types(note: Note) -> bool:
    """Whether a note declares shared types."""
    title = note.title
    return "ypes" in title.lower() and title.strip("*_`: \t").lower() == TITLE


@lru_cache(maxsize=64)
def _read(texts: tuple[str, ...]) -> SharedTypes:
    found: dict[str, Declaration] = {}
    fences: dict[str, str] = {}
    troubles: list[Trouble] = []
    for fence in (fence for text in texts for fence in _fences(text)):
        declarations, error = read_declarations(fence)
        for declaration in declarations:
            if trouble := _trouble(declaration, found, fence):
                troubles.append(trouble)
            else:
                found[declaration.name] = declaration
                fences[declaration.name] = fence
        if error is not None:
            troubles.append(
                Trouble(
                    "invalid-declaration",
                    Severity.ERROR,
                    f"the declarations cannot be read from here on: {error.message}",
                    "write `interface Name { key: string }` or `type Name = string | number`",
                    fence,
                    Span(error.start, error.end),
                )
            )
    for name in _circular(found):
        troubles.append(_circle(found[name], fences[name]))
        found[name] = replace(found[name], type=UNKNOWN, interface=False)
    raw = SharedTypes(found)
    problems: list[tuple[str, str, Problem]] = []
    compiled: dict[str, Declaration] = {}
    for name, declaration in found.items():
        resolved = resolve_node(
            declaration.type, fences[name], raw, frozenset(declaration.parameters)
        )
        compiled[name] = replace(declaration, type=resolved.node)
        problems += ((name, fences[name], problem) for problem in resolved.problems)
    return SharedTypes(compiled, tuple(problems), tuple(troubles))


def _fences(text: str) -> Iterator[str]:
    for block in scan(text):
        if isinstance(block, Fence) and block.language in LANGUAGES:
            yield block.text


def _trouble(new: Declaration, found: Mapping[str, Declaration], fence: str) -> Trouble | None:
    name = new.name
    if name in found:
        return Trouble(
            "duplicate-type",
            Severity.ERROR,
            f"`{name}` is declared a second time; the first declaration is used",
            "remove one of the two, or rename it",
            fence,
            new.span,
        )
    if len(found) >= _MOST:
        return Trouble(
            "invalid-declaration",
            Severity.ERROR,
            f"`{name}` is left out: a manifest shares at most {_MOST} types",
            "write types that one tool uses at that tool",
            fence,
            new.span,
        )
    bad = next((word for word in (name, *new.parameters) if word in _TAKEN), None)
    if bad is None and len(set(new.parameters)) == len(new.parameters):
        return None
    what = f"`{bad}` has a meaning in TypeScript already" if bad else "two parameters have one name"
    return Trouble(
        "invalid-declaration",
        Severity.ERROR,
        f"the type `{name}` cannot be declared: {what}",
        "choose another name",
        fence,
        new.span,
    )


def _circle(declaration: Declaration, fence: str) -> Trouble:
    return Trouble(
        "circular-type",
        Severity.ERROR,
        f"`{declaration.name}` stands for itself, so agents see `unknown`",
        "put what repeats into a property or an array: `{ children: Name[] }`",
        fence,
        declaration.span,
    )


def _circular(found: Mapping[str, Declaration]) -> list[str]:
    """Return the names of types that stand for themselves, in order."""
    needs = {name: _immediate(d.type, found, d.parameters) for name, d in found.items()}
    # A type that needs only types that are no circles is none; what is left needs a circle or is one.
    left = dict(needs)
    users: dict[str, list[str]] = {}
    for name, names in needs.items():
        for needed in names:
            users.setdefault(needed, []).append(name)
    waiting = {name: len(names) for name, names in needs.items()}
    free = [name for name, count in waiting.items() if count == 0]
    while free:
        name = free.pop()
        del left[name]
        for user in users.get(name, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                free.append(user)
    return [name for name in left if _reaches(name, left)]


def _reaches(name: str, needs: Mapping[str, set[str]]) -> bool:
    """Whether a type leads back to itself."""
    seen: set[str] = set()
    left = list(needs[name])
    while left:
        other = left.pop()
        if other == name:
            return True
        if other in needs and other not in seen:
            seen.add(other)
            left.extend(needs[other])
    return False


def _immediate(node: Type, found: Mapping[str, Declaration], parameters: Sequence[str]) -> set[str]:
    """Return the shared types that have to be known before a type is."""
    names: set[str] = set()
    left = [node]
    while left:
        inner = left.pop()
        if isinstance(inner, Name):
            if inner.name in found and inner.name not in parameters:
                names.add(inner.name)
            if inner.name not in _DEFERRED:
                left.extend(inner.arguments)
        elif isinstance(inner, Combined | Operator | Indexed | Template):
            left.extend(parts(inner))
    return names
