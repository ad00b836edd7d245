"""Runs the application on a socket, from its first line in the terminal to Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import uvicorn

from webagent_dev import __version__
from webagent_dev.app import END_S, Ending, create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.owner import Owner
from webagent_dev.live.messages import SOCKET_MESSAGE_BYTES
from webagent_dev.server.protocols import (
    HeaderTimeoutProtocol,
    quiet_close_protocol,
    raise_file_limit,
)
from webagent_dev.site.source import source_of
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, ServerLog
from webagent_site.config.folders import BUNDLE
from webagent_site.config.urls import DEFAULT_PORTS, is_local
from webagent_site.errors import ConfigError
from webagent_site.http.assets import Assets
from webagent_site.pages.connection import PAGE_MESSAGE_BYTES
from webagent_site.text import printable

if TYPE_CHECKING:
    from webagent_dev.server.upstream_process import UpstreamProcess

PORTS_TO_TRY = 100
SENT_S = 0.1
"""While requests end within this time of each other, more answers are on their way. Connections have as
long to close."""
CLOSED_POLL_S = 0.002
TURNS_OF_CONNECTION = 5
"""Turns of the event loop from a connection that is taken to its protocol."""
DATE_S = 1.0
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")
"""The variables of Linux that name a display."""
LISTEN_BACKLOG = 128
"""How many connections wait to be taken."""


def serve(
    config: ServeConfig,
    console: Console,
    *,
    started_s: float,
    upstream: UpstreamProcess | None = None,
) -> bool:
    """Serve until Ctrl-C or SIGTERM, and enable garbage collection; return whether it was Ctrl-C.

    Args:
        config: What to serve and where.
        console: Where the server reports.
        started_s: `time.perf_counter()` at the start of the command.
        upstream: The server that the command has started; this one ends with it.

    Raises:
        ConfigError: The address cannot be bound.
    """
    # Everything that is loaded by then stays loaded. Frozen, it is not searched for garbage, above
    # all not when the server ends.
    server = DevServer(config, console, started_s=started_s, on_started=gc.freeze)
    gc.enable()
    # Further signals while the server stops, and after it, have no effect.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if upstream:
        upstream.on_end(server.stop)
    server.run()
    return server.interrupted


class DevServer:
    """A server of one site that is bound to its port. Signals are up to the caller."""

    def __init__(
        self,
        config: ServeConfig,
        console: Console,
        *,
        started_s: float,
        on_started: Callable[[], object] = lambda: None,
    ) -> None:
        """Bind the address.

        Args:
            config: What to serve and where.
            console: Where the server reports.
            started_s: `time.perf_counter()` at the start of the command.
            on_started: Called when everything about the start has been reported.

        Raises:
            ConfigError: The address cannot be bound.
        """
        self._listener = bind(config)
        files = raise_file_limit()
        self._owner = owner = Owner(config.root)
        port = self._listener.getsockname()[1]
        self.config = bound = replace(config, port=port, owner=owner)
        site = Site(
            bound.root,
            rules=bound.rules,
            source=source_of(bound, console),
            allow_files=bound.allow_files,
        )
        assets = Assets(config.bundle or BUNDLE)
        announced, ending = asyncio.Event(), Ending()
        app = create_app(bound, site, assets, console, announced=announced, ending=ending)
        log = logging.getLogger("uvicorn.error")
        log.handlers[:] = [ServerLog(console)]
        log.propagate = False
        self._other: str | None = None

        async def ready() -> None:
            announce(config, bound, site, assets, console, started_s=started_s)
            if owner.problem:
                console.labelled(
                    "owner", f"{owner.problem} - other programs do not find this server", "yellow"
                )
            if self._other:
                console.labelled(
                    "owner",
                    f"this folder is served at {self._other} already - until this server ends, "
                    "other programs find this one",
                    "yellow",
                )
            announced.set()
            if bound.open_browser:
                visit = (bound.visit_url(), console)
                threading.Thread(target=show_in_browser, args=visit, daemon=True).start()
            await site.checked.wait()
            # Imported late: the checks are loaded by now, which take longer than the start.
            from webagent_dev.site.findings import show_manifest

            show_manifest(console, site)
            on_started()

        self._server = _Server(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=_http_protocol(files // 2),
                # asyncio takes that many connections in each of three turns before it counts one.
                backlog=min(LISTEN_BACKLOG, files // 16),
                ws=cast("type[asyncio.Protocol]", _websocket),
                # Messages of the site's own WebSockets may be longer than those of our pages.
                ws_max_size=SOCKET_MESSAGE_BYTES if bound.proxy else PAGE_MESSAGE_BYTES,
                # Compression gains nothing on one machine, and a small compressed message can
                # expand without limit.
                ws_per_message_deflate=False,
                ssl_certfile=bound.tls.certificate if bound.tls else None,
                ssl_keyfile=bound.tls.key if bound.tls else None,
                lifespan="on",
                log_config=None,
                access_log=False,
                # With the headers of a proxy, clients could choose their own address.
                proxy_headers=False,
                server_header=False,
                # Ctrl-C closes open transfers and sockets at once.
                timeout_graceful_shutdown=0,
            ),
            ready,
            ending,
        )

    def run(self) -> None:
        """Serve until a signal arrives, or `stop` is called."""
        self._other = self._owner.announce(self.config.url)
        try:
            self._server.run(sockets=[self._listener])
        finally:
            self._owner.withdraw()

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended it."""
        return self._server.interrupted

    def stop(self) -> None:
        """End the server soon; any thread may call this."""
        self._server.stop()


