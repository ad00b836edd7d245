"""Real sites behind `serve --proxy`, in a real browser."""

from __future__ import annotations

import asyncio
import functools
import http.server
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.e2e.conftest import TEMPLATE, Serve, Watch
from tests.upstream import RawServer, listening
from tests.vite import vite_command


class Other:
    """Another development server: a program that says where it listens."""

    def __init__(self, command: list[str], folder: Path) -> None:
        """Start it and wait for its address."""
        # In CI some write their address in colours, terminal or not.
        plain = {key: value for key, value in os.environ.items() if key != "FORCE_COLOR"}
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**plain, "NO_COLOR": "1"},
        )
        self.output: list[str] = []
        self._ready = threading.Event()
        self.url = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(60), self.output

    def stop(self) -> None:
        """End it."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._reader.join()
        assert self._process.stdout
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self.output.append(line)
            at = line.find("http://")
            if at >= 0 and not self.url:
                self.url = line[at:].split()[0].rstrip("/")
                self._ready.set()
        self._ready.set()


@pytest.fixture(name="other")
def _other() -> Iterator[list[Other]]:
    """Servers that a test starts; they are stopped after ours."""
    started: list[Other] = []
    yield started
    for server in started:
        server.stop()


@pytest.mark.conformance
async def test_the_template_behind_a_plain_file_server(
    other: list[Other], serve: Serve, page: Page, tmp_path: Path
) -> None:
    """It knows nothing of us; its manifest is fetched, and the agent works."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=TEMPLATE)
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    behind = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=behind.serve_forever)
    thread.start()
    try:
        server = serve(tmp_path, "--proxy", f"http://127.0.0.1:{behind.server_port}")
        await page.goto(server.url)
        await page.evaluate("webagent.ready")
        found = await page.evaluate("webagent.call('searchBooks', 'harbour')")
        assert found["total"] > 0
    finally:
        behind.shutdown()
        thread.join()
        behind.server_close()


@pytest.fixture(name="vite", scope="session")
def _vite() -> list[str]:
    """The command of Vite on a free port."""
    return [*vite_command(), "--port", "0"]


@pytest.mark.timeout(240)
async def test_the_template_behind_vite_keeps_hot_updates(
    other: list[Other], serve: Serve, page: Page, vite: list[str], tmp_path: Path
) -> None:
    """A stylesheet and a module are swapped by Vite itself, and the page's state stays."""
    shop = shutil.copytree(TEMPLATE, tmp_path / "shop")
    (shop / "js" / "hot.js").write_text(
        "export let word = 'first';\nglobalThis.hot = word;\n"
        "import.meta.hot?.accept((next) => { globalThis.hot = next.word; });\n"
    )
    index = shop / "index.html"
    script = '<script type="module" src="js/hot.js"></script>\n</head>'
    index.write_text(index.read_text().replace("</head>", script, 1))
    other.append(await asyncio.to_thread(Other, vite, shop))
    server = await asyncio.to_thread(serve, shop, "--proxy", other[0].url)

    await page.goto(server.url)
    await page.evaluate("webagent.ready")
    assert (await page.evaluate("webagent.call('searchBooks', 'harbour')"))["total"] > 0
    assert await page.evaluate("hot") == "first"
    order = "[...document.scripts].map((s) => s.getAttribute('src')).filter(Boolean)"
    assert (await page.evaluate(order))[:5] == [
        "/__webagent__/logs.js",
        "/__webagent__/global.js",
        "/__webagent__/modelcontext.js",
        "/__webagent__/webagent.js",
        "/@vite/client",
    ]
    await page.evaluate("globalThis.state = 'kept'")

    module = shop / "js" / "hot.js"
    module.write_text(module.read_text().replace("first", "second"))
    await page.wait_for_function("hot === 'second'")
    sheet = shop / "css" / "base.css"
    sheet.write_text(sheet.read_text() + "\nbody { outline: 3px solid rgb(1, 2, 3) }\n")
    await page.wait_for_function("getComputedStyle(document.body).outlineColor === 'rgb(1, 2, 3)'")
    assert await page.evaluate("state") == "kept"

    manifest = shop / "webagents.md"
    manifest.write_text(manifest.read_text() + "\n## newTool\n### Params\n")
    await page.wait_for_function(
        "webagent.tools().then((all) => all.some(({ name }) => name === 'newTool'))"
    )


