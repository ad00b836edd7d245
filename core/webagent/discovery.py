"""Find the manifest that a page announces: `<meta name="webagents-md" content="/webagents.md">`.

The address in `content` is resolved against the page's final address, after redirects. `<base>` has
no say: HTML applies it to links, not to the content of `<meta>`. Tags that a browser would not see
as elements of the page (in comments, scripts, templates, `<noscript>`) are not looked at.

httpx is imported on first use; it comes with `pip install "webagent-core[http]"`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from webagent.errors import FetchFailed, NotAManifest, UrlRefused
from webagent.parser import parse
from webagent.tags import start_tags
from webagent.types import Manifest

if TYPE_CHECKING:
    import httpx

__all__ = ["discover", "discover_manifest_url", "fetch_manifest", "manifest_address"]

PAGE_BYTES = 5_000_000
"""How much of a page is read to find the tag, which belongs into its head."""
MANIFEST_BYTES = 2_000_000
"""Largest manifest that is accepted."""

_TEXT_TYPES = ("application/markdown", "application/octet-stream", "application/x-markdown")


class _Answer(NamedTuple):
    url: str
    media_type: str
    text: str
    complete: bool


async def discover_manifest_url(
    page_url: str, *, client: httpx.AsyncClient | None = None, cross_origin: bool = False
) -> str | None:
    """Return the address of the manifest that a page announces, None if it announces none.

    Args:
        page_url: Address of the page.
        client: Sends the request; by default one is made for it.
        cross_origin: Whether the manifest may be on another origin than the page.

    Raises:
        FetchFailed: The page cannot be had.
        UrlRefused: The page names an address that is not followed.
    """
    async with _client(client) as http:
        answer = await _get(http, page_url, PAGE_BYTES)
    address = manifest_address(answer.text)
    if address is None:
        return None
    return _resolve(answer.url, address, cross_origin)


async def fetch_manifest(manifest_url: str, *, client: httpx.AsyncClient | None = None) -> Manifest:
    """Return the manifest at an address.

    Args:
        manifest_url: Address of the manifest itself.
        client: Sends the request; by default one is made for it.

    Raises:
        FetchFailed: It cannot be had.
        NotAManifest: What is there is HTML, of another type than text, or too large.
    """
    async with _client(client) as http:
        answer = await _get(http, manifest_url, MANIFEST_BYTES)
    return _manifest(answer)


async def discover(
    page_url: str, *, client: httpx.AsyncClient | None = None, cross_origin: bool = False
) -> Manifest | None:
    """Return the manifest that a page announces, None if it announces none.

    Args:
        page_url: Address of the page.
        client: Sends the requests; by default one is made for them.
        cross_origin: Whether the manifest may be on another origin than the page.

    Raises:
        FetchFailed: The page, or the manifest it announces, cannot be had.
        NotAManifest: What the page announces is no manifest.
        UrlRefused: The page names an address that is not followed, or one that leads to such.
    """
    async with _client(client) as http:
        url = await discover_manifest_url(page_url, client=http, cross_origin=cross_origin)
        if url is None:
            return None
        answer = await _get(http, url, MANIFEST_BYTES)
        _resolve(url, answer.url, cross_origin)
        return _manifest(answer)


def manifest_address(html: str) -> str | None:
    """Return what the first announcing `<meta>` tag of a page says, as written."""
    for tag in start_tags(html):
        if tag.name == "meta" and tag.attributes.get("name", "").strip().lower() == "webagents-md":
            content = tag.attributes.get("content", "").strip()
            if content:
                return content
    return None


def _resolve(base: str, address: str, cross_origin: bool) -> str:
    try:
        url = urljoin(base, address)
        scheme, same = urlsplit(url).scheme, _origin(url) == _origin(base)
    except ValueError as error:
        raise UrlRefused(
            f"the page announces `{address}`, which is no address - {error} - "
            "write a path such as `/webagents.md`",
            url=address,
        ) from error
    if scheme not in ("http", "https"):
        raise UrlRefused(
            f"the page announces `{address}`, and `{scheme}:` is not followed - "
            "publish the manifest over https",
            url=url,
        )
    if not same and not cross_origin:
        raise UrlRefused(
            f"the manifest `{url}` is on another origin than the page `{base}` - its tools would "
            "not be the page's own - pass `cross_origin=True` if it is to be trusted all the same",
            url=url,
        )
    return url


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port


def _manifest(answer: _Answer) -> Manifest:
    url, media_type = answer.url, answer.media_type
    if not answer.complete:
        raise NotAManifest(
            f"`{url}` is larger than {MANIFEST_BYTES} bytes - no manifest is - "
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
    return parse(answer.text)


async def _get(http: httpx.AsyncClient, url: str, limit: int) -> _Answer:
    """Return the answer to a request, cut off after so many bytes."""
    import httpx

    if not url.lower().startswith(("http://", "https://")):
        raise FetchFailed(
            f"`{url}` is no address on the web - write one that starts with `https://`", url=url
        )
    try:
        async with http.stream("GET", url, follow_redirects=True) as response:
            if not response.is_success:
                raise FetchFailed(
                    f"`{url}` answers with status {response.status_code}",
                    url=url,
                    status=response.status_code,
                )
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > limit:
                    break
            media_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
            text = _decode(bytes(body[:limit]), response.charset_encoding)
            return _Answer(str(response.url), media_type, text, len(body) <= limit)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = str(error) or type(error).__name__
        raise FetchFailed(f"`{url}` cannot be had - {reason}", url=url) from error


def _decode(body: bytes, charset: str | None) -> str:
    try:
        return body.decode(charset or "utf-8-sig", errors="replace")
    except LookupError:
        return body.decode("utf-8-sig", errors="replace")


@asynccontextmanager
async def _client(client: httpx.AsyncClient | None) -> AsyncIterator[httpx.AsyncClient]:
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
