"""The bundle that a site names in its configuration, and whether it is one of this version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from webagent_dev.http.assets import BUNDLE


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
