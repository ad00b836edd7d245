from __future__ import annotations

import re

import pytest

from webagent import parse
from webagent_site.errors import ConfigError, UsageError
from webagent_site.http.bundle_files import integrity
from webagent_site.tools.server_tools import ServerTools


def _find_teas(word: str, most: int = 3) -> list[str]:
    """Find teas by a word."""
    return [word] * most


def _tools() -> ServerTools:
    tools = ServerTools()
    tools.tool(effect="read", name="findTeas", sample_code='await global.findTeas("green");')(
        _find_teas
    )
    return tools


def test_a_function_stays_as_it_is() -> None:
    """The application can call what the decorator returns."""
    assert ServerTools().tool(effect="read")(_find_teas) is _find_teas


def test_tools_are_added_to_a_manifest() -> None:
    """Behind what a person wrote, which stays byte for byte, with its line ends."""
    written = "# Shop\r\n\r\n## pay\r\nPay now.\r\n\r\n### Params\r\n"
    text = _tools().manifest_text(written)

    assert text.startswith(written)
    assert re.findall(r"(?<!\r)\n", text) == []
    assert parse(text).tool_names == ["pay", "findTeas"]
    assert parse(text).tools[1] == _tools().manifest_tools()[0]


def test_a_name_twice_names_both_places() -> None:
    """In the file and in the code, or twice in the code."""
    tools = _tools()
    with pytest.raises(
        ConfigError, match=r"site/webagents\.md:3 and by `.*_find_teas` \(.*\.py:\d+"
    ):
        tools.manifest_text("# Shop\n\n## findTeas\nFind.\n\n### Params\n", "site/webagents.md")
    with pytest.raises(ConfigError, match=r"`findTeas` is declared twice, by `.*` \(.*\) and by `"):
        tools.tool(effect="read", name="findTeas")(lambda: None)


def test_a_text_that_swallows_what_follows() -> None:
    """A fence that is never closed would hide the tools."""
    with pytest.raises(UsageError, match="fence"):
        _tools().manifest_text("# Shop\n\n```js\n")


def test_the_tag_names_the_script_and_its_hash() -> None:
    """The address changes with the content, so that it may be kept for ever."""
    tools = _tools()
    before = tools.tag()
    assert integrity(tools.script().encode()) in before
    assert f'src="/shop/__webagent__/tools/{tools.script_name}"' in tools.tag("/shop/")
    assert 'nonce="abc"' in tools.tag(nonce="abc")

    tools.tool(effect="read", name="other")(lambda: None)
    assert tools.tag() != before
