import pytest
from pydantic import ValidationError

from webagent.types import Behavior, Manifest, Param, Tool


def test_defaults_are_those_of_the_sdk() -> None:
    """Models built with the SDK's fields only have its defaults."""
    param, tool, manifest = Param(name="q"), Tool(name="t"), Manifest()

    assert (param.type, param.description, param.required, param.default) == (
        "string",
        "",
        True,
        None,
    )
    assert (tool.description, tool.params, tool.returns, tool.sample_code) == ("", [], "", "")
    assert (manifest.name, manifest.version, manifest.tools) == ("", "0.1", [])


def test_data_of_the_sdk_validate() -> None:
    """A manifest dumped by the SDK loads."""
    data = {"name": "S", "version": "0.1", "tools": [{"name": "t", "params": []}], "content": "x"}

    assert Manifest.model_validate(data).get_tool("t") == Tool(name="t")


def test_get_tool_returns_the_first() -> None:
    """Of two tools with one name the first is found, and None if there is none."""
    first, second = Tool(name="t", description="1"), Tool(name="t", description="2")
    manifest = Manifest(tools=[first, second])

    assert manifest.get_tool("t") is first
    assert manifest.get_tool("u") is None
    assert manifest.tool_names == ["t", "t"]


def test_effects_are_a_closed_set() -> None:
    """An effect that nobody knows is refused."""
    with pytest.raises(ValidationError):
        Behavior.model_validate({"effect": "boom"})
