"""Imports that other people's code may have keep working when modules move.

The names are strings on purpose: a tool that moves modules rewrites imports, and these must stay.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import webagent
import webagent_dev
import webagent_site
from tests.reference.public import PUBLIC

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/**/*.md"),
        ROOT / "core/README.md",
        ROOT / "siteserver/README.md",
        ROOT / "devserver/README.md",
    ]
)
FENCE = re.compile(r"^(?P<mark>`{3,})(?:python|py)\n(.*?)^(?P=mark)$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_can_be_imported(module: str) -> None:
    """Each name is an attribute of its module, so that `from module import name` works."""
    loaded = importlib.import_module(module)

    assert [name for name in PUBLIC[module].split() if not hasattr(loaded, name)] == []


def test_every_name_of_the_package_is_listed() -> None:
    """The public names of a package are those in `__all__`."""
    assert PUBLIC["webagent"].split() == sorted(webagent.__all__)
    assert PUBLIC["webagent_site"].split() == sorted(webagent_site.__all__)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_in_the_documentation_are_public(path: Path) -> None:
    """Python blocks import listed names only, also the blocks that no other test runs."""
    unlisted = [
        f"{module}: {name}"
        for block in FENCE.finditer(path.read_text("utf-8"))
        for module, name in _imports(block[2])
        if name not in PUBLIC.get(module, "").split()
    ]

    assert unlisted == []


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_dotted_names_in_the_documentation_can_be_imported(path: Path) -> None:
    """A dotted name in backticks that begins with one of our modules exists."""
    dotted = re.findall(r"`((?:webagent|webagent_dev)(?:\.\w+)+)[`(]", path.read_text("utf-8"))

    assert [name for name in dotted if _is_module(name) and not _is_there(name)] == []


def _imports(code: str) -> list[tuple[str, str]]:
    """Return `(module, name)` of each import from our packages; `import x` has an empty name."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, alias.name) for alias in node.names]
        elif isinstance(node, ast.Import):
            found += [(alias.name, "") for alias in node.names]
    return [
        (module, name)
        for module, name in found
        if module.partition(".")[0] in ("webagent", "webagent_dev", "webagent_site")
        # A module that is listed may be imported as a whole.
        and (name or module not in PUBLIC)
    ]


def _is_module(name: str) -> bool:
    """Whether the first two parts are a module: `webagent.run` is a method of the page's object."""
    package, child = name.split(".")[:2]
    paths = {"webagent": webagent.__path__, "webagent_dev": webagent_dev.__path__}[package]
    return child in {found.name for found in pkgutil.iter_modules(paths)}


def _is_there(name: str) -> bool:
    """Whether a dotted name is a module, or an attribute of one."""
    try:
        pkgutil.resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True
