"""Lines in the terminal about tools that pages offer without a manifest."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from tests.devserver.site.test_state import GOOD
from webagent_dev.live.page_console import OfferReport
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.pages.wire import PageRegistry


def shown(root: Path, *registries: list[Any]) -> list[str]:
    """Return the lines for the tools that a page lists, one list after the other."""
    stream = io.StringIO()
    report = OfferReport(Console(stream), Site(root))
    for tools in registries:
        report.show(PageRegistry(state="ready", tools=tools))
    return [line.strip() for line in stream.getvalue().splitlines()]


def tool(name: str, source: str = "modelContext") -> dict[str, str]:
    return {"name": name, "source": source}


def test_each_tool_is_shown_once(tmp_path: Path) -> None:
    """With the way in which it is offered; a reload adds nothing."""
    assert shown(
        tmp_path,
        [],
        [tool("getCart"), tool("search", "form")],
        [tool("search", "form"), tool("getCart")],
        [tool("getCart"), tool("pay", "component")],
    ) == [
        "page      agents find `getCart`, `search` by its forms and scripts, without webagents.md",
        "page      agents find `pay` by its components, without webagents.md",
    ]


def test_with_a_manifest_nothing_is_shown(tmp_path: Path) -> None:
    """The comparison with the page reports missing tools then."""
    (tmp_path / "webagents.md").write_bytes(GOOD)

    assert shown(tmp_path, [tool("getCart")]) == []


def test_a_page_cannot_flood_the_terminal(tmp_path: Path) -> None:
    """And cannot send it control characters."""
    lines = shown(
        tmp_path,
        [3, {}, {"name": 1, "source": []}, tool("\x1b[2J" + "x" * 500, "\x1b")],
        [tool(f"tool{number}") for number in range(3_000)],
        [tool("later")],
    )

    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)
    assert "by its other ways" in lines[0]
    assert lines[1].endswith("`tool9` and 2990 more by its scripts, without webagents.md")
