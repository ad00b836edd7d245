"""The part of Python's standard library that reaches a page after its start.

The first archive holds what the agent itself can touch; its modules are in `FIRST`, all others in
`REST`, which the build appends to this file. Modules of the core that no start imports come late
too, and after a start from the snapshot the files of the first archive.

Methods of dataclasses and regular expressions of the core come compiled, which saves its imports
half of their time (`use`).
"""

import dataclasses
import importlib
import marshal
import random
import re
import sys
from _imp import source_hash
from _sre import compile as pattern_of
from importlib.machinery import PathFinder
from types import ModuleType
from zipimport import zipimporter

ARCHIVE = "/lib/python314-rest.zip"
KEY = 0
METHODS, PATTERNS = COMPILED = {}, {}
compile_anew = re._compiler.compile


class LateModule(ModuleType):
    """A module of the image without its content, which comes when it is first asked for."""

    def __getattr__(self, name):
        """Return what the module has."""
        fill(self)
        return getattr(self, name)

    def __setattr__(self, name, value):
        """Replace what it has, and not what is to come."""
        fill(self)
        setattr(self, name, value)

    def __dir__(self):
        """Return the names of what it has."""
        fill(self)
        return dir(self)


def fill(module):
    """Give a module its content.

    Raises:
        ImportError: As `LateFinder.wait`.
    """
    spec = module.__spec__
    LateFinder.expected.wait(spec.name)
    if type(module) is LateModule:
        ModuleType.__setattr__(module, "__class__", ModuleType)
        spec.loader.exec_module(module)


class LateFinder:
    """Finds the modules that come late, and waits for them where waiting is possible."""

    expected = None
    """The one that `expect` has made."""

    def __init__(self, bring):
        """Find what a function of the page brings, which returns a promise."""
        self._bring = bring
        self._arrived = False

    def find_spec(self, name, path=None, target=None):
        """Return the spec of a late module, None for all others.

        Raises:
            ImportError: As `wait`.
        """
        if name not in REST:  # noqa: F821
            if self._arrived or not _is_ours(name):
                return None
            self.wait(name)
            return PathFinder.find_spec(name, path, target)
        self.wait(name)
        folder = name.rpartition(".")[0].replace(".", "/")
        return zipimporter(f"{ARCHIVE}/{folder}" if folder else ARCHIVE).find_spec(name)

    def arrive(self):
        """Take notice that the archives are where they are looked for."""
        importlib.invalidate_caches()
        self._arrived = True

    def wait(self, name):
        """Wait for the archives, which a module is in.

        Raises:
            ImportError: They are not there yet and this code cannot wait, or they do not come.
        """
        if self._arrived:
            return
        from pyodide.ffi import can_run_sync, run_sync

        if not can_run_sync():
            raise ImportError(
                f"`{name}` is not there yet - it follows after the start, and this code cannot wait "
                "for it - import it a moment later",
                name=name,
            )
        try:
            run_sync(self._bring())
        except Exception as error:
            raise ImportError(
                f"`{name}` is in a file that follows after the start, and did not come - {error} - "
                "see that the page can fetch the files of its bundle",
                name=name,
            ) from None


def _is_ours(name):
    return name in FIRST or name.startswith("webagent.")  # noqa: F821


def expect(bring):
    """Look for late modules too (`LateFinder`); return the finder, which is notified when they arrive."""
    LateFinder.expected = finder = LateFinder(bring)
    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, finder)
    return finder


def use(made):
    """Take from a file of the build what would be compiled; all else is compiled as ever.

    Args:
        made: What `look.py` recorded, as a proxy of bytes.
    """
    for known, more in zip(COMPILED, marshal.loads(made.to_py()), strict=True):
        known.update(more)
    dataclasses.exec = _run
    re._compiler.compile = _compiled


def _run(text, names, made):
    code = METHODS.get(source_hash(KEY, text.encode()))
    exec(marshal.loads(code) if code else text, names, made)


def _compiled(pattern, flags=0):
    program = PATTERNS.get((pattern, int(flags)))
    return pattern_of(pattern, *marshal.loads(program)) if program else compile_anew(pattern, flags)


def restored():
    """Make random what every page that starts from the same image would have in common."""
    random.seed()
