"""Methods of dataclasses and regular expressions of the core, compiled by the build.

This saves a start without a snapshot a fifth of the time of its imports.
"""

import dataclasses
import marshal
import re
from _imp import source_hash
from _sre import compile as pattern_of

KEY = 0


def use():
    """Take from it what would be compiled; all else is compiled as ever."""
    methods, patterns = marshal.loads(MADE)  # noqa: F821
    compile_anew = re._compiler.compile

    def run(text, names, made):
        exec(methods.get(source_hash(KEY, text.encode()), text), names, made)

    def compiled(pattern, flags=0):
        program = patterns.get((pattern, int(flags)))
        return pattern_of(pattern, *program) if program else compile_anew(pattern, flags)

    dataclasses.exec = run
    re._compiler.compile = compiled
