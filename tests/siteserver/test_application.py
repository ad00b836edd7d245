"""`WebAgent` around real applications: Starlette, Django and Flask."""

from __future__ import annotations

import asyncio
import gzip
import io
import logging
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from flask import Response as FlaskResponse
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from tests.model_server import Loopback, ModelServer, says
from tests.siteserver.conftest import INDEX, MANIFEST
from webagent import parse
from webagent.discovery import announced_in_header, announced_in_html
from webagent_site import BrokenManifest, WebAgent
from webagent_site.config.llm import ModelKeys
from webagent_site.errors import ConfigError
from webagent_site.llm.gateway import LlmGateway
from webagent_site.tools.frameworks import starlette_routes

TAG = re.compile(r'<script src="(/[a-z/]*webagent/[0-9a-f]{16}/)global\.js" integrity="sha384-')
HTML = {"accept": "text/html"}

Make = Callable[..., WebAgent]


@pytest.fixture(name="agent")
def _agent(root: Path, bundle: Path) -> Make:
    def make(**options: Any) -> WebAgent:
        return WebAgent(root / "webagents.md", bundle=bundle, **options)

    return make


async def _page(request: Request) -> Response:
    return HTMLResponse(INDEX, headers={"etag": '"v1"', "vary": "cookie"})


def _client(agent: WebAgent, *routes: Any, **more: Any) -> TestClient:
    app = Starlette(routes=[Route("/", _page), *routes], **more)
    return TestClient(agent.wrap(app))


def test_tags(agent: Make) -> None:
    """A page gets the tags, the header and a length of its own; all other bytes stay."""
    response = _client(agent(options={"panel": "on"})).get("/")
    assert TAG.search(response.text)
    assert 'data-manifest="/webagents.md" data-panel="on"></script>' in response.text
    assert announced_in_html(response.text) == "/webagents.md"
    assert announced_in_header(response.headers["link"]) == "/webagents.md"
    assert response.headers["content-length"] == str(len(response.content))
    assert response.headers["vary"] == "cookie, accept"
    kept = re.sub(r'<meta name="webagents-md"[^>]*>|<script.*?</script>', "", response.text)
    assert kept.encode() == INDEX


def test_files(agent: Make) -> None:
    """The manifest is at both addresses, and the files of the bundle never change theirs."""
    client = _client(agent())
    for path in ("/webagents.md", "/.well-known/webagents.md"):
        response = client.get(path)
        assert response.text == MANIFEST
        assert response.headers["content-type"] == "text/markdown; charset=utf-8"
    tag = TAG.search(client.get("/").text)
    assert tag is not None
    script = client.get(f"{tag[1]}webagent.js", headers={"range": "bytes=0-5"})
    assert (script.status_code, script.text) == (206, "export")
    assert script.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert client.get(f"{tag[1]}dev.js").status_code == 404
    assert client.get(f"{tag[1]}absent.js").status_code == 404
    assert client.post("/webagents.md").status_code == 405


def test_caches(agent: Make) -> None:
    """A cached page with our tags is confirmed; one without them, or of a date, is not."""
    asked: list[dict[str, str]] = []

    async def page(request: Request) -> Response:
        asked.append(dict(request.headers))
        if request.headers.get("if-none-match") == '"v1"' or "if-modified-since" in request.headers:
            return Response(status_code=304, headers={"etag": '"v1"'})
        return await _page(request)

    client = _client(agent(), Route("/cached", page))
    etag = client.get("/cached", headers=HTML).headers["etag"]
    assert etag.startswith('"v1-wa')
    same = client.get("/cached", headers={**HTML, "if-none-match": etag})
    assert (same.status_code, same.headers["etag"]) == (304, etag)
    old = client.get("/cached", headers={**HTML, "if-none-match": '"v1"'})
    assert old.status_code == 200
    assert TAG.search(old.text)
    since = {**HTML, "if-modified-since": "Sat, 28 Nov 2026 10:00:00 GMT", "range": "bytes=0-9"}
    assert client.get("/cached", headers=since).status_code == 200
    assert "range" not in asked[-1]
    # A script's request for data keeps its conditions.
    assert client.get("/cached", headers={"if-none-match": '"v1"'}).status_code == 304


