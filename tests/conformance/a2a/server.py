"""The door of A2A with an agent for the official kit behind it, on a port of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from tests.conformance.a2a.agent import KitAgent
from webagent_dev.agents.a2a.endpoint import A2aEndpoint
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.resolve import resolve_config
from webagent_dev.http.access import Guard
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import CARD_PATH


@asynccontextmanager
async def serving_kit(root: Path, *, newer: bool) -> AsyncIterator[str]:
    """Serve without a token, which the kit cannot show; yield the origin.

    Args:
        root: Of the site.
        newer: Whether a request for the card names the version 1.0, as the protocol wants it of every
            request. The kit of 1.0 does not, and takes no field more than that version has.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    config = replace(resolve_config(str(root), doors="open"), port=port)
    site = Site(config.root)
    tasks = Tasks(TaskStore(root, Console.for_terminal()))
    door = A2aEndpoint(config, site, tasks, partial(KitAgent, tasks))
    origin = f"http://127.0.0.1:{port}"

    doors = Starlette(routes=[*door.routes(None)])

    async def versioned(scope: Scope, receive: Receive, send: Send) -> None:
        if newer and scope["path"] == CARD_PATH:
            scope["headers"] = [*scope["headers"], (b"a2a-version", b"1.0")]
        await doors(scope, receive, send)

    app = Guard(versioned, config)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield origin
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving
        await tasks.close()
