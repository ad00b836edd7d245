"""A page of another site, of another port, and under a name that was made to point here, in Chromium."""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import ARGS, find_chromium
from tests.e2e.conftest import Serve
from tests.server import Server

NAMES = "--host-resolver-rules=MAP *.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"
"""`evil.test` leads to this machine, as a name does whose owner wants it to."""

TRIES = """async ({ target, token }) => {
  const socket = target.replace('http', 'ws');
  const script = (type, src) => new Promise((resolve) => {
    const tag = Object.assign(document.createElement('script'), { type, src });
    tag.onload = () => resolve('loaded');
    tag.onerror = () => resolve('refused');
    document.head.append(tag);
  });
  const element = (name, attribute, path) => new Promise((resolve) => {
    const made = document.createElement(name);
    made.onload = () => resolve('loaded');
    made.onerror = () => resolve('refused');
    if (name === 'link') made.rel = 'stylesheet';
    made[attribute] = target + path;
    document.head.append(made);
  });
  const opened = (url) => new Promise((resolve) => {
    const made = new WebSocket(url);
    made.onopen = () => resolve('opened');
    made.onerror = () => resolve('refused');
  });
  const read = (path, options) => fetch(target + path, options)
    .then((answer) => answer.text()).then((text) => text ? 'read' : 'empty', () => 'refused');
  const posted = (kind, mode) => read('/__webagent__/llm/v1/chat/completions', {
    method: 'POST', mode, body: '{}',
    headers: { 'content-type': kind, ...(mode === 'cors' && { 'x-webagent-token': token }) },
  });
  const framed = new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.src = target + '/';
    frame.onload = () => resolve(frame.contentDocument ? 'readable' : 'closed');
    document.body.append(frame);
  });
  return {
    read: await read('/app.js'),
    'read with cookies': await read('/webagents.md', { credentials: 'include' }),
    'read without cors': await read('/app.js', { mode: 'no-cors' }),
    'classic script': await script('', target + '/app.js'),
    'module script': await script('module', target + '/app.js'),
    'our script': await script('', target + '/__webagent__/global.js'),
    'import': await import(target + '/app.js').then(() => 'loaded', () => 'refused'),
    'style': await element('link', 'href', '/style.css'),
    'image': await element('img', 'src', '/dot.svg'),
    'frame': await framed,
    'channel without token': await opened(socket + '/__webagent__/live'),
    'channel with token': await opened(socket + '/__webagent__/live?token=' + token),
    'events': await new Promise((resolve) => {
      const events = new EventSource(target + '/');
      events.onopen = () => resolve('opened');
      events.onerror = () => { events.close(); resolve('refused'); };
    }),
    'post as text': await posted('text/plain', 'no-cors'),
    'post as json': await posted('application/json', 'cors'),
    'executed': String(globalThis.leaked),
  };
}"""

NOTHING = {
    "read": "refused",
    "read with cookies": "refused",
    "read without cors": "refused",
    "classic script": "refused",
    "module script": "refused",
    "our script": "refused",
    "import": "refused",
    "style": "refused",
    "image": "refused",
    "frame": "closed",
    "channel without token": "refused",
    "channel with token": "refused",
    "events": "refused",
    "post as text": "refused",
    "post as json": "refused",
    "executed": "undefined",
}


@pytest_asyncio.fixture(name="abroad", scope="module", loop_scope="session")
async def _abroad() -> AsyncIterator[Browser]:
    """A browser for which names under `.test` lead here."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=find_chromium(), args=[*ARGS, NAMES]
        )
        yield browser
        await browser.close()


@pytest.fixture(name="evil", scope="module")
def _evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of another site on this machine."""
    folder = tmp_path_factory.mktemp("evil")
    (folder / "index.html").write_text("<!doctype html><link rel=icon href=data:,><body>evil")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    handler.log_message = lambda *_: None  # type: ignore[attr-defined]
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    yield site.server_port
    site.shutdown()
    thread.join()
    site.server_close()


