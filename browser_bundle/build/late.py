"""The part of Python's standard library that reaches a page after its start.

The first archive holds what the agent itself can touch; the names of all other modules are in
`NAMES`, which the build appends to this file.
"""

import importlib
import random
import sys
from importlib.machinery import PathFinder
from zipimport import zipimporter

ARCHIVE = "/lib/python314-rest.zip"


class LateFinder:
    """Finds the modules of the second archive, and waits for it where waiting is possible."""

    def __init__(self, bring):
        """Take what brings the archive: a function of the page that returns a promise."""
        self._bring = bring
        self._arrived = False

    def find_spec(self, name, path=None, target=None):
        """Return the spec of a late module, None for all others.

        Raises:
            ImportError: It is not there yet and this code cannot wait, or it does not come.
        """
        if name not in NAMES:  # noqa: F821
            return None
        if not self._arrived:
            self._wait(name)
        folder = name.rpartition(".")[0].replace(".", "/")
        return zipimporter(f"{ARCHIVE}/{folder}" if folder else ARCHIVE).find_spec(name)

    def arrive(self):
        """Take notice that the archives are where they are looked for."""
        importlib.invalidate_caches()
        self._arrived = True

    def _wait(self, name):
        from pyodide.ffi import can_run_sync, run_sync

        if not can_run_sync():
            raise ImportError(
                f"`{name}` is not there yet - this part of the standard library follows after the "
                "start, and this code cannot wait for it - import it a moment later",
                name=name,
            )
        try:
            run_sync(self._bring())
        except Exception as error:
            raise ImportError(
                f"`{name}` is in a part of the standard library that did not come - {error} - "
                "see that the page can fetch the files of its bundle",
                name=name,
            ) from None


def expect(bring):
    """Look for modules in the second archive too; return the finder, which is told of its arrival."""
    finder = LateFinder(bring)
    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, finder)
    return finder


def restored():
    """Make random what every page that starts from the same image would have in common."""
    random.seed()
