"""Where the files of a site define a tool."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webagent_dev.site.implementations import implementations

CODE = "async (query) => {\n  return find(query);\n}"


@pytest.fixture(name="site")
def _site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    return site


def places(site: Path, **tool: Any) -> list[tuple[str, int]]:
    """Return the file and the line of each place."""
    found = implementations(site, [{"source": "manifest", **tool}])
    return [
        (one.path.relative_to(site).as_posix(), one.text.count("\n", 0, one.offset) + 1)
        for one in found
    ]


@pytest.mark.parametrize("name", ["shop.js", "index.html", "src/shop.ts", "teas/List.vue"])
def test_a_function_is_found_as_the_page_has_it(site: Path, name: str) -> None:
    """In scripts and in pages, whatever the ends of its lines are."""
    (site / name).parent.mkdir(exist_ok=True)
    text = f"// Teas.\n\nglobalThis.findTeas = {CODE};\n"
    (site / name).write_bytes(text.replace("\n", "\r\n").encode())
    assert places(site, name="findTeas", code=CODE) == [(name, 3)]
    assert places(site, name="findTeas", code=CODE.replace("\n", "\r\n")) == [(name, 3)]


def test_of_equal_functions_the_one_of_the_name_is_meant(site: Path) -> None:
    """None, where no name is near."""
    (site / "a.js").write_text(f"globalThis.findTeas = {CODE};\nglobalThis.findCups = {CODE};\n")
    assert places(site, name="findCups", code=CODE) == [("a.js", 4)]
    (site / "a.js").write_text(f"const a = {CODE};\n" + "\n" * 99 + f"const b = {CODE};\n")
    assert places(site, name="findCups", code=CODE) == []


def test_a_function_that_was_built_is_found_by_its_name(site: Path) -> None:
    """The types of a TypeScript file are not in the page."""
    (site / "a.ts").write_text("if (globalThis.findTeas == null) {}\nglobalThis.findTeas = async (q: string) => q;\n")  # fmt: skip
    (site / "b.js").write_text("export function findCups (size) { return size; }\n")
    assert places(site, name="findTeas", code="async (q) => q") == [("a.ts", 2)]
    assert places(site, name="findCups", code="function findCups(size){return size}") == [
        ("b.js", 1)
    ]


def test_a_registered_tool_is_found_by_its_name(site: Path) -> None:
    """Where a script registers tools, and nowhere else."""
    (site / "a.js").write_text('document.modelContext.registerTool({\n  name: "findTeas",\n});\n')
    (site / "b.js").write_text('const person = { name: "findTeas" };\n')
    assert places(site, name="findTeas", source="modelContext") == [("a.js", 2)]


def test_only_files_of_the_site_are_read(site: Path) -> None:
    """No packages, no builds, no links out of it, whatever a page says."""
    text = f"globalThis.findTeas = {CODE};\n"
    for folder in (site.parent, site / "node_modules" / "teas", site / "out"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "teas.js").write_text(text)
    (site / "out" / "webagent").mkdir()
    (site / "out" / "webagent" / "files.json").write_text("[]")
    (site / "link.js").symlink_to(site.parent / "teas.js")
    (site / "broken.js").write_bytes(b"\xff" + text.encode())
    (site / "large.js").write_text(text + " " * 2_000_000)
    assert places(site, name="findTeas", code=CODE) == []
    for code in ("../teas.js", "/etc/passwd", f"{site.parent}/teas.js", ".*", "(", "\0"):
        assert places(site, name="(", code=code) == []
