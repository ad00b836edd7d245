"""Functions of an application, called by its pages."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from playwright.async_api import BrowserContext
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from tests.e2e.command import in_process
from webagent.errors import NotLoggedIn, ToolError
from webagent_site.tools.frameworks import starlette_routes
from webagent_site.tools.script import HttpCall, script_of
from webagent_site.tools.server_tools import ServerTools

TEAS = [{"id": 1, "title": "Assam"}, {"id": 2, "title": "Green"}]

OUTCOME = """async ([name, ...values]) => {
    try { return await globalThis[name](...values); }
    catch (error) { return `${error.name}: ${error.message}`; }
}"""


def _shop() -> Starlette:
    tools = ServerTools()

    @tools.tool(effect="read", sample_code='await global.findTeas("as");')
    def findTeas(word: str, most: int = 5) -> list[dict[str, int | str]]:
        """Find teas by a word of their title."""
        return [tea for tea in TEAS if word.lower() in str(tea["title"]).lower()][:most]

    @tools.tool(effect="read", sample_code="await global.whoAmI();")
    async def whoAmI(request: Request) -> dict[str, str]:
        """Return the visitor's name, and the token that the page sent."""
        if "name" not in request.session:
            raise NotLoggedIn("please sign in first")
        return {"name": request.session["name"], "token": request.headers.get("x-csrftoken", "")}

    @tools.tool(effect="write")
    async def buy(tea: int) -> None:
        """Buy a tea."""
        raise ToolError("the last one was just sold") if tea == 1 else ValueError("a secret")

    tags = f'<meta name="webagents-md" content="/webagents.md">{tools.tag()}'
    page = f'<!doctype html><title>Teas</title><meta name="csrf-token" content="t0">{tags}<p>Teas'

    async def index(request: Request) -> Response:
        if name := request.query_params.get("name"):
            request.session["name"] = name
        return HTMLResponse(page)

    async def manifest(_: Request) -> Response:
        text = tools.manifest_text("# Teas\n\nTea, by title.\n")
        return PlainTextResponse(text, media_type="text/markdown")

    async def to_login(_: Request) -> Response:
        return RedirectResponse("/", 302)

    async def api(request: Request) -> Response:
        parts = [request.method, request.path_params["id"], request.query_params.multi_items()]
        return JSONResponse([*parts, (await request.body()).decode()])

    return Starlette(
        routes=[
            Route("/", index),
            Route("/api/teas/{id}", api, methods=["GET", "PUT", "DELETE"]),
            Route("/webagents.md", manifest),
            Route("/moved", to_login, methods=["POST"]),
            *starlette_routes(tools),
        ],
        middleware=[Middleware(SessionMiddleware, secret_key="key")],
    )


@pytest.fixture(name="shop", scope="module")
def _running() -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(_shop(), log_level="error", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    with contextlib.suppress(OSError):
        listener.close()


async def test_a_page_calls_functions_of_its_application(
    shop: str, context: BrowserContext
) -> None:
    """With its session and token; each failure has a name and a sentence."""
    page = await context.new_page()
    await page.goto(shop)

    async def call(*parts: object) -> object:
        return await page.evaluate(OUTCOME, list(parts))

    assert await call("findTeas", "as") == [{"id": 1, "title": "Assam"}]
    assert await call("findTeas", "e", 0) == []
    assert await call("findTeas", 3) == "InvalidArguments: word: expected string, got number"
    assert await call("findTeas", "a", 1, 2) == (
        "InvalidArguments: there are more values than parameters"
    )
    assert await call("whoAmI") == "NotLoggedIn: please sign in first"
    assert await call("buy", 1) == "Conflict: the last one was just sold"
    failed = str(await call("buy", 2))
    assert failed.startswith("ServerFailed: the site could not do this; its log has the reason")
    assert "secret" not in failed

    await page.goto(f"{shop}/?name=Ada")
    assert await call("whoAmI") == {"name": "Ada", "token": "t0"}
    await page.route("**/tools/whoAmI", lambda route: route.continue_(url=f"{shop}/moved"))
    assert await call("whoAmI") == "NotLoggedIn: please sign in first, then try again"
    await page.route("**/tools/buy", lambda route: route.abort())
    assert str(await call("buy", 1)).startswith("NoConnection: ")

    # The functions of an API have places for their arguments besides the fields of a body.
    path = "/api/teas/{id}"
    script = script_of(
        [
            HttpCall("getTea", "GET", path, [("id", "path"), ("max-price", "query")]),
            HttpCall("putTea", "PUT", path, [("id", "path"), ("body", "content")]),
            HttpCall("deleteTea", "DELETE", path, [("id", "path")]),
            HttpCall("fetch", "GET", path, []),
        ]
    )
    await page.add_script_tag(content=script)
    prices = [["max-price", "1"], ["max-price", "a&b"]]
    assert await call("getTea", "ä b?", [1, "a&b"]) == ["GET", "ä b?", prices, ""]
    assert await call("putTea", 1, ["a"]) == ["PUT", "1", [], '["a"]']
    assert await call("deleteTea", 1) == ["DELETE", "1", [], ""]
    for wrong in ("..", ".", ""):
        assert await call("deleteTea", wrong) == f"InvalidArguments: `id` cannot be `{wrong}`"
    assert str(await call("getTea", "a/b")).startswith("NotFound: ")
    assert await page.evaluate("fetch.toString().includes('native code')")
    await page.close()


@pytest.mark.conformance
async def test_contract_tests_prove_them_like_other_tools(shop: str) -> None:
    """`check` and `test` see functions of the page, with the effects that the manifest has."""
    code, out, err = await in_process("check", f"{shop}/webagents.md")
    assert (code, err) == (0, ""), out

    code, out, err = await in_process("test", shop)
    assert "findTeas" in out
    assert code == 0, out + err
