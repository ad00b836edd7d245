"""Requests to the application of a site: pages, cookies, tokens and addresses, each with each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import httpx
import pytest_asyncio
from starlette.applications import Starlette
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from tests.model_server import ModelServer, says
from tests.siteserver.conftest import INDEX
from tests.siteserver.llm.test_gateway import ASKED, FREE, KEY, LLM, SECRET, model_at
from webagent.errors import NotLoggedIn
from webagent_site import WebAgent
from webagent_site.http.guard import TOKEN_HEADER
from webagent_site.http.visitors import SESSION_COOKIE, TOKEN_S, Visitors
from webagent_site.llm.gateway import LlmGateway
from webagent_site.tools.frameworks import starlette_routes

ORIGIN = "https://shop.example"

PAGES = {
    "of the site": {"origin": ORIGIN, "sec-fetch-site": "same-origin"},
    "of the site, in an older browser": {"origin": ORIGIN},
    "of a subdomain": {"origin": "https://blog.shop.example", "sec-fetch-site": "same-site"},
    "of another site": {"origin": "https://other.example", "sec-fetch-site": "cross-site"},
    "that says it is of the site": {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    "in a sandbox": {"origin": "null", "sec-fetch-site": "cross-site"},
    "none": {},
}
GUEST = "a guest"
OURS = ("of the site", "of the site, in an older browser")
ADDRESSES = {
    "token": (f"{LLM}/token", None),
    "model": (f"{LLM}/v1/chat/completions", ASKED),
    "report": ("/__webagent__/usage", {"events": [{"type": "refusal", "tool": "whoAmI"}]}),
    "tool": ("/__webagent__/tools/whoAmI", {}),
}


@dataclass(frozen=True)
class Visitor:
    """Somebody who has a page with its token."""

    login: str
    """The cookie of the application's session; empty for a guest."""
    session: str
    """That of the gateway's."""
    token: str


class Shop:
    """A site with a model, a tool, and numbers for its owner."""

    def __init__(self, root: Path, bundle: Path, provider: str) -> None:
        self.now = 1_800_000_000.0
        visitors = Visitors(
            SECRET,
            account=lambda request: request.session.get("name"),
            clock=lambda: self.now,
        )
        # All requests of this test are of few visitors.
        gateway = LlmGateway(model_at(provider), visitors, site=FREE, visitor=FREE)
        self.agent = WebAgent(
            root / "webagents.md",
            bundle=bundle,
            model=gateway,
            usage=lambda request: request.headers.get("x-owner") == "yes",
        )

        @self.agent.tool(effect="read")
        def whoAmI(request: Request) -> str:
            """Return the visitor's name."""
            if "name" not in request.session:
                raise NotLoggedIn("please sign in first")
            return str(request.session["name"])

        async def page(_: Request) -> Response:
            return HTMLResponse(INDEX)

        async def login(request: Request) -> Response:
            request.session["name"] = request.query_params["name"]
            return Response()

        routes = [Route("/", page), Route("/login", login, methods=["POST"])]
        routes += starlette_routes(self.agent.tools)
        wrapped = self.agent.wrap(Starlette(routes=routes))
        app = SessionMiddleware(wrapped, secret_key="x" * 32)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN)

    async def post(self, path: str, cookies: str, json: object, **headers: str) -> httpx.Response:
        self.client.cookies.clear()
        sent = {"cookie": cookies, **headers}
        return await self.client.post(path, json=json, headers=sent)

    async def visitor(self, name: str) -> Visitor:
        """Log in, unless it is a guest, and open a page."""
        login = ""
        if name != GUEST:
            answer = await self.post(f"/login?name={name}", "", None)
            login = f"session={answer.cookies['session']}"
        issued = await self.post(f"{LLM}/token", login, None, origin=ORIGIN)
        session = f"{SESSION_COOKIE}={issued.cookies[SESSION_COOKIE]}"
        return Visitor(login, session, issued.json()["token"])


@pytest_asyncio.fixture(name="shop")
async def _shop(root: Path, bundle: Path) -> AsyncIterator[Shop]:
    with ModelServer(says("hi"), cycle=True) as model:
        shop = Shop(root, bundle, model.url)
        yield shop
        await shop.agent.close()
        await shop.client.aclose()


async def test_only_a_page_with_its_own_cookies_and_token_reaches_what_is_theirs(
    shop: Shop,
) -> None:
    """Each of 7 pages, 3 logins, 4 sessions and 6 tokens at 4 addresses."""
    before = await shop.visitor("ada")
    shop.now += TOKEN_S
    visitors = {name: await shop.visitor(name) for name in ("ada", "ben", GUEST)}
    logins = {name: visitor.login for name, visitor in visitors.items()}
    sessions = {name: visitor.session for name, visitor in visitors.items()} | {"": ""}
    tokens = {name: visitor.token for name, visitor in visitors.items()}
    tokens |= {"forged": f"{tokens['ada'][:-4]}beef", "old": before.token, "": ""}
    answered = set()
    for name, page, login, session, token in product(ADDRESSES, PAGES, logins, sessions, tokens):
        path, data = ADDRESSES[name]
        cookies = "; ".join(filter(None, (logins[login], sessions[session])))
        headers = PAGES[page] | ({TOKEN_HEADER: tokens[token]} if token else {})
        answer = await shop.post(path, cookies, data, **headers)
        if answer.is_success:
            answered.add((name, page, login, session, token))
            assert name != "tool" or answer.json() == login
        else:
            assert answer.status_code in (401, 403)
            assert "set-cookie" not in answer.headers
        assert KEY not in answer.text + str(answer.headers)

    everybody = set(product(PAGES, logins, sessions, tokens))
    of_ours = {each for each in everybody if each[0] in OURS}
    own = {each for each in of_ours if each[1] == each[2] == each[3]}
    assert answered == {
        *(("token", *each) for each in of_ours),
        *((name, *each) for name in ("model", "report") for each in own),
        *(("tool", *each) for each in of_ours if each[1] != GUEST),
    }


async def test_only_the_owner_reads_the_numbers(shop: Shop) -> None:
    """For all others, also with a token, there is nothing."""
    ada = await shop.visitor("ada")
    statuses = []
    for headers in ({}, {TOKEN_HEADER: ada.token}, {"x-owner": "no"}, {"x-owner": "yes"}):
        sent = {"cookie": f"{ada.login}; {ada.session}", **headers}
        statuses.append((await shop.client.get("/__webagent__/usage", headers=sent)).status_code)

    assert statuses == [404, 404, 404, 200]
