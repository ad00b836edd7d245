"""Reads a site page by page, following its own links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webagent.errors import ToolError
from webagent.types import Manifest
from webagent.urls import absolute
from webagent_dev.browser.open_site import declared_manifest, open_site_page, site_page
from webagent_dev.config.saved_sessions import SavedSession
from webagent_dev.extract.forms import SiteForms
from webagent_dev.extract.page_idle import Settling
from webagent_dev.extract.page_reader import DESTRUCTIVE_WORDS, PageReading, read_page
from webagent_dev.extract.page_scripts import FOLLOW
from webagent_site.config.urls import CONTROL_PATH
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    from playwright.async_api import Page

_DOCUMENTS = ("", ".html", ".htm", ".php", ".asp", ".aspx", ".xhtml")
_ALIKE = 3
"""How many pages that differ in the last part of their path are read before all others."""
_ARRIVAL_MS = 5_000
_RELOADS = 4
"""How many times a page may reload itself while it is read."""


async def read_site(
    target: str,
    *,
    pages: int,
    say: Callable[[str], None],
    spa: bool | None = None,
    session: SavedSession | None = None,
) -> tuple[Manifest, list[PageReading]]:
    """Return what a site declares already, and what its pages offer.

    Args:
        target: An address, or the path of a folder.
        pages: How many pages are read at most.
        say: Called with each page that is read, or cannot be.
        spa: Whether the first page of a folder answers for paths that lead nowhere; None if its
            configuration says.
        session: The visitor of the pages; None for one who is new.

    Raises:
        UsageError: There is no browser, or the first page cannot be read.
    """
    async with site_page(target, spa=spa, session=session) as (page, start):
        from playwright.async_api import Error

        settling = await Settling.of(page)
        # The scripts of the development server are not the site's, and take time to start.
        await page.route(f"**{CONTROL_PATH}/webagent.js*", lambda route: route.abort())
        if session:
            await open_site_page(page, start, session=session)
        forms = SiteForms()
        queue = Queue(start)
        manifest: Manifest | None = None
        readings: list[PageReading] = []
        while len(readings) < pages and (url := queue.next()):
            try:
                await open_by_links(page, queue.way_to(url))
                manifest, reading = await _read(page, manifest, forms, settling)
            except (Error, ToolError, UsageError) as error:
                reason = str(error).strip().splitlines()[0]
                if not readings:
                    raise UsageError(reason) from None
                # Not every address that a form is sent to is a page.
                if url not in queue.actions:
                    say(f"{urlsplit(url).path}: {reason}")
                continue
            count = len(reading.tools)
            say(f"{key(page.url)}: {count} tool{'' if count == 1 else 's'}")
            readings.append(reading)
            queue.add(reading.links, url)
            queue.add_actions(reading.actions, url)
        for name, tag in forms.repeated.items():
            say(
                f"left out: forms such as `{tag}`, which differ in hidden values alone - one function "
                f"with a parameter for them serves all - write `globalThis.{name} = …` in a script"
            )
        if left := queue.left():
            say(f"{left} more pages are linked - `--pages {len(readings) + left}` reads them too")
        return manifest or Manifest(), readings


async def _read(
    page: Page, manifest: Manifest | None, forms: SiteForms, settling: Settling
) -> tuple[Manifest, PageReading]:
    """Return what the open page declares and offers; one that reloads itself is read anew.

    A build server reloads the first page that it serves, as soon as it has prepared its packages.

    Raises:
        UsageError: It does not stop reloading.
    """
    from playwright.async_api import Error

    for left in reversed(range(_RELOADS + 1)):
        documents = settling.documents
        try:
            if manifest is None:
                manifest = await declared_manifest(page)
            reading = await read_page(page, manifest, forms, settling, opens=left > 0)
            if settling.documents == documents or reading.led_away:
                return manifest, reading
        except (Error, ToolError):
            # Opening a part of it may be what reloads it, so the last time nothing is opened.
            if not await settling.reloaded(documents):
                raise
    raise UsageError(
        f"`{page.url}` cannot be read - the page reloads itself again and again - "
        "see in a browser's console why it does"
    )


async def open_by_links(page: Page, way: Sequence[str]) -> None:
    """Open a page, or go there as a visitor would: by links that only scripts can follow.

    Args:
        page: A page.
        way: The addresses from the first page on, each linked by the one before; the last is meant.

    Raises:
        UsageError: It is not there.
    """
    from playwright.async_api import Error

    try:
        await open_site_page(page, way[-1])
    except UsageError:
        if len(way) == 1:
            raise
        try:
            await open_by_links(page, way[:-1])
            await page.evaluate("globalThis.__webagentStays = true")
            await page.wait_for_function(FOLLOW, arg=way[-1], timeout=_ARRIVAL_MS)
            await page.wait_for_url(way[-1], timeout=_ARRIVAL_MS, wait_until="commit")
            stays = await page.evaluate("globalThis.__webagentStays === true")
        except (Error, UsageError):
            stays = False
        if not stays:
            raise


@dataclass(slots=True)
class Queue:
    """The pages that are still to be read: the first one, then those of all kinds by turns."""

    start: str
    found_on: dict[str, str] = field(default_factory=dict)
    """By address, the page that links there."""
    actions: set[str] = field(default_factory=set)
    """Those that only a form leads to."""
    _waiting: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _kinds: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin at the start."""
        self._waiting.append(self.start)
        self._seen.add(key(self.start))

    def add(self, links: Sequence[str], on: str) -> None:
        """Add the links of a page that lead to pages of the same site."""
        for link in links:
            if leads_on(link, self.start) and key(link) not in self._seen:
                self._seen.add(key(link))
                self._waiting.append(link)
                self.found_on[link] = on

    def add_actions(self, actions: Sequence[str], on: str) -> None:
        """Add the addresses that forms of a page lead to, behind those of links."""
        known = {*self.found_on}
        self.add(actions, on)
        self.actions |= self.found_on.keys() - known

    def next(self) -> str | None:
        """Return the next page; of many alike, those beyond the first come last."""
        if not self._waiting:
            return None
        few = (url for url in self._waiting if self._kinds.get(_kind(url), 0) < _ALIKE)
        url = next(few, self._waiting[0])
        self._waiting.remove(url)
        self._kinds[_kind(url)] = self._kinds.get(_kind(url), 0) + 1
        return url

    def way_to(self, url: str) -> list[str]:
        """Return the addresses from the first page to this one, each linked by the one before.

        No link leads to the address that a form is sent to.
        """
        way = [url]
        while way[0] not in self.actions and (before := self.found_on.get(way[0])):
            way.insert(0, before)
        return way

    def left(self) -> int:
        """Return how many pages were not read."""
        return len(self._waiting)


def leads_on(link: str, start: str) -> bool:
    """Whether a link leads to another page of the same site."""
    if absolute(start, link) is None:
        return False
    there, here = urlsplit(link), urlsplit(start)
    folder = here.path.rpartition("/")[0] + "/"
    name = there.path.rpartition("/")[2]
    suffix = Path(name).suffix.lower()
    return (
        there[:2] == here[:2]
        and there.path.startswith(folder)
        and suffix in _DOCUMENTS
        and not DESTRUCTIVE_WORDS.search(there.path + there.query)
    )


def key(url: str) -> str:
    """Return what makes two addresses the same page; scripts may have pages after the `#`."""
    parts = urlsplit(url)
    inner = parts.fragment if parts.fragment.startswith(("/", "!/")) else ""
    return (parts.path.removesuffix("index.html") or "/") + (f"#{inner}" if inner else "")


def _kind(url: str) -> str:
    return key(url).rpartition("/")[0]
