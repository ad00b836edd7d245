"""`webagent-dev mcp`: MCP on standard input and output, for programs that start their servers."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

from webagent_dev.browser.running_server import note_of
from webagent_dev.cli.stdio_bridge import Bridge
from webagent_dev.config.urls import is_address
from webagent_dev.errors import UsageError

START_S = 30.0
"""How long a server may take to be there."""
STOP_S = 10.0
_LOOK_S = 0.05


def run(site: str, *, serve: bool = False) -> int:
    """Pass messages on until standard input ends; return the exit code, 0.

    Args:
        site: The path of a folder, or an address at which a server of ours runs.
        serve: Whether to start a server for the folder if none runs, and to stop it in the end.

    Raises:
        UsageError: A server is to be started for an address, or does not start.
    """
    if serve and is_address(site):
        raise UsageError(
            f"`{site}` is an address - a server is started for a folder - write the folder's path"
        )
    with _server(site) if serve and not _answers(site) else _nothing():
        asyncio.run(Bridge(lambda: note_of(site), _write).run(_lines()))
    return 0


def _answers(site: str) -> bool:
    """Whether a server runs; the note of one that was killed is still there."""
    from webagent_dev.browser.running_server import RunningServer

    async def ask() -> bool:
        note = note_of(site)
        if note is None:
            return False
        async with RunningServer(note) as running:
            return bool(await running.state())

    return asyncio.run(ask())


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _server(site: str) -> Iterator[None]:
    # What it prints is no message of the protocol.
    server = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "webagent_dev", "serve", *([] if site == "." else [site])],
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
    )
    try:
        _await_note(site, server)
        yield
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(STOP_S)
        except subprocess.TimeoutExpired:
            server.kill()


def _await_note(site: str, server: subprocess.Popen[bytes]) -> None:
    waiting = threading.Event()
    waited_s = 0.0
    while (note := note_of(site)) is None or note.pid != server.pid:
        if server.poll() is not None or waited_s > START_S:
            raise UsageError(
                f"the server of `{site}` does not start - what it said stands above - "
                "try `webagent-dev serve`"
            )
        waiting.wait(_LOOK_S)
        waited_s += _LOOK_S


async def _lines() -> AsyncIterator[str]:
    """Yield the lines of standard input, which cannot be awaited on every system."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin.buffer:
            text = line.decode("utf-8", "replace").strip()
            if text:
                loop.call_soon_threadsafe(lines.put_nowait, text)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


def _write(line: str) -> None:
    sys.stdout.buffer.write(f"{line}\n".encode())
    sys.stdout.buffer.flush()