def _http_protocol(most: int) -> type[HeaderTimeoutProtocol]:
    """Return the protocol with a limit of connections."""
    return type("_HttpProtocol", (HeaderTimeoutProtocol,), {"most_connections": most})


def _websocket(**given: Any) -> asyncio.Protocol:
    return quiet_close_protocol()(**given)


def bind(config: ServeConfig) -> socket.socket:
    """Return a listening socket on the first free port, from the configured one on.

    Raises:
        ConfigError: The host is not on this machine, the port is not allowed, or none is free.
    """
    last = min(config.port + PORTS_TO_TRY, 65_536) if config.port else 1
    try:
        family, *_ = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0]
        for port in range(config.port, last):
            if _is_upstream(config, port):
                # The upstream would find its port taken, and we would proxy to ourselves.
                continue
            # asyncio disables the delay of small packets (40 ms) only for sockets with this protocol.
            listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            if os.name != "nt":
                # On Windows this option would take the port from the program that has it.
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind((config.host, port))
                listener.listen(LISTEN_BACKLOG)
                listener.setblocking(False)
            except OSError as error:
                listener.close()
                if error.errno != errno.EADDRINUSE:
                    raise
            else:
                return listener
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigError(
            f"`{config.host}` port {config.port} cannot be used - {reason.lower()} - "
            "write `--host 127.0.0.1` and a port from 1024 on"
        ) from None
    raise ConfigError(
        f"no port from {config.port} to {last - 1} is free - other programs have them - "
        "write `--port 0` for any free one"
    )


def _network_addresses(bound: ServeConfig) -> list[str]:
    """Return the address at which other machines reach a server that listens on all addresses."""
    if bound.host not in ("0.0.0.0", "::"):  # noqa: S104
        return []
    family = socket.AF_INET6 if ":" in bound.host else socket.AF_INET
    # No packet is sent: connecting a UDP socket only finds the route (addresses: RFC 5737, 3849).
    somewhere = "2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1"
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((somewhere, 9))
            found: str = probe.getsockname()[0]
    except OSError:
        return []
    return [] if is_local(found) else [found]


def _is_upstream(config: ServeConfig, port: int) -> bool:
    """Whether a port is that of the upstream."""
    if config.proxy is None or port == 0:
        return False
    parts = urlsplit(config.proxy)
    return (parts.port or DEFAULT_PORTS[parts.scheme]) == port


def announce(
    config: ServeConfig,
    bound: ServeConfig,
    site: Site,
    assets: Assets,
    console: Console,
    *,
    started_s: float,
) -> None:
    """Report that the server is ready, at which URLs, and what it found."""
    took_ms = (time.perf_counter() - started_s) * 1_000
    if console.for_agent:
        console.labelled("ready", f"webagent-dev {__version__}, in {took_ms:.0f} ms")
    else:
        ready = console.paint("bold", f"webagent-dev {__version__}")
        console.line(f"\n  {ready}  ready in {took_ms:.0f} ms\n")
    console.labelled("url", console.paint("bold", bound.visit_url()))
    if console.is_private:
        # It opens once, and only in the next minutes: what is printed may be kept, or be seen.
        console.labelled("inspector", f"{bound.inspector_url}#code={bound.owner.new_code()}")
    else:
        console.labelled(
            "inspector", f"{bound.inspector_url} (`webagent-dev token {bound.url}` opens it)"
        )
    if _is_upstream(config, config.port):
        from webagent_dev.site.project import project_of

        project = project_of(site.root)
        whose = f"{project.framework}'s own" if project else "that of the site's own server"
        console.labelled("port", f"{config.port} is {whose}, without the agent - open {bound.port}")
    elif config.port not in (0, bound.port):
        console.labelled("port", f"{config.port} is taken, {bound.port} is used instead", "yellow")
    if bound.proxy:
        console.labelled("proxy", f"{bound.proxy} (its pages, with the agent in them)")
    else:
        console.labelled(
            "root", f"{printable(str(site.root))} (watched: a save reaches open pages)"
        )
    if bound.file:
        console.labelled("config", printable(str(bound.file)))
    if not bound.proxy and not (site.root / "index.html").is_file():
        console.labelled("root", "has no index.html - files are served by their names", "yellow")
    if assets.missing:
        console.labelled("bundle", assets.missing, "red")
    for host in [
        *_network_addresses(bound),
        *(name for name in bound.allow_host if name[0] != "."),
    ]:
        console.labelled("network", bound.visit_url(host))
    if not bound.is_loopback or bound.allow_host:
        console.labelled(
            "network",
            "anyone with such a URL and its token can read this site, and nobody else - a restart makes a "
            "new token",
            "yellow",
        )
    if bound.headless:
        console.labelled(
            "headless", "a call that finds no open page opens one in a headless Chromium"
        )
    if bound.tls:
        console.labelled("https", f"with {printable(str(bound.tls.certificate))}")
    for llm in bound.llm.models if bound.llm else ():
        where = printable(llm.base_url) or "the page itself"
        console.labelled(llm.role, f"{printable(llm.name)} at {where}")
        if llm.in_clear:
            console.labelled(
                llm.role, "its key is sent over http, where others can read it", "yellow"
            )
    console.labelled("stop", "Ctrl-C stops")


