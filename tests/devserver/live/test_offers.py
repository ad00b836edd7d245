"""What the terminal says of tools that pages offer without a manifest."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from tests.devserver.site.test_state import GOOD
from webagent_dev.live.messages import PageRegistry
from webagent_dev.live.page_console import OfferReport
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console


def told(root: Path, *registries: list[Any]) -> list[str]:
    """Return what is written of the tools that a page lists, one list after the other."""
    stream = io.StringIO()
    report = OfferReport(Console(stream), Site(root))
    for tools in registries:
        report.show(PageRegistry(state="ready", tools=tools))
    return [line.strip() for line in stream.getvalue().splitlines()]


def tool(name: str, source: str = "modelContext") -> dict[str, str]:
    return {"name": name, "source": source}


def test_each_tool_is_told_once(tmp_path: Path) -> None:
    """With the way in which it is offered; a page that loads again says nothing new."""
    assert told(
        tmp_path,
        [],
        [tool("getCart"), tool("search", "form")],
        [tool("search", "form"), tool("getCart")],
        [tool("getCart"), tool("pay", "component")],
    ) == [
        "page      agents find `getCart`, `search` by its forms and scripts, without webagents.md",
        "page      agents find `pay` by its components, without webagents.md",
    ]


def test_with_a_manifest_nothing_is_said(tmp_path: Path) -> None:
    """What is not in it is told by the comparison with the page."""
    (tmp_path / "webagents.md").write_bytes(GOOD)

    assert told(tmp_path, [tool("getCart")]) == []


def test_nothing_that_a_page_sends_fills_the_terminal(tmp_path: Path) -> None:
    """Nor steers it."""
    lines = told(
        tmp_path,
        [3, {}, {"name": 1, "source": []}, tool("\x1b[2J" + "x" * 500, "\x1b")],
        [tool(f"tool{number}") for number in range(3_000)],
        [tool("later")],
    )

    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert "by its other ways" in lines[0]
    assert lines[1].endswith("`tool9` and 2990 more by its scripts, without webagents.md")
