"""Files that only their owner can read, with tokens and logins; each is there as a whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path


def make_private(folder: Path) -> None:
    """Make a folder with mode 0700, or give it that mode.

    Raises:
        OSError: It cannot be made, or is a link, or belongs to another user.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise PermissionError("it is a link")
    if sys.platform != "win32" and stat.S_IMODE(status.st_mode) != 0o700:
        # The system refuses this for the folder of another user.
        folder.chmod(0o700)


def write_private(path: Path, text: str) -> None:
    """Write a file with mode 0600; other programs see all of it or nothing.

    A link at its place is replaced, and not followed.

    Raises:
        OSError: It cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            if sys.platform != "win32":
                # The user's mask may have taken more away.
                os.fchmod(file.fileno(), 0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink(missing_ok=True)
        raise


def read_private(path: Path, most_bytes: int) -> str:
    """Return the text of a file that no other user can have written or read.

    Raises:
        OSError: It cannot be read, is a link, or other users can read it.
        ValueError: It is too large, or no text.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise PermissionError("it is not a file")
        if sys.platform != "win32" and (status.st_uid != os.getuid() or status.st_mode & 0o077):
            raise PermissionError("other users can read it")
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError(f"it has more than {most_bytes:,} bytes")
    return data.decode("utf-8")
