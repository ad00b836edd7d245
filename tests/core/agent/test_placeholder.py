import pytest

from webagent.agent.redact import fill_secret, masked_part
from webagent.errors import InvalidArguments


@pytest.mark.parametrize(
    ("text", "masked", "secret"),
    [
        ("log in with password: x1y2", "log in with password: •••", "x1y2"),
        ("password: x1y2, please", "password: •••, please", "x1y2"),
        ("nothing", "nothing", ""),
        ("a: 1 b: 2", "a: ••• b: •••", ""),
        ("another text", "password: •••", ""),
    ],
)
def test_the_masked_part_of_a_text(text: str, masked: str, secret: str) -> None:
    """One masked part of a text is known; of several none is."""
    assert masked_part(text, masked) == secret


def test_the_mask_is_filled_in_where_secrets_go() -> None:
    """The secret replaces the mask under a secret's name, and nothing else."""
    assert fill_secret("•••", ("Password *",), "x1y2") == "x1y2"
    assert fill_secret("text", ("comment",), "x1y2") == "text"
    with pytest.raises(InvalidArguments, match="`comment` takes none"):
        fill_secret("•••", ("comment",), "x1y2")
