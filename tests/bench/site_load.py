"""The Starlette example under the highest rate for a minute, with the agent and bare, over real sockets."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.running import Memory, Running
from tests.bench.table import comparison

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "starlette"
SECONDS = 60.0
CONNECTIONS = 16
"""Each sends its next request as soon as it has an answer."""
CHUNKS = 40
PACE_S = 0.05
"""From chunk to chunk of a streamed page."""
HELD_S = 1.0
"""Half of a streamed page: a server at its highest rate delays chunks, but never by as much."""

_SERVED = """
{example}

import asyncio, time
from starlette.responses import StreamingResponse

async def stream(request):
    async def body():
        yield b"<!doctype html><html><head><title>Stream</title></head><body>"
        for _ in range({chunks}):
            await asyncio.sleep({pace})
            yield f"<p>{{time.monotonic_ns()}}</p>".encode()
    return StreamingResponse(body(), media_type="text/html")

app = Starlette(routes=[*routes, Route("/stream", stream)], middleware=[session])
"""
_LENGTH = re.compile(rb"content-length: (\d+)")
_SENT = re.compile(rb"<p>(\d+)</p>")
_SCRIPT = b"/webagent.js"


@dataclass(slots=True)
class Load:
    """The minute of one side."""

    times_ms: list[float] = field(default_factory=list)
    """Of each answer that was complete."""
    lost: int = 0
    """Requests with another answer, or none."""
    delays_ms: list[float] = field(default_factory=list)
    """Of each chunk of a streamed page, from the server to the client."""
    memory: list[Memory] = field(default_factory=list)
    """At rest, each second under load, and at rest again."""


async def loads() -> dict[str, Load]:
    """Return the load of the bare application and of the one with the agent, one after the other."""
    source = (
        (EXAMPLE / "app.py")
        .read_text("utf-8")
        .replace("Path(__file__).parent", f"Path({str(EXAMPLE)!r})")
    )
    wrapped = _SERVED.format(example=source, chunks=CHUNKS, pace=PACE_S)
    # Not even imported: its memory would be in both processes.
    bare = wrapped.replace("from webagent_site import WebAgent\n", "")
    bare = re.sub(r"^(webagent|app) = .*webagent.*$", "", bare, flags=re.MULTILINE | re.IGNORECASE)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bare.py").write_text(bare, encoding="utf-8")
        (Path(folder) / "wrapped.py").write_text(f"{wrapped}app = webagent.wrap(app)\n", "utf-8")
        return {name: await _load(name, Path(folder)) for name in ("bare", "wrapped")}


async def _load(name: str, folder: Path) -> Load:
    def command(root: Path, port: int) -> list[str]:
        program = [sys.executable, "-m", "uvicorn", f"{name}:app", "--app-dir", str(root)]
        return [*program, "--port", str(port), "--no-access-log", "--log-level", "warning"]

    load = Load()
    server = Running(command, folder)
    try:
        await asyncio.to_thread(server.wait_until_quiet)
        load.memory.append(server.memory())
        end = time.monotonic() + SECONDS
        visitors = [_visit(server.port, end, name == "wrapped", load) for _ in range(CONNECTIONS)]
        await asyncio.gather(*visitors, _watch(server, end, load), _stream(server.port, end, load))
        await asyncio.to_thread(server.wait_until_quiet)
        load.memory.append(server.memory())
    finally:
        server.kill()
    return load


async def _visit(port: int, end: float, tagged: bool, load: Load) -> None:
    """Load the page again and again by one connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    request = f"GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\naccept: text/html\r\n\r\n".encode()
    while time.monotonic() < end:
        start = time.perf_counter()
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = _LENGTH.search(head)
            body = await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, EOFError):
            load.lost += 1
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        whole = head.startswith(b"HTTP/1.1 200 ") and body.rstrip().endswith(b"</html>")
        if whole and body.count(_SCRIPT) == tagged:
            load.times_ms.append((time.perf_counter() - start) * 1000)
        else:
            load.lost += 1
    writer.close()


async def _stream(port: int, end: float, load: Load) -> None:
    """Read streamed pages one after the other, and note when each of their chunks comes."""
    while time.monotonic() < end:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(
            f"GET /stream HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\naccept: text/html\r\n"
            "connection: close\r\n\r\n".encode()
        )
        came, rest = 0, b""
        while data := await reader.read(1 << 16):
            rest += data
            while found := _SENT.search(rest):
                load.delays_ms.append((time.monotonic_ns() - int(found[1])) / 1e6)
                came += 1
                rest = rest[found.end() :]
        load.lost += CHUNKS - came
        writer.close()


async def _watch(server: Running, end: float, load: Load) -> None:
    while time.monotonic() < end:
        await asyncio.sleep(1)
        load.memory.append(server.memory())


def load_table(sides: dict[str, Load]) -> str:
    """Return the table of both sides."""
    figures: dict[str, Callable[[Load], list[float]]] = {
        "answers a second": lambda load: [len(load.times_ms) / SECONDS],
        "answer, ms": lambda load: load.times_ms,
        "answers and chunks that were lost": lambda load: [load.lost],
        "streamed chunk, ms": lambda load: load.delays_ms,
        f"chunks held back for {HELD_S:.0f} s or more": _held,
        "RSS at rest, MB": lambda load: [load.memory[0].rss],
        "RSS under load, highest, MB": lambda load: [max(memory.rss for memory in load.memory)],
        "RSS at rest again, MB": lambda load: [load.memory[-1].rss],
    }
    rows = {what: (of(sides["wrapped"]), of(sides["bare"])) for what, of in figures.items()}
    what = f"{SECONDS:.0f} s, {CONNECTIONS} connections"
    return comparison(what, "bare", rows, ours="wrapped")


def _held(load: Load) -> list[float]:
    return [sum(delay >= HELD_S * 1000 for delay in load.delays_ms)]
