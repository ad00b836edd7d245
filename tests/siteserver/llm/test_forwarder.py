"""Keys are removed from responses."""

from __future__ import annotations

import json

import pytest
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


ESCAPED = "".join(f"\\u{ord(letter):04x}" for letter in KEY)


@given(
    st.lists(
        st.sampled_from(
            [
                *(KEY, ESCAPED, ESCAPED.upper().replace("U", "u"), "sk-\\u0061\\/b", "\\u002Dsk-a"),
                *("\\\\", '\\"', "\\n", "\\u00e9", "\\u005c", "u0073k", "s", "é"),
            ]
        ),
        max_size=8,
    ),
    st.lists(st.integers(0, 200), max_size=8),
)
def test_a_key_never_passes_however_json_escapes_it(texts: list[str], cuts: list[int]) -> None:
    """Its readers see the mask instead, and everything else as it was."""
    whole = "".join(texts).encode()
    ends = sorted(min(cut, len(whole)) for cut in cuts)
    pieces = [whole[a:b] for a, b in zip([0, *ends], [*ends, len(whole)], strict=True)]
    found = passed(Redactor(KEY), pieces)

    read = json.loads(b'"%s"' % whole)
    assert json.loads(b'"%s"' % found) == read.replace(KEY, MASK)


@pytest.mark.parametrize("key", ['sk-"quoted"', "sk-back\\/slash", "sk-a+b="])
def test_a_key_of_signs_is_known_as_json_writes_it(key: str) -> None:
    """Where JSON has to escape a sign, too."""
    for written in (json.dumps(key), json.dumps(key).replace("+", "\\u002B")):
        assert Redactor(key).text(written) == f'"{MASK}"'
    assert Redactor(key).text(key) == MASK


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
