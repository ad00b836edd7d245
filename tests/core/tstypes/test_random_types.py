from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.tstypes.strategies import types
from webagent.tstypes import TypeSyntaxError, print_type, read_type
from webagent.tstypes.declarations import read_declarations
from webagent.tstypes.nodes import Type
from webagent.tstypes.walk import depth, parts, rebuild

WORDS = (
    "a string { } [ ] ( ) < > | & => ? : ; , ... . - 1 'x' \" ` ${ } readonly keyof /** d */ // e "
    "interface type = extends export"
)
TOKENS = st.sampled_from([*WORDS.split(" "), "\n"])


@settings(deadline=None)
@given(types())
def test_a_printed_type_reads_back_as_itself(node: Type) -> None:
    """Printing loses nothing, and printing what was read gives the same text."""
    text = print_type(node)

    assert read_type(text) == node
    assert print_type(read_type(text)) == text


@settings(deadline=None)
@given(st.lists(TOKENS, max_size=30).map(" ".join))
def test_any_text_is_a_type_or_a_syntax_error(text: str) -> None:
    """Reading ends with a type that prints stably, or with an error."""
    read_declarations(text)
    with suppress(TypeSyntaxError):
        printed = print_type(read_type(text))
        assert print_type(read_type(printed)) == printed


@given(types())
def test_rebuilding_with_the_same_parts_changes_nothing(node: Type) -> None:
    """A walk meets every part of a type."""
    assert rebuild(node, lambda part: part) == node
    assert depth(node) == 1 + max((depth(part) for part in parts(node)), default=0)