@pytest.mark.parametrize(
    ("body", "kind", "headers"),
    [
        (b'{"a": "<html><head></head>"}', "application/json", {}),
        (b"<li>part of a page</li>", "text/html", {}),
        (INDEX, "text/html", {"cache-control": "public, no-transform"}),
        (gzip.compress(INDEX), "text/html", {"content-encoding": "gzip"}),
        (INDEX.decode().encode("utf-16-le"), "text/html; charset=utf-16le", {}),
    ],
    ids=["data", "part", "no-transform", "gzip", "utf-16"],
)
def test_left_alone(agent: Make, body: bytes, kind: str, headers: dict[str, str]) -> None:
    """Data, parts of pages, and pages that may not be changed keep each byte and their length."""

    async def answer(_: Request) -> Response:
        return Response(body, media_type=kind, headers={**headers, "etag": '"v1"'})

    with _client(agent(), Route("/a", answer)).stream("GET", "/a") as response:
        raw = b"".join(response.iter_raw())
    assert raw == body
    assert response.headers["content-length"] == str(len(body))
    assert response.headers["etag"] == '"v1"'


def test_compressed(agent: Make, caplog: pytest.LogCaptureFixture) -> None:
    """Compressed pages are left alone and that is logged once; `compressed=True` tags them."""
    large = INDEX + b"<!-- " + b"x" * 2000 + b" -->"

    async def page(_: Request) -> Response:
        return HTMLResponse(large)

    more = {"middleware": [Middleware(GZipMiddleware)]}
    client = _client(agent(), Route("/large", page), **more)
    assert client.get("/large").content == large
    assert client.get("/large").content == large
    assert [r.message for r in caplog.records if "get no agent" in r.message] == [
        "pages in `gzip` get no agent - compress outside of the agent, or write "
        "`WebAgent(…, compressed=True)`"
    ]
    tagged = _client(agent(compressed=True), Route("/large", page), **more).get("/large")
    assert tagged.headers["content-encoding"] == "gzip"
    assert TAG.search(tagged.text)
    assert tagged.text.endswith(" -->")


async def test_stream(agent: Make) -> None:
    """A stream is held back until its head has ended, and then passes chunk by chunk."""
    chunks = [b"<!doctype html><ti", b"tle>x</title>", b"<p>one", b"<p>two", b"<p>three"]
    sent: list[bytes] = []
    seen: list[int] = []

    async def body() -> AsyncIterator[bytes]:
        for chunk in chunks:
            seen.append(len(sent))
            yield chunk

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body":
            sent.append(message.get("body", b""))

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    app = agent().wrap(StreamingResponse(body(), media_type="text/html"))
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
    await app({**scope, "asgi": {"spec_version": "2.4"}}, receive, send)
    assert seen == [0, 0, 0, 1, 2]
    assert TAG.search(sent[0].decode())
    assert sent[1:4] == [b"<p>two", b"<p>three", b""]


