"""Pages as Markdown for clients that prefer it, made from the response that a browser would get."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable

from webagent_site.http.coding import CODINGS, Coder, readable
from webagent_site.http.html_inject import byte_order_mark, declared_encoding

MOST_BYTES = 2_000_000
"""A longer page stays HTML."""

Headers = list[tuple[bytes, bytes]]
"""Names in lower case."""

NO_TRANSFORM = re.compile(r"(?:^|[,\s])no-transform(?:$|[,\s])", re.IGNORECASE)
_CHARSET = re.compile(r"charset=[\"']?([A-Za-z0-9][A-Za-z0-9._:+-]{0,39})", re.IGNORECASE)
_ABOUT_HTML = frozenset(
    (
        *(b"accept-ranges", b"content-digest", b"content-encoding", b"content-length"),
        *(b"content-md5", b"content-type", b"digest", b"repr-digest", b"x-content-type-options"),
    )
)
"""Headers that are about the bytes of the HTML."""
_ABOUT_COPIES = frozenset((b"if-modified-since", b"if-range", b"if-unmodified-since", b"range"))
"""A date does not cover the Markdown, and it is made of whole pages."""
_END = "-md"
"""The end of the ETag of a page as Markdown."""


def asks_for_markdown(method: str, headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a request is for a page as Markdown."""
    accept = _value(headers, b"accept")
    if method not in ("GET", "HEAD") or "markdown" not in accept.lower():
        return False
    # Imported late: what reads pages takes a part of a server's start to load.
    from webagent.page_markdown import prefers_markdown

    return prefers_markdown(accept)


def request_headers(headers: Headers) -> Headers:
    """Return the headers with which a page is requested that is sent as Markdown."""
    result: Headers = []
    for name, value in headers:
        if name == b"if-none-match":
            tags = [tag.strip().removeprefix("W/") for tag in value.decode("latin-1").split(",")]
            end = f'{_END}"'
            kept = [tag.removesuffix(end) + '"' for tag in tags if tag.endswith(end)]
            if kept:
                result.append((name, ", ".join(kept).encode("latin-1")))
        elif name == b"accept" and b"text/html" not in value.lower():
            result.append((name, value + b", text/html;q=0.5"))
        elif name == b"accept-encoding":
            result.append((name, readable(value.decode("latin-1")).encode("latin-1")))
        elif name not in _ABOUT_COPIES:
            result.append((name, value))
    return result


def varied(headers: Headers) -> Headers:
    """Return the headers of a response that would be another one for another `Accept`."""
    listed = {name.strip().lower() for name in _value(headers, b"vary").split(",")}
    return [*headers] if listed & {"accept", "*"} else [*headers, (b"vary", b"accept")]


def not_modified(headers: Headers) -> Headers:
    """Return the headers of a 304 for the copy that a client has as Markdown."""
    return varied([(n, _own_etag(v) if n == b"etag" else v) for n, v in headers])


def can_be_markdown(status: int, headers: Headers) -> bool:
    """Whether a response is a page that can be sent as Markdown."""
    length = _value(headers, b"content-length")
    return (
        status == 200
        and _value(headers, b"content-type").partition(";")[0].strip().lower() == "text/html"
        and "attachment" not in _value(headers, b"content-disposition").lower()
        and not NO_TRANSFORM.search(_value(headers, b"cache-control"))
        and _value(headers, b"content-encoding").strip().lower() in CODINGS
        and not (length.isdigit() and int(length[:12]) > MOST_BYTES)
    )


def page_text(page: bytes, content_type: str = "") -> str:
    """Return the text of an HTML page in the encoding that browsers would find."""
    mark, named = byte_order_mark(page)
    if not named and (charset := _CHARSET.search(content_type)):
        named = charset[1]
    named = named or declared_encoding(page) or "utf-8"
    try:
        label = codecs.lookup(named).name
    except LookupError:
        label = "utf-8"
    # These two names mean more letters in browsers.
    label = "cp1252" if label in ("ascii", "iso8859-1") else label
    try:
        return page[mark:].decode(label, "replace")
    except (LookupError, ValueError):
        return page[mark:].decode("utf-8", "replace")


class MarkdownTwin:
    """One response on its way out: chunks of HTML come in, and Markdown leaves at the end."""

    def __init__(self, headers: Headers, url: str) -> None:
        """Begin with the headers of the HTML, and the address of the page."""
        self._before = headers
        self._url = url
        self._reader: Coder = CODINGS[_value(headers, b"content-encoding").strip().lower()][0]()
        self._raw = bytearray()
        self._page = bytearray()
        self.headers: Headers | None = None
        """The headers to send, None while it is not known whether the page becomes Markdown."""

    def step(self, chunk: bytes | None) -> bytes:
        """Take a chunk, None at the end; return what can be sent."""
        if self.headers is not None:
            return chunk or b""
        self._raw += chunk or b""
        try:
            self._page += self._reader.end() if chunk is None else self._reader.feed(chunk)
        except Exception:
            # Each coding has its own errors. A malformed body is passed on as it is.
            return self._as_html()
        if len(self._page) > MOST_BYTES:
            return self._as_html()
        if chunk is not None:
            return b""
        from webagent.page_markdown import page_markdown

        text = page_text(bytes(self._page), _value(self._before, b"content-type"))
        markdown = page_markdown(text, self._url)
        if markdown is None:
            return self._as_html()
        body = markdown.encode()
        self.headers = [*self.bodiless_headers(), (b"content-length", str(len(body)).encode())]
        return body

    def bodiless_headers(self) -> Headers:
        """Return the headers of a response whose body is not sent, such as one to HEAD."""
        kept = [
            (name, _own_etag(value) if name == b"etag" else value)
            for name, value in self._before
            if name not in _ABOUT_HTML
        ]
        return varied(
            [
                *kept,
                (b"content-type", b"text/markdown; charset=utf-8"),
                (b"x-content-type-options", b"nosniff"),
            ]
        )

    def _as_html(self) -> bytes:
        """Pass the page on as it came, from here on."""
        self.headers = varied(self._before)
        sent = bytes(self._raw)
        self._raw.clear()
        self._page.clear()
        return sent


def _own_etag(etag: bytes) -> bytes:
    # Weak, as other HTML may become the same Markdown, and a new version of this code other Markdown.
    plain = etag.removeprefix(b"W/")
    return b"W/" + plain[:-1] + _END.encode() + b'"' if plain.endswith(b'"') else etag


def _value(headers: Iterable[tuple[bytes, bytes]], name: bytes) -> str:
    """Return the values of a header in one line."""
    return ", ".join(value.decode("latin-1") for key, value in headers if key.lower() == name)
