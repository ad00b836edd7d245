"""Compare or set the version of all packages, which is one number in many files.

python scripts/version.py          exits with 1 when the files differ
python scripts/version.py 0.3.0    writes it into all of them
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PYPROJECT = r'(^version = "|"webagent-[a-z]+(?:\[[a-z,]+\])?==)([^"]+)'
MODULE = r'(^__version__ = ")([^"]+)'
OWN = r"(?:vite-plugin-)?webagent(?:-[a-z]+)?"
PACKAGE = rf'(^  "version": "|"{OWN}": "[~^]?)(\d[^"]*)'
LOCK = (
    rf'(^  "version": "|^    "(?:{OWN})?": \{{\n(?:      "name": "[^"]+",\n)?      "version": "'
    rf'|^        "{OWN}": "[~^]?)(\d[^"]*)'
)

REVISION = r"(rev: v|/webagent@v)(\d[^\s]*)"

PLACES = {
    "core/pyproject.toml": PYPROJECT,
    "siteserver/pyproject.toml": PYPROJECT,
    "siteserver/webagent_site/__init__.py": MODULE,
    "devserver/pyproject.toml": PYPROJECT,
    "devserver/webagent_dev/__init__.py": MODULE,
    "browser_bundle/package.json": PACKAGE,
    "browser_bundle/package-lock.json": LOCK,
    "npm/*/package.json": PACKAGE,
    "npm/package-lock.json": LOCK,
    "editors/*/package.json": PACKAGE,
    "editors/*/package-lock.json": LOCK,
    "action/run.sh": PYPROJECT,
    "docs/how-to/ci.md": REVISION,
}
"""The files, and where in them the version is, behind the first group."""


def places(root: Path) -> Iterator[tuple[Path, re.Pattern[str]]]:
    """Yield each file that has the version, and how it is found there."""
    for name, pattern in PLACES.items():
        for path in sorted(root.glob(name)):
            yield path, re.compile(pattern, re.MULTILINE)


def found(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each place, as a file with its line, and the version that is there."""
    for path, pattern in places(root):
        text = path.read_text("utf-8")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start(2)) + 1
            yield f"{path.relative_to(root).as_posix()}:{line}", match[2]


def write(root: Path, version: str) -> None:
    """Write a version into all places."""
    for path, pattern in places(root):
        text = path.read_text("utf-8")
        path.write_text(pattern.sub(rf"\g<1>{version}", text), "utf-8")


def main(arguments: list[str]) -> int:
    """Set the version that is given, then compare; return the exit code."""
    if arguments:
        (version,) = arguments
        if not re.fullmatch(r"\d+\.\d+\.\d+", version):
            print(f"version: `{version}` has not the form 1.2.3", file=sys.stderr)
            return 2
        write(ROOT, version)
    listed = dict(found(ROOT))
    versions = {*listed.values()}
    if len(versions) == 1:
        print(f"version: {versions.pop()} in {len(listed)} places")
        return 0
    for place, version in listed.items():
        print(f"{place}: {version}")
    print("version: they differ; write `python scripts/version.py 1.2.3`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
