from __future__ import annotations

import logging
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from tests.siteserver.tools.apps import SECRET, add_tools
from webagent.errors import NotLoggedIn
from webagent_site.tools.endpoint import MAX_CALL_BYTES
from webagent_site.tools.frameworks import asgi_app, starlette_routes
from webagent_site.tools.server_tools import ServerTools

ORIGIN = "https://shop.example"
PAGE = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}


@pytest.fixture(name="tools")
def _tools() -> ServerTools:
    tools = ServerTools()
    add_tools(tools)

    @tools.tool(effect="read")
    async def who(request: Request) -> str:
        """Return the visitor's name."""
        if "name" not in request.session:
            raise NotLoggedIn("please sign in first")
        return str(request.session["name"])

    return tools


async def _login(request: Request) -> Response:
    request.session["name"] = "Ada"
    return Response()


def client(app: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN)


def shop(tools: ServerTools) -> Starlette:
    return Starlette(
        routes=[*starlette_routes(tools), Route("/login", _login, methods=["POST"])],
        middleware=[Middleware(SessionMiddleware, secret_key="key")],
    )


async def call(
    client: httpx.AsyncClient, name: str, data: Any = None, **headers: str
) -> httpx.Response:
    return await client.post(
        f"/__webagent__/tools/{name}", json={} if data is None else data, headers=PAGE | headers
    )


async def test_functions_are_called_in_starlette(tools: ServerTools) -> None:
    """Async ones in the loop, others in a thread; nothing of it is cached."""
    async with client(shop(tools)) as page:
        twice = await call(page, "double", {"number": 4})
        assert (twice.status_code, twice.json()) == (200, 8)
        assert twice.headers["cache-control"] == "no-store"
        assert (await call(page, "triple", {"number": 4})).json() == 12


async def test_a_result_may_have_lone_surrogates(tools: ServerTools) -> None:
    """As a visitor may have written them; they are sent as six characters, like those for a model."""

    @tools.tool(effect="read")
    def note() -> str:
        """Return a note."""
        return "tea \ud83c"

    async with client(shop(tools)) as page:
        answer = await call(page, "note")

    assert (answer.status_code, answer.json()) == (200, r"tea \ud83c")


async def test_functions_are_called_in_fastapi(tools: ServerTools) -> None:
    """By the same routes, or where they are mounted."""
    app = FastAPI()
    app.router.routes.extend(starlette_routes(tools))
    mounted = Starlette(routes=[Mount("/__webagent__/tools", asgi_app(tools))])
    for one in (app, mounted):
        async with client(one) as page:
            assert (await call(page, "double", {"number": 4})).json() == 8


async def test_the_visitor_comes_from_the_session(tools: ServerTools) -> None:
    """A call without one is told to sign in, and cannot name another visitor."""
    async with client(shop(tools)) as page:
        guest = await call(page, "who")
        await page.post("/login")
        known = await call(page, "who")
        forged = await call(page, "who", {"request": {"session": {"name": "Eve"}}})

    assert (guest.status_code, guest.json()["error"]["kind"]) == (401, "not_logged_in")
    assert known.json() == "Ada"
    assert forged.status_code == 422


@pytest.mark.parametrize(
    ("how", "status", "kind", "message"),
    [
        ("sold", 409, "threw", "the last one was just sold"),
        ("guest", 401, "not_logged_in", "please sign in first"),
        ("denied", 403, "denied", "only for members"),
        ("framework", 403, "denied", "the site does not allow this"),
        ("teapot", 418, "threw", "the site does not do this now"),
    ],
)
async def test_errors_for_the_visitor(
    tools: ServerTools, how: str, status: int, kind: str, message: str
) -> None:
    """Sentences of a `ToolError` are passed on; exceptions of frameworks count by their status."""
    async with client(shop(tools)) as page:
        answer = await call(page, "fails", {"how": how})

    assert answer.status_code == status
    assert answer.json() == {"error": {"kind": kind, "message": message}}


@pytest.mark.parametrize(
    ("name", "how"), [("fails", {"how": "bug"}), ("fails", {"how": "upstream"}), ("lies", {})]
)
async def test_texts_of_exceptions_stay_in_the_log(
    tools: ServerTools, name: str, how: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    """The page gets a number, under which the log has the reason."""
    with caplog.at_level(logging.ERROR):
        async with client(shop(tools)) as page:
            answer = await call(page, name, how)

    error = answer.json()["error"]
    assert answer.status_code == 500
    assert SECRET not in answer.text
    assert error["reference"] in error["message"]
    assert error["reference"] in caplog.text
    assert SECRET in caplog.text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": ORIGIN, "sec-fetch-site": "same-origin"}, 200),
        ({"origin": ORIGIN}, 200),
        ({}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://[::1"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "https://shop.example.evil.example"}, 403),
        ({"origin": ORIGIN, "sec-fetch-site": "same-site"}, 403),
        ({"origin": ORIGIN, "sec-fetch-site": "cross-site"}, 403),
        ({"origin": ORIGIN, "sec-fetch-site": "none"}, 403),
    ],
)
async def test_pages_of_this_site_alone_call_tools(
    tools: ServerTools, headers: dict[str, str], status: int
) -> None:
    """Neither pages of another origin nor programs that are not a page."""
    async with client(shop(tools)) as page:
        answer = await page.post("/__webagent__/tools/double", json={"number": 1}, headers=headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"number": 1}', "text/plain", 415),
        (b"number=1", "application/x-www-form-urlencoded", 415),
        (b"{", "application/json", 400),
        (b"[1]", "application/json", 400),
        (b'{"number": NaN}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"number": "1"}', "application/json", 422),
        (b'{"number": 1, "user": 2}', "application/json", 422),
        (b"{}", "application/json", 422),
        (b" " * (MAX_CALL_BYTES + 1), "application/json", 413),
    ],
    ids=range(11),
)
async def test_bodies_that_are_not_a_call(
    tools: ServerTools, content: bytes, kind: str, status: int
) -> None:
    """They get a named error before anything runs."""
    async with client(shop(tools)) as page:
        answer = await page.post(
            "/__webagent__/tools/double", content=content, headers=PAGE | {"content-type": kind}
        )
    assert answer.status_code == status
    assert answer.json()["error"]["message"]


async def test_names_and_methods_that_are_not_there(tools: ServerTools) -> None:
    """A tool is never called by a `GET`, and no name but a declared one is."""
    async with client(shop(tools)) as page:
        assert (await call(page, "__class__")).status_code == 404
        assert (await page.get("/__webagent__/tools/double", headers=PAGE)).status_code == 404
        assert (await page.put("/__webagent__/tools/double", headers=PAGE)).status_code == 405


async def test_the_script_may_be_kept_for_ever(tools: ServerTools) -> None:
    """Under the address that its tag has; another one is not there."""
    async with client(shop(tools)) as page:
        found = await page.get(f"/__webagent__/tools/{tools.script_name}")
        other = await page.get("/__webagent__/tools/0000000000000000.js")

    assert found.text == tools.script()
    assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert found.headers["content-type"] == "text/javascript; charset=utf-8"
    assert (other.status_code, other.headers["cache-control"]) == (404, "no-store")
