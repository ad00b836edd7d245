"""Installs a program that tests need, from the first source that has it.

The output of a source is kept, and shown only when none of them has it: a download that
fails does not matter where the next source succeeds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """Commands that install a program, one after the other."""

    name: str
    commands: tuple[tuple[str, ...], ...]


def debian_sources(package: str) -> list[Source]:
    """Return the package of Debian, where it can be installed without a password."""
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        return []
    update = ("apt-get", "update", "-q")
    install = ("apt-get", "install", "-qy", "--no-install-recommends", package)
    return [Source(f"Debian's package {package}", (update, install))]


def install_program(
    program: str, sources: Sequence[Source], find: Callable[[], str | None]
) -> str | None:
    """Install a program and return its path, or print why that failed and return None.

    Args:
        program: Its name in messages.
        sources: Where to get it, the best first.
        find: Returns the path of one that is installed.
    """
    if not sources:
        return None
    names = ", else ".join(source.name for source in sources)
    print(f"{program}: none found; installing {names}", flush=True)
    kept = []
    for source in sources:
        kept.append(f"{program}: {source.name} could not be installed:\n{_output(source)}")
        if (path := find()) and _starts(path):
            return path
    print("\n".join(kept), flush=True)
    return None


def _output(source: Source) -> str:
    """Run the commands of a source up to the first that fails; return all they print."""
    printed = ""
    for command in source.commands:
        run = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
        )
        printed += run.stdout
        if run.returncode:
            break
    return printed.strip()


def _starts(path: str) -> bool:
    """Return whether a program has the libraries that it needs."""
    try:
        run = subprocess.run([path, "--version"], check=False, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return run.returncode == 0