async def test_a_large_page_costs_as_little_as_a_small_one(agent: Make) -> None:
    """Only its head is read, also where the template has announced the manifest."""
    row = b'<p class="item"><a href="/items/1">Item</a></p>'
    head = b"<!doctype html><html><head><meta name=webagents-md content=/webagents.md></head><body>"

    async def cpu_s(body: bytes) -> float:
        async def page(scope: Scope, receive: Receive, send: Send) -> None:
            headers = [(b"content-type", b"text/html")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": head + body})

        async def receive() -> Message:
            raise AssertionError("nothing is read")

        async def send(message: Message) -> None:
            if message["type"] == "http.response.body":
                assert b"webagent.js" in message["body"]
                assert message["body"].endswith(body)

        app = agent().wrap(page)
        scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
        times = []
        for _ in range(9):
            start = time.process_time()
            await app(dict(scope), receive, send)
            times.append(time.process_time() - start)
        return min(times)

    assert await cpu_s(row * 2_000) < 5 * await cpu_s(row)


def test_nonce_and_missing_sources(agent: Make, caplog: pytest.LogCaptureFixture) -> None:
    """The tags carry the nonce of the page, and what its policy lacks is logged once."""
    policy = "default-src 'self'; script-src 'nonce-abc123'"

    async def page(_: Request) -> Response:
        return HTMLResponse(INDEX, headers={"content-security-policy": policy})

    client = _client(agent(), Route("/csp", page))
    text = client.get("/csp").text
    client.get("/csp")
    assert len(re.findall(r'<script [^>]*nonce="abc123"', text)) == 2
    logged = [record.message for record in caplog.records if "Policy" in record.message]
    assert len(logged) == 1
    assert "add `'wasm-unsafe-eval'` to its `script-src`" in logged[0]


def test_head(agent: Make) -> None:
    """A response to HEAD has the ETag of the page with tags, and no length of one without."""
    response = _client(agent()).head("/")
    assert response.headers["etag"].startswith('"v1-wa')
    assert "content-length" not in response.headers


def test_own_tags(agent: Make, caplog: pytest.LogCaptureFixture) -> None:
    """A page that a template has given the tags gets no second ones; tags alone are logged once."""
    webagent = agent()
    webagent.tags()
    webagent.tags()
    assert ["wraps no application" in record.message for record in caplog.records] == [True]

    async def page(_: Request) -> Response:
        return HTMLResponse(f"<!doctype html><head>{webagent.tags()}</head>")

    assert len(TAG.findall(_client(webagent, Route("/own", page)).get("/own").text)) == 1


def test_mount(agent: Make) -> None:
    """A mounted application has its manifest, bundle and tags below the mount."""
    inner = agent().wrap(Starlette(routes=[Route("/", _page)]))
    client = TestClient(Starlette(routes=[Mount("/app", inner)]))
    text = client.get("/app/").text
    assert announced_in_html(text) == "/app/webagents.md"
    tag = TAG.search(text)
    assert tag is not None
    assert tag[1].startswith("/app/webagent/")
    assert client.get(f"{tag[1]}webagent.js").text == "export {};"
    assert client.get("/app/webagents.md").text == MANIFEST


def test_file_of_the_application(agent: Make, root: Path) -> None:
    """A page that the application sends as a file gets the tags, too."""

    async def page(_: Request) -> Response:
        return FileResponse(root / "index.html")

    assert TAG.search(_client(agent(), Route("/file", page)).get("/file").text)


def test_lifespan_and_sockets(agent: Make) -> None:
    """The lifespan and the WebSockets of the application are its own."""
    events: list[str] = []

    async def lifespan(_: Any) -> AsyncIterator[None]:
        events.append("start")
        yield
        events.append("end")

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        await websocket.send_text("hello")
        await websocket.close()

    app = Starlette(routes=[WebSocketRoute("/ws", socket)], lifespan=asynccontextmanager(lifespan))
    with TestClient(agent().wrap(app)) as client, client.websocket_connect("/ws") as opened:
        assert opened.receive_text() == "hello"
    assert events == ["start", "end"]


def test_django_asgi(agent: Make) -> None:
    """Django's own pages get the tags, over ASGI."""
    import django
    from django.conf import settings
    from django.core.handlers.asgi import ASGIHandler
    from django.http import HttpResponse
    from django.urls import path

    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="x", USE_TZ=True)
        django.setup()
    globals()["urlpatterns"] = [path("", lambda request: HttpResponse(INDEX))]
    assert TAG.search(TestClient(agent().wrap(ASGIHandler())).get("/").text)


# WSGI


def _flask() -> Flask:
    app = Flask(__name__)

    @app.get("/")
    def page() -> FlaskResponse:
        response = FlaskResponse(INDEX, mimetype="text/html")
        response.set_etag("v1")
        return response

    @app.get("/data")
    def data() -> Any:
        return {"a": 1}

    @app.get("/stream")
    def stream() -> FlaskResponse:
        def chunks() -> Iterator[bytes]:
            yield b"<!doctype html><head>"
            yield b"</head><body>one"
            yield b"two"

        return FlaskResponse(chunks(), mimetype="text/html")

    return app


@pytest.mark.filterwarnings("ignore::DeprecationWarning:a2wsgi")
def test_wsgi(agent: Make, caplog: pytest.LogCaptureFixture) -> None:
    """Flask pages get tags, length and ETag; data, manifest and bundle are served next to them."""
    caplog.set_level(logging.INFO)
    app = _flask()
    app.wsgi_app = agent().wrap_wsgi(app.wsgi_app)  # type: ignore[method-assign,assignment,arg-type]
    assert "with `wrap` for that" in caplog.text
    client = app.test_client()
    page = client.get("/", headers=HTML)
    tag = TAG.search(page.text)
    assert tag is not None
    assert page.headers["content-length"] == str(len(page.data))
    etag = page.headers["etag"]
    assert etag.startswith('"v1-wa')
    assert client.get("/data").json == {"a": 1}
    assert client.get("/webagents.md").text == MANIFEST
    assert client.get(f"{tag[1]}webagent.js").text == "export {};"
    assert client.get(f"{tag[1]}webagent.js", headers={"range": "bytes=0-5"}).text == "export"
    mounted = client.get("/", environ_overrides={"SCRIPT_NAME": "/app"}).text
    assert announced_in_html(mounted) == "/app/webagents.md"


