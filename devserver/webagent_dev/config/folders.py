"""Folders outside of the site: the bundle that is served, and the server's own state."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

BUNDLE = Path(__file__).resolve().parents[1] / "bundle"


def state_path(root: Path, ending: str) -> Path:
    """Return where something is kept of a root, the note or what else there is."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return state_folder() / f"{digest}{ending}"


def state_folder() -> Path:
    """Return the folder of all notes: `$XDG_STATE_HOME/webagent`, or the system's usual place."""
    home = Path(os.environ.get("XDG_STATE_HOME", ""))
    # A relative path says nothing (XDG Base Directory Specification).
    if home.is_absolute():
        return home / "webagent"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "webagent"
    return Path.home() / ".local" / "state" / "webagent"


class NotOurs(Exception):
    """A folder cannot be used as the page bundle; the message says why and what to do."""


def checked_bundle(folder: Path, installed: Path = BUNDLE) -> Path:
    """Return the real path of a bundle that was made of the installed one.

    Raises:
        NotOurs: It is none.
    """
    try:
        listed = listed_in(folder)
    except (OSError, ValueError):
        raise NotOurs(
            f"`{folder}` holds no page bundle - `[site] bundle` names the folder of one - "
            "make it with `webagent-dev bundle --add PACKAGE --out FOLDER`"
        ) from None
    if listed.get("made_of") != listed_in(installed).get("build"):
        added = " ".join(f"--add {name}" for name in listed.get("added", ["PACKAGE"]))
        raise NotOurs(
            f"`{folder}` was made by another webagent-dev - pages would get another agent than the "
            f"one that is installed - run `webagent-dev bundle {added} --out {folder}` again"
        )
    return folder.resolve()


def listed_in(bundle: Path) -> dict[str, Any]:
    """Return what a bundle says of itself.

    Raises:
        OSError: It says nothing.
        ValueError: What it says cannot be read.
    """
    listed = json.loads((bundle / "bundle.json").read_text("utf-8"))
    if not isinstance(listed, dict):
        raise ValueError("no bundle")
    return listed
