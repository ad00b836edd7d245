"""The files of a site that announce it to machines, as its server sends them; of its own origin only."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from webagent.announcements import AI_CATALOG, LLMS_TXT, SKILLS_INDEX
from webagent.discovery import announced_in_header
from webagent.json_text import read_json
from webagent.urls import absolute, origin_of
from webagent_dev.publish.preflight.fetch import FetchedFile, SiteFiles, fetch_file
from webagent_site.errors import UsageError

if TYPE_CHECKING:
    import httpx

CATALOGUE = f"/{AI_CATALOG}"
CATALOGUE_RELATION = "ai-catalog"
SKILLS = f"/{SKILLS_INDEX}"

ANSWER_S = 20.0
"""How long an answer may take as a whole."""
MOST_SKILLS = 20
"""Skills whose digest is compared."""

_AGENTMAP = re.compile(r"^[ \t]*agentmap:[ \t]*(\S{1,2000})", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AnnouncedFiles:
    """The answers at the places where agents look, whatever their status.

    Status 0 means that nothing came from this origin in time; the body then says why.
    """

    llms: FetchedFile
    robots: FetchedFile
    catalogue: FetchedFile
    catalogue_signals: tuple[str, ...]
    """The places that name the catalogue: `the page`, `a header`, `robots.txt`."""
    skills: FetchedFile
    skill_files: dict[str, FetchedFile]
    """By the address in the index."""
    twin: FetchedFile
    """The page, for who asks for Markdown."""


@asynccontextmanager
async def client_within(url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client that asks one origin only, whatever redirects it meets; http may become https."""
    import httpx

    allowed = {origin_of(url), origin_of(url.replace("http://", "https://", 1))}

    async def refuse(request: httpx.Request) -> None:
        if (origin := origin_of(str(request.url))) not in allowed:
            raise httpx.TooManyRedirects(
                f"it leads to `{origin}`, and an audit stays on one origin"
            )

    hooks = {"request": [refuse]}
    async with httpx.AsyncClient(
        timeout=ANSWER_S, follow_redirects=True, max_redirects=5, event_hooks=hooks
    ) as client:
        yield client


async def fetch_announced(client: httpx.AsyncClient, site: SiteFiles) -> AnnouncedFiles:
    """Ask for the files of the page's origin.

    Args:
        client: That of `client_within`.
        site: The page.
    """
    page = site.page.url

    async def get(url: str, **headers: str) -> FetchedFile:
        whole = absolute(page, url) or url
        try:
            async with asyncio.timeout(ANSWER_S):
                return await fetch_file(client, whole, headers=headers)
        except (UsageError, TimeoutError) as error:
            return FetchedFile(whole, whole, 0, (), str(error).encode())

    llms, robots, skills, twin = await asyncio.gather(
        get(f"/{LLMS_TXT}"),
        get("/robots.txt"),
        get(SKILLS),
        get(page, accept="text/markdown, text/html;q=0.5"),
    )
    signals = dict(_catalogue_signals(site, robots))
    catalogue = await get(next(iter(signals.values()), CATALOGUE))
    urls = _skill_urls(skills)
    # Together, so that a server that never answers holds an audit up once.
    sent = await asyncio.gather(*(get(absolute(skills.url, url) or url) for url in urls))
    skill_files = dict(zip(urls, sent, strict=True))
    return AnnouncedFiles(llms, robots, catalogue, tuple(signals), skills, skill_files, twin)


def _catalogue_signals(site: SiteFiles, robots: FetchedFile) -> Iterator[tuple[str, str]]:
    """Yield what names a catalogue, and its address in full; those of other origins too."""
    page = site.page.url
    found = _AGENTMAP.search(robots.html.text) if robots.status == 200 else None
    links = (
        tag.attributes.get("href", "")
        for tag in site.tags
        if tag.name == "link"
        and CATALOGUE_RELATION in tag.attributes.get("rel", "").lower().split()
    )
    named = {
        "robots.txt": found[1] if found else "",
        "the page": next(links, ""),
        "a header": announced_in_header(site.page.header("link"), CATALOGUE_RELATION) or "",
    }
    for signal, address in named.items():
        if address and (url := absolute(page, address)):
            yield signal, url


def _skill_urls(index: FetchedFile) -> list[str]:
    """Return the addresses of skills on the origin of their index."""
    data = json_of(index)
    listed = data.get("skills") if isinstance(data, dict) else None
    urls = [
        skill["url"]
        for skill in (listed if isinstance(listed, list) else ())
        if isinstance(skill, dict) and isinstance(skill.get("url"), str)
    ]
    own = origin_of(index.url)
    return [url for url in urls if origin_of(absolute(index.url, url) or "") == own][:MOST_SKILLS]


def json_of(file: FetchedFile) -> object:
    """Return the data of a file, None if it has none."""
    try:
        return read_json(file.body.decode("utf-8-sig")) if file.status == 200 else None
    except (ValueError, json.JSONDecodeError):
        return None


def path_of(file: FetchedFile) -> str:
    """Return the path that was asked for."""
    return urlsplit(file.requested_url).path
