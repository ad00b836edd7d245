"""Every public name of `webagent`, from its source."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import webagent
from tests.reference.markdown import fence

NAME = "python"
TITLE = "The names of `webagent`"
FOR = "For those who import `webagent` in Python: each public name with its signature and what it does."

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def body() -> str:
    """Return the page's text: one section for each name."""
    names = webagent.__all__
    return (
        "\n\n".join(part for name in names for part in told(getattr(webagent, name), name)) + "\n"
    )


def told(thing: type | Callable[..., Any], name: str, *, level: int = 2) -> Iterator[str]:
    """Yield the parts of the section of a class or a function.

    Args:
        thing: The class or function.
        name: Its public name.
        level: Of the heading.
    """
    node = _source(thing)
    yield f"{'#' * level} {name}"
    if isinstance(node, ast.ClassDef):
        yield fence("\n".join(_class(node)))
        yield _first(node)
        if members := [*_described(node), *_methods(thing)]:
            yield "\n".join(members)
    else:
        assert isinstance(node, _Function)
        yield fence(_signature(node))
        yield _first(node)


def _source(thing: Any) -> ast.stmt:
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(thing))).body
    return node


def _class(node: ast.ClassDef) -> Iterator[str]:
    """Yield the head of a class, and its fields or values."""
    bases = ", ".join(map(ast.unparse, node.bases))
    made = next((each for each in _functions(node) if each.name == "__init__"), None)
    yield f"class {node.name}({bases})" if bases else f"class {node.name}"
    if made:
        yield f"    {node.name}({ast.unparse(_without_self(made.args))})"
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not ast.unparse(each.target).startswith("_"):
            yield f"    {ast.unparse(each.target)}: {ast.unparse(each.annotation)}"
        elif isinstance(each, ast.Assign):
            yield f"    {ast.unparse(each)}"


def _described(node: ast.ClassDef) -> Iterator[str]:
    """Yield the fields of a model, each with its description."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.value, ast.Call):
            given = {keyword.arg: keyword.value for keyword in each.value.keywords}
            words = given.get("description")
            if isinstance(words, ast.Constant):
                yield f"- `{ast.unparse(each.target)}` – {words.value}"


def _methods(thing: type) -> Iterator[str]:
    """Yield the public methods and properties of a class, and of what it is derived from here."""
    found: dict[str, _Function] = {}
    for base in inspect.getmro(thing):
        if base.__module__.startswith("webagent"):
            node = _source(base)
            assert isinstance(node, ast.ClassDef)
            for each in _functions(node):
                found.setdefault(each.name, each)
    for each in found.values():
        if each.name.startswith("_"):
            continue
        if any(ast.unparse(mark) == "property" for mark in each.decorator_list):
            assert each.returns
            yield f"- `{each.name}: {ast.unparse(each.returns)}` – {_first(each)}"
        else:
            yield f"- `{_signature(each, method=True)}` – {_first(each)}"


def _functions(node: ast.ClassDef) -> list[_Function]:
    return [each for each in node.body if isinstance(each, _Function)]


def _signature(node: _Function, *, method: bool = False) -> str:
    given = _without_self(node.args) if method else node.args
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    wait = "await " if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"{wait}{node.name}({ast.unparse(given)}){returns}"


def _without_self(given: ast.arguments) -> ast.arguments:
    given.args = [each for each in given.args if each.arg not in ("self", "cls")]
    return given


def _first(node: ast.ClassDef | _Function) -> str:
    """Return the first paragraph of a docstring, on one line."""
    return " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
