"""One version in all packages: it is compared, and written in one step."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import version as script
from version import PLACES, ROOT, found, main, write

import webagent_dev
import webagent_site

NEEDED = {"webagent-page": "9.9.9", "vite": "8.0.0"}


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that have the version, and an npm package."""
    for name in PLACES:
        for path in ROOT.glob(name):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    package = {"name": "webagent-one", "version": "9.9.9", "dependencies": NEEDED}
    lock = {
        "name": "workspace",
        "packages": {
            "": {"name": "workspace"},
            "webagent-one": {"version": "9.9.9", "dependencies": NEEDED},
            "node_modules/webagent-one": {"resolved": "webagent-one", "link": True},
            "vite": {"version": "8.0.0"},
        },
    }
    for name, data in {"one/package.json": package, "package-lock.json": lock}.items():
        path = tmp_path / "npm" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=2), "utf-8")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    return tmp_path


def test_all_packages_have_one_version() -> None:
    """In their own files, and where they require each other."""
    versions = {version for _, version in found(ROOT)}

    assert versions == {webagent_dev.__version__} == {webagent_site.__version__}


def test_a_file_that_differs_is_named(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its line."""
    assert main([]) == 1
    assert "npm/one/package.json:3: 9.9.9\n" in capsys.readouterr().out


def test_a_version_is_written_everywhere(tree: Path) -> None:
    """Also where one package requires another, and nowhere else."""
    before = (tree / "browser_bundle/package-lock.json").read_text("utf-8")
    assert main(["7.8.9"]) == 0

    listed = dict(found(tree))
    assert {*listed.values()} == {"7.8.9"}
    assert len([place for place in listed if place.startswith("devserver/pyproject")]) == 3
    assert len([place for place in listed if place.startswith(("npm/one/", "npm/package-"))]) == 4
    assert '"vite": "8.0.0"' in (tree / "npm/one/package.json").read_text("utf-8")
    assert (tree / "npm/package-lock.json").read_text("utf-8").count("8.0.0") == 2
    after = (tree / "browser_bundle/package-lock.json").read_text("utf-8")
    changed = [a for a, b in zip(after.splitlines(), before.splitlines(), strict=True) if a != b]
    assert changed == ['  "version": "7.8.9",', '      "version": "7.8.9",']


def test_a_version_has_three_numbers(tree: Path) -> None:
    """Nothing is written otherwise."""
    before = dict(found(tree))

    assert main(["1.2"]) == 2
    assert dict(found(tree)) == before


def test_writing_twice_changes_nothing(tree: Path) -> None:
    """The second time."""
    write(tree, "7.8.9")
    before = [path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()]
    write(tree, "7.8.9")

    assert [path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()] == before
