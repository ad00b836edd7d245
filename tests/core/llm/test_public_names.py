"""The public names of `webagent.llm`."""

import subprocess
import sys

import pytest

from webagent import llm


def test_all_is_what_can_be_imported() -> None:
    """Each public name is there, in alphabetical order."""
    assert sorted(llm.__all__) == llm.__all__
    for name in llm.__all__:
        assert getattr(llm, name).__name__ == name


def test_an_unknown_name_raises_attribute_error() -> None:
    """An unknown name is an `AttributeError`."""
    with pytest.raises(AttributeError, match="nothing"):
        llm.nothing  # noqa: B018


@pytest.mark.parametrize("module", ["chat", "tool_names"])
def test_a_part_loads_no_other(module: str) -> None:
    """A page that asks no model loads none, and before its first goal no conversation."""
    code = (
        f"import sys, webagent.llm.{module}\n"
        "loaded = {name for name in sys.modules if name.startswith('webagent.llm.')}\n"
        f"assert loaded == {{'webagent.llm.{module}'}}, loaded\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
