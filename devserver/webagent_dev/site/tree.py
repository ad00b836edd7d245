"""The files of a site: those that people save in its folder, and those that a server serves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from webagent_site.http.paths import HTML_SUFFIXES, Kind, locate

IGNORED_FOLDERS = frozenset(
    (".git", ".hg", ".pytest_cache", ".svn", ".venv", "__pycache__", "node_modules")
)
IGNORED_FILES = (
    "*~",
    ".#*",
    "#*#",
    "4913",
    "*.swp",
    "*.swx",
    "*.tmp",
    "*.pyc",
    f"sed{'[A-Za-z0-9]' * 6}",
)
"""Names of the files that editors and tools write next to those that people save."""
BUILT = "webagent/files.json"
"""The list of files that a build writes. A folder with it is a copy of a site, and not part of one."""

_ENVIRONMENT = "pyvenv.cfg"
"""In the folder of a Python environment, whatever its name. Its packages have pages, too."""


def saved_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files that people save under a root in order, without what tools install or build.

    Each is the path from the root with `/`, and the path of the file.

    Args:
        root: A real path.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f
            for f in folders
            if f not in IGNORED_FOLDERS
            and not any((Path(folder) / f / sign).is_file() for sign in (BUILT, _ENVIRONMENT))
        )
        for name in sorted(names):
            if not any(fnmatchcase(name, pattern) for pattern in IGNORED_FILES):
                path = Path(folder) / name
                yield path.relative_to(root).as_posix(), path


def site_files(root: Path, allow_files: Sequence[str] = ()) -> Iterator[tuple[str, Path]]:
    """Yield the files that a server serves, with their real paths; links out of the root are not served.

    Args:
        root: A real path.
        allow_files: The files that are served whatever their names.
    """
    for path, _ in saved_files(root):
        located = locate(root, f"/{path}", allow_files)
        if located.kind is Kind.FILE:
            yield path, located.path


def denied_files(root: Path, allow_files: Sequence[str] = ()) -> Iterator[str]:
    """Yield the saved files that a server does not serve because of their names."""
    for path, _ in saved_files(root):
        if locate(root, f"/{path}", allow_files).denied:
            yield path


def is_html(path: str) -> bool:
    """Whether a path is that of an HTML page."""
    return Path(path).suffix.lower() in HTML_SUFFIXES