class ClosingServer(uvicorn.Server):
    """A uvicorn server that ends at once, and leaves no connection open.

    uvicorn looks for the end ten times a second, and waits as often while it ends. It leaves connections
    that come meanwhile, and those whose client does not read.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        """Take the configuration of uvicorn."""
        super().__init__(config)
        self.interrupted = False
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def stop(self) -> None:
        """End soon; any thread may call this, and a handler of signals."""
        self.should_exit = True
        # Without a loop, or with a closed one, it has not begun or has ended.
        with suppress(RuntimeError):
            if self._loop:
                self._loop.call_soon_threadsafe(self._end.set)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop. The signal is not raised again afterwards: the process ends as every command does."""
        self.interrupted = self.interrupted or sig == signal.SIGINT
        self.stop()

    async def main_loop(self) -> None:
        """Serve until the end; the date of responses is made anew every second."""
        self._loop = asyncio.get_running_loop()
        end = asyncio.ensure_future(self._end.wait())
        try:
            while not await self.on_tick(0):
                await asyncio.wait({end}, timeout=DATE_S)
        finally:
            end.cancel()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop, and cancel the requests that still run."""
        # asyncio cannot make a connection that it has taken once its server is closed.
        for _ in range(TURNS_OF_CONNECTION):
            await asyncio.sleep(0)
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        state = self.server_state
        for connection in [*state.connections]:
            connection.shutdown()
        deadline_s = time.perf_counter() + SENT_S
        # uvicorn has no event for it.
        while (state.connections or state.tasks) and time.perf_counter() < deadline_s:  # noqa: ASYNC110
            await asyncio.sleep(CLOSED_POLL_S)
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()
        for connection in [*state.connections]:
            connection.transport.abort()
        await asyncio.sleep(0)


class _Server(ClosingServer):
    """A server that reports when it is ready, and ends quietly."""

    def __init__(
        self,
        config: uvicorn.Config,
        ready: Callable[[], Coroutine[Any, Any, None]],
        ending: Ending,
    ) -> None:
        super().__init__(config)
        self._ready = ready
        self._ending = ending

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            # More may wait than are taken at a time.
            listener.listen(LISTEN_BACKLOG)
        if self.started:
            self._reporting = asyncio.create_task(self._ready())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._ending.begun.set()
        answer_calls = self._ending.answer_calls
        if answer_calls and await answer_calls(END_S):
            await self._until_sent()
        await super().shutdown(sockets)

    async def _until_sent(self) -> None:
        """Wait until the answers are sent: as long as requests end, and others begin no more."""
        deadline = time.perf_counter() + END_S
        running = len(self.server_state.tasks) + 1
        while len(self.server_state.tasks) < running and time.perf_counter() < deadline:
            running = len(self.server_state.tasks)
            await asyncio.sleep(SENT_S)


def show_in_browser(url: str, console: Console) -> None:
    """Open an address in the browser of this machine."""
    import webbrowser

    has_screen = sys.platform != "linux" or any(os.environ.get(name) for name in _SCREENS)
    # Without a display `webbrowser` starts a text browser in the server's own terminal.
    chosen = [name for name in os.environ.get("BROWSER", "").split(os.pathsep) if name]
    if has_screen:
        is_open = webbrowser.open(url)
    else:
        is_open = any(webbrowser.get(name).open(url) for name in chosen)
    if not is_open:
        why = "no browser was found" if has_screen else "there is no display"
        console.labelled("open", f"{why} - open the URL yourself", "yellow")
