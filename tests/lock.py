"""The versions of `lock.txt`, for environments that tests make themselves."""

from __future__ import annotations

import os
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
LOCK = ROOT / "lock.txt"
DOCS_LOCK = ROOT / "docs_site" / "lock.txt"


def locked(lock: Path = LOCK) -> dict[str, list[str]]:
    """Return the requirements of a lock, each with its hashes."""
    lines = lock.read_text("utf-8").replace("\\\n", "").splitlines()
    return {
        line.partition(" --hash=")[0].strip(): re.findall(r"--hash=(\S+)", line)
        for line in lines
        if line and not line.startswith("#")
    }


def constraints_file() -> Path:
    """Return a file that pip takes with `--constraint`, which it does not with hashes."""
    path = ROOT / ".cache" / "constraints.txt"
    path.parent.mkdir(exist_ok=True)
    making = path.with_suffix(f".{os.getpid()}")
    making.write_text("".join(f"{line}\n" for line in locked()), "utf-8")
    return making.replace(path)
