import pytest

from webagent.json_text import is_shallow, read_json


@pytest.mark.parametrize("text", ['{"a": [1, 2.5, null, "]{["]}', "[" * 64 + "]" * 64, '"\\"["'])
def test_json_is_read(text: str) -> None:
    """Data of ordinary depth is read; brackets in strings do not count."""
    assert is_shallow(read_json(text))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "in line 1"),
        ("[NaN]", "`NaN` is not JSON"),
        ("1e999", "`1e999` is too large a number"),
        ("[" * 65, "it is nested too deeply"),
        ('{"a":' * 100_000, "it is nested too deeply"),
        ('"' + "\\" * 99_999, "in line 1"),
        ('{"a":"' + '\\"' * 100_000, "in line 1"),
        ('{"a":"' + '\\"' * 100_000 + "\\", "in line 1"),
    ],
)
def test_text_that_is_refused(text: str, why: str) -> None:
    """Text that is not JSON, or is nested too deeply, is refused with a reason."""
    with pytest.raises(ValueError, match=why):
        read_json(text)


def test_a_list_that_contains_itself_is_not_shallow() -> None:
    """The list has no end, but the check ends."""
    data: list[object] = []
    data.append(data)

    assert not is_shallow(data)
