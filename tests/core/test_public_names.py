import importlib
import subprocess
import sys

import pytest

import webagent

SDK = [
    "AgentClient",
    "Manifest",
    "Param",
    "Tool",
    "build_manifest",
    "build_tool",
    "discover",
    "discover_manifest_url",
    "fetch_manifest",
    "generate_typescript",
    "meta_tag",
    "parse",
    "parse_file",
    "to_markdown",
    "validate",
    "write_file",
]


def test_all_is_what_can_be_imported() -> None:
    """Each public name exists, and `dir` shows no other."""
    assert sorted(webagent.__all__) == dir(webagent)
    for name in webagent.__all__:
        assert getattr(webagent, name).__name__ == name


def test_names_of_the_sdk() -> None:
    """Every name that the format's SDK exports is exported."""
    assert set(SDK) <= set(webagent.__all__)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("types", "Param Tool Manifest"),
        ("parser", "parse parse_file"),
        ("codegen", "generate_typescript"),
        ("serializer", "to_markdown write_file"),
        ("discovery", "discover discover_manifest_url fetch_manifest"),
        ("site", "build_manifest build_tool meta_tag validate validate_markdown to_markdown"),
        ("client", "AgentClient"),
    ],
)
def test_modules_of_the_sdk(module: str, names: str) -> None:
    """The modules of the format's SDK have its names."""
    loaded = importlib.import_module(f"webagent.{module}")

    assert all(hasattr(loaded, name) for name in names.split())


def test_an_unknown_name_raises_attribute_error() -> None:
    """A package that imports its names late still refuses others."""
    with pytest.raises(AttributeError, match="nothing"):
        webagent.nothing  # noqa: B018


def test_import_loads_nothing() -> None:
    """`import webagent` loads neither pydantic nor httpx, and parsing no httpx."""
    code = (
        "import sys, webagent\n"
        "assert not {'pydantic', 'httpx'} & sys.modules.keys()\n"
        "webagent.parse('# S'); webagent.AgentClient()\n"
        "assert 'httpx' not in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", code], check=True)
