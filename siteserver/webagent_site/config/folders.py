"""Folders outside of the site: the page bundle, and the server's own state."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

BUNDLE = Path(__file__).resolve().parents[1] / "bundle"
"""The page bundle that comes with this package."""


def state_path(root: Path, suffix: str) -> Path:
    """Return the file of a root in the state folder that has a suffix, such as its note."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return state_folder() / f"{digest}{suffix}"


def state_folder() -> Path:
    """Return the folder of the server's state: `$XDG_STATE_HOME/webagent`, or the usual place."""
    home = Path(os.environ.get("XDG_STATE_HOME", ""))
    # A relative path is invalid (XDG Base Directory Specification).
    if home.is_absolute():
        return home / "webagent"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "webagent"
    return Path.home() / ".local" / "state" / "webagent"


class NotABundle(Exception):
    """A folder cannot be used as the page bundle; the message says why and what to do."""


def checked_bundle(folder: Path, installed: Path = BUNDLE) -> Path:
    """Return the real path of a bundle that was made of the installed one.

    Raises:
        NotABundle: It was not.
    """
    try:
        listed = read_index(folder)
    except (OSError, ValueError):
        raise NotABundle(
            f"`{folder}` does not hold a page bundle - `[site] bundle` names the folder of one - "
            "make it with `webagent-dev bundle --add PACKAGE --out FOLDER`"
        ) from None
    if listed.get("made_of") != read_index(installed).get("build"):
        added = " ".join(f"--add {name}" for name in listed.get("added", ["PACKAGE"]))
        raise NotABundle(
            f"`{folder}` was made by another webagent-dev - pages would get another agent than the "
            f"one that is installed - run `webagent-dev bundle {added} --out {folder}` again"
        )
    return folder.resolve()


def read_index(bundle: Path) -> dict[str, Any]:
    """Return the index of a bundle.

    Raises:
        OSError: There is none.
        ValueError: It cannot be read.
    """
    listed = json.loads((bundle / "bundle.json").read_text("utf-8"))
    if not isinstance(listed, dict):
        raise ValueError("not an index of a bundle")
    return listed
