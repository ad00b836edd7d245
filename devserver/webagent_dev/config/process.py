"""When a process started. With its number, that names one process: numbers are used again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROC = Path("/proc")
_PS_S = 5.0
"""How long `ps` may take."""


def process_start(pid: int) -> str | None:
    """Return when a process started, in the words of its system; None if it does not run.

    The text is only good for comparing it with another one for the same number.
    """
    if pid <= 0:
        return None
    if sys.platform == "win32":
        return _of_windows(pid)
    if (_PROC / "self" / "stat").exists():
        return _of_proc(pid)
    return of_ps(pid)


def _of_proc(pid: int) -> str | None:
    """Return the boot and the clock ticks since then, as Linux lists them."""
    try:
        stat = (_PROC / str(pid) / "stat").read_bytes()
        boot = (_PROC / "sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return None
    # The name of the program comes before them, in brackets, and may hold anything.
    fields = stat.rpartition(b")")[2].split()
    state, ticks = fields[0], fields[19]
    # A zombie has ended; only its parent has not asked for its exit code yet.
    return None if state in (b"Z", b"X") else f"{boot} {ticks.decode('ascii')}"


def of_ps(pid: int) -> str | None:
    """Return the date that `ps` prints, on macOS and BSD."""
    environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        done = subprocess.run(  # noqa: S603
            ["ps", "-o", "stat=,lstart=", "-p", str(pid)],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=_PS_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    state, _, date = done.stdout.decode("ascii", "replace").strip().partition(" ")
    return None if not date or state.startswith("Z") else " ".join(date.split())


if sys.platform == "win32":

    def _of_windows(pid: int) -> str | None:
        """Return the time of creation, in units of 100 ns."""
        import ctypes
        from ctypes import wintypes

        limited_information, still_active = 0x1000, 259
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.OpenProcess.restype = wintypes.HANDLE
        kernel.OpenProcess.argtypes = (wintypes.DWORD, wintypes.BOOL, wintypes.DWORD)
        kernel.GetExitCodeProcess.argtypes = (wintypes.HANDLE, wintypes.LPDWORD)
        kernel.GetProcessTimes.argtypes = (wintypes.HANDLE, *[wintypes.LPFILETIME] * 4)
        kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
        handle = kernel.OpenProcess(limited_information, False, pid)
        if not handle:
            return None
        try:
            code = wintypes.DWORD()
            times = [wintypes.FILETIME() for _ in range(4)]
            known = kernel.GetProcessTimes(handle, *map(ctypes.byref, times))
            # The handle of another program keeps a process known after its end.
            if (
                not kernel.GetExitCodeProcess(handle, ctypes.byref(code))
                or code.value != still_active
            ):
                return None
            created = times[0]
            return str(created.dwHighDateTime << 32 | created.dwLowDateTime) if known else None
        finally:
            kernel.CloseHandle(handle)
