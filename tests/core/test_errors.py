import ast
from pathlib import Path

import webagent.errors as errors

SOURCE = Path(__file__).parents[2] / "core" / "webagent" / "errors.py"


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """The module's docstring draws every exception, and no other."""
    # From the source: bytecode may have no docstrings.
    drawing = ast.get_docstring(ast.parse(SOURCE.read_text(encoding="utf-8"))) or ""
    lines = drawing.splitlines()[2:]
    drawn = {
        line.translate(dict.fromkeys(map(ord, "│├└─"))).split()[0] for line in lines if line.strip()
    }
    defined = {name for name, item in vars(errors).items() if isinstance(item, type)}

    assert drawn == defined


def test_every_kind_is_unique() -> None:
    """No two exceptions answer with the same kind."""
    kinds = [error.kind for error in errors.ToolError.__subclasses__()]

    assert len(kinds) == len(set(kinds))
