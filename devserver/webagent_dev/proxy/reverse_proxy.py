"""The server behind ours as one part of the application."""

from __future__ import annotations

import asyncio
from functools import partial

from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from webagent_dev.config.model import ServeConfig
from webagent_dev.config.urls import CONTROL_PATH, MANIFEST_PATH, Address
from webagent_dev.http.pages import sentence
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.forward import PROBE_PATH, Forward
from webagent_dev.proxy.html_stream import Documents, Look
from webagent_dev.proxy.upstream import Upstream
from webagent_dev.proxy.websockets import Sockets
from webagent_dev.site.files import Files
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console


class Behind:
    """Answers with what another server answers."""

    def __init__(
        self, config: ServeConfig, site: Site, hub: Hub, console: Console, look: Look
    ) -> None:
        """Stand in front of the server that the configuration names.

        Args:
            config: Where it is, and what pages get from us.
            site: The state of the manifest.
            hub: Knows which news a page that is made now has seen.
            console: Where it is said when the server is down.
            look: Reads the manifest again.
        """
        assert config.proxy is not None
        self._site = site
        self._files = Files(config, site, partial(hub.live_path, config))
        self._upstream = Upstream(Address.of(config.proxy), console)
        # A manifest that only the server behind has is looked for when pages load.
        named = config.manifest or config.manifest_command
        documents = Documents(config, site, hub, console, look=None if named else look)
        self._forward = Forward(self._upstream, documents)

    async def start(self, announced: asyncio.Event | None) -> None:
        """Say so if the server is not up yet."""
        if announced:
            await announced.wait()
        await self._upstream.look()

    async def close(self) -> None:
        """Close all connections."""
        await self._upstream.close()

    def first_routes(self) -> list[BaseRoute]:
        """Return what comes before our own files."""
        return [Route(PROBE_PATH, self._forward.probe)]

    def last_routes(self) -> list[BaseRoute]:
        """Return what comes after our own files: everything."""
        return [
            # Whatever is asked of our own paths, in whatever way, never reaches that server.
            Mount(CONTROL_PATH, app=_keep),
            Route(MANIFEST_PATH, _Manifest(self._site, self._files, self._forward)),
            Route("/{path:path}", self._forward),
            WebSocketRoute("/{path:path}", Sockets(self._upstream)),
        ]


async def _keep(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
    else:
        await sentence("nothing of ours is asked in that way", 405)(scope, receive, send)


class _Manifest:
    """Answers with the manifest that is known here, or as the server behind does."""

    def __init__(self, site: Site, files: Files, forward: Forward) -> None:
        self._site = site
        self._known = Route(MANIFEST_PATH, files.manifest)
        self._forward = forward

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = self._site.state.served is not None
        await (self._known.handle if known else self._forward)(scope, receive, send)
