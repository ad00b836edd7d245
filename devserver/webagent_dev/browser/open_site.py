"""Opens pages of sites for commands: at an address, or directly from a folder."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from webagent import parse
from webagent.types import Manifest
from webagent.urls import absolute
from webagent_dev.browser.chromium import failure_reason, open_blank_page
from webagent_dev.config.resolve import CONFIG_NAME, resolve_config
from webagent_dev.config.saved_sessions import SavedSession
from webagent_site.config.folders import BUNDLE
from webagent_site.config.urls import CONTROL_PATH, MANIFEST_PATH, is_address
from webagent_site.errors import ConfigError, UsageError
from webagent_site.http.bundle_files import BundleFiles
from webagent_site.http.html_inject import document_type
from webagent_site.http.paths import (
    HTML_SUFFIXES,
    Kind,
    Located,
    content_type,
    is_file_name,
    locate,
)

if TYPE_CHECKING:
    from playwright.async_api import Page, Response, Route

    from webagent.page.playwright.page import PlaywrightPage
    from webagent.registry import ToolRegistry

FOLDER_URL = "http://localhost:7357/"
"""The address of a folder in the browser; nothing listens there."""

LOAD_MS = 30_000
"""How long a page may take to load."""
_IDLE_MS = 3_000
"""How long a page may load something more before it is looked at for a login."""
GLOBALS_SCRIPT = "globalThis.__webagentBefore = new Set(Object.getOwnPropertyNames(globalThis));"
"""Runs before every script of a page, so that its own functions can be distinguished."""
ASKS_FOR_LOGIN = """[...document.querySelectorAll("input[type=password]")]
    .filter((field) => field.checkVisibility()).length === 1"""
"""Whether a page shows one field for a password: pages that change or choose one show several."""
_INTERRUPTED = "is interrupted by another navigation"
_ABORTED = "net::ERR_ABORTED"

_SCRIPTS = frozenset(
    f"{CONTROL_PATH}/{name}" for name in ("global.js", "modelcontext.js", "components.js")
)
"""The files besides the agent that pages may load from the development server."""


@asynccontextmanager
async def site_page(
    target: str,
    *,
    headed: bool = False,
    spa: bool | None = None,
    session: SavedSession | None = None,
) -> AsyncIterator[tuple[Page, str]]:
    """Open an empty page that can reach a site; yield it, and the address of the first page.

    Args:
        target: An address, or the path of a folder, whose files are served to the browser.
        headed: Whether the browser has a window.
        spa: Whether the first page of a folder answers for unknown paths; None to read its
            configuration.
        session: The visitor of the page; None for one who is new.

    Raises:
        UsageError: There is no browser, or the folder has no first page.
    """
    # Before a browser starts for nothing.
    is_address(target)
    async with open_blank_page(headed=headed, session=session) as page:
        yield page, await route_to_site(page, target, spa=spa)


@asynccontextmanager
async def fresh_page(
    site: str,
    path: str,
    *,
    headed: bool = False,
    spa: bool | None = None,
    session: SavedSession | None = None,
) -> AsyncIterator[tuple[PlaywrightPage, ToolRegistry]]:
    """Open a page of a site in a browser of its own; yield it with its tools.

    Args:
        site: An address, or the path of a folder, whose files are served to the browser.
        path: Address of the page, relative to the first one.
        headed: Whether the browser has a window.
        spa: Whether the first page of a folder answers for unknown paths; None to read its
            configuration.
        session: The visitor of the page; None for one who is new.

    Raises:
        UsageError: There is no browser, or no such page.
    """
    from webagent.page.playwright.page import PlaywrightPage
    from webagent.registry import ToolRegistry

    async with site_page(site, headed=headed, spa=spa, session=session) as (page, start):
        await open_site_page(page, start, path, session=session)
        port = PlaywrightPage(page, person=headed, hide=session.hide if session else None)
        try:
            registry = ToolRegistry(port)
            await registry.bind(await declared_manifest(page))
            yield port, registry
        finally:
            await port.close()


async def route_to_site(page: Page, target: str, *, spa: bool | None = None) -> str:
    """Let an empty page reach a site; return the address of the first page.

    Args:
        page: A page that has opened nothing yet.
        target: An address, or the path of a folder, whose files are served to the browser.
        spa: Whether the first page of a folder answers for unknown paths; None to read its
            configuration.

    Raises:
        UsageError: The folder has no first page.
    """
    await page.add_init_script(GLOBALS_SCRIPT)
    # Pages may rely on these; browsers do not have them yet.
    files = BundleFiles(BUNDLE)
    for name in ("global.js", "modelcontext.js"):
        if name in files:
            await page.add_init_script(files.read(name).decode())
    if is_address(target):
        return target
    root = _folder(target)
    if root is None:
        raise UsageError(
            f"`{target}` is neither a folder nor an address - tools are read from a site - "
            "write the path of its folder, or `https://…`"
        )
    if not (root / "index.html").is_file():
        raise UsageError(
            f"`{target}` has no index.html - a site is read from its first page on - "
            "write the folder that has it, or the address of a page"
        )
    is_application, allow_files = _settings(root)
    first = is_application if spa is None else spa
    find = partial(locate, root, allowed=allow_files)
    await page.route(f"{FOLDER_URL}**", lambda route: _serve(route, find, spa=first))
    return FOLDER_URL


def _folder(target: str) -> Path | None:
    path = Path(target)
    return path.resolve() if path.is_dir() else None


def _settings(root: Path) -> tuple[bool, tuple[str, ...]]:
    """Return whether the first page of a folder answers for unknown paths, and its `allow_files`."""
    if not (root / CONFIG_NAME).is_file():
        return False, ()
    try:
        config = resolve_config(str(root))
        return config.spa, config.allow_files
    except ConfigError as error:
        raise UsageError(str(error)) from None


async def _serve(route: Route, find: Callable[[str], Located], *, spa: bool) -> None:
    """Serve a file of a folder to the browser."""
    request = route.request
    if request.method not in ("GET", "HEAD"):
        await route.fulfill(status=405, body="A folder answers GET and HEAD only.")
        return
    path = unquote(urlsplit(request.url).path)
    if path in _SCRIPTS:
        body = BundleFiles(BUNDLE).read(path.rpartition("/")[2])
        await route.fulfill(body=body, content_type=content_type(path, body))
        return
    located = find(path)
    if located.kind is Kind.DIRECTORY:
        located = find(f"{path.rstrip('/')}/index.html")
    if located.kind is not Kind.FILE and path.endswith("/"):
        located = find(f"{path}index.html")
    is_program = request.resource_type in ("fetch", "xhr") and not is_file_name(path)
    is_route = request.resource_type == "document" or is_program
    if located.kind is not Kind.FILE and spa and is_route:
        located = find("/index.html")
    if located.kind is not Kind.FILE:
        await route.fulfill(status=404, body="There is no such file.")
        return
    body = located.path.read_bytes()
    is_page = located.path.suffix.lower() in HTML_SUFFIXES
    kind = document_type(body) if is_page else content_type(located.path.name, body, whole=True)
    await route.fulfill(body=body, content_type=kind)


async def declared_manifest(page: Page) -> Manifest:
    """Return the manifest of the open page, an empty one if there is none.

    It is the one that the page announces on its own origin, or else `/webagents.md`.
    """
    address = await page.evaluate(
        "document.querySelector('meta[name=webagents-md i]')?.content || ''"
    )
    url = absolute(page.url, str(address) or MANIFEST_PATH)
    if url is None or urlsplit(url)[:2] != urlsplit(page.url)[:2]:
        return Manifest()
    text = str(
        await page.evaluate(
            "(url) => fetch(url).then((answer) => answer.ok ? answer.text() : '', () => '')", url
        )
    )
    manifest = parse(text)
    # At the conventional address there may be anything, such as the first page of an application.
    return manifest if address or manifest.tools else Manifest()


async def open_site_page(
    page: Page, start: str, name: str = "", *, session: SavedSession | None = None
) -> None:
    """Open a page of a site.

    Args:
        page: An empty page.
        start: Address of the first page.
        name: Address of the page, relative to that.
        session: The session that the page was opened with, if it has to be valid there.

    Raises:
        UsageError: It cannot be opened, or the session is not logged in there any more.
    """
    url = urljoin(start, name)
    answer = await visit(page, url)
    if session and (how := await _asks_for_login(page, answer)):
        raise UsageError(
            f"the session `{session.name}` is not logged in any more - `{url}` {how} - {session.remedy}"
        )
    if answer is None or answer.ok:
        return
    shown = urlsplit(url).path if start == FOLDER_URL else url
    if answer.status >= 500:
        raise UsageError(
            f"`{shown}` answers with status {answer.status} - its server has failed, or its upstream "
            "is not up - look at its terminal"
        )
    raise UsageError(
        f"`{shown}` is not a page: it answers with status {answer.status} - write the address of one"
    )


async def _asks_for_login(page: Page, answer: Response | None) -> str:
    """Return how a page has answered that wants a login first; empty for any other."""
    from playwright.async_api import Error

    if answer and answer.status == HTTPStatus.UNAUTHORIZED:
        return "answers with status 401"
    with suppress(Error):
        # An application may ask its server first who the visitor is.
        await page.wait_for_load_state("networkidle", timeout=_IDLE_MS)
    with suppress(Error):
        return "asks for a password" if await page.evaluate(ASKS_FOR_LOGIN) else ""
    return ""


async def visit(page: Page, url: str) -> Response | None:
    """Go to an address; return the answer, None where the page went on by itself.

    Raises:
        UsageError: It cannot be reached.
    """
    from playwright.async_api import Error

    try:
        try:
            return await page.goto(url, timeout=LOAD_MS)
        except Error as error:
            again = _ABORTED in str(error) and page.url.rstrip("/") == url.rstrip("/")
            if not again and _INTERRUPTED not in str(error):
                raise
            # The page went on by itself before it was loaded, as a build server's does.
            await page.wait_for_load_state(timeout=LOAD_MS)
            return None
    except Error as error:
        raise UsageError(
            f"`{url}` cannot be opened - {failure_reason(error)} - check the address and its server"
        ) from None
