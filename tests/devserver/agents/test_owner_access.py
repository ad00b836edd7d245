"""Access to the protocol endpoints, and what they cost at the start."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp

from tests.devserver.agents.client import connected
from tests.devserver.conftest import INDEX
from tests.page_client import owner_token
from tests.server import Server, hosting
from tests.upstream import listening
from webagent_dev.agents.mcp import endpoint as door
from webagent_dev.app import create_app
from webagent_dev.config.model import ServeConfig
from webagent_dev.config.resolve import resolve_config
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.errors import ConfigError
from webagent_site.http.assets import Assets

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
FOREIGN: tuple[dict[str, str], ...] = (
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"host": "evil.example"},
    {"host": "localhost:1.evil.example"},
    {"sec-fetch-site": "cross-site"},
)


def asking(config: ServeConfig, **headers: str) -> httpx.AsyncClient:
    """Return a client of an application, with the owner's token unless it is given another."""
    app = create_app(config, Site(config.root), Assets(), Console(sys.stderr))
    shown = {"authorization": f"Bearer {config.owner.token}", **headers}
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url=config.url,
        headers={name: value for name, value in shown.items() if value},
    )


@pytest.mark.parametrize(
    "shown", ["", "Bearer wrong", "Bearer ", "Basic eDp5", "Bearer secret-token"]
)
async def test_access_needs_the_token_of_the_owner(config: ServeConfig, shown: str) -> None:
    """The token of pages does not count; the error says what to do in JSON."""
    async with asking(config, authorization=shown) as client:
        for method in ("POST", "GET", "DELETE"):
            answer = await client.request(method, "/mcp", json=PING)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["error"]["kind"] == "denied"
            assert "webagent-dev connect" in answer.json()["error"]["message"]


@pytest.mark.parametrize("doors", ["token", "open"])
@pytest.mark.parametrize("headers", FOREIGN)
async def test_pages_of_other_sites_have_no_access(
    config: ServeConfig, doors: Any, headers: dict[str, str]
) -> None:
    """Neither with the token nor to open endpoints."""
    async with asking(replace(config, doors=doors), **headers) as client:
        assert (await client.post("/mcp", json=PING)).status_code in (400, 403, 421)


async def test_an_endpoint_that_is_off_does_not_exist(config: ServeConfig) -> None:
    """The path belongs to the site."""
    async with asking(replace(config, doors="off")) as client:
        assert (await client.get("/mcp")).status_code == 404
        assert (await client.post("/mcp", json=PING)).status_code == 405


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "shop.test"])
def test_endpoints_are_open_on_this_machine_only(root: Path, host: str) -> None:
    """Anybody who reaches the server could act as the developer."""
    with pytest.raises(ConfigError, match="leave `--doors open` out"):
        resolve_config(str(root), host=host, doors="open")
    assert resolve_config(str(root), host=host).doors == "token"
    assert resolve_config(str(root), host="::1", doors="open").doors == "open"


def test_the_configuration_says_who_has_access(root: Path) -> None:
    """Options of the command come first."""
    (root / "webagent.toml").write_text('[server]\ndoors = "off"\n')
    assert resolve_config(str(root)).doors == "off"
    assert resolve_config(str(root), doors="open").doors == "open"
    (root / "webagent.toml").write_text('[server]\ndoors = "ajar"\n')
    with pytest.raises(ConfigError, match="doors"):
        resolve_config(str(root))


@pytest.mark.parametrize("spa", [False, True])
async def test_clients_find_no_authorization_server(config: ServeConfig, spa: bool) -> None:
    """Not even on sites whose first page answers for every path."""
    paths = [
        f"/.well-known/{name}{place}"
        for name in (
            *("oauth-protected-resource", "oauth-authorization-server", "openid-configuration"),
        )
        for place in ("", "/mcp")
    ]
    async with asking(replace(config, spa=spa), authorization="") as client:
        for path in (*paths, "/mcp/.well-known/openid-configuration"):
            answer = await client.get(path)
            assert answer.status_code == 404, path
            assert answer.json()["error"]["kind"] == "not_found", path


async def test_the_upstream_answers_for_its_own_paths(tmp_path: Path) -> None:
    """Only the paths of the endpoint are answered here."""
    with listening() as upstream, hosting(tmp_path, "--proxy", upstream.url) as server:
        async with httpx.AsyncClient(base_url=server.url) as client:
            ours = await client.get("/.well-known/oauth-protected-resource/mcp")
            door = await client.post("/mcp", json=PING)
            theirs = await client.get("/.well-known/openid-configuration")
        async with connected(server) as client:
            assert (await client.list_tools()).tools

    assert (ours.status_code, door.status_code) == (404, 401)
    assert "Behind" in theirs.text


