"""Find and fetch the manifest of a page.

These places are tried in this order, up to the first that names or is a manifest:

1. `<meta name="webagents-md" content="/webagents.md">` in the page,
2. `<link rel="webagents-md" href="/webagents.md">` in the page,
3. the header `Link: </webagents.md>; rel="webagents-md"` of the page,
4. `/.well-known/webagents.md` and
5. `/webagents.md` on the page's origin.

A manifest that a page announces (1 to 3) has to be there. The two places by convention (4 and 5)
may be empty, and a document there counts only if it declares a tool. Addresses are resolved against the page's final
one, after redirects.
"""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from webagent.errors import FetchFailed, NotAManifest, UrlRefused
from webagent.html_tags import start_tags
from webagent.parser import parse
from webagent.types import Manifest

if TYPE_CHECKING:
    import httpx

__all__ = ["discover", "discover_manifest_url", "fetch_manifest", "fetch_text"]

NAME = "webagents-md"
"""Name of the `<meta>` tag, and relation of the `<link>` tag and the `Link` header."""

CONVENTIONS = ("/.well-known/webagents.md", "/webagents.md")
"""Paths of a manifest on the page's origin if the page does not announce one."""

PAGE_BYTES = 5_000_000
"""Most bytes of a page that are read to find the tag, which belongs into its head."""

MANIFEST_BYTES = 2_000_000
"""Largest manifest that is accepted."""

MOST_S = 60.0
"""How long a request may take as a whole, redirects included."""

MAX_REDIRECTS = 10
"""Most redirects that a request follows."""

_LINK = re.compile(
    r'<([^<>]*)>((?:[ \t]*;[ \t]*[\w!#$&+.^`|~*-]+(?:[ \t]*=[ \t]*(?:"[^"]*+"|[^",;\s]*+))?)*+)'
)

_REL = re.compile(r';[ \t]*rel[ \t]*=[ \t]*(?:"([^"]*)"|([^",;\s]*))', re.IGNORECASE)
_TEXT_TYPES = ("application/markdown", "application/octet-stream", "application/x-markdown")

_CHARSETS = ("utf", "ascii", "iso8859", "cp", "koi8", "euc", "shift", "gb", "big5", "mac")
"""Prefixes of the names of codecs for text; Python has codecs for other data too."""

_STARTS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
        NotAManifest: The announced document is not a manifest.
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
        check_url = partial(_refuse, page.url, cross_origin=cross_origin)
        return page.url, parse(_text(await fetch(http, url, MANIFEST_BYTES, check_url=check_url)))


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
            f"the page announces `{address}`, which is not an address - {error} - "
            "write a path such as `/webagents.md`",
            url=address,
        ) from error
    return url


async def _by_convention(
    http: httpx.AsyncClient, page_url: str, cross_origin: bool
) -> tuple[str, Manifest] | None:
    """Return the first manifest with a tool at one of the usual places, and its address."""
    check_url = partial(_refuse, page_url, cross_origin=cross_origin)
    for path in CONVENTIONS:
        url = urljoin(page_url, path)
        try:
            answer = await fetch(http, url, MANIFEST_BYTES, check_url=check_url)
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
    """Raise `UrlRefused` for an address that a page must not lead to."""
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


def announced_in_html(html: str) -> str | None:
    """Return the address that a page announces, not resolved against that of the page.

    The first `<meta name="webagents-md" content="…">` counts, and without one the first
    `<link rel="webagents-md" href="…">`. `<base>` applies to `<link>`, as HTML says, and to no
    `<meta>`.
    """
    base = linked = ""
    for tag in start_tags(html):
        attributes = tag.attributes
        if tag.name == "meta" and attributes.get("name", "").strip().lower() == NAME:
            if content := attributes.get("content", "").strip():
                return content
        elif tag.name == "base" and not base:
            base = attributes.get("href", "").strip()
        elif (
            tag.name == "link" and not linked and NAME in attributes.get("rel", "").lower().split()
        ):
            linked = attributes.get("href", "").strip()
    if not linked:
        return None
    try:
        return urljoin(base, linked) if base else linked
    except ValueError:
        return linked


