"""The compiler of the bundle takes bytecode of unchanged modules from the last build."""

from __future__ import annotations

import io
import runpy
import zipfile
from pathlib import Path

COMPILE = runpy.run_path(str(Path(__file__).parents[2] / "browser_bundle" / "build" / "compile.py"))
NAME = "thing-1.0-py3-none-any.whl"


def wheel(**modules: str) -> bytes:
    """Return a wheel with modules of these sources."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, source in modules.items():
            archive.writestr(f"thing/{name}.py", source)
        archive.writestr("thing-1.0.dist-info/WHEEL", "Tag: py3-none-any\n")
    return out.getvalue()


def test_a_changed_module_is_compiled_and_the_others_are_kept() -> None:
    """The result is that of a build from nothing; only what has changed was compiled for it."""
    compiled = COMPILE["compile_wheel"]
    _, first = compiled(NAME, wheel(one="ONE = 1\n", two="TWO = 2\n"))
    files = COMPILE["entries_of"](first)
    # A mark that a new compilation would not have.
    files["thing/one.pyc"] += b"kept"
    files["thing/two.pyc"] += b"kept"
    marked = COMPILE["write_zip"](sorted(files.items()))
    changed = wheel(one="ONE = 1\n", two="TWO = 22\n")
    _, again = compiled(NAME, changed, 2, marked)
    _, anew = compiled(NAME, changed)
    _, same = compiled(NAME, changed, 2, first)

    files, fresh = COMPILE["entries_of"](again), COMPILE["entries_of"](anew)
    assert files["thing/one.pyc"] == fresh["thing/one.pyc"] + b"kept"
    assert files["thing/two.pyc"] == fresh["thing/two.pyc"]
    assert same == anew
