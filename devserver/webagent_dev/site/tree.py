"""The files of a site: what people save in its folder, and what a server would serve of that."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from webagent_dev.http.paths import HTML_SUFFIXES, Kind, locate

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
"""What editors and tools write beside the files that people save."""
BUILT = "webagent/files.json"
"""What a build lists in the folder that it writes: that folder is a copy of a site, no part of one."""


def saved_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield what people save under a root by its paths with `/`, in order; built copies are left out.

    Args:
        root: A real path.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            f
            for f in folders
            if f not in IGNORED_FOLDERS and not (Path(folder) / f / BUILT).is_file()
        )
        for name in sorted(names):
            if not any(fnmatchcase(name, pattern) for pattern in IGNORED_FILES):
                path = Path(folder) / name
                yield path.relative_to(root).as_posix(), path


def site_files(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield what visitors can have of it, by real paths; links that leave the root are none.

    Args:
        root: A real path.
    """
    for path, _ in saved_files(root):
        located = locate(root, f"/{path}")
        if located.kind is Kind.FILE:
            yield path, located.path


def is_html(path: str) -> bool:
    """Whether the name of a file is that of a page."""
    return Path(path).suffix.lower() in HTML_SUFFIXES
