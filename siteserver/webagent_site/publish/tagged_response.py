"""Puts the published tags into the HTML documents of an application, as they stream to a client.

Bodies come in chunks and leave in chunks. Only the beginning of a document is held back, until its
head has ended. ASGI and WSGI hand in the same values, so that one place decides for both.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from webagent.announcements import Announcement
from webagent.discovery import announced_in_header
from webagent.html_tags import start_tags
from webagent_site.config.urls import MANIFEST_PATH
from webagent_site.http.coding import CODINGS, Coder, Plain
from webagent_site.http.csp import header_policies, meta_policies, nonce, violations
from webagent_site.http.html_head import is_document, text_of, with_lines
from webagent_site.http.html_inject import byte_order_mark, declared_encoding
from webagent_site.http.markdown_twin import (
    NO_TRANSFORM,
    MarkdownTwin,
    asks_for_markdown,
    can_be_markdown,
    not_modified,
    request_headers,
    varied,
)
from webagent_site.publish.announced_files import catalog_link
from webagent_site.publish.publication import Publication
from webagent_site.text import printable

HEAD_BYTES = 1 << 16
"""Limit of what is held back to find the end of the head."""

Headers = list[tuple[bytes, bytes]]
"""Names in lower case."""

_HEAD_END = re.compile(r"</head[\s>]", re.IGNORECASE)
_HEAD = frozenset(
    ("base", "head", "html", "link", "meta", "noscript", "script", "style", "template", "title")
)
"""The elements of a head; any other one ends it, as both of its tags may be left out."""
_ABOUT_BYTES = frozenset(
    (b"accept-ranges", b"content-digest", b"content-md5", b"digest", b"repr-digest")
)
"""Headers that are about the bytes without the tags."""
_ABOUT_COPIES = frozenset((b"if-modified-since", b"if-range", b"if-unmodified-since", b"range"))
"""A date does not cover the tags, and a part of a page cannot be read."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """The parts of a request that its response depends on."""

    method: str
    path: str
    """For messages."""
    url: str
    """The address of the page."""
    if_none_match: str
    prefers_markdown: bool = False

    @property
    def origin(self) -> str:
        """The origin of the page."""
        return "/".join(self.url.split("/", 3)[:3])


class TaggedResponses:
    """Changes the responses of one application."""

    def __init__(
        self,
        *,
        compressed: bool,
        report: Callable[[str], None],
        announce: Collection[Announcement] = (),
    ) -> None:
        """Put tags into documents.

        Args:
            compressed: Whether documents in a content coding are decoded and encoded again.
            announce: Announcements of the site: whether documents name its catalogue, and are sent as
                Markdown to clients that prefer it, without tags.
            report: Called with what a site should know, each kind once.
        """
        self._compressed = compressed
        self._report = report
        self._markdown = "markdown" in announce
        self._names_catalog = "ai-catalog" in announce
        self._reported: set[str] = set()

    def prefers_markdown(self, method: str, headers: Headers) -> bool:
        """Whether a request is for a document as Markdown."""
        return self._markdown and asks_for_markdown(method, headers)

    def request_headers(
        self, publication: Publication, headers: Headers, *, markdown: bool = False
    ) -> Headers:
        """Return the headers of a request for the application.

        A copy of a page without our tags, or with older ones, does not count: the application sends
        the page again.
        """
        if markdown:
            return request_headers(headers)
        page = asks_for_document(headers)
        end = _suffix(publication) + '"'
        result: Headers = []
        for name, value in headers:
            if name in (b"if-none-match", b"if-match"):
                tags = [tag.strip() for tag in value.decode("latin-1").split(",")]
                kept = [
                    tag[: -len(end)] + '"' if tag.endswith(end) else tag
                    for tag in tags
                    if tag.endswith(end) or not page or name == b"if-match" or tag == "*"
                ]
                if kept:
                    result.append((name, ", ".join(kept).encode("latin-1")))
            elif not page or name not in _ABOUT_COPIES:
                result.append((name, value))
        return result

    def response(
        self, publication: Publication, request: PageRequest, status: int, headers: Headers
    ) -> TaggedResponse | None:
        """Return what becomes of a response, None if it stays as it is."""
        if request.prefers_markdown and status == 304:
            return TaggedResponse(not_modified(headers), None)
        if request.prefers_markdown and can_be_markdown(status, headers):
            announced = self._announcing(publication, headers)
            return TaggedResponse(announced, MarkdownTwin(announced, request.url))
        if status == 304:
            return _not_modified(publication, request, self._varied(headers))
        if status == 404 and publication.loads_tools_from(request.path):
            self.once(
                "tools",
                f"the application has no `{printable(request.path, 100)}`, so pages lack its own tools - "
                "add their addresses, in FastAPI and Starlette with "
                "`app.router.routes.extend(starlette_routes(webagent.tools))`",
            )
        kind = _value(headers, b"content-type").lower()
        if kind.partition(";")[0].strip() != "text/html" or status in (204, 205, 206):
            return None
        # UTF-16 is not a superset of ASCII, and without a byte order mark only the header names it.
        if "utf-16" in kind or request.method not in ("GET", "HEAD", "POST"):
            return None
        headers = self._varied(self._announcing(publication, headers))
        if publication.by_account:
            # A cache would give the page of one account to another.
            headers.append((b"vary", b"cookie"))
        if NO_TRANSFORM.search(_value(headers, b"cache-control")):
            self.once("no-transform", "pages with `cache-control: no-transform` get no agent")
            return TaggedResponse(headers, None)
        coding = _value(headers, b"content-encoding").strip().lower()
        pair = CODINGS.get(coding)
        if pair is None or (coding not in ("", "identity") and not self._compressed):
            self.once(
                "coding",
                f"pages in `{printable(coding, 40)}` get no agent - compress outside of the agent, or "
                "write `WebAgent(…, compressed=True)`",
            )
            return TaggedResponse(headers, None)
        reader, writer = pair[0](), pair[1]()
        return TaggedResponse(
            headers, _Tagging(self, publication, request, headers, reader, writer)
        )

    def check_policies(self, policies: Sequence[str], request: PageRequest) -> None:
        """Report what the first page with a policy forbids of the agent."""
        if not policies or "csp" in self._reported:
            return
        self._reported.add("csp")
        for one in violations(policies, request.origin, has_nonce=True):
            self._report(
                f"the Content-Security-Policy of {printable(request.path, 200)} forbids "
                f"{one.need.what} - the agent in the page cannot do without - {one.remedy}"
            )

    def _announcing(self, publication: Publication, headers: Headers) -> Headers:
        """Add what names manifest and catalogue, unless the application does it by itself."""
        given = _value(headers, b"link")
        links = []
        if not announced_in_header(given):
            links.append(f'<{publication.base}{MANIFEST_PATH[1:]}>; rel="webagents-md"')
        if self._names_catalog and "ai-catalog" not in given:
            links.append(catalog_link(publication.base))
        return [*headers, *((b"link", link.encode()) for link in links)]

    def _varied(self, headers: Headers) -> Headers:
        return varied(headers) if self._markdown else headers

    def once(self, kind: str, text: str) -> None:
        """Report a text, unless one of its kind was reported."""
        if kind not in self._reported:
            self._reported.add(kind)
            self._report(text)


class TaggedResponse:
    """A response on its way out: first `feed` and `end` its body, then send its headers.

    The headers are known once any of the body is.
    """

    def __init__(self, headers: Headers, change: _Tagging | MarkdownTwin | None) -> None:
        self.headers = headers
        self._change = change

    @property
    def is_read_whole(self) -> bool:
        """Whether its end takes time: the whole document is read then."""
        return isinstance(self._change, MarkdownTwin)

    def feed(self, chunk: bytes) -> bytes:
        """Take a chunk, and return what can be sent."""
        return self._through(chunk) if self._change else chunk

    def end(self) -> bytes:
        """Return the rest."""
        return self._through(None) if self._change else b""

    def without_body(self) -> None:
        """Let the headers be those of a response whose body is not sent, such as one to HEAD."""
        if self._change:
            self.headers = self._change.bodiless_headers()
            self._change = None

    def _through(self, chunk: bytes | None) -> bytes:
        assert self._change is not None
        sent = self._change.step(chunk)
        if self._change.headers is not None:
            self.headers = self._change.headers
        return sent


class _Tagging:
    """Holds the beginning of one document back, and puts the tags into it."""

    def __init__(
        self,
        responses: TaggedResponses,
        publication: Publication,
        request: PageRequest,
        headers: Headers,
        reader: Coder,
        writer: Coder,
    ) -> None:
        self._responses = responses
        self._publication = publication
        self._request = request
        self._before = headers
        self._reader = reader
        self._writer = writer
        self._raw = self._head = b""
        self.headers: Headers | None = None
        """The headers to send, None while the beginning is held back."""

    def step(self, chunk: bytes | None) -> bytes:
        """Take a chunk, None at the end; return what can be sent."""
        if self.headers is None:
            return self._beginning(chunk)
        if chunk is not None:
            decoded = self._reader.feed(chunk)
            return self._writer.feed(decoded) if decoded else b""
        rest = self._reader.end()
        return (self._writer.feed(rest) if rest else b"") + self._writer.end()

    def _beginning(self, chunk: bytes | None) -> bytes:
        self._raw += chunk or b""
        searched = len(self._head)
        try:
            self._head += self._reader.feed(chunk or b"")
        except Exception:
            # Each coding has its own errors. A malformed body is passed on as it is.
            return self._unchanged()
        head = self._head
        if not (chunk is None or len(head) >= HEAD_BYTES or _is_enough(head, searched)):
            return b""
        if not is_document(head):
            return self._unchanged() + (self._writer.end() if chunk is None else b"")
        policies = header_policies(_value(self._before, b"content-security-policy"))
        top = head[: _end_of_head(head)]
        own = meta_policies(text_of(top)) if byte_order_mark(head)[1] in (None, "utf-8") else []
        self._responses.check_policies([*policies, *own], self._request)
        lines = self._publication.lines(head, nonce([*policies, *own]))
        tagged = with_lines(top, lines) + head[len(top) :] if lines else head
        self.headers = self.headers_of(head, len(tagged) - len(head))
        sent = self._writer.feed(tagged)
        self._raw = self._head = b""
        return sent + (self.step(None) if chunk is None else b"")

    def _unchanged(self) -> bytes:
        """Pass the body on as it came, from here on."""
        sent, self._raw, self._head = self._raw, b"", b""
        self._reader = self._writer = Plain()
        self.headers = self._before
        return sent

    def bodiless_headers(self) -> Headers:
        """Return the headers of a response whose body is not sent, such as one to HEAD."""
        return self.headers_of(b"", None)

    def headers_of(self, head: bytes, added: int | None) -> Headers:
        """Return the headers of the document with the tags in it.

        Args:
            head: Its beginning.
            added: By how many bytes it has become longer, None if that is not known.
        """
        end = _suffix(self._publication).encode() + b'"'
        result: Headers = []
        for name, value in self._before:
            if name in _ABOUT_BYTES:
                continue
            if name == b"content-length":
                if added is None or not isinstance(self._writer, Plain) or not value.isdigit():
                    continue
                value = str(int(value) + added).encode()
            elif name == b"etag" and value.endswith(b'"'):
                value = value[:-1] + end
            elif name == b"content-type" and b"charset" not in value.lower():
                # Our tags may push the declaration further than browsers look for it.
                charset = declared_encoding(head)
                value += f"; charset={charset}".encode() if charset else b""
            result.append((name, value))
        return result


def _end_of_head(page: bytes) -> int:
    """Return the offset after the first tag of the body: pages may have thousands of them.

    It is the end of the page if that has none, and in UTF-16.
    """
    mark, codec = byte_order_mark(page)
    if codec and codec.startswith("utf-16"):
        return len(page)
    tags = start_tags(text_of(page))
    return next((mark + tag.end for tag in tags if tag.name not in _HEAD), len(page))


def _is_enough(head: bytes, searched: int) -> bool:
    """Whether the head has ended, or HTML begins as a part of a page does."""
    if b">" not in head[searched:]:
        return False
    text = text_of(head)
    # The letters of its end may be in a comment, a script or an attribute, where no tag is found.
    ended = [f"{text[: end.start()]}<body>" for end in [*_HEAD_END.finditer(text)][-1:]]
    return any(
        tag.name not in _HEAD or not is_document(head)
        for read in (text, *ended)
        for tag in start_tags(read)
    )


def _not_modified(
    publication: Publication, request: PageRequest, headers: Headers
) -> TaggedResponse | None:
    """Return a 304 with the ETag that the client has, None if it had no page with our tags."""
    end = _suffix(publication) + '"'
    for index, (name, value) in enumerate(headers):
        if name == b"etag" and value.endswith(b'"'):
            tagged = value[:-1].decode("latin-1") + end
            known = {tag.strip().removeprefix("W/") for tag in request.if_none_match.split(",")}
            if tagged.removeprefix("W/") in known:
                changed = [*headers]
                changed[index] = (name, tagged.encode("latin-1"))
                return TaggedResponse(changed, None)
    return None


def _suffix(publication: Publication) -> str:
    """Return the end of ETags, so that a copy with other tags is not used again."""
    written = "".join(publication.scripts())
    return "-wa" + hashlib.blake2b(written.encode(), digest_size=6).hexdigest()


def asks_for_document(headers: Headers) -> bool:
    """Whether the response to a request is shown as a page."""
    destination = _value(headers, b"sec-fetch-dest")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in _value(headers, b"accept")


def _value(headers: Headers, name: bytes) -> str:
    """Return the values of a header in one line."""
    return ", ".join(value.decode("latin-1") for key, value in headers if key == name)
