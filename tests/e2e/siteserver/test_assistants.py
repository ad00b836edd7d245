"""An assistant of the visitor's own: the client of the MCP SDK, from its first request to the end of its grant."""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from mcp_types import CallToolResult, TextContent
from playwright.async_api import Browser, BrowserContext, Locator, Page, Route, expect
from pydantic import AnyUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route as AppRoute

from tests.a2a_agent import kit_python
from tests.beside import ServerBeside
from tests.deployed import free_port
from tests.e2e.panel.conftest import OPENED
from tests.e2e.siteserver.bookshop import HTML, MANIFEST, PICTURES
from tests.local_ca import Documents, LocalCa, documents
from tests.siteserver.assistants.conftest import BACK, Assistant, describe, fields_in
from webagent_site import Assistants, WebAgent
from webagent_site.http.visitors import Account, Visitors
from webagent_site.llm.gateway import LlmGateway

WIDTHS = (1280, 390)
KIT_ASSISTANT = Path(__file__).parents[2] / "conformance" / "a2a" / "assistant.py"
AXE = Path(__file__).parents[3] / "browser_bundle" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def bookshop(folder: Path, ca: LocalCa, account: Account | None = None) -> Iterator[str]:
    """Serve a shop over TLS whose visitors may connect assistants; yield its origin."""
    origin = f"https://127.0.0.1:{free_port()}"
    (folder / "webagents.md").write_text(MANIFEST)
    visitors = Visitors(b"s" * 32, account=account)
    agent = WebAgent(
        folder / "webagents.md",
        model=LlmGateway(None, visitors),
        assistants=Assistants(origin),
        options={"panel": "on"},
    )

    async def page(request: Request) -> Response:
        language = request.query_params.get("lang", "en")
        scheme = '<meta name="color-scheme" content="light dark"><title>'
        return HTMLResponse(HTML.replace("LANGUAGE", language).replace("<title>", scheme))

    certificate, key = ca.files("127.0.0.1")
    server = ServerBeside(
        uvicorn.Config(
            agent.wrap(Starlette(routes=[AppRoute("/", page)])),
            port=int(origin.rpartition(":")[2]),
            log_level="error",
            ws="websockets-sansio",
            ssl_certfile=certificate,
            ssl_keyfile=key,
            timeout_graceful_shutdown=2,
        )
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield origin
    finally:
        server.should_exit = True
        thread.join()


class Kept:
    """The memory of a client."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return who the client is."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep who the client is."""
        self.client = client_info


class VisitorOfShop:
    """A visitor with the shop in one tab, and the page that asks in another."""

    def __init__(self, context: BrowserContext, page: Page, width: int) -> None:
        """Use the tab of the shop."""
        self.context = context
        self.page = page
        self.width = width
        self.asked: asyncio.Future[Page] = asyncio.get_running_loop().create_future()
        self.answered: asyncio.Queue[str] = asyncio.Queue()
        self.panel = page.locator("webagent-panel .panel")

    async def open_link(self, url: str) -> None:
        """Open the link of an assistant in another tab."""
        tab = await self.context.new_page()
        await tab.goto(url)
        self.asked.set_result(tab)

    async def code(self) -> AuthorizationCodeResult:
        """Return what the browser has brought back."""
        query = parse_qs(urlsplit(await self.answered.get()).query)
        return AuthorizationCodeResult(
            code=query["code"][0], state=query["state"][0], iss=query["iss"][0]
        )

    async def picture(self, name: str, page: Page | None = None) -> None:
        """Keep a picture, where somebody wants to look at it."""
        shown = page or self.page
        assert await shown.evaluate("document.documentElement.scrollWidth") <= self.width
        if PICTURES:
            await shown.screenshot(path=f"{PICTURES}/assistant-{name}-{self.width}.png")

    async def scroll_down(self) -> None:
        """Show the end of the details."""
        await self.panel.locator(".details").evaluate("(shown) => shown.scrollTo(0, 10_000)")

    def switch(self, tool: str) -> Locator:
        """Return the switch of a tool."""
        return self.panel.get_by_role("switch", name=tool)


@asynccontextmanager
async def visiting(
    browser: Browser, url: str, width: int, **options: Any
) -> AsyncIterator[VisitorOfShop]:
    """Open the shop, in a browser that leads nowhere else."""
    context = await browser.new_context(
        ignore_https_errors=True,
        reduced_motion="reduce",
        viewport={"width": width, "height": 800},
        **options,
    )
    await context.add_init_script(OPENED)
    page = await context.new_page()
    visitor = VisitorOfShop(context, page, width)

    async def back(route: Route) -> None:
        visitor.answered.put_nowait(route.request.url)
        await route.fulfill(body="You can close this tab.", content_type="text/plain")

    await context.route(f"{BACK}*", back)
    await page.goto(url)
    yield visitor
    await context.close()


@pytest.fixture(name="ca", scope="module")
def _ca(tmp_path_factory: pytest.TempPathFactory) -> LocalCa:
    return LocalCa(tmp_path_factory.mktemp("ca"))


@pytest.fixture(name="served")
def _served(ca: LocalCa, monkeypatch: pytest.MonkeyPatch) -> Iterator[Documents]:
    """The documents of assistants, on a server of this machine that counts as one of the open internet."""
    monkeypatch.setenv("SSL_CERT_FILE", str(ca.certificate))
    monkeypatch.setattr(
        "webagent_site.assistants.client_documents.is_public", lambda address: address.is_loopback
    )
    with documents(ca, "localhost") as served:
        yield served


@asynccontextmanager
async def assistant_of(
    visitor: VisitorOfShop, origin: str, client_id: str, ca: LocalCa
) -> AsyncIterator[tuple[asyncio.Task[None], list[Client], Kept, asyncio.Event]]:
    """Connect as an assistant does that knows nothing but the address."""
    kept, ready, leave = Kept(), asyncio.Event(), asyncio.Event()
    found: list[Client] = []
    provider = OAuthClientProvider(
        server_url=f"{origin}/mcp",
        client_metadata=OAuthClientMetadata(redirect_uris=[AnyUrl(BACK)]),
        storage=kept,
        redirect_handler=visitor.open_link,
        callback_handler=visitor.code,
        client_metadata_url=client_id,
    )
    tls = ssl.create_default_context(cafile=str(ca.certificate))

    async def connect() -> None:
        async with httpx2.AsyncClient(auth=provider, verify=tls, timeout=60) as http:
            transport = streamable_http_client(f"{origin}/mcp", http_client=http)
            async with Client(transport) as client:
                found.append(client)
                ready.set()
                await leave.wait()

    task = asyncio.create_task(connect())
    try:
        yield task, found, kept, ready
    finally:
        leave.set()
        await task


def text(result: CallToolResult) -> str:
    """The words of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


@pytest.mark.parametrize(
    "width",
    [WIDTHS[0], *(pytest.param(width, marks=pytest.mark.conformance) for width in WIDTHS[1:])],
)
async def test_a_visitor_connects_allows_sees_and_cuts_off(
    browser: Browser, tmp_path: Path, ca: LocalCa, served: Documents, width: int
) -> None:
    """Discovery, consent, a tool that reads, one that the page asks about, and the end, on a desk and a phone."""
    client_id = describe(served)
    with bookshop(tmp_path, ca) as origin:
        async with visiting(browser, origin, width) as visitor:
            panel, page = visitor.panel, visitor.page
            await page.locator("webagent-launcher button").click()
            await panel.get_by_role("button", name="Details").click()
            await expect(panel.locator(".address code")).to_have_text(f"{origin}/mcp")
            await visitor.scroll_down()
            await visitor.picture("1-address")

            async with assistant_of(visitor, origin, client_id, ca) as (task, found, kept, ready):
                await asyncio.wait(
                    (visitor.asked, task), return_when=asyncio.FIRST_COMPLETED, timeout=60
                )
                consent = await visitor.asked
                await expect(consent.get_by_role("heading")).to_contain_text("Reading helper")
                await visitor.picture("2-consent", consent)
                await consent.get_by_role("button", name="Connect", exact=True).click()
                await asyncio.wait_for(ready.wait(), 60)
                await consent.close()
                client = found[0]

                await page.bring_to_front()
                await page.evaluate("dispatchEvent(new Event('focus'))")
                async with asyncio.timeout(60):
                    while "findBooks" not in [
                        tool.name for tool in (await client.list_tools()).tools
                    ]:
                        pass
                refused = await client.call_tool("findBooks", {"query": "harbour"})
                assert "the user has not allowed `findBooks`" in text(refused)

                await panel.get_by_role("button", name="Details").click()
                await panel.get_by_role("button", name="Details").click()
                await visitor.switch("Find books").click()
                await expect(visitor.switch("Find books")).to_be_checked()
                await visitor.scroll_down()
                await visitor.picture("3-allowed")
                books = await client.call_tool("findBooks", {"query": "harbour"})
                assert "Harbour Lights" in text(books)
                did = panel.locator(".assistant")
                await expect(did).to_contain_text("Find books · done")
                await visitor.scroll_down()
                await visitor.picture("4-did")

                await visitor.switch("Add a book").click()
                await expect(visitor.switch("Add a book")).to_be_checked()
                await panel.get_by_role("button", name="Details").click()
                adding = asyncio.create_task(client.call_tool("addBook", {"title": "Tides"}))
                card = panel.locator(".request")
                await expect(card).to_be_visible(timeout=60_000)
                await visitor.picture("5-asked")
                await expect(card).to_contain_text("Tides")
                await card.get_by_role("button", name="No", exact=True).click()
                await card.get_by_role("button", name="No", exact=True).click()
                assert (await adding).is_error
                await expect(page.locator("#basket li")).to_have_count(0)

                adding = asyncio.create_task(client.call_tool("addBook", {"title": "Tides"}))
                await expect(card).to_be_visible(timeout=60_000)
                await card.get_by_role("button", name="Allow once").click()
                assert "Tides" in text(await adding)
                await expect(page.locator("#basket li")).to_have_text("Tides")

                await panel.get_by_role("button", name="Details").click()
                await expect(did).to_contain_text("Add a book to the basket · done")
                await visitor.scroll_down()
                await visitor.picture("6-done")
                await panel.get_by_role("button", name="Disconnect").click()
                await expect(panel.locator(".assistant")).to_have_count(0)
                await visitor.picture("7-cut-off")
                assert kept.tokens
                async with httpx2.AsyncClient(
                    verify=ssl.create_default_context(cafile=str(ca.certificate)),
                    headers={"authorization": f"Bearer {kept.tokens.access_token}"},
                ) as http:
                    after = await http.post(f"{origin}/mcp", json={})
                assert after.status_code == 401
                cookies = [cookie["name"] for cookie in await visitor.context.cookies()]
                assert "webagent-assistants" not in cookies


async def connected(
    visitor: VisitorOfShop, origin: str, assistant: Assistant, path: str = "/mcp"
) -> str:
    """Connect an assistant in the session of a visitor, without a page that asks; return its token."""
    assistant.resource = f"{origin}{path}"
    http, oauth = visitor.context.request, f"{origin}/__webagent__/oauth"
    page = await http.get(f"{oauth}/authorize", params=assistant.asks)
    answer = await http.post(
        f"{oauth}/consent",
        form={**fields_in(await page.text()), "answer": "connect"},
        headers={"origin": origin},
        max_redirects=0,
    )
    [code] = parse_qs(urlsplit(answer.headers["location"]).query)["code"]
    tokens = await http.post(f"{oauth}/token", form=assistant.shows(code))
    token: str = (await tokens.json())["access_token"]
    return token


@pytest.mark.parametrize(
    ("language", "details", "disconnect", "scheme", "width"),
    [
        pytest.param("en", "Details", "Disconnect", "dark", 1280, marks=pytest.mark.conformance),
        pytest.param("de", "Details", "Trennen", "light", 390, marks=pytest.mark.conformance),
        pytest.param("fr", "Détails", "Déconnecter", "dark", 390, marks=pytest.mark.conformance),
        pytest.param("es", "Detalles", "Desconectar", "light", 1280, marks=pytest.mark.conformance),
        ("ar", "التفاصيل", "قطع الاتصال", "light", 320),
    ],
)
async def test_everybody_can_use_the_list(
    browser: Browser,
    tmp_path: Path,
    ca: LocalCa,
    served: Documents,
    language: str,
    details: str,
    disconnect: str,
    scheme: str,
    width: int,
) -> None:
    """By keyboard, with a screen reader, in each language, in any light, on any screen."""
    assistant = Assistant(describe(served, client_name="Reading helper with a long name " * 3))
    with bookshop(tmp_path, ca) as origin:
        url = f"{origin}/?lang={language}"
        async with visiting(browser, url, width, color_scheme=scheme) as visitor:
            panel, page = visitor.panel, visitor.page
            await page.locator("webagent-launcher button").click()
            await panel.get_by_role("button", name=details, exact=True).click()
            await expect(panel.locator(".address code")).to_have_text(f"{origin}/mcp")
            await connected(visitor, origin, assistant)
            await page.reload()
            await panel.get_by_role("button", name=details, exact=True).click()
            switch = panel.get_by_role("switch").first
            await expect(switch).to_be_visible(timeout=60_000)
            await visitor.scroll_down()
            await visitor.picture(f"list-{language}")

            await switch.focus()
            await page.keyboard.press("Space")
            await expect(switch).to_be_checked()
            await expect(switch).to_be_focused()
            await switch.evaluate("(shown) => shown.click()")
            await expect(switch).to_be_checked()
            await page.add_script_tag(path=AXE)
            found = await page.evaluate(
                "axe.run('webagent-panel', { resultTypes: ['violations'] }).then((all) => all.violations)"
            )
            assert [
                f"{each['id']}: {[node['html'] for node in each['nodes']]}" for each in found
            ] == []
            wider = (
                "(panel) => [panel, ...panel.querySelectorAll('.details, .assistant')]"
                ".filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)"
            )
            assert await panel.evaluate(wider) == []
            end = panel.get_by_role("button", name=disconnect)
            await end.focus()
            await page.keyboard.press("Enter")
            await expect(panel.locator(".assistant")).to_have_count(0)
            await expect(panel.locator("#copy-address")).to_be_focused()


async def test_all_are_cut_off_at_once(
    browser: Browser, tmp_path: Path, ca: LocalCa, served: Documents
) -> None:
    """With one button, once there are two."""
    assistant = Assistant(describe(served))
    with bookshop(tmp_path, ca) as origin:
        async with visiting(browser, origin, 1280) as visitor:
            panel = visitor.panel
            tokens = [await connected(visitor, origin, assistant) for _ in range(2)]
            await visitor.page.reload()
            await visitor.page.locator("webagent-launcher button").click()
            await panel.get_by_role("button", name="Details").click()
            await expect(panel.locator(".assistant")).to_have_count(2, timeout=60_000)
            await visitor.scroll_down()
            await visitor.picture("two")
            await panel.get_by_role("button", name="Disconnect all").click()
            await expect(panel.locator(".assistant")).to_have_count(0)
            await expect(panel.get_by_role("button", name="Disconnect all")).to_have_count(0)
            answers = [
                await visitor.context.request.post(
                    f"{origin}/mcp", headers={"authorization": f"Bearer {token}"}, data={}
                )
                for token in tokens
            ]

    assert [answer.status for answer in answers] == [401, 401]


@pytest.mark.conformance
async def test_an_assistant_of_the_a2a_kit_is_allowed_asked_about_and_cut_off(
    browser: Browser, tmp_path: Path, ca: LocalCa, served: Documents
) -> None:
    """It finds the card, calls what is allowed, reads why the rest is refused, and ends in the middle of a call."""
    assistant = Assistant(describe(served))
    python = await asyncio.to_thread(kit_python)
    with bookshop(tmp_path, ca) as origin:
        async with visiting(browser, origin, 1280) as visitor:
            panel, page = visitor.panel, visitor.page
            token = await connected(visitor, origin, assistant, "/a2a/jsonrpc")
            await page.reload()
            await page.locator("webagent-launcher button").click()
            await panel.get_by_role("button", name="Details").click()
            await visitor.switch("Find books").click(timeout=60_000)
            await expect(visitor.switch("Find books")).to_be_checked()
            command = (python, KIT_ASSISTANT, origin, token, str(ca.certificate))
            kit = await asyncio.create_subprocess_exec(
                *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            assert kit.stdin
            assert kit.stdout
            card = json.loads(await kit.stdout.readline())

            async def told(**asked: object) -> str:
                assert kit.stdin
                assert kit.stdout
                kit.stdin.write(f"{json.dumps(asked)}\n".encode())
                return (await kit.stdout.readline()).decode()

            found = await told(tool="findBooks", arguments={"query": "harbour"})
            add = {"tool": "addBook", "arguments": {"title": "Tides"}}
            denied = await told(**add)
            goal = await told(goal="add Tides to the basket")
            await expect(page.locator("#basket li")).to_have_count(0)

            await visitor.switch("Add a book").click()
            await expect(visitor.switch("Add a book")).to_be_checked()
            await panel.get_by_role("button", name="Details").click()
            adding = asyncio.create_task(told(**add))
            await panel.locator(".request").get_by_role("button", name="Allow once").click()
            added = await adding
            await expect(page.locator("#basket li")).to_have_text("Tides")

            await page.evaluate(
                "void (window.findBooks = () => new Promise(() => (window.waits = true)))"
            )
            waiting = asyncio.create_task(told(tool="findBooks", arguments={"query": "sea"}))
            await page.wait_for_function("window.waits")
            await panel.get_by_role("button", name="Details").click()
            await expect(panel.locator(".assistant")).to_contain_text(
                "Add a book to the basket · done"
            )
            await panel.get_by_role("button", name="Disconnect").click()
            cut_off = await waiting
            after = await told(tool="findBooks", arguments={"query": "sea"})
            kit.stdin.close()
            await kit.wait()

    assert (card["name"], card["skills"][0]["id"]) == ("Quay Books", "call_tool")
    assert "Harbour Lights" in found
    assert "the user has not allowed `addBook`" in denied
    assert "goals in words are not taken" in goal
    assert "Tides" in added
    assert "the user has disconnected you" in cut_off
    assert "401" in after


@pytest.mark.parametrize("after", ["bob", ""])
async def test_an_assistant_is_cut_off_when_the_account_changes(
    browser: Browser, tmp_path: Path, ca: LocalCa, served: Documents, after: str
) -> None:
    """The tab is still open, and the server sees another visitor in it, or nobody."""
    assistant = Assistant(describe(served))
    with bookshop(tmp_path, ca, lambda request: request.cookies.get("user", "")) as origin:
        async with visiting(browser, origin, 1280) as visitor:
            await visitor.context.add_cookies([{"name": "user", "value": "ada", "url": origin}])
            token = await connected(visitor, origin, assistant)
            await visitor.page.reload()
            await visitor.page.locator("webagent-launcher button").click()
            await visitor.panel.get_by_role("button", name="Details").click()
            await visitor.switch("Find books").click(timeout=60_000)
            await expect(visitor.switch("Find books")).to_be_checked()
            async with (
                httpx2.AsyncClient(
                    verify=ssl.create_default_context(cafile=str(ca.certificate)),
                    headers={"authorization": f"Bearer {token}"},
                    timeout=60,
                ) as http,
                Client(streamable_http_client(f"{origin}/mcp", http_client=http)) as client,
            ):
                before = await client.call_tool("findBooks", {"query": "harbour"})
                await visitor.page.evaluate(
                    "void (window.findBooks = () => (window.called = true))"
                )
                await visitor.context.clear_cookies(name="user")
                if after:
                    user = {"name": "user", "value": after, "url": origin}
                    await visitor.context.add_cookies([user])  # type: ignore[list-item]
                refused = await client.call_tool("findBooks", {"query": "harbour"})
            called = await visitor.page.evaluate("window.called === true")

    assert "Harbour Lights" in text(before)
    assert refused.is_error
    assert text(refused).startswith("denied:")
    assert not called


async def test_no_other_site_gets_a_press_on_connect(
    browser: Browser, tmp_path: Path, ca: LocalCa, served: Documents
) -> None:
    """Neither with the page in a frame, nor with its own fields in a form of the other site."""
    assistant = Assistant(describe(served))
    with bookshop(tmp_path, ca) as origin:
        async with visiting(browser, origin, 1280) as visitor:
            assistant.resource = f"{origin}/mcp"
            oauth = f"{origin}/__webagent__/oauth"
            asked = await visitor.context.request.get(f"{oauth}/authorize", params=assistant.asks)
            fields = fields_in(await asked.text())
            inputs = "".join(f"<input name={name} value={fields[name]}>" for name in fields)
            evil = (
                f'<iframe src="{asked.url}"></iframe><form method=post action="{oauth}/consent">'
                f"{inputs}<button name=answer value=connect>Win a prize</button></form>"
            )
            await visitor.context.route(
                "https://evil.example/",
                lambda route: route.fulfill(body=evil, content_type="text/html"),
            )
            page = await visitor.context.new_page()
            await page.goto("https://evil.example/")
            framed = await page.frames[1].content()
            async with page.expect_response(f"{oauth}/consent") as answered:
                await page.get_by_role("button", name="Win a prize").click()
            answer = await answered.value

    assert "Reading helper" not in framed
    assert answer.status == 400
    assert visitor.answered.empty()
