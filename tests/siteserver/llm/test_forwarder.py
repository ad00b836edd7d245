"""Keys are removed from responses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webagent_site.llm.forwarder import MASK, Redactor

KEY = "sk-a/b-sk-a"


def passed(redactor: Redactor, pieces: list[bytes]) -> bytes:
    return b"".join(map(redactor.feed, pieces)) + redactor.rest()


@given(
    st.lists(st.sampled_from([KEY, "s", "sk-", "sk-a/b-s", "k", "x", "é"]), max_size=12),
    st.lists(st.integers(0, 80), max_size=8),
)
def test_a_key_never_passes_however_it_is_split(texts: list[str], cuts: list[int]) -> None:
    """The chunks together are the same as replacing it in the whole."""
    whole = "".join(texts).encode()
    ends = sorted(min(cut, len(whole)) for cut in cuts)
    pieces = [whole[a:b] for a, b in zip([0, *ends], [*ends, len(whole)], strict=True)]

    assert KEY.encode() not in passed(Redactor(KEY), pieces)
    assert passed(Redactor(KEY), [whole]) == whole.replace(KEY.encode(), MASK.encode())


def test_only_the_possible_beginning_of_the_key_is_held_back() -> None:
    """Everything else is sent at once."""
    redactor = Redactor(KEY)

    assert redactor.feed(b"data: hello\n\n") == b"data: hello\n\n"
    assert redactor.feed(b"data: sk-") == b"data: "
    assert redactor.feed(b"ate\n\n") == b"sk-ate\n\n"


def test_the_key_is_known_as_json_writes_it() -> None:
    """An escaped slash does not hide it."""
    assert Redactor(KEY).text('{"said": "sk-a\\/b-sk-a"}') == f'{{"said": "{MASK}"}}'


def test_without_a_key_everything_passes() -> None:
    """An empty secret is never found."""
    assert Redactor("").feed(b"anything") == b"anything"
