"""Build and check everything that a release publishes, and lay it out. It publishes nothing.

    python scripts/release.py [DIR]    writes DIR/VERSION/, by default below dist/

The page's bundle has to be built; `make release` sees to it.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import version as versions

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ("core", "siteserver", "devserver")
NOTICES = "webagent_site/bundle/THIRD_PARTY_NOTICES.txt"
EXTENSION = ("package.json", "readme.md", "LICENSE.txt", "dist/extension.js", "dist/THIRD_PARTY_NOTICES.txt")  # fmt: skip
"""Files that the extension of the editor has."""
MOST_BYTES = {".whl": 20_000_000, ".gz": 20_000_000, ".tgz": 20_000_000, ".vsix": 1_000_000}
"""The size allowed for a file; indexes refuse files of 100 MB."""


class NotReady(Exception):
    """A release cannot be made; the message says why and what to do."""


def the_version(root: Path) -> str:
    """Return the version that all packages have.

    Raises:
        NotReady: They differ.
    """
    found = {version for _, version in versions.found(root)}
    if len(found) != 1:
        raise NotReady(
            f"the packages have the versions {', '.join(sorted(found))} - "
            "run `python scripts/version.py 1.2.3`"
        )
    return found.pop()


def changes(changelog: str, version: str) -> str:
    """Return the section of a version.

    Raises:
        NotReady: There is none, or changes are listed that belong to no version.
    """
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    if not sections or not sections[0].startswith(f"{version}\n"):
        heading = sections[0].partition("\n")[0] if sections else ""
        raise NotReady(
            f"the first section of CHANGELOG.md is `{heading}` - "
            f"what is published is below `## {version}` - give it that heading"
        )
    return sections[0].partition("\n")[2].strip() + "\n"


def build(project: Path, folder: Path, *targets: str) -> None:
    """Build packages of a Python project into a folder."""
    named = [word for target in targets for word in ("-t", target)]
    command = [sys.executable, "-m", "hatchling", "build", *named, "-d", str(folder)]
    subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)


def build_python(root: Path, folder: Path) -> list[Path]:
    """Build the wheels and the source packages into a folder."""
    for project in PYTHON:
        build(root / project, folder, "sdist", "wheel")
    return sorted(folder.iterdir())


def check_source(source: Path) -> None:
    """Check that the wheel beside a source package is also what the source package gives.

    Raises:
        NotReady: The wheels differ.
    """
    with tempfile.TemporaryDirectory() as made:
        with tarfile.open(source) as archive:
            archive.extractall(made, filter="data")
        try:
            build(Path(made) / source.name.removesuffix(".tar.gz"), Path(made), "wheel")
        except subprocess.CalledProcessError:
            raise NotReady(f"no wheel can be built from {source.name}") from None
        (wheel,) = Path(made).glob("*.whl")
        ours, theirs = contents(source.parent / wheel.name), contents(wheel)
    names = ours.keys() | theirs.keys()
    if different := sorted(name for name in names if ours.get(name) != theirs.get(name)):
        raise NotReady(f"the wheel of {source.name} has another `{different[0]}` than {wheel.name}")


def contents(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel without the list of them, whose order says nothing."""
    with zipfile.ZipFile(wheel) as archive:
        names = (name for name in archive.namelist() if not name.endswith(".dist-info/RECORD"))
        return {name: archive.read(name) for name in names}


