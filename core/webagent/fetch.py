"""Documents from the web: how far redirects are followed, how much is read, as what text.

httpx is imported on first use; it comes with `pip install "webagent-core[http]"`.
"""

from __future__ import annotations

import codecs
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from webagent.errors import FetchFailed

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 10
"""Redirects after which a request is given up."""

_CHARSETS = ("utf", "ascii", "iso8859", "cp", "koi8", "euc", "shift", "gb", "big5", "mac")
"""How the names of codecs start that are encodings of text and nothing else."""
_STARTS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


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
    judge: Callable[[str], None] = lambda url: None,
) -> Answer:
    """Return the document at an address, cut off after so many bytes.

    Args:
        http: Sends the requests.
        url: Where to ask.
        limit_bytes: How much of the body is read; the rest is never downloaded.
        judge: Raises if an address must not be asked; called before each request.

    Raises:
        FetchFailed: No answer came, or one that says the request failed.
    """
    import httpx

    try:
        for _ in range(MOST_REDIRECTS + 1):
            if not url.lower().startswith(("http://", "https://")):
                raise FetchFailed(
                    f"`{url}` is no address on the web - write one that starts with `https://`",
                    url=url,
                )
            judge(url)
            async with http.stream("GET", url, follow_redirects=False) as response:
                target = response.headers.get("location")
                if response.is_redirect and target:
                    url = urljoin(str(response.url), target)
                    continue
                return await _read(response, url, limit_bytes)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        reason = str(error) or type(error).__name__
        if reason == "All connection attempts failed":
            reason = "nothing answers there"
        raise FetchFailed(f"`{url}` cannot be had - {reason}", url=url) from error
    raise FetchFailed(f"`{url}` redirects more than {MOST_REDIRECTS} times", url=url)


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
