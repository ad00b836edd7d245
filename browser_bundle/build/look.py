"""Imports the whole core, and reports what that took; run by the build inside Pyodide."""

import base64
import dataclasses
import importlib
import json
import marshal
import pkgutil
import re
import sys
from _imp import source_hash

KEY = 0

LATER = [
    "_strptime",
    "_threading_local",
    "calendar",
    "encodings.ascii",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.unicode_escape",
    "encodings.utf_16",
    "encodings.utf_8_sig",
    "importlib.readers",
    "pkgutil",
    "platform",
    "stringprep",
]
"""Modules that are first imported by something that happens in a page, not by an import of the core:
dates that are read, texts in other encodings, names of hosts beyond ASCII, resources of packages."""

OUTSIDE = ["webagent.sync_client"]
"""Modules that need threads, of which a page has none: for programs that drive pages."""


class Recorder:
    """Keeps what imports compile: the methods of dataclasses, and regular expressions."""

    def __init__(self):
        """Listen from now on."""
        self._methods, self._patterns = self._kept = {}, {}
        self._asked = None
        self._compile = re._compiler.compile
        self._sre = re._compiler._sre
        dataclasses.exec = self._exec
        re._compiler.compile = self._compiled
        re._compiler._sre = self

    def taken(self):
        """Return what came since the last time in base64, as `webagent_late.use` takes it."""
        kept = [{key: marshal.dumps(made) for key, made in each.items()} for each in self._kept]
        self._methods, self._patterns = self._kept = {}, {}
        # After a start from the image such an expression is compiled again.
        re.purge()
        return base64.b64encode(marshal.dumps(kept)).decode()

    def _exec(self, text, names, made):
        code = compile(text, "<dataclass>", "exec")
        self._methods[source_hash(KEY, text.encode())] = code
        exec(code, names, made)

    def _compiled(self, pattern, flags=0):
        self._asked = pattern, int(flags)
        return self._compile(pattern, flags)

    def compile(self, pattern, flags, code, *groups):
        """Take the place of `_sre.compile`."""
        if pattern is not None:
            # Numbers that have names elsewhere.
            self._patterns[self._asked] = int(flags), [int(each) for each in code], *groups
        return self._sre.compile(pattern, flags, code, *groups)

    def __getattr__(self, name):
        """Be `_sre` in all else."""
        return getattr(self._sre, name)


def look(core):
    """Return what was found, as JSON.

    Args:
        core: Names of modules, as JSON: what every page needs.

    Returns:
        `first`, the names of all modules that are there after imports of these; `modules`, those
        after imports of the whole core; and `made`, what each of the two compiled, in base64.
    """
    recorder = Recorder()
    for name in json.loads(core):
        importlib.import_module(name)
    first, made = loaded(), [recorder.taken()]
    webagent = importlib.import_module("webagent")
    for module in pkgutil.walk_packages(webagent.__path__, "webagent."):
        if module.name not in OUTSIDE:
            importlib.import_module(module.name)
    for name in LATER:
        importlib.import_module(name)
    made.append(recorder.taken())
    return json.dumps({"first": first, "made": made, "modules": loaded()})


def loaded():
    """Return the names of the modules that are there."""
    return sorted(name for name, module in sys.modules.items() if module is not None)
