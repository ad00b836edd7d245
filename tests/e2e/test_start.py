"""Starts that cannot succeed, and sites of every shape."""

from __future__ import annotations

import re
import shutil
import socket
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

import webagent_site
from tests.e2e.conftest import Serve, Watch
from tests.upstream import Asked, html, listening, reply

MANIFEST = (
    "# Small\n\nA small site.\n\n## greet\nSay hello.\n\n### Params\n- `name` (string): Who.\n"
)
SCRIPT = "<script>global.greet = (name) => `hello ${name}`</script>"
PACKAGE = Path(webagent_site.__file__).parent


@pytest.fixture(name="small")
def _small(tmp_path: Path) -> Path:
    root = tmp_path / "small"
    root.mkdir()
    (root / "webagents.md").write_text(MANIFEST, encoding="utf-8")
    # Browsers ask for it, and report when it is not there.
    (root / "favicon.ico").write_bytes(b"")
    return root


SHAPES = {
    "no head": f"<!doctype html><title>é</title>{SCRIPT}<p>é".encode("cp1252"),
    "no tags at all": b"\xe9 only text " + SCRIPT.encode(),
    "latin-1": f'<html><head><meta charset="iso-8859-1"><title>é</title>{SCRIPT}'.encode("latin-1"),
    "utf-16 with a mark": f"<!doctype html><head><title>é</title>{SCRIPT}".encode("utf-16"),
    "utf-8 with a mark": f"\ufeff<!doctype html><html><head><title>é</title>{SCRIPT}".encode(),
    "the meta tag already": (
        '<!doctype html><head><meta name="webagents-md" content="/webagents.md">'
        f"<title>é</title>{SCRIPT}</head>"
    ).encode("cp1252"),
    "the script already": (
        '<!doctype html><head><meta charset="utf-8">'
        f"<title>é</title>{SCRIPT.replace('global.', 'globalThis.')}"
        '<script type="module" src="/__webagent__/webagent.js" data-manifest="/webagents.md">'
        "</script></head>"
    ).encode(),
    "a commented head": f"<!-- <head> --><html><!-- x --><body>é{SCRIPT}</body></html>".encode(
        "cp1252"
    ),
}


@pytest.mark.conformance
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_page_of_any_shape_gets_its_agent(
    page: Page, small: Path, serve: Serve, shape: str
) -> None:
    """No head, another encoding, tags that are there already: the agent is there, once."""
    (small / "index.html").write_bytes(SHAPES[shape])
    server = serve(small)
    await page.goto(server.url)
    assert await page.evaluate("webagent.call('greet', 'you')") == "hello you"
    shown = await page.evaluate("document.title + document.body.innerText")
    counts = await page.evaluate(
        "['meta[name=webagents-md]', 'script[src*=\"webagent.js\"]'].map("
        "(selector) => document.querySelectorAll(selector).length)"
    )

    assert "é" in shown
    assert counts == [1, 1]


@pytest.mark.chromium("the console of Firefox hears of requests that a page gives up as it is left")
@pytest.mark.conformance
async def test_a_page_in_quirks_mode_stays_there(page: Page, small: Path, serve: Serve) -> None:
    """Injecting changes nothing about how the browser reads the page."""
    (small / "index.html").write_text(f"<p>old page{SCRIPT}")
    (small / "modern.html").write_text(f"<!DOCTYPE html><p>new page{SCRIPT}")
    server = serve(small)
    await page.goto(server.url)
    quirks = await page.evaluate("document.compatMode")
    await page.goto(f"{server.url}/modern.html")
    standards = await page.evaluate("document.compatMode")

    assert (quirks, standards) == ("BackCompat", "CSS1Compat")


@pytest.mark.conformance
@pytest.mark.parametrize(
    "name",
    [
        "pyodide.asm.wasm",
        "library.wasm",
        "python_stdlib.zip",
        "pyodide-lock.json",
        "pydantic.zip",
    ],
)
async def test_a_missing_bundle_file_is_named_and_the_site_works(
    page: Page, shop: Path, serve: Serve, tmp_path: Path, watch: Watch, name: str
) -> None:
    """The page says which file is missing; the terminal too; the shop goes on selling."""
    package = shutil.copytree(PACKAGE, tmp_path / "lame" / "webagent_site")
    # So that it starts from the files.
    next(package.glob("bundle/assets/*/python.image*")).unlink()
    (missing,) = package.glob(f"bundle/assets/*/{name}*")
    missing.unlink()
    folder = missing.parent.relative_to(package / "bundle").as_posix()
    url = f"/__webagent__/{folder}/{name}"
    # A text has no icon, and the browser looks for one.
    (shop / "favicon.ico").write_bytes(b"")
    server = serve(shop, process=True, environment={"PYTHONPATH": str(package.parent)})
    await page.goto(server.url)
    message = await page.evaluate("webagent.ready.then(() => '', (error) => error.message)")

    assert f"`{url}` answered 404" in message
    assert await page.evaluate("webagent.state") == "failed"
    status = page.locator("webagent-status")
    await expect(status).to_contain_text("The agent did not start")
    await expect(status).to_contain_text(url)
    server.wait_for_output(re.escape(url))
    assert (await page.evaluate("searchBooks('harbour')"))["books"]
    # Python reports in several lines, and Firefox passes them on when it likes.
    await page.goto(f"{server.url}/webagents.md")
    await page.title()
    watch.errors.clear()