def test_wsgi_stream(agent: Make) -> None:
    """A WSGI stream passes chunk by chunk, after its head."""
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/stream",
        "SCRIPT_NAME": "",
        "SERVER_NAME": "x",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
    }
    started: list[Any] = []
    wrapped = agent().wrap_wsgi(_flask().wsgi_app)  # type: ignore[arg-type]
    chunks = list(wrapped(environ, lambda *given: started.append(given) or (lambda _: None)))
    assert started[0][0] == "200 OK"
    assert len(chunks) == 2
    assert TAG.search(chunks[0].decode())
    assert chunks[1] == b"two"


# The manifest


_app = Starlette()


def test_broken_manifest(tmp_path: Path, bundle: Path) -> None:
    """A manifest with errors is refused with its findings, and a missing one by its path."""
    tool = MANIFEST.partition("## ")[2]
    (tmp_path / "webagents.md").write_text(f"{MANIFEST}\n## {tool}", encoding="utf-8")
    with pytest.raises(BrokenManifest, match=r"(?s)has 1 error - .*duplicate-tool"):
        WebAgent(tmp_path / "webagents.md", bundle=bundle).wrap(_app)
    with pytest.raises(ConfigError, match=r"`absent\.md` cannot be read - No such file"):
        WebAgent("absent.md", bundle=bundle).wrap(_app)


def test_parsed_manifest(bundle: Path) -> None:
    """A manifest may be given as what it is parsed to."""
    client = _client(WebAgent(parse(MANIFEST), bundle=bundle))
    assert parse(client.get("/webagents.md").text).tool_names == ["searchBooks"]


def test_missing_bundle(root: Path, tmp_path: Path) -> None:
    """A package without its bundle is refused at the start."""
    with pytest.raises(ConfigError, match="does not hold the page bundle"):
        WebAgent(root / "webagents.md", bundle=tmp_path).wrap(_app)


def test_json(agent: Make) -> None:
    """Data is not announced as a page."""

    async def data(_: Request) -> Response:
        return JSONResponse({})

    assert "link" not in _client(agent(), Route("/data", data)).get("/data").headers


# The model and the functions of the application

KEYS = {"MODEL_KEY": "sk-very-secret/0123456789"}


@pytest.fixture(name="model")
def _model() -> Iterator[ModelServer]:
    with ModelServer(says("hi"), cycle=True) as model:
        yield model


def _gateway(model: ModelServer, **options: Any) -> LlmGateway:
    keys: ModelKeys = {
        "model": "openai-chat:gpt-5-mini",
        "base_url": model.url,
        "api_key_env": "MODEL_KEY",
    }
    return LlmGateway.for_site(keys, environment=KEYS, **options)


@pytest.mark.parametrize("mount", ["", "/shop"])
def test_pages_use_the_model_of_the_site(agent: Make, model: ModelServer, mount: str) -> None:
    """Below the mount, with a token that is in no page; `stop_models` refuses them."""
    wrapped = agent(model=_gateway(model))

    async def close(_: Request) -> Response:
        await wrapped.close()
        return Response(status_code=204)

    app = Starlette(routes=[Route("/", _page), Route("/close", close)])
    inner = Starlette(routes=[Mount(mount, wrapped.wrap(app))]) if mount else wrapped.wrap(app)
    running = Loopback(inner)
    try:
        with httpx.Client(base_url=running.origin, headers={"origin": running.origin}) as page:
            text = page.get(f"{mount}/").text
            assert f'data-llm="{mount}/__webagent__/llm/v1#gpt-5-mini"' in text
            token = page.post(f"{mount}/__webagent__/llm/token").json()["token"]
            assert token not in text
            path = f"{mount}/__webagent__/llm/v1/chat/completions"
            asked = {"messages": [{"role": "user", "content": "hello"}], "stream": True}
            refused = page.post(path, json=asked)
            assert refused.status_code == 403
            page.headers["x-webagent-token"] = token
            assert page.post(path, json=asked).content == says("hi").body
            asyncio.run(wrapped.stop_models())
            stopped = page.post(path, json=asked)
            assert stopped.json()["error"]["code"] == "models_stopped"
            asyncio.run(wrapped.resume_models())
            assert page.post(path, json=asked).status_code == 200
            assert page.get(f"{mount}/close").status_code == 204
    finally:
        running.stop()


