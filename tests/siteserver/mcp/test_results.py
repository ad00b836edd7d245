"""Results of pages for clients of MCP."""

from __future__ import annotations

from webagent.page.values import FileValue
from webagent_site.mcp.results import error_result, success_result


def test_half_of_a_character_can_be_sent() -> None:
    """JavaScript strings may hold it: in a file's name, in data, and in an error."""
    shown = {"title": "Sale \ud83d"}
    file = FileValue("\ud83d.txt", "text/plain", b"a")
    good = success_result(shown, structured=shown, files=[file])
    bad = error_result({"kind": "threw", "message": "no \ud83d"})

    assert good.structured_content == {"title": "Sale \ufffd"}
    assert good.model_dump_json()
    assert bad.model_dump_json()
