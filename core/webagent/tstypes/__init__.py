"""TypeScript type expressions: read, walked and printed."""

from webagent.tstypes.printer import print_member, print_type
from webagent.tstypes.reader import read_type
from webagent.tstypes.scanner import TypeSyntaxError
from webagent.tstypes.words import instead

__all__ = ["TypeSyntaxError", "instead", "print_member", "print_type", "read_type"]
