"""The reverse proxy: the routes of an application whose site is on another server."""

from __future__ import annotations

import asyncio
from functools import partial

from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send

from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.forward import PROBE_PATH, HttpProxy
from webagent_dev.proxy.html_stream import DocumentInjector, Refresh
from webagent_dev.proxy.upstream import Upstream
from webagent_dev.site.announced import Announced
from webagent_dev.site.files import Files
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.config.urls import CONTROL_PATH, MANIFEST_PATH, Address
from webagent_site.http.sentences import sentence


class ReverseProxy:
    """Answers with the responses of an upstream."""

    def __init__(
        self, config: ServeConfig, site: Site, hub: Hub, console: Console, refresh: Refresh
    ) -> None:
        """Forward to the upstream of the configuration.

        Args:
            config: The address of the upstream, and what is injected into pages.
            site: The state of the manifest.
            hub: Knows which broadcasts a page that is sent now has seen.
            console: Where it is shown that the upstream is down.
            refresh: Reads the manifest again.
        """
        assert config.proxy is not None
        self._site = site
        self._files = Files(config, site, partial(hub.live_path, config))
        self._announced = Announced(config, site)
        self._upstream = Upstream(Address.of(config.proxy), console)
        # A manifest that only the upstream has is read again when pages load.
        named = config.manifest or config.manifest_command
        injector = DocumentInjector(config, site, hub, console, refresh=None if named else refresh)
        markdown = "markdown" in config.announce
        self._forward = HttpProxy(self._upstream, injector, markdown=markdown)

    async def start(self, announced: asyncio.Event | None) -> None:
        """Report an upstream that is not up yet."""
        if announced:
            await announced.wait()
        await self._upstream.check()

    async def close(self) -> None:
        """Close all connections."""
        await self._upstream.close()

    def first_routes(self) -> list[BaseRoute]:
        """Return the routes before our own files."""
        return [Route(PROBE_PATH, self._forward.probe)]

    def last_routes(self) -> list[BaseRoute]:
        """Return the routes after our own files: all paths."""
        return [
            # Requests for our own paths never reach the upstream, whatever their method.
            Mount(CONTROL_PATH, app=_refuse),
            Route(MANIFEST_PATH, _Manifest(self._site, self._files, self._forward)),
            *self._announced.routes(self._forward),
            Route("/{path:path}", self._forward),
            WebSocketRoute("/{path:path}", _WebSockets(self._upstream)),
        ]


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
    else:
        await sentence("our own paths do not answer such requests", 405)(scope, receive, send)


class _WebSockets:
    """Connects the WebSockets of pages with the upstream."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Imported late: a page is sent before it connects.
        from webagent_dev.proxy.websockets import WebSocketProxy

        await WebSocketProxy(self._upstream)(scope, receive, send)


class _Manifest:
    """Answers with our manifest, or else with that of the upstream."""

    def __init__(self, site: Site, files: Files, forward: HttpProxy) -> None:
        self._site = site
        self._ours = Route(MANIFEST_PATH, files.manifest)
        self._forward = forward

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        has_manifest = self._site.state.served is not None
        await (self._ours.handle if has_manifest else self._forward)(scope, receive, send)
