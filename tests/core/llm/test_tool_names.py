"""Names that every protocol accepts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from webagent.llm.tool_names import ToolNames, safe_names


def test_names_keep_what_is_allowed() -> None:
    """Letters, digits, `_` and `-` stay, the rest becomes `_`."""
    assert safe_names(["searchBooks", "cart.add", "größe"]) == {
        "searchBooks": "searchBooks",
        "cart.add": "cart_add",
        "größe": "gr__e",
    }


def test_a_long_name_is_cut_to_64_and_keeps_its_digest() -> None:
    """55 characters, `_`, and 8 digits of the name's SHA-256."""
    name = "a" * 80
    assert safe_names([name]) == {name: f"{'a' * 55}_0f45e858"}


@given(st.lists(st.text(min_size=1, max_size=90), unique=True, max_size=20))
def test_all_names_are_different_and_allowed(names: list[str]) -> None:
    """Each name has a unique one, for any names."""
    found = safe_names(names)

    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", safe) for safe in found.values())


@given(st.lists(st.text("0a_-", min_size=1, max_size=5), unique=True, max_size=20))
def test_names_that_begin_with_a_letter(names: list[str]) -> None:
    """Gemini refuses a digit or `-` at the beginning; each name is still unique and found again."""
    tools = ToolNames(names, letter_first=True)
    safe = [tools.safe(name) for name in names]

    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", one) for one in safe)
    assert [tools.own(one) for one in safe] == names