def test_the_account_of_a_session_that_is_read_outside(agent: Make, model: ModelServer) -> None:
    """A middleware around the agent finds the visitor for the gateway, too; a login ends old tokens."""
    keys: ModelKeys = {"model": "openai-chat:x", "base_url": model.url}
    gateway = LlmGateway.for_site(keys, account=lambda request: request.session.get("user"))

    async def login(request: Request) -> Response:
        request.session["user"] = "ada"
        return Response(status_code=204)

    app = Starlette(routes=[Route("/login", login, methods=["POST"])])
    outside = SessionMiddleware(agent(model=gateway).wrap(app), secret_key="x" * 32)
    origin = {"origin": "http://testserver"}
    with TestClient(outside, headers=origin) as visitor:
        old = visitor.post("/__webagent__/llm/token").json()["token"]
        visitor.post("/login")
        new = visitor.post("/__webagent__/llm/token").json()["token"]
        asked = {"messages": [{"role": "user", "content": "hello"}]}

        def status(token: str) -> int:
            headers = {"x-webagent-token": token}
            path = "/__webagent__/llm/v1/chat/completions"
            return visitor.post(path, json=asked, headers=headers).status_code

        assert (status(old), status(new)) == (403, 200)


async def test_connections_to_the_model_end_with_the_application(
    agent: Make, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lifespan is the application's own; the gateway closes before it ends."""
    told: list[str] = []
    gateway = _gateway(model)

    async def close() -> None:
        told.append("gateway")

    monkeypatch.setattr(gateway, "close", close)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        told.append((await receive())["type"])
        told.append((await receive())["type"])

    messages = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> Message:
        return {"type": next(messages)}

    async def send(message: Message) -> None:
        """Take nothing."""

    await agent(model=gateway).wrap(app)({"type": "lifespan"}, receive, send)
    assert told == ["lifespan.startup", "gateway", "lifespan.shutdown"]


def test_a_model_without_its_key_is_refused(agent: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the start, by the name of the variable."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY"):
        agent(model="anthropic:claude-haiku-4-5").wrap(_app)


def test_functions_of_the_application_are_tools(
    agent: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """They are in the manifest, their script comes before ours, and calls reach the application."""
    made = agent()

    @made.tool(effect="read", sample_code="await global.countBooks('tea');")
    def countBooks(word: str) -> int:
        """Count books by a word of their title."""
        return len(word)

    forgotten = _client(made)
    found = re.search(r'"(/__webagent__/tools/[^"]+)"', forgotten.get("/").text)
    assert found is not None
    assert forgotten.get(found[1]).status_code == 404
    assert forgotten.get("/absent").status_code == 404
    (logged,) = [record.message for record in caplog.records]
    assert logged.startswith(f"the application has no `{found[1]}`, so pages lack its own tools - ")

    client = _client(made, *starlette_routes(made.tools))
    names = [tool.name for tool in parse(client.get("/webagents.md").text).tools]
    assert names == ["searchBooks", "countBooks"]
    text = client.get("/").text
    script = re.search(r'<script src="(/__webagent__/tools/[0-9a-f]{16}\.js)" integrity', text)
    assert script is not None
    assert script.start() < text.index("webagent.js")
    assert "countBooks" in client.get(script[1]).text
    same = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    called = client.post("/__webagent__/tools/countBooks", json={"word": "tea"}, headers=same)
    assert called.json() == 3
    with pytest.raises(ConfigError, match="after the application was wrapped"):
        made.tool(effect="read")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:a2wsgi")
def test_flask_extension(agent: Make) -> None:
    """One line for the tags, the files and the addresses of the tools; one agent for two applications."""
    made = agent()

    @made.tool(effect="read", sample_code="await global.countBooks('tea');")
    def countBooks(word: str) -> int:
        """Count books by a word of their title."""
        return len(word)

    for _ in range(2):
        app = _flask()
        made.init_app(app)
        client = app.test_client()
        text = client.get("/").text
        assert TAG.search(text)
        script = re.search(r'src="(/__webagent__/tools/[0-9a-f]{16}\.js)"', text)
        assert script is not None
        assert "countBooks" in client.get(script[1]).text
        same = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
        called = client.post("/__webagent__/tools/countBooks", json={"word": "tea"}, headers=same)
        assert called.json == 3


def test_check(tmp_path: Path, bundle: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The findings are returned, and a function may still be declared."""
    (tmp_path / "webagents.md").write_text(f"{MANIFEST}\n## searchBooks\n", encoding="utf-8")
    made = WebAgent(tmp_path / "webagents.md", bundle=bundle)
    assert "duplicate-tool" in [finding.rule for finding in made.check().findings]
    assert not caplog.records
    (tmp_path / "webagents.md").write_text(MANIFEST.replace("Find", "Fine"), encoding="utf-8")

    @made.tool(effect="read", sample_code="await global.countBooks();")
    def countBooks(word: str) -> int:
        """Count books by a word of their title."""
        return len(word)

    (finding,) = made.check().findings
    assert finding.tool == "countBooks"
    made.wrap(_app)
    assert [finding.rule in record.message for record in caplog.records] == [True]


MARK = re.compile(r' data-account="([0-9a-f]{32})"')


def _marks(client: Any, *accounts: str) -> list[list[str]]:
    pages = [client.get("/", headers={**HTML, "cookie": f"user={each}"}) for each in accounts]
    return [MARK.findall(page.text) for page in pages]


def test_pages_have_the_mark_of_an_account(agent: Make, model: ModelServer) -> None:
    """One for each account, which does not name it; none for a stranger, and caches know of it."""
    gateway = _gateway(model, account=lambda request: request.cookies.get("user"))
    webagent = agent(model=gateway)

    async def own(request: Request) -> Response:
        tags = webagent.tags(account=request.scope["webagent.account"])
        return HTMLResponse(f"<!doctype html><head>{tags}</head>")

    client = _client(webagent, Route("/own", own))
    ada, again, ben, stranger = _marks(client, "ada", "ada", "ben", "")
    assert ada == again != ben
    assert (len(ada), len(ben), stranger) == (1, 1, [])
    assert MARK.findall(client.get("/own", headers={**HTML, "cookie": "user=ada"}).text) == ada
    first = client.get("/", headers={**HTML, "cookie": "user=ada"})
    other = client.get("/", headers={**HTML, "cookie": "user=ben"})
    assert "ada" not in first.text.replace(ada[0], "")
    assert first.headers["etag"] != other.headers["etag"]
    assert "cookie" in first.headers["vary"]
    # Another secret, as of another site, has other marks.
    assert _marks(_client(agent(model=_gateway(model, account=lambda _: "ada"))), "") != [ada]


def test_an_account_that_cannot_be_read(
    agent: Make, model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The page is that of a stranger, and the log says why; other responses ask for no account."""

    def account(request: Request) -> str:
        raise LookupError(f"no session for {request.url.path}")

    client = _client(agent(model=_gateway(model, account=account)))
    client.get("/", headers={"accept": "image/png"})
    assert "account" not in caplog.text
    assert _marks(client, "ada") == [[]]
    assert "`account` failed - the page is that of a stranger to the agent" in caplog.text
    assert "no session for /" in caplog.text


@pytest.mark.filterwarnings("ignore::DeprecationWarning:a2wsgi")
def test_accounts_by_wsgi(agent: Make, model: ModelServer) -> None:
    """The same, by a function that waits; an address that is no text is none of its business."""

    async def account(request: Request) -> str | None:
        return request.cookies.get("user")

    app = _flask()
    webagent = agent(model=_gateway(model, account=account))
    app.wsgi_app = webagent.wrap_wsgi(app.wsgi_app)  # type: ignore[method-assign,assignment,arg-type]
    client = app.test_client(use_cookies=False)
    ada, ben, stranger = _marks(client, "ada", "ben", "")
    assert ada != ben
    assert (len(ada), len(ben), stranger) == (1, 1, [])
    odd = {"QUERY_STRING": "\xff", "PATH_INFO": "/"}
    page = client.get("/", headers={**HTML, "cookie": "user=ada"}, environ_overrides=odd)
    assert MARK.findall(page.text) == ada