def check_python(packages: list[Path]) -> None:
    """Check descriptions, licences and notices.

    Raises:
        NotReady: One is wrong or missing.
    """
    twine = [sys.executable, "-m", "twine", "check", "--strict", *map(str, packages)]
    done = subprocess.run(twine, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReady(f"twine refuses a description:\n{done.stdout}{done.stderr}")
    for wheel in (package for package in packages if package.suffix == ".whl"):
        with zipfile.ZipFile(wheel) as archive:
            names = set(archive.namelist())
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            text = archive.read(metadata).decode()
        if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
            raise NotReady(f"{wheel.name} has no licence")
        if wheel.name.startswith("webagent_site-") and NOTICES not in names:
            raise NotReady(f"{wheel.name} has no {NOTICES} - run `make bundle`")
        if links := re.findall(r"\]\((?!https?:|#)([^)]+)\)", text):
            raise NotReady(
                f"the description of {wheel.name} links to `{links[0]}` - an index does not have that "
                "file - write the whole address, or no link"
            )


def npm_packages(root: Path) -> Iterator[Path]:
    """Yield the folders of the npm packages that are published."""
    for path in sorted(root.glob("npm/*/package.json")):
        if not json.loads(path.read_text("utf-8")).get("private"):
            yield path.parent


def pack(package: Path, folder: Path) -> None:
    """Pack an npm package into a folder, after looking at what npm would put into it.

    Raises:
        NotReady: Its licence, its README or a file that it exports is missing, or npm refuses it.
    """
    try:
        (dry,) = npm(package, "--dry-run")
        names = {file["path"] for file in dry["files"]}
        for wanted in ("LICENSE", "README.md"):
            if wanted not in names:
                raise NotReady(f"npm/{package.name} has no {wanted}")
        described = json.loads((package / "package.json").read_text("utf-8"))
        for file in promised([described.get(key) for key in ("exports", "types", "bin", "main")]):
            if file not in names:
                raise NotReady(
                    f"npm/{package.name} has no {file}, which its package.json names - build it first"
                )
        npm(package, "--pack-destination", str(folder))
    except subprocess.CalledProcessError as error:
        raise NotReady(f"npm cannot pack npm/{package.name}:\n{error.stderr}") from None


def promised(named: Any) -> Iterator[str]:
    """Yield the files that entries of a `package.json` name, without patterns."""
    if isinstance(named, str) and "*" not in named:
        yield named.removeprefix("./")
    elif isinstance(named, (dict, list)):
        for one in named.values() if isinstance(named, dict) else named:
            yield from promised(one)


def npm(package: Path, *options: str) -> list[dict[str, Any]]:
    """Run `npm pack` and return its report."""
    command = ["npm", "pack", "--json", "--silent", *options]
    done = subprocess.run(command, cwd=package, check=True, capture_output=True, text=True)
    # Scripts of the package may print something before the report.
    packed: list[dict[str, Any]] = json.loads(done.stdout[done.stdout.index("[") :])
    return packed


def package_extension(root: Path, folder: Path, version: str) -> Path:
    """Build the extension of the editor into a folder, and return its file.

    Raises:
        NotReady: It cannot be built, or a file is missing in it.
    """
    for script in (("build",), ("package", "--", "--out", f"{folder}/")):
        command = ["npm", "run", "--silent", *script]
        done = subprocess.run(command, cwd=root / "editors/vscode", capture_output=True, text=True, check=False)  # fmt: skip
        if done.returncode:
            raise NotReady(f"the extension cannot be built - see `make vsix`:\n{done.stderr}")
    file = folder / f"webagent-{version}.vsix"
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
    for wanted in EXTENSION:
        if f"extension/{wanted}" not in names:
            raise NotReady(f"{file.name} has no {wanted}")
    return file


def check_sizes(files: list[Path]) -> None:
    """Check that no file is larger than people expect.

    Raises:
        NotReady: One is.
    """
    for file in files:
        most = MOST_BYTES[file.suffix]
        if file.stat().st_size > most:
            raise NotReady(
                f"{file.name} has {file.stat().st_size:,} bytes, and {most:,} are allowed"
            )


def commit(root: Path) -> str:
    """Return which state of the repository this is."""

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", *words], cwd=root, check=True, capture_output=True, text=True
        ).stdout.strip()

    changed = " and changes that are not committed" if git("status", "--porcelain") else ""
    return f"commit {git('rev-parse', '--short', 'HEAD')}{changed}"


def lay_out(root: Path, below: Path) -> Path:
    """Write the folder of a release, and return it.

    Raises:
        NotReady: Something is missing or wrong.
    """
    version = the_version(root)
    text = changes((root / "CHANGELOG.md").read_text("utf-8"), version)
    folder = below / version
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("npm", "vscode"):
        (folder / name).mkdir(parents=True)
    packages = build_python(root, folder / "python")
    check_python(packages)
    for source in (package for package in packages if package.suffix == ".gz"):
        check_source(source)
    for package in npm_packages(root):
        pack(package, folder / "npm")
    extension = package_extension(root, folder / "vscode", version)
    files = [*packages, *sorted((folder / "npm").glob("*.tgz")), extension]
    check_sizes(files)
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(folder).as_posix()}\n"
        for file in files
    ]
    (folder / "SHA256SUMS").write_text("".join(sums), "utf-8")
    (folder / "CHANGES.md").write_text(text, "utf-8")
    return folder


def main(arguments: list[str]) -> int:
    """Make the release, and list it; return the exit code."""
    try:
        folder = lay_out(ROOT, Path(arguments[0]) if arguments else ROOT / "dist")
    except NotReady as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    print(f"release: {folder}, from {commit(ROOT)}")
    for file in sorted(folder.glob("*/*")):
        print(f"{file.stat().st_size:>12,}  {file.relative_to(folder)}")
    print(
        "release: nothing was published; to do so:\n"
        f"  twine upload {folder}/python/*\n"
        f"  for package in {folder}/npm/*; do npm publish $package; done\n"
        f"  vsce publish --packagePath {folder}/vscode/*"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
