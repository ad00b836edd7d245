"""A remote agent that the official kit of A2A runs is a model."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from tests.a2a_agent import ROOT, kit_python
from webagent.llm import A2AModel, HttpxFetch, Message, Role, ToolDefinition
from webagent.llm.a2a.parts import Version

pytestmark = pytest.mark.timeout(600)
SEARCH = ToolDefinition("search", "finds", {"type": "object", "properties": {}})


@pytest.fixture(name="url", scope="module")
def _url() -> Iterator[str]:
    """An agent of the kit, which runs while the tests of this file do."""
    process = subprocess.Popen(
        [kit_python(), "-m", "tests.a2a_agent"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.parametrize("version", ["0.3", "1.0"])
async def test_it_asks_for_a_tool_and_hears_the_result(version: Version, url: str) -> None:
    """Words, the call with its arguments, and the end, in both versions of the protocol."""
    heard: list[str] = []
    asked = [Message(Role.USER, "find x")]
    async with HttpxFetch() as fetch:
        model = A2AModel(url, fetch, version=version)

        first = await model.reply(asked, [SEARCH])
        said = Message(Role.ASSISTANT, first.text, first.calls)
        result = Message(Role.TOOL, "three books", call_id=first.calls[0].id)
        second = await model.reply([*asked, said, result], [SEARCH], on_text=heard.append)

    assert (first.text, first.calls[0].name) == ("I look", "search")
    assert first.calls[0].arguments == {"q": "x"}
    assert (second.text, second.calls) == ("it gave three books", ())
    assert "".join(heard) == second.text
