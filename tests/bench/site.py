"""A Starlette application with `WebAgent` around it, next to the bare one: time and memory."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

from tests.bench.site_load import load_table, loads
from tests.bench.table import comparison
from webagent_site import WebAgent

TITLE = "The site's own application"
ROUNDS = 300
HEAD = b"<!doctype html><html><head><meta charset=utf-8><title>Bench</title></head><body>"
CHUNK = b"".join(b'<p class="item"><a href="/items/%04d">Item</a></p>\n' % i for i in range(320))
CHUNKS = 64
"""Together 1 MB."""
MANIFEST = Path(__file__).parents[2] / "site_template" / "webagents.md"


async def run() -> str:
    """Return two tables.

    For the first one both applications take turns in one process, without a network. For the second
    one each has a process and a minute.
    """
    sides: dict[str, ASGIApp] = {"bare": _page, "wrapped": WebAgent(MANIFEST).wrap(_page)}
    first: dict[str, list[float]] = {name: [] for name in sides}
    end: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(ROUNDS + 20):
        for name, app in sides.items():
            began, ended, size = await _load(app)
            assert size >= len(HEAD) + CHUNKS * len(CHUNK)
            if turn >= 20:
                first[name].append(began)
                end[name].append(ended)
    peaks = {name: await _peak(app) for name, app in sides.items()}
    rows = {
        "first byte, ms": (first["wrapped"], first["bare"]),
        "end, ms": (end["wrapped"], end["bare"]),
        "peak of a response, kB": ([peaks["wrapped"] / 1000], [peaks["bare"] / 1000]),
    }
    streamed = comparison("1 MB in 64 chunks", "bare", rows, ours="wrapped", digits=3)
    return "\n\n".join([streamed, load_table(await loads())])


async def _page(scope: Any, receive: Any, send: Any) -> None:
    async def body() -> AsyncIterator[bytes]:
        yield HEAD + CHUNK
        for _ in range(CHUNKS - 1):
            yield CHUNK

    await StreamingResponse(body(), media_type="text/html")(scope, receive, send)


async def _load(app: ASGIApp) -> tuple[float, float, int]:
    """Return the milliseconds to the first byte and to the end, and the size in bytes."""
    size = 0
    began = 0.0
    start = time.perf_counter()

    async def send(message: Any) -> None:
        nonlocal size, began
        if message["type"] == "http.response.body" and message.get("body"):
            began = began or time.perf_counter() - start
            size += len(message["body"])

    async def receive() -> Any:
        await asyncio.Event().wait()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [(b"host", b"shop.example"), (b"accept", b"text/html")],
    }
    await app(scope, receive, send)
    return began * 1000, (time.perf_counter() - start) * 1000, size


async def _peak(app: ASGIApp) -> int:
    tracemalloc.start()
    await _load(app)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
