"""The door of A2A with an agent for the official kit behind it, on a port of its own."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.conformance.a2a.agent import KitAgent
from webagent_dev.agents.a2a.card import card_v1_0
from webagent_dev.agents.a2a.endpoint import A2aEndpoint
from webagent_dev.agents.tasks.store import TaskStore
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_dev.config.resolve import resolve_config
from webagent_dev.config.urls import CARD_PATH
from webagent_dev.http.guard import Guard
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console


@asynccontextmanager
async def serving_kit(root: Path, *, newer: bool) -> AsyncIterator[str]:
    """Serve without a token, which the kit cannot show; yield the origin.

    Args:
        root: Of the site.
        newer: Whether the card has the fields of 1.0 alone. The kit of 1.0 takes no field more,
            though the protocol lets clients pass over what they do not know.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    port: int = listener.getsockname()[1]
    config = replace(resolve_config(str(root), doors="open"), port=port)
    site = Site(config.root)
    tasks = Tasks(TaskStore(root, Console.for_terminal()))
    door = A2aEndpoint(config, site, tasks, partial(KitAgent, tasks))
    origin = f"http://127.0.0.1:{port}"

    async def card(_: Request) -> Response:
        headers = {"cache-control": "max-age=0", "etag": '"1"', "last-modified": formatdate()}
        return JSONResponse(card_v1_0(None, origin, "open"), headers=headers)

    routes = [Route(CARD_PATH, card)] if newer else []
    app = Guard(Starlette(routes=[*routes, *door.routes(None)]), config)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield origin
    finally:
        server.should_exit = True
        server.force_exit = True
        await serving
        await tasks.close()
