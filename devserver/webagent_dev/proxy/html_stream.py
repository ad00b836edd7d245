"""Injects the agent into HTML documents of the upstream, as they stream to the page."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from webagent_dev.config.model import ServeConfig
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.headers import Headers, value_of
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console
from webagent_site.http.coding import CODINGS, Plain
from webagent_site.http.csp import header_policies, meta_policies, nonce, violations
from webagent_site.http.html_inject import byte_order_mark, inject
from webagent_site.http.markdown_twin import varied
from webagent_site.publish.announced_files import catalog_link
from webagent_site.text import printable

HEAD_BYTES = 1 << 18
"""Limit of what is held back to find the end of the head."""
HEAD_WAIT_S = 0.2
"""How long to wait for the rest of a head, so that a slow stream is not held up."""

_HEAD_IS_OVER = re.compile(rb"</head[\s>]|<body[\s>]", re.IGNORECASE)
_ABOUT_BYTES = frozenset(
    (b"accept-ranges", b"content-digest", b"content-length", b"content-md5", b"digest")
)
"""Headers that are about the bytes before the injection."""
_MOST_REPORTED = 256


def asks_for_document(headers: Headers) -> bool:
    """Whether a request is for a document: HTML that scripts load is not changed."""
    destination = value_of(headers, b"sec-fetch-dest")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in value_of(headers, b"accept")


def is_html(status: int, headers: Headers) -> bool:
    """Whether a response is an HTML document that can be parsed here."""
    kind, _, parameters = value_of(headers, b"content-type").partition(";")
    if kind.strip() != "text/html" or status in (204, 205, 206, 304):
        return False
    # UTF-16 is not a superset of ASCII, and without a byte order mark only the header names it.
    return "utf-16" not in parameters


Refresh = Callable[[], Coroutine[Any, Any, None]]


class DocumentInjector:
    """Injects the agent into the documents of one site."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        hub: Hub,
        console: Console,
        refresh: Refresh | None = None,
    ) -> None:
        """Inject as the configuration says.

        Args:
            config: What is injected into pages.
            site: The state of the manifest.
            hub: Knows which broadcasts a page that is sent now has seen.
            console: Where it is shown what a page forbids.
            refresh: Reads the manifest of the upstream again; None if it has another source.
        """
        self._refresh_state = refresh
        self._refreshing: asyncio.Future[None] | None = None
        self._config = config
        self._site = site
        self._hub = hub
        self._console = console
        self._reported: dict[str, None] = {}

    @property
    def etag_suffix(self) -> str:
        """The end of ETags, so that a copy with an older token or another manifest is not reused."""
        parts = (
            self._hub.live_path(self._config),
            self._site.state.manifest_path,
            self._config.component_origins,
            sorted(self._config.script_options.items()),
        )
        return "-wa" + hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()

    async def refresh_manifest(self) -> None:
        """Read the manifest again; only the first page waits for it, unless there is one already."""
        if self._refresh_state is None or (self._refreshing and not self._refreshing.done()):
            return
        first = self._refreshing is None
        self._refreshing = asyncio.ensure_future(self._refresh_state())
        if first and self._site.state.manifest_path is None:
            await asyncio.shield(self._refreshing)

    def request_headers(self, headers: Headers) -> Headers:
        """Return the headers of a request for a document, for the upstream."""
        result = []
        for name, value in headers:
            if name == b"if-none-match":
                tags = [tag.strip() for tag in value.decode("latin-1").split(",")]
                end = f'{self.etag_suffix}"'
                kept = [tag.removesuffix(end) + '"' for tag in tags if tag.endswith(end)]
                if kept:
                    result.append((name, ", ".join(kept).encode("latin-1")))
            elif name not in (b"if-modified-since", b"if-range", b"range"):
                # A date does not cover the injection, and a part of a page cannot be parsed.
                result.append((name, value))
        return result

    def response_headers(self, headers: Headers) -> Headers:
        """Return the headers of a document, for the page."""
        result = []
        for name, value in headers:
            if name in _ABOUT_BYTES:
                continue
            if name == b"etag" and value.endswith(b'"'):
                value = value[:-1] + self.etag_suffix.encode() + b'"'
            if name == b"cache-control" and not re.search(rb"no-(store|cache)", value.lower()):
                # A copy from an earlier run of this server has a token that is no longer valid.
                value = b"no-cache"
            result.append((name, value))
        if not any(name == b"cache-control" for name, _ in result):
            result.append((b"cache-control", b"no-cache"))
        has_catalog = "ai-catalog" in self._config.announce and self._site.state.manifest_path
        if has_catalog and "ai-catalog" not in value_of(headers, b"link"):
            result.append((b"link", catalog_link("/").encode()))
        return varied(result) if "markdown" in self._config.announce else result

    async def body(
        self, chunks: AsyncIterator[bytes], headers: Headers, *, path: str, ours: str
    ) -> AsyncIterator[bytes]:
        """Yield a document with the agent in it, in its own content coding.

        Args:
            chunks: Of the document.
            headers: Of the response.
            path: Of the document, for messages.
            ours: The origin of the page.
        """
        policies = header_policies(_raw_value(headers, b"content-security-policy"))
        pair = CODINGS.get(value_of(headers, b"content-encoding").strip())
        if pair is None:
            coding = printable(value_of(headers, b"content-encoding"), 40)
            self._report(
                f"pages in `{coding}` get no agent - let your server send them in `gzip`, `br` or `zstd`"
            )
            async for chunk in chunks:
                yield chunk
            return
        reader, writer = pair[0](), pair[1]()
        ahead = _ReadAhead(chunks)
        raw = head = b""
        try:
            while True:
                chunk = await ahead.next(HEAD_WAIT_S if head else None)
                raw += chunk or b""
                try:
                    head += reader.feed(chunk or b"")
                except Exception:
                    # Each coding has its own errors. A malformed body is passed on as it is.
                    self._report(
                        f"{printable(path, 200)} is not in the content coding of its header"
                    )
                    writer = reader = Plain()
                    head = raw
                    break
                if not chunk or _HEAD_IS_OVER.search(head) or len(head) >= HEAD_BYTES:
                    self._check_policies(policies, head, path, ours)
                    head = self._inject(head, nonce(policies))
                    break
            yield writer.feed(head)
            while chunk := await ahead.next(None):
                if decoded := reader.feed(chunk):
                    yield writer.feed(decoded)
            yield writer.feed(reader.end()) + writer.end()
        finally:
            await ahead.close()

    def _inject(self, start: bytes, script_nonce: str | None) -> bytes:
        return inject(
            start,
            live_path=self._hub.live_path(self._config),
            manifest_path=self._site.state.manifest_path,
            component_origins=self._config.component_origins,
            page_options=self._config.script_options,
            forward_console=bool(self._config.forward_console),
            nonce=script_nonce,
        )

    def _check_policies(self, policies: list[str], start: bytes, path: str, ours: str) -> None:
        """Report what the policies of a page forbid of the agent."""
        found = {one.need: one for one in violations(policies, ours, has_nonce=True)}
        if byte_order_mark(start)[1] in (None, "utf-8"):
            for policy in meta_policies(start.decode("latin-1")):
                inner = violations([policy], ours, has_nonce=True, has_scripts=True)
                found |= {one.need: one for one in inner}
        for need, violation in found.items():
            self._report(
                f"the Content-Security-Policy of {printable(path, 200)} forbids {need.purpose} - it "
                f"is left as it is - add `{need.sources[0]}` to `{violation.directive}` while you "
                "develop"
            )

    def _report(self, text: str) -> None:
        """Write a line to the terminal, once."""
        if text not in self._reported and len(self._reported) < _MOST_REPORTED:
            self._reported[text] = None
            self._console.labelled("csp" if "Policy" in text else "proxy", text, "yellow")


def _raw_value(headers: Headers, name: bytes) -> str:
    """Return the values of a header in one line, as they were sent."""
    return b", ".join(value for key, value in headers if key == name).decode("latin-1")


class _ReadAhead:
    """Reads chunks one at a time; a chunk is not lost if waiting for it times out."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._step: asyncio.Future[bytes] | None = None
        self._ended = False

    async def next(self, timeout_s: float | None) -> bytes:
        """Return the next chunk; empty at the end, and after the timeout."""
        while not self._ended:
            self._step = self._step or asyncio.ensure_future(anext(self._chunks, b""))
            await asyncio.wait({self._step}, timeout=timeout_s)
            if not self._step.done():
                return b""
            chunk, self._step = self._step.result(), None
            if chunk:
                return chunk
            self._ended = True
        return b""

    async def close(self) -> None:
        """Cancel waiting for the next chunk."""
        if self._step:
            self._step.cancel()
            await asyncio.gather(self._step, return_exceptions=True)