@pytest.fixture(name="victim")
def _victim(serve: Serve, tmp_path: Path) -> Server:
    root = tmp_path / "victim"
    root.mkdir()
    (root / "index.html").write_text("<!doctype html><title>Victim</title>")
    (root / "app.js").write_text("globalThis.leaked = 'source'")
    (root / "style.css").write_text("body { color: red }")
    (root / "dot.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (root / "webagents.md").write_text("# Site\n\n## getCart\n### Params\n")
    return serve(root)


async def _token(page: Page, victim: Server) -> str:
    """Return the token of a page, as if it had leaked."""
    await page.goto(victim.url)
    live = await page.get_attribute("meta[name=webagent-live]", "content")
    assert live
    return live.partition("token=")[2]


@pytest.mark.parametrize(
    "origin", ["http://evil.test", "http://localhost", "http://127.0.0.1"], ids=lambda o: o[7:]
)
async def test_a_page_of_another_origin_gets_nothing(
    abroad: Browser, victim: Server, evil: int, origin: str
) -> None:
    """Not by fetch, script, style, image, frame, event source, form or socket, token or not."""
    context = await abroad.new_context()
    page = await context.new_page()
    token = await _token(page, victim)
    await page.goto(f"{origin}:{evil}/")

    assert await page.evaluate(TRIES, {"target": victim.url, "token": token}) == NOTHING
    await context.close()


async def test_our_own_page_gets_what_others_do_not(abroad: Browser, victim: Server) -> None:
    """The same tries from inside: the test above fails for no other reason."""
    context = await abroad.new_context()
    page = await context.new_page()
    token = await _token(page, victim)
    found = await page.evaluate(TRIES, {"target": victim.url, "token": token})

    assert found["read"] == "read"
    assert found["classic script"] == found["style"] == found["image"] == "loaded"
    assert found["channel with token"] == "opened"
    assert found["channel without token"] == "refused"
    assert found["executed"] == "source"
    await context.close()


async def test_a_name_that_was_made_to_point_here_shows_nothing(
    abroad: Browser, victim: Server
) -> None:
    """DNS rebinding: the page has our address under its own name, so it would be same-origin."""
    port = urlsplit(victim.url).port
    context = await abroad.new_context()
    page = await context.new_page()
    answer = await page.goto(f"http://rebound.test:{port}/")

    assert answer
    assert answer.status == 421
    assert "webagent-live" not in await page.content()
    read = "fetch('/app.js').then((answer) => answer.status)"
    assert await page.evaluate(read) == 421
    opened = f"""new Promise((resolve) => {{
        const socket = new WebSocket('ws://rebound.test:{port}/__webagent__/live');
        socket.onopen = () => resolve('opened');
        socket.onerror = () => resolve('refused');
    }})"""
    assert await page.evaluate(opened) == "refused"
    await context.close()


async def test_another_site_may_link_to_a_page_and_learns_nothing(
    abroad: Browser, victim: Server, evil: int
) -> None:
    """Following a link works; the window that opens cannot be looked into."""
    context = await abroad.new_context()
    page = await context.new_page()
    await page.goto(f"http://evil.test:{evil}/")
    async with context.expect_page() as opening:
        await page.evaluate(f"globalThis.other = open('{victim.url}/')")
    opened = await opening.value
    await opened.wait_for_load_state()

    assert await opened.title() == "Victim"
    with pytest.raises(Exception, match="cross-origin"):
        await page.evaluate("other.document.title")
    await context.close()


async def test_a_form_of_another_site_is_not_taken(
    abroad: Browser, victim: Server, evil: int
) -> None:
    """Its POST requests are refused, to whatever path they are sent."""
    context = await abroad.new_context()
    page = await context.new_page()
    await page.goto(f"http://evil.test:{evil}/")
    async with page.expect_navigation() as leaving:
        await page.evaluate(
            f"""() => {{
                const form = document.createElement('form');
                Object.assign(form, {{ method: 'post', action: '{victim.url}/any' }});
                document.body.append(form);
                form.submit();
            }}"""
        )
    answer = await leaving.value

    assert answer
    assert answer.status == 403
    await context.close()


async def test_no_finding_becomes_markup_in_the_overlay(
    abroad: Browser, serve: Serve, tmp_path: Path
) -> None:
    """The content of a manifest is shown as text, in the overlay too."""
    root = tmp_path / "marked"
    root.mkdir()
    (root / "index.html").write_text("<!doctype html><title>Marked</title>")
    bad = "<img src=x onerror=leaked=1>"
    (root / "webagents.md").write_text(
        f"# Site {bad}\n\n## getCart{bad}\n### Params\n- `a{bad}` (Array<{bad}): x {bad}\n"
    )
    server = serve(root)
    context = await abroad.new_context()
    page = await context.new_page()
    await page.goto(server.url)
    await page.locator("webagent-overlay .card").wait_for()

    assert "onerror" in await page.locator("webagent-overlay .card").inner_text()
    assert await page.locator("webagent-overlay .card img").count() == 0
    assert await page.evaluate("globalThis.leaked") is None
    await context.close()
