"""Every public name of the other modules of our packages, from their sources."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import webagent
from tests.reference.markdown import fence
from tests.reference.public import PUBLIC
from tests.reference.python import told

NAME = "python-modules"
TITLE = "The public modules"
FOR = (
    "For those who import from modules below `webagent`, `webagent_site` and `webagent_dev`: "
    "each public name with its signature and what it does."
)

LONGEST = 100
"""A value that is longer is cut: its words say what it has."""


def body() -> str:
    """Return the page's text: a section for each module, with one for each name."""
    parts = [
        "[The names of `webagent`](python.md) are on a page of their own. "
        "Other names of these packages may change with any version."
    ]
    seen: dict[int, str] = {id(getattr(webagent, name)): name for name in webagent.__all__}
    linked = {name: f"[`{name}`](python.md#{name.lower()})" for name in webagent.__all__}
    for path, names in PUBLIC.items():
        if path == "webagent":
            continue
        module = importlib.import_module(path)
        parts.append(f"## `{path}`")
        again = [name for name in names.split() if id(getattr(module, name)) in seen]
        if again:
            known = (linked.get(seen[id(getattr(module, name))], f"`{name}`") for name in again)
            parts.append(f"Described elsewhere on these pages: {', '.join(known)}.")
        for name in names.split():
            thing = getattr(module, name)
            if name not in again:
                seen[id(thing)] = name
                parts += _named(module, name, thing)
    return "\n\n".join(parts) + "\n"


def _named(module: ModuleType, name: str, thing: Any) -> Iterator[str]:
    """Yield the parts of the section of a name."""
    if inspect.isclass(thing) or inspect.isfunction(thing):
        yield from told(thing, name, level=3)
        return
    node, words = _statement(module, name)
    yield f"### {name}"
    yield fence(node)
    if words:
        yield " ".join(words.split("\n\n")[0].split())


def _statement(module: ModuleType, name: str) -> tuple[str, str]:
    """Return how a value or a fixture is written where it is defined, and the words below it."""
    body = ast.parse(inspect.getsource(module)).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if node.module and (alias.asname or alias.name) == name:
                    return _statement(importlib.import_module(node.module), alias.name)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_fixture(node, name):
            return f"fixture {name}", ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if name in map(ast.unparse, targets):
                said = after.value if isinstance(after, ast.Expr) else None
                words = said.value if isinstance(said, ast.Constant) else ""
                text = ast.unparse(node)
                return (text if len(text) <= LONGEST else f"{text.split(' = ')[0]} = …"), str(words)
    raise AssertionError(f"{module.__name__} does not define {name}")


def _is_fixture(node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return node.name == name or any(f"name='{name}'" in ast.unparse(m) for m in node.decorator_list)
