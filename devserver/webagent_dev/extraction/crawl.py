"""Reads a site page by page, following its own links."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from webagent import parse
from webagent.types import Manifest
from webagent_dev.assets import BUNDLE
from webagent_dev.browser import opened
from webagent_dev.commands.documents import Misuse
from webagent_dev.content_types import content_type
from webagent_dev.extraction.reading import PageReading, read_page
from webagent_dev.extraction.scripts import BEFORE
from webagent_dev.paths import Kind, locate

if TYPE_CHECKING:
    from playwright.async_api import Page, Route

FOLDER_URL = "http://localhost:7357/"
"""Where a folder seems to be; nothing listens there, the browser is handed the files."""
LOAD_MS = 30_000

_ENDING = re.compile(r"log.?out|sign.?out|delete|remove|unsubscribe", re.IGNORECASE)
"""Links that may do something when they are followed."""
_DOCUMENTS = ("", ".html", ".htm", ".php", ".asp", ".aspx", ".xhtml")


async def read_site(
    target: str, *, pages: int, say: Callable[[str], None]
) -> tuple[Manifest, list[PageReading]]:
    """Return what a site declares already, and what its pages offer.

    Args:
        target: An address, or the path of a folder.
        pages: How many pages are read at most.
        say: Told what is read, and what cannot be.

    Raises:
        Misuse: There is no browser, or the first page cannot be read.
    """
    from playwright.async_api import Error

    async with _site(target) as (page, start):
        waiting, seen = [start], {_key(start)}
        manifest: Manifest | None = None
        readings: list[PageReading] = []
        while waiting and len(readings) < pages:
            url = waiting.pop(0)
            try:
                answer = await page.goto(url, timeout=LOAD_MS)
                if answer is None or not answer.ok:
                    raise Misuse(
                        f"`{urlsplit(url).path}` is no page: it answers with status "
                        f"{answer.status if answer else 'none'} - write the address of one"
                    )
                if manifest is None:
                    manifest = await _declared(page)
                reading = await read_page(page, manifest)
            except (Error, Misuse) as error:
                reason = str(error).strip().splitlines()[0]
                if not readings:
                    raise Misuse(
                        reason if isinstance(error, Misuse) else f"`{url}`: {reason}"
                    ) from None
                say(f"{urlsplit(url).path}: {reason}")
                continue
            count = len(reading.tools)
            say(f"{reading.path}: {count} tool{'' if count == 1 else 's'}")
            readings.append(reading)
            for link in reading.links:
                if _leads_on(link, start) and _key(link) not in seen:
                    seen.add(_key(link))
                    waiting.append(link)
        return manifest or Manifest(), readings


@asynccontextmanager
async def _site(target: str) -> AsyncIterator[tuple[Page, str]]:
    """Open a page that can reach the site; yield it, and the address of the first page."""
    async with opened() as page:
        await page.add_init_script(BEFORE)
        # What pages may count on: browsers lack both so far.
        for name in ("global.js", "modelcontext.js"):
            if (BUNDLE / name).is_file():
                await page.add_init_script(path=BUNDLE / name)
        if target.lower().startswith(("http://", "https://")):
            yield page, target
            return
        root = _folder(target)
        if root is None:
            raise Misuse(
                f"`{target}` is no folder and no address - tools are read from a site - "
                "write the path of its folder, or `https://…`"
            )
        if not (root / "index.html").is_file():
            raise Misuse(
                f"`{target}` has no index.html - a site is read from its first page on - "
                "write the folder that has it, or the address of a page"
            )
        await page.route(f"{FOLDER_URL}**", lambda route: _serve(route, root))
        yield page, FOLDER_URL


def _folder(target: str) -> Path | None:
    path = Path(target)
    return path.resolve() if path.is_dir() else None


async def _serve(route: Route, root: Path) -> None:
    """Hand the browser a file of a folder."""
    from urllib.parse import unquote

    path = unquote(urlsplit(route.request.url).path)
    located = locate(root, path)
    if located.kind is Kind.DIRECTORY:
        located = locate(root, f"{path.rstrip('/')}/index.html")
    if located.kind is not Kind.FILE and path.endswith("/"):
        located = locate(root, f"{path}index.html")
    if located.kind is not Kind.FILE:
        await route.fulfill(status=404, body="There is no such file.")
        return
    body = located.path.read_bytes()
    await route.fulfill(body=body, content_type=content_type(located.path.name, body[:1024]))


async def _declared(page: Page) -> Manifest:
    """Return the manifest that the open page announces, an empty one if there is none."""
    address = await page.evaluate(
        "document.querySelector('meta[name=webagents-md i]')?.content || ''"
    )
    url = urljoin(page.url, str(address)) if address else ""
    if not url or urlsplit(url)[:2] != urlsplit(page.url)[:2]:
        return Manifest()
    text = await page.evaluate(
        "(url) => fetch(url).then((answer) => answer.ok ? answer.text() : '', () => '')", url
    )
    return parse(str(text))


def _leads_on(link: str, start: str) -> bool:
    """Whether a link leads to another page of the same site."""
    there, here = urlsplit(link), urlsplit(start)
    folder = here.path.rpartition("/")[0] + "/"
    name = there.path.rpartition("/")[2]
    suffix = Path(name).suffix.lower()
    return (
        there[:2] == here[:2]
        and there.path.startswith(folder)
        and suffix in _DOCUMENTS
        and not _ENDING.search(there.path + there.query)
    )


def _key(url: str) -> str:
    """Return what makes two addresses the same page."""
    path = urlsplit(url).path
    return path.removesuffix("index.html") or "/"