POLICY = "<!doctype html><meta http-equiv=Content-Security-Policy content=\"script-src 'self'{}\">"


@pytest.mark.conformance
async def test_a_content_security_policy_without_webassembly_is_named(
    page: Page, small: Path, serve: Serve, watch: Watch
) -> None:
    """The page says what its policy must allow; with that the agent starts."""
    (small / "index.html").write_text(POLICY.format("") + "<p>strict")
    (small / "open.html").write_text(POLICY.format(" 'wasm-unsafe-eval'") + "<p>open")
    server = serve(small)
    await page.goto(server.url)
    message = await page.evaluate("webagent.ready.then(() => '', (error) => error.message)")
    await page.goto(f"{server.url}/open.html")
    await page.evaluate("webagent.ready")

    assert "add 'wasm-unsafe-eval' to its script-src" in message
    watch.errors.clear()


async def test_an_import_waits_for_the_rest_of_the_standard_library(
    page: Page, small: Path, serve: Serve, watch: Watch
) -> None:
    """The agent is ready without it; an import says when it cannot be had, and waits when it can."""
    (small / "index.html").write_text(f"<!doctype html>{SCRIPT}<p>small")
    asked: list[str] = []

    async def refuse(route: Route) -> None:
        asked.append(route.request.url)
        await route.abort()

    await page.route(re.compile("python_rest"), refuse)
    await page.goto(serve(small).url)
    greeting = await page.evaluate("webagent.call('greet', 'you')")
    without = await page.evaluate("webagent.python('import csv')")
    await page.unroute(re.compile("python_rest"))
    having = await page.evaluate("webagent.python('import csv; csv.__file__')")

    assert greeting == "hello you"
    assert "`csv` is" in without["error"]["message"]
    assert having["value"] == "/lib/python314-rest.zip/csv.pyc"
    assert asked
    watch.errors.clear()


async def test_a_manifest_address_that_answers_html_is_reported(
    page: Page, small: Path, serve: Serve, watch: Watch
) -> None:
    """A page that names a wrong manifest still has an agent, and gets an error that says what is wrong."""
    (small / "index.html").write_text(
        '<!doctype html><meta name="webagents-md" content="/other.html"><p>Hello'
    )
    (small / "other.html").write_text("<!doctype html><p>An app")
    server = serve(small)
    await page.goto(server.url)
    await page.evaluate("webagent.ready")

    assert await page.evaluate("webagent.tools()") == []
    await expect(page.locator("webagent-status")).to_contain_text(
        "the manifest /other.html is an HTML page, not Markdown"
    )
    assert any("is an HTML page" in error for error in watch.errors)
    watch.errors.clear()


@pytest.mark.parametrize("way", ["named", "redirect"])
async def test_a_manifest_on_another_origin_is_refused(
    page: Page, tmp_path: Path, serve: Serve, watch: Watch, way: str
) -> None:
    """As by every other agent, and before a request is sent there, whatever that site allows."""
    with listening() as other, listening() as behind:
        other.answer = other.manifest = reply(
            "HTTP/1.1 200 OK\nAccess-Control-Allow-Origin: *\nContent-Type: text/markdown\n"
            "Content-Length: 15",
            b"# Evil\n\n## pay\n",
        )
        far = f"{other.url}/evil.md"
        address = far if way == "named" else "/moved.md"
        document = html(f'<!doctype html><meta name="webagents-md" content="{address}"><p>Hello')
        moved = reply(f"HTTP/1.1 302 Found\nLocation: {far}\nContent-Length: 0")

        def answer(asked: Asked, connection: socket.socket) -> None:
            (moved if "moved.md" in asked.line else document)(asked, connection)

        behind.answer = answer
        await page.goto(serve(tmp_path, "--proxy", behind.url).url)
        await page.evaluate("webagent.ready")
        assert await page.evaluate("webagent.tools()") == []
        await expect(page.locator("webagent-status")).to_contain_text("another origin")
        assert other.asked == []
        assert any("moved.md" in asked.line for asked in behind.asked) == (way == "redirect")
    watch.errors.clear()


@pytest.mark.conformance
async def test_a_page_waits_for_a_server_that_was_away(
    page: Page, shop: Path, serve: Serve, watch: Watch
) -> None:
    """When the server comes back on its port, the page loads anew by itself."""
    first = serve(shop, process=True)
    await page.goto(first.url)
    await page.evaluate("webagent.ready.then(() => { window.mark = 1 })")
    first.kill()
    second = serve(shop, "--port", first.url.rpartition(":")[2])
    assert second.url == first.url
    await page.wait_for_function("window.mark === undefined && !!window.webagent", timeout=20_000)
    await page.evaluate("webagent.ready")
    # The browser itself reports each refused connection.
    watch.errors.clear()


@pytest.mark.conformance
async def test_an_element_with_our_id_is_not_an_agent(
    page: Page, small: Path, serve: Serve
) -> None:
    """`<div id=webagent>` does not keep the agent from starting."""
    (small / "index.html").write_text(f"<!doctype html>{SCRIPT}<div id=webagent>ours?</div>")
    await page.goto(serve(small).url)

    assert await page.evaluate("webagent.call('greet', 'you')") == "hello you"
