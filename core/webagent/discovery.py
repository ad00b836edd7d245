"""Find the manifest of a page.

Looked at in this order, up to the first that names or is one:

1. `<meta name="webagents-md" content="/webagents.md">` in the page,
2. `<link rel="webagents-md" href="/webagents.md">` in the page,
3. the header `Link: </webagents.md>; rel="webagents-md"` of the page,
4. `/.well-known/webagents.md` and
5. `/webagents.md` on the page's origin.

What a page announces (1 to 3) has to be there; the two places by convention (4 and 5) may be empty,
and what is there counts only if it declares a tool. Addresses are resolved against the page's final
one, after redirects.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from webagent.announcements import announced_in_header, announced_in_html
from webagent.errors import FetchFailed, NotAManifest, UrlRefused
from webagent.fetch import Answer, client_for, fetch
from webagent.parser import parse
from webagent.types import Manifest

if TYPE_CHECKING:
    import httpx

__all__ = ["discover", "discover_manifest_url", "fetch_manifest", "fetch_text"]

PAGE_BYTES = 5_000_000
"""How much of a page is read to find the tag, which belongs into its head."""
MANIFEST_BYTES = 2_000_000
"""Largest manifest that is accepted."""
CONVENTIONS = ("/.well-known/webagents.md", "/webagents.md")
"""Where a manifest is looked for on the page's origin if the page announces none."""

_TEXT_TYPES = ("application/markdown", "application/octet-stream", "application/x-markdown")


async def discover_manifest_url(
    page_url: str, *, client: httpx.AsyncClient | None = None, cross_origin: bool = False
) -> str | None:
    """Return the address of a page's manifest, None if it has none.

    An address that the page announces is returned without asking whether something is there.

    Args:
        page_url: Address of the page.
        client: Sends the requests; by default one is made for them.
        cross_origin: Whether the manifest may be on another origin than the page.

    Raises:
        FetchFailed: The page cannot be had.
        UrlRefused: The page names an address that is not followed.
    """
    async with client_for(client) as http:
        page = await fetch(http, page_url, PAGE_BYTES)
        url = _announced(page, cross_origin)
        if url is not None:
            return url
        found = await _by_convention(http, page.url, cross_origin)
        return found[0] if found else None


async def fetch_manifest(manifest_url: str, *, client: httpx.AsyncClient | None = None) -> Manifest:
    """Return the manifest at an address.

    Args:
        manifest_url: Address of the manifest itself; redirects to any origin are followed.
        client: Sends the request; by default one is made for it.

    Raises:
        FetchFailed: It cannot be had.
        NotAManifest: What is there is HTML, of another type than text, or too large.
    """
    return parse(await fetch_text(manifest_url, client=client))


async def fetch_text(manifest_url: str, *, client: httpx.AsyncClient | None = None) -> str:
    """Return the text of the manifest at an address; arguments and errors as `fetch_manifest`."""
    async with client_for(client) as http:
        return _text(await fetch(http, manifest_url, MANIFEST_BYTES))


async def discover(
    page_url: str, *, client: httpx.AsyncClient | None = None, cross_origin: bool = False
) -> Manifest | None:
    """Return the manifest of a page, None if it has none.

    Args:
        page_url: Address of the page.
        client: Sends the requests; by default one is made for them.
        cross_origin: Whether the manifest may be on another origin than the page.

    Raises:
        FetchFailed: The page, or the manifest it announces, cannot be had.
        NotAManifest: What the page announces is no manifest.
        UrlRefused: The page names an address that is not followed, or one that leads to such.
    """
    return (await discover_at(page_url, client=client, cross_origin=cross_origin))[1]


async def discover_at(
    page_url: str, *, client: httpx.AsyncClient | None = None, cross_origin: bool = False
) -> tuple[str, Manifest | None]:
    """Return the final address of a page, and its manifest; arguments and errors as `discover`."""
    async with client_for(client) as http:
        page = await fetch(http, page_url, PAGE_BYTES)
        url = _announced(page, cross_origin)
        if url is None:
            found = await _by_convention(http, page.url, cross_origin)
            return page.url, found[1] if found else None
        judge = partial(_refuse, page.url, cross_origin=cross_origin)
        return page.url, parse(_text(await fetch(http, url, MANIFEST_BYTES, judge=judge)))


def _announced(page: Answer, cross_origin: bool) -> str | None:
    """Return the full address that a page announces, None if it announces none."""
    address = announced_in_html(page.text) or announced_in_header(page.links)
    if address is None:
        return None
    try:
        url = urljoin(page.url, address)
        _refuse(page.url, url, cross_origin=cross_origin)
    except ValueError as error:
        raise UrlRefused(
            f"the page announces `{address}`, which is no address - {error} - "
            "write a path such as `/webagents.md`",
            url=address,
        ) from error
    return url


async def _by_convention(
    http: httpx.AsyncClient, page_url: str, cross_origin: bool
) -> tuple[str, Manifest] | None:
    """Return the first manifest with a tool at one of the usual places, and its address."""
    judge = partial(_refuse, page_url, cross_origin=cross_origin)
    for path in CONVENTIONS:
        url = urljoin(page_url, path)
        try:
            answer = await fetch(http, url, MANIFEST_BYTES, judge=judge)
            manifest = parse(_text(answer))
        except FetchFailed as error:
            if error.status is None:  # no answer at all: nobody can say what is there
                raise
        except (NotAManifest, UrlRefused):
            continue
        else:
            if manifest.tools:
                return answer.url, manifest
    return None


def _refuse(page_url: str, url: str, *, cross_origin: bool) -> None:
    """Raise `UrlRefused` for what a page must not lead to."""
    scheme = urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise UrlRefused(
            f"the manifest would be at `{url}`, and `{scheme}:` is not followed - "
            "publish the manifest over https",
            url=url,
        )
    if _origin(url) != _origin(page_url) and not cross_origin:
        raise UrlRefused(
            f"the manifest `{url}` is on another origin than the page `{page_url}` - its tools "
            "would not be the page's own - pass `cross_origin=True` if it is to be trusted all the "
            "same",
            url=url,
        )


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _text(answer: Answer) -> str:
    """Return the text of a manifest, or say why an answer is none."""
    url, media_type = answer.url, answer.media_type
    if not answer.complete:
        raise NotAManifest(
            f"`{url}` is larger than {MANIFEST_BYTES:,} bytes - no manifest is - "
            "check what the server sends there",
            url=url,
        )
    start = answer.text[:200].lstrip("\ufeff \t\r\n").lower()
    html = media_type in ("text/html", "application/xhtml+xml")
    if html or start.startswith(("<!doctype html", "<html")):
        raise NotAManifest(
            f"`{url}` is an HTML page - the server probably answers every address with its "
            "index.html - publish the manifest there as `text/markdown`",
            url=url,
        )
    if media_type and not media_type.startswith("text/") and media_type not in _TEXT_TYPES:
        raise NotAManifest(
            f"`{url}` is `{media_type}`, not text - publish the manifest as `text/markdown`",
            url=url,
        )
    return answer.text
