"""A site that visitors may connect assistants to, their browsers, and the document of an assistant."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from tests.beside import ServerBeside
from tests.deployed import free_port
from tests.local_ca import Documents, LocalCa, documents
from tests.redis_server import RedisServer
from tests.siteserver.conftest import INDEX
from tests.visitor_page import VisitorPage, good
from webagent_site import Assistants, WebAgent
from webagent_site.broker.broker import Broker, MemoryBroker
from webagent_site.broker.redis_broker import RedisBroker
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.visitors import Visitors
from webagent_site.llm.gateway import LlmGateway

ORIGIN = "https://shop.example"
OAUTH = f"{ORIGIN}/__webagent__/oauth"
RESOURCE = f"{ORIGIN}/mcp"
SECRET = b"s" * 32
BACK = "http://127.0.0.1:33418/back"


@dataclass
class Assistant:
    """A client: who it is, and what it keeps to itself."""

    client_id: str
    redirect_uri: str = BACK
    resource: str = RESOURCE
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))
    state: str = field(default_factory=lambda: secrets.token_urlsafe(8))

    @property
    def asks(self) -> dict[str, str]:
        """The parameters of its request."""
        digest = sha256(self.verifier.encode()).digest()
        return {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
            "state": self.state,
            "resource": self.resource,
        }

    def shows(self, code: str) -> dict[str, str]:
        """The form in which it shows a code."""
        return {
            "grant_type": "authorization_code",
            "client_id": self.client_id,
            "redirect_uri": self.redirect_uri,
            "code": code,
            "code_verifier": self.verifier,
            "resource": self.resource,
        }

    def refreshes(self, token: str) -> dict[str, str]:
        """The form in which it shows a token to refresh."""
        return {"grant_type": "refresh_token", "client_id": self.client_id, "refresh_token": token}


class Browser:
    """The browser of a visitor, or an assistant, at the site."""

    def __init__(self, app: ASGIApp | str, user: str = "") -> None:
        """Visit an application, or a server at an origin, with a user name that it knows."""
        headers = {"x-user": user} if user else {}
        transport = None if isinstance(app, str) else httpx.ASGITransport(app)
        self.origin = app if isinstance(app, str) else ORIGIN
        self.oauth = f"{self.origin}/__webagent__/oauth"
        self.http = httpx.AsyncClient(
            transport=transport, base_url=self.origin, headers=headers, timeout=30
        )

    async def asked(self, asks: dict[str, str]) -> httpx.Response:
        """Follow the link of an assistant to the page that asks."""
        sent = await self.http.get(f"{self.oauth}/authorize", params=asks)
        if sent.status_code != 302:
            return sent
        address = sent.headers["location"]
        return await self.http.get(address) if address.startswith(self.oauth) else sent

    async def press(self, page: httpx.Response, answer: str, **headers: str) -> httpx.Response:
        """Press a button of that page."""
        return await self.http.post(
            f"{self.oauth}/consent",
            data={**fields_of(page), "answer": answer},
            headers={"origin": self.origin, **headers},
        )

    async def connected(self, assistant: Assistant) -> str:
        """Connect an assistant, and return the code that it gets."""
        answer = await self.press(await self.asked(assistant.asks), "connect")
        assert answer.status_code == 303, answer.text
        return query_of(answer)["code"]

    async def tokens(self, assistant: Assistant) -> dict[str, str]:
        """Connect an assistant, and return its tokens."""
        code = await self.connected(assistant)
        answer = await self.http.post(f"{self.oauth}/token", data=assistant.shows(code))
        assert answer.status_code == 200, answer.text
        found: dict[str, str] = answer.json()
        return found

    async def panel(self, **asks: object) -> httpx.Response:
        """Ask as the panel of a page does."""
        token = await self.http.post("/__webagent__/llm/token", headers={"origin": self.origin})
        own = {TOKEN_HEADER: token.json()["token"], "content-type": "application/json"}
        headers = {"origin": self.origin, **own}
        # In ASCII, so that JSON may hold half of a character.
        return await self.http.post(
            "/__webagent__/assistants", content=json.dumps(asks), headers=headers
        )

    async def grants(self) -> list[dict[str, Any]]:
        """The assistants that the panel shows."""
        found: list[dict[str, Any]] = (await self.panel(do="list")).json()["assistants"]
        return found


def fields_of(page: httpx.Response) -> dict[str, str]:
    """The hidden fields of a page."""
    return fields_in(page.text)


def fields_in(html: str) -> dict[str, str]:
    """The same of its text."""
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', html)
    assert found, html
    return {name: unescape(value) for name, value in found}


def query_of(answer: httpx.Response) -> dict[str, str]:
    """The parameters of the address that an answer leads to; each is there once."""
    found = parse_qs(urlsplit(answer.headers["location"]).query)
    assert all(len(values) == 1 for values in found.values())
    return {name: values[0] for name, values in found.items()}


Site = Callable[..., ASGIApp]


@pytest.fixture(name="site")
def _site(root: Path, bundle: Path) -> Site:
    def site(
        *,
        accounts: bool = False,
        broker: Broker | None = None,
        mount: str = "",
        origin: str = ORIGIN,
        **options: Any,
    ) -> ASGIApp:
        async def page(_: Request) -> Response:
            return HTMLResponse(INDEX)

        def account(request: Request) -> str:
            return request.headers.get("x-user", "")

        visitors = Visitors(SECRET, account=account if accounts else None)
        gateway = LlmGateway(None, visitors, broker=broker or MemoryBroker())
        agent = WebAgent(
            root / "webagents.md",
            model=gateway,
            assistants=Assistants(origin, **options),
            bundle=bundle,
        )
        wrapped = agent.wrap(Starlette(routes=[Route("/", page)]))
        return Starlette(routes=[Mount(mount, wrapped)]) if mount else wrapped

    return site


class Tab(VisitorPage):
    """A page that writes down the calls of its tools."""

    def __init__(self, origin: str, user: str, *, is_slow: bool = False) -> None:
        """Open a page; one that is slow answers no call of a tool."""
        super().__init__(origin, headers={"x-user": user}, answer=self._tried)
        self.called: list[dict[str, Any]] = []
        self.working = asyncio.Event()
        self._is_slow = is_slow

    async def _tried(self, call: dict[str, Any]) -> dict[str, Any]:
        if call["kind"] == "tool":
            self.called.append(call)
            self.working.set()
            await asyncio.sleep(60 if self._is_slow else 0)
        return good(call["arguments"])


@dataclass
class Shop:
    """A site that is served by several processes."""

    origin: str
    """Of the first one; the others are behind the same name."""
    urls: Sequence[str]
    browsers: list[Browser] = field(default_factory=list)

    def page(self, user: str, *, is_slow: bool = False) -> Tab:
        """A page that a visitor opens."""
        return Tab(self.origin, user, is_slow=is_slow)

    def visitor(self, user: str) -> Browser:
        """The browser of a visitor."""
        self.browsers.append(Browser(self.origin, user))
        return self.browsers[-1]

    async def token(
        self, browser: Browser, assistant: Assistant, *tools: str, path: str = "/mcp"
    ) -> str:
        """Connect an assistant, allow it tools, and return its token for a path; an empty one is all."""
        assistant.resource = f"{self.origin}{path}"
        tokens = await browser.tokens(assistant)
        grant = (await browser.grants())[-1]
        for tool in tools:
            await browser.panel(do="allow", id=grant["id"], tool=tool)
        return tokens["access_token"]


@asynccontextmanager
async def shop_of(site: Site, redis: RedisServer, processes: int) -> AsyncIterator[Shop]:
    """Serve a site with accounts by several processes, which share a Redis."""
    urls = [f"http://127.0.0.1:{free_port()}" for _ in range(processes)]
    prefix = secrets.token_hex(4)
    brokers = [RedisBroker(redis.url, prefix=prefix) for _ in urls]
    servers = [
        ServerBeside(
            uvicorn.Config(
                site(accounts=True, broker=broker, origin=urls[0]),
                port=int(url.rpartition(":")[2]),
                log_level="error",
                ws="websockets-sansio",
            )
        )
        for broker, url in zip(brokers, urls, strict=True)
    ]
    tasks = [asyncio.create_task(server.serve()) for server in servers]
    while not all(server.started for server in servers):  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.01)
    shop = Shop(urls[0], urls)
    yield shop
    for browser in shop.browsers:
        await browser.http.aclose()
    for server in servers:
        server.should_exit = True
    await asyncio.gather(*tasks)


@pytest.fixture(name="shop")
async def _shop(site: Site, redis: RedisServer) -> AsyncIterator[Shop]:
    async with shop_of(site, redis, 3) as shop:
        yield shop


@pytest.fixture(name="ca", scope="session")
def _ca(tmp_path_factory: pytest.TempPathFactory) -> LocalCa:
    return LocalCa(tmp_path_factory.mktemp("ca"))


@pytest.fixture(name="served")
def _served(ca: LocalCa, monkeypatch: pytest.MonkeyPatch) -> Iterator[Documents]:
    """A server of documents on this machine, which counts as one of the open internet."""
    monkeypatch.setenv("SSL_CERT_FILE", str(ca.certificate))
    monkeypatch.setattr(
        "webagent_site.assistants.client_documents.is_public", lambda address: address.is_loopback
    )
    with documents(ca, "localhost") as served:
        yield served


def describe(served: Documents, path: str = "/client.json", **fields: object) -> str:
    """Serve a document of a client, and return its id."""
    client_id = f"{served.url}{path}"
    document = {
        "client_id": client_id,
        "client_name": "Reading helper",
        "redirect_uris": [BACK],
        **fields,
    }
    headers = {"content-type": "application/json"}
    served.answers[path] = (200, headers, json.dumps(document).encode())
    return client_id


@pytest.fixture(name="assistant")
def _assistant(served: Documents) -> Assistant:
    return Assistant(describe(served))


@pytest.fixture(name="browser")
async def _browser(site: Site) -> AsyncIterator[Browser]:
    browser = Browser(site())
    yield browser
    await browser.http.aclose()