async def test_a_file_of_the_site_is_not_hidden(config: ServeConfig, root: Path) -> None:
    """A site with an authorization server announces it."""
    (root / ".well-known").mkdir()
    (root / ".well-known" / "openid-configuration").write_text('{"issuer": "me"}')
    async with asking(config) as client:
        answer = await client.get("/.well-known/openid-configuration")

    assert answer.json() == {"issuer": "me"}


async def test_open_endpoints_need_no_token(tmp_path: Path) -> None:
    """For programs that cannot send one."""
    (tmp_path / "index.html").write_bytes(INDEX)
    with hosting(tmp_path, "--doors", "open") as server:
        async with connected(server, token="") as client:
            assert (await client.list_tools()).tools


async def test_without_the_extra_the_error_says_what_to_install(
    make_app: Callable[..., Any], config: ServeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the server works."""

    def load() -> None:
        raise ModuleNotFoundError("No module named 'mcp'", name="mcp")

    monkeypatch.setattr(door, "_load", load)
    app = make_app()[0]
    transport = httpx.ASGITransport(app)
    shown = {"authorization": f"Bearer {config.owner.token}"}
    async with (
        httpx.AsyncClient(transport=transport, base_url=config.url, headers=shown) as client,
        lifespan(app),
    ):
        answers = [await client.post("/mcp", json=PING) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [501, 501]
    assert "`mcp` is not installed - run `pip install " in answers[0].json()["error"]["message"]


@asynccontextmanager
async def lifespan(app: ASGIApp) -> AsyncIterator[None]:
    """Run the application as a server does."""
    told: asyncio.Queue[Any] = asyncio.Queue()
    said: asyncio.Queue[Any] = asyncio.Queue()
    task = asyncio.ensure_future(app({"type": "lifespan", "state": {}}, told.get, said.put))
    told.put_nowait({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    yield
    told.put_nowait({"type": "lifespan.shutdown"})
    assert (await said.get())["type"] == "lifespan.shutdown.complete"
    await task


def modules_at_start(root: Path, *, services: bool = True) -> list[str]:
    """Return the modules that are loaded with an application for a folder."""
    program = (
        f"import io, sys, webagent_dev.server.runner{', webagent_dev.app.services' * services}\n"
        "from pathlib import Path\n"
        "from webagent_dev import app\n"
        "from webagent_dev.config.model import ServeConfig\n"
        "from webagent_site.http.assets import Assets\n"
        "from webagent_dev.site.state import Site\n"
        "from webagent_dev.terminal import Console\n"
        "root = Path(sys.argv[1]).resolve()\n"
        "app.create_app(ServeConfig(root=root), Site(root), Assets(),\n"
        "               Console(io.StringIO()))\n"
        "print(*sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(root)], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.process
def test_the_first_page_waits_for_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    """The services for open pages are loaded after it, and so are the checks of the manifest."""
    late = {"webagent_dev.app.services", "webagent_site.pages.wire", "webagent.diagnostics"}
    late |= {"webagent.page_markdown", "webagent_dev.agents", "pydantic", "httpcore"}
    assert not set(modules_at_start(tmp_path, services=False)) & late


@pytest.mark.process
def test_a_server_without_clients_loads_nothing_of_the_protocol(tmp_path: Path) -> None:
    """It starts as fast and small as without the endpoint."""
    protocols = {"mcp", "mcp_types", "jsonschema", "httpx2", "opentelemetry", "httpx"}
    assert not {name.split(".")[0] for name in modules_at_start(tmp_path)} & protocols


async def test_requests_of_every_kind_of_client_are_read(tmp_path: Path) -> None:
    """Some accept any type; a request that is not of the protocol is refused."""
    (tmp_path / "index.html").write_bytes(INDEX)
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "curl", "version": "1"},
        },
    }
    with hosting(tmp_path) as server:
        found = {accept: _status(server, hello, accept) for accept in ACCEPTED}
        assert found == dict.fromkeys(ACCEPTED, 200)
        assert _status(server, hello, "*/*", "text/plain") in (400, 415)
        assert _status(server, {"huge": "x" * (5 << 20)}, "*/*") == 413


ACCEPTED = ("application/json, text/event-stream", "*/*")


def _status(
    server: Server, message: dict[str, Any], accept: str, kind: str = "application/json"
) -> int:
    headers = {
        "authorization": f"Bearer {owner_token(server)}",
        "accept": accept,
        "content-type": kind,
    }
    with httpx.stream(
        "POST", f"{server.url}/mcp", content=json.dumps(message), headers=headers, timeout=20
    ) as answer:
        return answer.status_code
