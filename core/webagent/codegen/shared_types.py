"""The types that a manifest shares among its tools: TypeScript in a note with the title `Types`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TypeGuard

from webagent.codegen.circles import circular
from webagent.codegen.compiler import resolve_node
from webagent.codegen.identifiers import TAKEN
from webagent.codegen.scope import NO_TYPES, Problem, SharedTypes, Trouble
from webagent.diagnostics import Severity
from webagent.markdown import Block, Fence, scan
from webagent.source import Span
from webagent.tstypes import TypeSyntaxError
from webagent.tstypes.declarations import Declaration, read_declarations
from webagent.tstypes.utility_types import UNKNOWN
from webagent.types import Manifest, Note

TITLE = "types"
"""Title, in lower case, of a note that holds shared types."""

LANGUAGES = ("ts", "typescript", "tsx", "dts", "d.ts")
_MOST = 500
"""Declarations of one manifest; what follows is left out, with a finding."""

_ENUM = re.compile(r"(?:const\s+)?enum\b")


def shared_types(manifest: Manifest) -> SharedTypes:
    """Return the types that the notes of a manifest declare."""
    texts = tuple(note.text for note in manifest.notes if is_types(note))
    return _read(texts) if texts else NO_TYPES


def is_types(note: Note) -> bool:
    """Whether a note declares shared types."""
    title = note.title
    return "ypes" in title.lower() and title.strip("*_`: \t").lower() == TITLE


def undeclared_text(note: Note, shared: SharedTypes) -> str:
    """Return the text of a note without the fences whose types all are declared."""
    if not is_types(note):
        return note.text
    troubled = {trouble.fence for trouble in shared.troubles}
    left, end = [], 0
    for block in scan(note.text):
        if _is_declared(block) and block.text not in troubled:
            left.append(note.text[end : block.start].strip())
            end = block.end
    return "\n\n".join(part for part in (*left, note.text[end:].strip()) if part)


@lru_cache(maxsize=8)
def _read(texts: tuple[str, ...]) -> SharedTypes:
    found: dict[str, Declaration] = {}
    fences: dict[str, str] = {}
    troubles: list[Trouble] = []
    for fence in (fence for text in texts for fence in _fences(text)):
        declarations, errors = read_declarations(fence)
        for declaration in declarations:
            if trouble := _trouble(declaration, found, fence):
                troubles.append(trouble)
            else:
                found[declaration.name] = declaration
                fences[declaration.name] = fence
        troubles += [_unreadable(error, fence) for error in errors]
    for name in circular(found):
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


def _unreadable(error: TypeSyntaxError, fence: str) -> Trouble:
    an_enum = _ENUM.match(fence, error.start) is not None
    return Trouble(
        "invalid-declaration",
        Severity.ERROR,
        f"a declaration cannot be read: {error.message}",
        'write an enum as `type Color = "red" | "green"`'
        if an_enum
        else "write `interface Name { key: string }` or `type Name = string | number`",
        fence,
        Span(error.start, error.end),
    )


def _fences(text: str) -> Iterator[str]:
    for block in scan(text):
        if _is_declared(block):
            yield block.text


def _is_declared(block: Block) -> TypeGuard[Fence]:
    return isinstance(block, Fence) and block.language in LANGUAGES


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
    bad = next((word for word in (name, *new.parameters) if word in TAKEN), None)
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
