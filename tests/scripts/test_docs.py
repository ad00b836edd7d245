"""The pages of the site of the documentation, before they become HTML."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import docs
import pytest

SITE = {
    PurePosixPath("docs/README.md"): "README.md",
    PurePosixPath("docs/how-to/site.md"): "how-to/site.md",
    PurePosixPath("docs/images/panel.png"): "images/panel.png",
    PurePosixPath("core/README.md"): "reference/core.md",
}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("docs/how-to/site.md", "[a](../README.md#learn)", "[a](../README.md#learn)"),
        ("docs/how-to/site.md", "[`a`](../../core/README.md)", "[`a`](../reference/core.md)"),
        ("docs/how-to/site.md", "![a](../images/panel.png)", "![a](../images/panel.png)"),
        ("core/README.md", "[a [b]](../docs/how-to/site.md)", "[a [b]](../how-to/site.md)"),
        ("core/README.md", "see [its tests](../tests/core)", "see its tests"),
        ("core/README.md", "`[a](../tests/core)`", "`[a](../tests/core)`"),
        ("core/README.md", "[a](https://a.example/) [b](#c)", "[a](https://a.example/) [b](#c)"),
        ("core/README.md", "```md written\n[a](../tests)\n```", "```md\n[a](../tests)\n```"),
    ],
)
def test_links_are_right_in_the_site(path: str, before: str, after: str) -> None:
    """Wherever their page is; what the site lacks is text, and code stays as it is."""
    assert docs.moved(before, PurePosixPath(path), SITE, "") == after


def test_files_that_the_site_lacks_are_linked_where_the_repository_is() -> None:
    """Once it has an address."""
    text = docs.moved("[a](../tests/core)", PurePosixPath("core/README.md"), SITE, "https://h/r")

    assert text == "[a](https://h/r/blob/main/tests/core)"


def named(entry: Any) -> Iterator[str]:
    """Yield the pages of a part of the navigation."""
    if isinstance(entry, str):
        yield entry
    else:
        for each in entry.values() if isinstance(entry, dict) else entry:
            yield from named(each)


def test_the_navigation_has_every_page_once() -> None:
    """But for those of the examples, which how-to pages lead to."""
    places = docs.places()
    pages = sorted(
        place
        for place in places.values()
        if place.endswith(".md") and not place.startswith("examples/")
    )

    assert sorted(named(docs.navigation(places))) == pages


def test_sections_are_those_of_the_entrance() -> None:
    """In its order, and the pages for contributors last."""
    sections = [name for section in docs.navigation(docs.places()) for name in section]

    assert sections == ["Overview", "Learn", "How to", "Reference", "Understand", "Design"]


def test_toml_reads_back() -> None:
    """As the generator reads the navigation."""
    value = [{"Start": "README.md"}, {'“a” "b"': ["c.md", {"d\\e": []}]}]

    assert tomllib.loads(f"nav = {docs.toml(value)}") == {"nav": value}


def test_versions_are_listed_from_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their numbers, and the page above them leads to the first."""
    monkeypatch.setattr(docs, "OUT", tmp_path)
    for name in ("0.9", "0.10", "0.2", "notes"):
        (tmp_path / name).mkdir()

    docs.announce()

    listed = json.loads((tmp_path / "versions.json").read_text())
    assert [version["version"] for version in listed] == ["0.10", "0.9", "0.2"]
    assert [version["aliases"] for version in listed] == [["latest"], [], []]
    assert "url=0.10/" in (tmp_path / "index.html").read_text()
