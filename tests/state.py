"""Folders for the state of the servers that tests start."""

from __future__ import annotations

from pathlib import Path

_COPIES = Path(__file__).parents[1] / ".cache" / "copies"


def new_state(folder: Path) -> Path:
    """Make a folder for `$XDG_STATE_HOME` in another one; only copies of the bundle's files are there.

    To compress these files takes longer than nearly all tests, so all runs share the copies. A server
    uses a copy only if it has the digest in its name.
    """
    home = folder / "state"
    _COPIES.mkdir(parents=True, exist_ok=True)
    (home / "webagent").mkdir(mode=0o700, parents=True)
    (home / "webagent" / "copies").symlink_to(_COPIES, target_is_directory=True)
    return home
