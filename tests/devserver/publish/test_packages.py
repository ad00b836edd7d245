"""Bundles with packages of a site's own: how they are written, and which ones are used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from webagent_dev.cli.main import main
from webagent_dev.publish.packages import Package, write_bundle
from webagent_site.config.folders import NotABundle, checked_bundle

LOCK = "assets/00/pyodide-lock.json"
THING = Package(
    {"name": "a_thing", "version": "1"}, "a.whl", b"wheel", ("a_thing 1", "Do as you like.")
)


@pytest.fixture(name="installed")
def _installed(tmp_path: Path) -> Path:
    bundle = tmp_path / "installed"
    (bundle / "assets" / "00").mkdir(parents=True)
    listed = {"build": "b1", "lock": LOCK, "sizes": {LOCK: 30, "a": 1}}
    listed["snapshot"] = {"sizes": {LOCK: 30, "b": 2}}
    listed["variants"] = {"boot.js": {"gzip": "00"}, LOCK: {"gzip": "00"}}
    (bundle / "boot.js.gz").write_bytes(b"of the file before")
    (bundle / LOCK).write_text('{"packages": {}}')
    (bundle / "bundle.json").write_text(json.dumps(listed))
    (bundle / "boot.js").write_text(f'({{build:"b1",lock:"{LOCK}",sizes:{{"{LOCK}":30,a:1}}}})')
    (bundle / "far.js").write_text('"webagent b1"')
    (bundle / "dom.js").write_text('"a"')
    (bundle / "THIRD_PARTY_NOTICES.txt").write_text("ours\n")
    return bundle


def test_pages_of_a_written_bundle_take_its_own_lock_file(installed: Path, tmp_path: Path) -> None:
    """Scripts name it with its size, and the list of packages has what was added."""
    out = tmp_path / "out"
    write_bundle(installed, out, [THING])
    listed = json.loads((out / "bundle.json").read_text())
    lock = json.loads((out / listed["lock"]).read_text())
    size = (out / listed["lock"]).stat().st_size
    script = (out / "boot.js").read_text()

    assert (out / lock["packages"]["a-thing"]["file_name"]).read_bytes() == b"wheel"
    assert listed["sizes"] == {"a": 1, listed["lock"]: size}
    assert listed["snapshot"]["sizes"] == {"b": 2, listed["lock"]: size}
    assert f'"{listed["lock"]}":{size}' in script
    assert "b1" not in script
    assert listed["build"] in script
    assert (out / "far.js").read_text() == f'"webagent {listed["build"]}"'
    assert (out / "dom.js").read_text() == '"a"'
    assert not (out / LOCK).exists()
    assert (listed["variants"], (out / "boot.js.gz").exists()) == ({}, False)
    assert (out / "THIRD_PARTY_NOTICES.txt").read_text().endswith("Do as you like.\n")


def test_a_bundle_is_there_when_it_is_whole(installed: Path, tmp_path: Path) -> None:
    """A failed write leaves nothing behind, and the bundle before in its place."""
    out = tmp_path / "out"
    write_bundle(installed, out, [THING])
    before = (out / "bundle.json").read_text()
    (installed / "boot.js").write_bytes(LOCK.encode() + b"\xff")
    with pytest.raises(UnicodeDecodeError):
        write_bundle(installed, out, [])

    assert (out / "bundle.json").read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["installed", "out"]


def test_a_bundle_of_another_version_is_refused(installed: Path, tmp_path: Path) -> None:
    """With the command that makes it again; a folder without one, with the command that makes one."""
    out = tmp_path / "out"
    write_bundle(installed, out, [THING])
    assert checked_bundle(out, installed) == out.resolve()
    (installed / "bundle.json").write_text('{"build": "b2"}')
    with pytest.raises(NotABundle, match=r"another webagent-dev .*--add a_thing==1 --out"):
        checked_bundle(out, installed)
    with pytest.raises(NotABundle, match="does not hold a page bundle"):
        checked_bundle(tmp_path, installed)


@pytest.mark.bundle
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing option '--add'"),
        (["--add", "gone.whl"], "`gone.whl` does not exist"),
        (["--add", "thing", "--out", "."], "nothing of yours is overwritten"),
    ],
)
def test_packages_that_cannot_be_added_are_reported_at_once(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a browser is started."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["bundle", *arguments])

    assert result.exit_code == 2
    assert said in result.output
