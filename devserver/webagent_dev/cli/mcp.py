"""`webagent-dev mcp`: MCP on standard input and output, for programs that start their servers."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, nullcontext

import click

from webagent_dev.cli.candidates import folders
from webagent_dev.cli.exit import run_command
from webagent_dev.terminal import Console
from webagent_site.config.urls import is_address
from webagent_site.errors import UsageError

START_S = 30.0
"""How long a server may take to start."""
STOP_S = 10.0
"""How long a server may take to stop."""
_POLL_S = 0.05


@click.command("mcp")
@click.argument("site", metavar="[ROOT|URL]", default=".", shell_complete=folders)
@click.option("--serve", is_flag=True, help="Start a server for the folder if none is running.")
@run_command
def command(console: Console, site: str, serve: bool) -> int:
    """Speak MCP on standard input and output, for programs that start their servers.

    Messages are passed on to the running server of a site, also after a restart of that server.

    \b
    Example:
      webagent-dev mcp my-site --serve
    """
    from webagent_dev.browser.running_server import mcp_endpoints, note_of
    from webagent_dev.cli.stdio_bridge import Bridge

    if serve and is_address(site):
        raise UsageError(
            f"`{site}` is a URL - a server is started for a folder - write the folder's path"
        )
    # The note of a killed server may be left, so the server itself is asked.
    is_running = bool(asyncio.run(mcp_endpoints(site)))
    with _started_server(site) if serve and not is_running else nullcontext():
        asyncio.run(Bridge(lambda: note_of(site), _write).run(_lines()))
    return 0


@contextmanager
def _started_server(site: str) -> Iterator[None]:
    """Run a server for a folder, and stop it in the end."""
    # Its output goes to standard error: standard output has the messages of the protocol alone.
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
    """Wait until the server has written its address down."""
    from webagent_dev.browser.running_server import note_of

    waiting = threading.Event()
    waited_s = 0.0
    while (note := note_of(site)) is None or note.pid != server.pid:
        if server.poll() is not None or waited_s > START_S:
            raise UsageError(
                f"the server of `{site}` does not start - its output is above - "
                "try `webagent-dev serve`"
            )
        waiting.wait(_POLL_S)
        waited_s += _POLL_S


async def _lines() -> AsyncIterator[str]:
    """Yield the lines of standard input."""
    # A thread reads them: not every system can await standard input.
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin.buffer:
            # What is not UTF-8 becomes half of a character, which the bridge reports.
            text = line.decode("utf-8", "surrogateescape").strip()
            if text:
                loop.call_soon_threadsafe(lines.put_nowait, text)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


def _write(line: str) -> None:
    sys.stdout.buffer.write(f"{line}\n".encode())
    sys.stdout.buffer.flush()