def announced_in_header(links: str, relation: str = NAME) -> str | None:
    """Return the address that a `Link` header announces: `</webagents.md>; rel="webagents-md"`.

    The syntax is that of RFC 8288.
    """
    for match in _LINK.finditer(links):
        rel = _REL.search(match[2])
        if rel and relation in (rel[1] or rel[2] or "").lower().split() and match[1].strip():
            return match[1].strip()
    return None


@asynccontextmanager
async def client_for(client: httpx.AsyncClient | None) -> AsyncIterator[httpx.AsyncClient]:
    """Yield the client, or one that lives for this block."""
    if client is not None:
        yield client
        return
    async with new_client(30.0) as own:
        yield own


def new_client(timeout_s: float) -> httpx.AsyncClient:
    """Return a client for requests to sites.

    Raises:
        ImportError: httpx is not installed.
    """
    try:
        import httpx
    except ImportError as error:
        raise ImportError(
            "fetching manifests needs httpx, which is not installed - "
            'run `pip install "webagent-core[http]"`'
        ) from error
    return httpx.AsyncClient(timeout=timeout_s, follow_redirects=True)


class Answer(NamedTuple):
    """A document, and where it came from."""

    url: str
    """The final address, after redirects."""
    media_type: str
    """In lower case, without parameters; empty if the server names none."""
    links: str
    """The `Link` headers, joined by commas."""
    text: str
    complete: bool
    """False when there is more than the limit."""


async def fetch(
    http: httpx.AsyncClient,
    url: str,
    limit_bytes: int,
    *,
    check_url: Callable[[str], None] = lambda url: None,
) -> Answer:
    """Return the document at an address, cut off after `limit_bytes`.

    Args:
        http: Sends the requests.
        url: Where to ask.
        limit_bytes: How much of the body is read; the rest is never downloaded.
        check_url: Raises if an address must not be asked; called before each request.

    Raises:
        FetchFailed: No answer came, or one that says the request failed.
    """
    import httpx

    try:
        # The client's own limit is for each part of an answer, and an answer may have parts without end.
        async with asyncio.timeout(MOST_S):
            for _ in range(MAX_REDIRECTS + 1):
                if not url.lower().startswith(("http://", "https://")):
                    raise FetchFailed(
                        f"`{url}` is not a web address - write one that starts with `https://`",
                        url=url,
                    )
                check_url(url)
                async with http.stream("GET", url, follow_redirects=False) as response:
                    target = response.headers.get("location")
                    if response.is_redirect and target:
                        url = urljoin(str(response.url), target)
                        continue
                    return await _read(response, url, limit_bytes)
    except TimeoutError as error:
        raise FetchFailed(
            f"`{url}` cannot be fetched - its answer does not end within {MOST_S:g} s", url=url
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        reason = str(error) or type(error).__name__
        if reason == "All connection attempts failed":
            reason = "nothing answers there"
        raise FetchFailed(f"`{url}` cannot be fetched - {reason}", url=url) from error
    raise FetchFailed(f"`{url}` redirects more than {MAX_REDIRECTS} times", url=url)


async def _read(response: httpx.Response, url: str, limit_bytes: int) -> Answer:
    if not response.is_success:
        raise FetchFailed(
            f"`{url}` answers with status {response.status_code}",
            url=url,
            status=response.status_code,
        )
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > limit_bytes:
            break
    media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
    text = _decode(bytes(body[:limit_bytes]), response.charset_encoding)
    links = ", ".join(response.headers.get_list("link"))
    return Answer(str(response.url), media_type, links, text, len(body) <= limit_bytes)


def _decode(body: bytes, charset: str | None) -> str:
    """Decode by the byte order mark, the charset of the answer, or as UTF-8."""
    for mark, name in _STARTS:
        if body.startswith(mark):
            return body.decode(name, errors="replace").removeprefix("\ufeff")
    try:
        codec = codecs.lookup(charset or "utf-8").name
    except (LookupError, ValueError):
        codec = "utf-8"
    name = codec if codec.startswith(_CHARSETS) and codec != "utf-7" else "utf-8"
    return body.decode(name, errors="replace")


def _text(answer: Answer) -> str:
    """Return the text of a manifest.

    Raises:
        NotAManifest: The document is something else.
    """
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
