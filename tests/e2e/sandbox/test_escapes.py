"""A program cannot reach the network, the storage or the page."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import BrowserContext, Page

from tests.e2e.sandbox.conftest import Site, run

NETWORK = {
    "a request by fetch goes nowhere": "await fetch(URL_); return 'ESCAPED'",
    "a request without CORS goes nowhere": (
        "await fetch(URL_, { mode: 'no-cors', keepalive: true, method: 'POST' }); return 'ESCAPED'"
    ),
    "a request of a blob goes nowhere": (
        "await fetch(URL.createObjectURL(new Blob(['1']))); return 'ESCAPED'"
    ),
    "a synchronous XMLHttpRequest goes nowhere": (
        "const x = new XMLHttpRequest(); x.open('GET', URL_, false); x.send(); return 'ESCAPED'"
    ),
    "a WebSocket does not open": (
        "await new Promise((ok, no) => { const s = new WebSocket(URL_.replace('http', 'ws'));"
        " s.onopen = ok; s.onerror = no }); return 'ESCAPED'"
    ),
    "an EventSource does not open": (
        "await new Promise((ok, no) => { const s = new EventSource(URL_);"
        " s.onopen = ok; s.onerror = no }); return 'ESCAPED'"
    ),
    "a WebTransport does not open": (
        "await new WebTransport(URL_.replace('http:', 'https:')).ready; return 'ESCAPED'"
    ),
    "importScripts loads nothing": "importScripts(URL_); return 'ESCAPED'",
    "importScripts loads no data": "importScripts('data:text/javascript,1'); return 'ESCAPED'",
    "an import from the site loads nothing": "await import(URL_); return 'ESCAPED'",
    "an import from another site loads nothing": (
        "await import('https://example.com/escape.js'); return 'ESCAPED'"
    ),
    "an import of data loads nothing": (
        "await import('data:text/javascript,export default 1'); return 'ESCAPED'"
    ),
    "an import of a blob loads nothing": (
        "const b = new Blob(['export default 1'], { type: 'text/javascript' });"
        "await import(URL.createObjectURL(b)); return 'ESCAPED'"
    ),
    "a beacon is not sent": "if (navigator.sendBeacon(URL_, 'x')) return 'ESCAPED'",
    "a font is not loaded": ("await new FontFace('x', `url(${URL_})`).load(); return 'ESCAPED'"),
    "a peer connection is not made": "new RTCPeerConnection(); return 'ESCAPED'",
    "a worker of the site's code does not start": (
        "await new Promise((ok, no) => { const w = new Worker(URL_);"
        " w.onmessage = ok; w.onerror = no }); return 'ESCAPED'"
    ),
    "a worker inside the worker reaches the network no better": (
        "const code = `fetch('${URL_}').then(() => postMessage('ESCAPED'), () => postMessage(0))`;"
        "const w = new Worker(URL.createObjectURL(new Blob([code])));"
        "return await new Promise((ok) => { w.onmessage = (e) => ok(e.data) })"
    ),
    "a service worker is not registered": (
        "await navigator.serviceWorker.register(URL_); return 'ESCAPED'"
    ),
    "a request by a function of another constructor goes nowhere": (
        "await (async () => {}).constructor('u', 'await fetch(u)')(URL_); return 'ESCAPED'"
    ),
}
STORAGE = {
    "IndexedDB does not open": (
        "await new Promise((ok, no) => { const r = indexedDB.open('x');"
        " r.onsuccess = ok; r.onerror = no }); return 'ESCAPED'"
    ),
    "caches do not open": "await caches.open('x'); return 'ESCAPED'",
    "localStorage is not there": "localStorage.setItem('a', 'b'); return 'ESCAPED'",
    "cookies are not there": "document.cookie = 'a=b'; return 'ESCAPED'",
    "the cookie store is not there": "await cookieStore.set('a', 'b'); return 'ESCAPED'",
    "files of the origin are not there": "await navigator.storage.getDirectory(); return 'ESCAPED'",
    "the clipboard is not there": "await navigator.clipboard.readText(); return 'ESCAPED'",
}
PAGE_REACH = {
    "there is no parent": "parent.postMessage('ESCAPED', '*'); return 'ESCAPED'",
    "there is no top": "top.location = URL_; return 'ESCAPED'",
    "there is no opener": "opener.postMessage('ESCAPED', '*'); return 'ESCAPED'",
    "there is no window to open": "open(URL_); return 'ESCAPED'",
    "the place of the frame cannot be changed": "location.href = URL_; return 'ESCAPED'",
    "postMessage is not there": "postMessage('ESCAPED'); self.postMessage('ESCAPED')",
    "a channel to other pages is not there": (
        "new BroadcastChannel('x').postMessage('ESCAPED'); return 'ESCAPED'"
    ),
    "shared memory is not there": "new SharedArrayBuffer(8); return 'ESCAPED'",
    "shared memory of WebAssembly is not there": (
        "new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }); return 'ESCAPED'"
    ),
    "the worker cannot be blocked by Atomics": "Atomics.wait; return 'ESCAPED'",
    "locks of the origin are not there": (
        "await navigator.locks.request('x', () => 1); return 'ESCAPED'"
    ),
    "`constructor.constructor` gives the worker's own global object": (
        "const g = global.constructor?.constructor('return globalThis')()"
        " ?? ({}).constructor.constructor('return this')();"
        "if (g.document || g.fetch || g.postMessage) return 'ESCAPED'"
    ),
    "indirect eval gives the worker's own global object": (
        "const g = (0, eval)('this'); if (g.document || g.fetch || g.importScripts) return 'ESCAPED'"
    ),
    "what the global object inherits gives nothing back": (
        "let o = globalThis; while ((o = Object.getPrototypeOf(o)))"
        " if (o.fetch || o.postMessage || o.importScripts) return 'ESCAPED'"
    ),
    "the stack of a tool's error leads to no function of ours": (
        "Error.prepareStackTrace = (_, sites) => sites.map((s) => s.getFunction?.());"
        "try { await global.fail() } catch (e) { if ([e.stack].flat().some(Boolean)"
        " && typeof e.stack !== 'string' && e.stack.some((f) => f && f.name === 'post'))"
        " return 'ESCAPED' }"
    ),
    "a changed port gives the port to nobody": (
        "const seen = []; const p = Object.getPrototypeOf; const o = Function.prototype.call;"
        "Function.prototype.call = function (...a) { seen.push(this); return o.apply(this, a) };"
        "Function.prototype.apply = function () { seen.push(this) };"
        "await global.add(1, 2); if (seen.some((f) => /native.*postMessage/.test(f.name)))"
        " return 'ESCAPED'"
    ),
}


@pytest.mark.parametrize("fact", [*NETWORK, *STORAGE, *PAGE_REACH])
async def test_a_program_stays_inside(programs: Page, site: Site, fact: str) -> None:
    """No attempt sends a request or a message, and the page is where it was."""
    attempt = (NETWORK | STORAGE | PAGE_REACH)[fact].replace("URL_", f"'{site.url}/escape'")
    result = await run(programs, attempt, timeout_ms=5000)

    assert "ESCAPED" not in json.dumps(result), fact
    assert result["ok"] or result["error"]["kind"] in ("threw", "timeout"), result
    assert site.escaped() == []
    assert await programs.evaluate("messages") == []
    assert await programs.evaluate("document.title") == "programs"
    assert programs.url == f"{site.url}/"
    assert (await run(programs, "1 + 1"))["value"] == 2


BARE_WORKER = """(code) => new Promise((resolve) => {
  const text = `addEventListener("message", async ({ data }) => {
    try { postMessage(await (async () => {}).constructor(data)()) }
    catch (error) { postMessage("threw " + error) }
  })`;
  const worker = new Worker(URL.createObjectURL(new Blob([text])));
  worker.onmessage = ({ data }) => resolve(String(data));
  worker.postMessage(code);
  setTimeout(() => resolve("no answer"), 5000);
})"""


@pytest.mark.parametrize("fact", [*NETWORK, *STORAGE])
async def test_the_policy_alone_holds(programs: Page, site: Site, fact: str) -> None:
    """A worker of the frame with all that browsers give a worker has no network and no storage."""
    attempt = (NETWORK | STORAGE)[fact].replace("URL_", f"'{site.url}/escape'")
    await run(programs, "1")
    [frame] = programs.frames[1:]
    told = await frame.evaluate(BARE_WORKER, attempt)

    assert "ESCAPED" not in told, fact
    assert site.escaped() == []


async def test_a_worker_without_the_policy_would_escape(
    context: BrowserContext, site: Site
) -> None:
    """The same attempt arrives from a page that has no policy, so the tests above would see it."""
    page = await context.new_page()
    await page.goto(f"{site.url}/page.js")
    told = await page.evaluate(
        BARE_WORKER,
        NETWORK["a request by fetch goes nowhere"].replace("URL_", f"'{site.url}/escape'"),
    )
    await page.close()

    assert told == "ESCAPED"
    assert site.escaped() == ["/escape"]
    site.asked.clear()


async def test_the_frame_has_no_origin_and_no_document_of_the_page(
    programs: Page, site: Site
) -> None:
    """The frame's own scripts cannot read the page, store anything, or load anything."""
    await run(programs, "1")
    [frame] = programs.frames[1:]

    assert await frame.evaluate("origin") == "null"
    for attempt in (
        "parent.document.title",
        "localStorage.length",
        "document.cookie",
        f"fetch('{site.url}/escape')",
        "new Promise((ok, no) => { const s = document.createElement('script');"
        f" s.src = '{site.url}/escape.js'; s.onload = ok; s.onerror = no; document.head.append(s) }})",
        "new Promise((ok, no) => { const s = new Image();"
        f" s.src = '{site.url}/escape.png'; s.onload = ok; s.onerror = no }})",
    ):
        told = await frame.evaluate(
            f"(async () => {{ try {{ await ({attempt}); return 'ESCAPED' }} catch {{ return '' }} }})()"
        )
        assert told == "", attempt
    assert site.escaped() == []


async def test_a_frame_that_leaves_is_replaced(programs: Page, site: Site) -> None:
    """A frame that the page takes away is made again for the next program."""
    await run(programs, "1")
    await programs.evaluate("document.querySelector('iframe').remove()")

    assert (await run(programs, "1 + 2"))["value"] == 3
    assert await programs.locator("iframe").count() == 1