FLASK = '''
import secrets
from flask import Flask, redirect, request, session, url_for

app = Flask(__name__)
app.secret_key = secrets.token_hex()

@app.get("/")
def home():
    names = ", ".join(session.get("names", []))
    return f"""<!doctype html><title>Guests</title><link rel=icon href=data:,><script>global.early = 1</script>
<p id=names>{names}</p><p id=url>{request.url_root}</p>
<form method=post action=/add><input name=name><button>Add</button></form>"""

@app.post("/add")
def add():
    session["names"] = [*session.get("names", []), request.form["name"]]
    return redirect(url_for("home", _external=True))

@app.get("/webagents.md")
def manifest():
    return "# Guests\\n\\nA list.\\n", {"content-type": "text/markdown"}

from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, app, threaded=True)
print(f"http://127.0.0.1:{server.port}", flush=True)
server.serve_forever()
'''

DJANGO = '''
from django.conf import settings
settings.configure(
    DEBUG=True, SECRET_KEY="x", ROOT_URLCONF=__name__, ALLOWED_HOSTS=[],
    MIDDLEWARE=[
        "django.middleware.gzip.GZipMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
    ],
)
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import path

def home(request):
    names = request.COOKIES.get("names", "")
    return HttpResponse(f"""<!doctype html><title>Guests</title><link rel=icon href=data:,><script>global.early = 1</script>
<p id=names>{names}</p><p id=url>{request.build_absolute_uri("/")}</p>
<form method=post action=/add><input type=hidden name=csrfmiddlewaretoken value={get_token(request)}>
<input name=name><button>Add</button></form>{"<!-- long enough for gzip -->" * 20}""")

def add(request):
    names = [name for name in (request.COOKIES.get("names"), request.POST["name"]) if name]
    response = HttpResponseRedirect(request.build_absolute_uri("/"))
    response.set_cookie("names", "-".join(names))
    return response

urlpatterns = [path("", home), path("add", add)]
from wsgiref.simple_server import WSGIRequestHandler, make_server
class Quiet(WSGIRequestHandler):
    def log_message(self, *_): pass
server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
'''


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("program", "joined"),
    [(FLASK, "Ada, Grace"), (DJANGO, "Ada-Grace")],
)
async def test_a_server_with_cookies_and_a_form(
    other: list[Other], serve: Serve, page: Page, tmp_path: Path, program: str, joined: str
) -> None:
    """Sessions, protection against forged forms, redirects and absolute addresses stay right."""
    file = tmp_path / "site.py"
    file.write_text(program)
    other.append(await asyncio.to_thread(Other, [sys.executable, str(file)], tmp_path))
    server = await asyncio.to_thread(serve, tmp_path, "--proxy", other[0].url)

    await page.goto(server.url)
    for name in ("Ada", "Grace"):
        await page.fill("input[name=name]", name)
        await page.click("button")
        await page.wait_for_url(f"{server.url}/")
    await expect(page.locator("#names")).to_have_text(joined)
    await expect(page.locator("#url")).to_have_text(f"{server.url}/")
    assert await page.evaluate("global.early") == 1
    await page.wait_for_function("webagent.state === 'ready'")


async def test_a_page_that_waits_loads_by_itself(
    serve: Serve, page: Page, watch: Watch, tmp_path: Path
) -> None:
    """As soon as the upstream is up."""
    with listening() as gone:
        port = gone.port
    server = await asyncio.to_thread(serve, tmp_path, "--proxy", f"http://127.0.0.1:{port}")
    await page.goto(f"{server.url}/deep?x=1")
    await expect(page.locator("h1")).to_have_text(f"Nothing answers at http://127.0.0.1:{port}")

    behind = RawServer(port)
    try:
        await page.wait_for_function("document.title === 'Behind'")
        assert page.url == f"{server.url}/deep?x=1"
        assert "GET /deep?x=1 HTTP/1.1" in [request.line for request in behind.pages]
    finally:
        behind.close()
    watch.errors.clear()


async def test_paths_of_a_single_page_application_lead_to_its_first_page(
    serve: Serve, page: Page, watch: Watch, tmp_path: Path
) -> None:
    """Files that are there stay files, and scripts that are missing stay missing."""
    (tmp_path / "index.html").write_text(
        "<!doctype html><title>App</title><link rel=icon href=data:,><p id=at></p><script src=/app.js></script>"
    )
    (tmp_path / "app.js").write_text("at.textContent = location.pathname")
    server = await asyncio.to_thread(serve, tmp_path, "--spa")

    answer = await page.goto(f"{server.url}/orders/7")
    assert answer
    assert answer.status == 200
    await expect(page.locator("#at")).to_have_text("/orders/7")
    statuses = await page.evaluate(
        "Promise.all(['/app.js', '/none.js'].map((path) => fetch(path).then((r) => r.status)))"
    )
    assert statuses == [200, 404]
    watch.errors.clear()
