"""The script of a release: what it refuses, and what it lays out."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import release
from release import (
    NotReady,
    changes,
    check_python,
    check_sizes,
    check_source,
    contents,
    pack,
    package_extension,
    the_version,
)

ROOT = Path(__file__).parents[2]


@pytest.mark.conformance
@pytest.mark.bundle
@pytest.mark.process
@pytest.mark.timeout(300)
def test_a_release_is_laid_out(tmp_path: Path) -> None:
    """Packages for Python, npm and the editor, sums and changes; it says that nothing was published."""
    script = [sys.executable, str(ROOT / "scripts/release.py"), str(tmp_path)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / the_version(ROOT)

    for kind in ("*.whl", "*.tar.gz"):
        packages = sorted(path.name.partition("-")[0] for path in (folder / "python").glob(kind))
        assert packages == ["webagent_core", "webagent_dev", "webagent_site"]
    (extension,) = (folder / "vscode").iterdir()
    assert extension.name == f"webagent-{the_version(ROOT)}.vsix"
    listed = len([*folder.glob("*/*")])
    assert len((folder / "SHA256SUMS").read_text("utf-8").splitlines()) == listed
    assert len([*(folder / "npm").iterdir()]) == len([*release.npm_packages(ROOT)])
    for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    assert (folder / "CHANGES.md").read_text("utf-8") in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert "nothing was published" in done.stdout


def test_versions_that_differ_are_refused(tmp_path: Path) -> None:
    """With the command that sets them."""
    for name, number in (("core", "1.0.0"), ("devserver", "1.0.1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pyproject.toml").write_text(f'version = "{number}"\n')

    with pytest.raises(NotReady, match=r"1\.0\.0, 1\.0\.1 - run `python scripts/version\.py"):
        the_version(tmp_path)


@pytest.mark.parametrize(
    "text", ["# Changelog\n", "# Changelog\n\n## Unreleased\n\n- x\n\n## 1.0.0\n\n- y\n"]
)
def test_changes_without_a_version_are_refused(text: str) -> None:
    """They would be published without being listed."""
    with pytest.raises(NotReady, match=r"give it that heading"):
        changes(text, "1.0.0")


def test_the_changes_are_those_of_the_version() -> None:
    """Not of the one before."""
    text = "# Changelog\n\n## 1.1.0\n\n### New\n\n- y\n\n## 1.0.0\n\n- x\n"

    assert changes(text, "1.1.0") == "### New\n\n- y\n"


def spoiled(wheel: Path, folder: Path, change: dict[str, str | None]) -> Path:
    """Copy a wheel, with texts instead of files, or without them."""
    copy = folder / wheel.name
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(copy, "w") as after:
        for name in before.namelist():
            instead = next((text for end, text in change.items() if name.endswith(end)), "")
            if instead is None:
                continue
            data = before.read(name)
            after.writestr(name, data + instead.encode() if instead else data)
    return copy


@pytest.mark.bundle
@pytest.mark.process
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"/LICENSE": None}, "has no licence"),
        ({"THIRD_PARTY_NOTICES.txt": None}, "has no webagent_site/bundle/THIRD_PARTY_NOTICES.txt"),
        ({"/METADATA": "\n[the docs](../docs/README.md)\n"}, "links to `../docs/README.md`"),
    ],
)
def test_an_incomplete_wheel_is_refused(
    change: dict[str, str | None], words: str, wheels: list[Path], tmp_path: Path
) -> None:
    """A published wheel cannot be taken back."""
    (site,) = (wheel for wheel in wheels if wheel.name.startswith("webagent_site"))

    with pytest.raises(NotReady, match=re.escape(words)):
        check_python([spoiled(site, tmp_path, change)])


@pytest.mark.process
def test_a_source_package_gives_the_same_wheel(tmp_path: Path) -> None:
    """The template of a site is in both; a wheel with another file is refused."""
    release.build(ROOT / "devserver", tmp_path, "sdist", "wheel")
    (source,), (wheel,) = tmp_path.glob("*.tar.gz"), tmp_path.glob("*.whl")
    assert "webagent_dev/site_template/webagents.md" in contents(wheel)

    check_source(source)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("webagent_dev/added.py", "")
    with pytest.raises(NotReady, match=r"has another `webagent_dev/added\.py` than webagent_dev"):
        check_source(source)


@pytest.mark.process
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm runs the scripts of the extension")
def test_an_extension_that_lacks_a_file_is_refused(tmp_path: Path) -> None:
    """And one that cannot be built, with the command that prepares it."""
    editor = tmp_path / "editors" / "vscode"
    editor.mkdir(parents=True)
    with zipfile.ZipFile(tmp_path / "webagent-1.0.0.vsix", "w") as archive:
        archive.writestr("extension/package.json", "{}")
    for build, words in (("exit 1", "see `make vsix`"), ("exit 0", "vsix has no readme.md")):
        scripts = {"scripts": {"build": build, "package": "exit 0"}}
        (editor / "package.json").write_text(json.dumps(scripts))
        with pytest.raises(NotReady, match=words):
            package_extension(tmp_path, tmp_path, "1.0.0")


def test_a_file_that_has_grown_is_refused(tmp_path: Path) -> None:
    """With both sizes."""
    wheel = tmp_path / "webagent_core-1.0.0-py3-none-any.whl"
    with wheel.open("wb") as file:
        file.truncate(20_000_001)

    with pytest.raises(NotReady, match="has 20,000,001 bytes, and 20,000,000 are allowed"):
        check_sizes([wheel])


@pytest.mark.process
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm packs")
def test_an_npm_package_needs_what_it_promises(tmp_path: Path) -> None:
    """Its licence, and the files that it exports; with them, it is packed."""
    package, packed = tmp_path / "one", tmp_path / "packed"
    package.mkdir()
    packed.mkdir()
    exports = {".": {"types": "./dist/one.d.ts", "import": "./dist/one.js"}, "./files/*": "./f/*"}
    described = {"name": "one", "version": "1.0.0", "exports": exports}
    (package / "package.json").write_text(json.dumps(described))
    (package / "README.md").write_text("# one\n")

    with pytest.raises(NotReady, match="npm/one has no LICENSE"):
        pack(package, packed)
    (package / "LICENSE").write_text("MIT\n")
    with pytest.raises(NotReady, match=r"no dist/one\.d\.ts, which its package\.json names"):
        pack(package, packed)
    (package / "dist").mkdir()
    for name in ("one.js", "one.d.ts"):
        (package / "dist" / name).write_text("")
    pack(package, packed)
    assert [path.name for path in packed.iterdir()] == ["one-1.0.0.tgz"]
