"""TypeScript types: a reader, the nodes of a type, functions that change them, and a printer."""

from webagent.tstypes.known_names import instead
from webagent.tstypes.printer import print_member, print_type
from webagent.tstypes.reader import read_type
from webagent.tstypes.scanner import TypeSyntaxError

__all__ = ["TypeSyntaxError", "instead", "print_member", "print_type", "read_type"]
