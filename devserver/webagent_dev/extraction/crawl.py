"""Reads a site page by page, following its own links."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from webagent.types import Manifest
from webagent_dev.commands.documents import Misuse
from webagent_dev.extraction.reading import PageReading, read_page
from webagent_dev.visiting import declared_manifest, open_first, site_page

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

    async with site_page(target) as (page, start):
        waiting, seen = [start], {_key(start)}
        manifest: Manifest | None = None
        readings: list[PageReading] = []
        while waiting and len(readings) < pages:
            url = waiting.pop(0)
            try:
                await open_first(page, url)
                if manifest is None:
                    manifest = await declared_manifest(page)
                reading = await read_page(page, manifest)
            except (Error, Misuse) as error:
                reason = str(error).strip().splitlines()[0]
                if not readings:
                    raise Misuse(reason) from None
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
