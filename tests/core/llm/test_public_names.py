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


def test_conversations_load_no_model() -> None:
    """A page that asks no model loads none."""
    code = (
        "import sys, webagent.llm.chat\n"
        "loaded = {name for name in sys.modules if name.startswith('webagent.llm.')}\n"
        "assert loaded == {'webagent.llm.chat', 'webagent.llm.errors'}, loaded\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
