"""From the command to the first answer, against Python's own `http.server`."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.bench.table import table

TITLE = "First answer after the command, ms"
ROUNDS = 7
TEMPLATE = Path(__file__).parents[2] / "site_template"


async def run() -> str:
    """Return the table."""
    peer, ours = [], []
    for _ in range(ROUNDS):
        port = free_port()
        peer.append(first_answer_ms(["http.server", "-d", str(TEMPLATE), str(port)], port))
        port = free_port()
        ours.append(
            first_answer_ms(["webagent_dev", "serve", str(TEMPLATE), "--port", str(port)], port)
        )
    return table("server", {"python -m http.server": peer, "webagent-dev serve": ours})


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def first_answer_ms(module: list[str], port: int) -> float:
    """Start a module as a server and return the milliseconds until it answers."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *module], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while time.perf_counter() - started < 30:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.002)
            else:
                return (time.perf_counter() - started) * 1000
        raise SystemExit(f"bench: {module[0]} gave no answer within 30 s")
    finally:
        process.terminate()
        process.wait()
