"""HTML on its way to a page: the agent is put in as it streams by."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

from webagent_dev.config.model import ServeConfig
from webagent_dev.http.csp import header_policies, meta_policies, nonce, violations
from webagent_dev.http.html_inject import byte_order_mark, inject
from webagent_dev.live.hub import Hub
from webagent_dev.proxy.coding import CODINGS, Plain
from webagent_dev.proxy.headers import Headers, value_of
from webagent_dev.site.state import Site
from webagent_dev.terminal import Console, printable

HEAD_BYTES = 1 << 18
"""The most that is held back in search of the end of the head."""
HEAD_WAIT_S = 0.2
"""How long the rest of a head is waited for, so that a page that streams slowly is not held up."""

_HEAD_IS_OVER = re.compile(rb"</head[\s>]|<body[\s>]", re.IGNORECASE)
_NOT_KEPT = frozenset(
    (b"accept-ranges", b"content-digest", b"content-length", b"content-md5", b"digest")
)
"""Headers that are about the bytes as they were."""
_MOST_TOLD = 256


def asks_for_document(headers: Headers) -> bool:
    """Whether a person will look at the answer: pieces of HTML that scripts load stay as they are."""
    destination = value_of(headers, b"sec-fetch-dest")
    if destination:
        return destination in ("document", "iframe", "frame")
    return "text/html" in value_of(headers, b"accept")


def is_html(status: int, headers: Headers) -> bool:
    """Whether an answer is an HTML document that can be read here."""
    kind, _, parameters = value_of(headers, b"content-type").partition(";")
    if kind.strip() != "text/html" or status in (204, 205, 206, 304):
        return False
    # Such a page is not ASCII, and without a mark nothing but the header says so.
    return "utf-16" not in parameters


Look = Callable[[], Coroutine[Any, Any, None]]


class Documents:
    """Puts the agent into the documents of one site."""

    def __init__(
        self,
        config: ServeConfig,
        site: Site,
        hub: Hub,
        console: Console,
        look: Look | None = None,
    ) -> None:
        """Put in what the configuration says.

        Args:
            config: What pages get from us.
            site: The state of the manifest.
            hub: Knows which news a page that is made now has seen.
            console: Where it is said what a page forbids.
            look: Reads the manifest of the server behind again; None if it is not there.
        """
        self._look = look
        self._looking: asyncio.Future[None] | None = None
        self._config = config
        self._site = site
        self._hub = hub
        self._console = console
        self._told: dict[str, None] = {}

    @property
    def mark(self) -> str:
        """What ETags end in, so that a copy with an older token or another manifest is not reused."""
        parts = (
            self._hub.live_path(self._config),
            self._site.state.manifest_path,
            self._config.component_origins,
            sorted(self._config.script_options.items()),
        )
        return "-wa" + hashlib.blake2b(repr(parts).encode(), digest_size=6).hexdigest()

    async def manifest(self) -> None:
        """See to it that the manifest is known: the first page waits for it unless there is one."""
        if self._look is None or (self._looking and not self._looking.done()):
            return
        first = self._looking is None
        self._looking = asyncio.ensure_future(self._look())
        if first and self._site.state.manifest_path is None:
            await asyncio.shield(self._looking)

    def asked(self, headers: Headers) -> Headers:
        """Return the headers of a request for a document, as the server behind should get them."""
        result = []
        for name, value in headers:
            if name == b"if-none-match":
                tags = [tag.strip() for tag in value.decode("latin-1").split(",")]
                end = f'{self.mark}"'
                kept = [tag.removesuffix(end) + '"' for tag in tags if tag.endswith(end)]
                if kept:
                    result.append((name, ", ".join(kept).encode("latin-1")))
            elif name not in (b"if-modified-since", b"if-range", b"range"):
                # Dates say nothing about what we put in, and a part of a page cannot be read.
                result.append((name, value))
        return result

    def answered(self, headers: Headers) -> Headers:
        """Return the headers of a document, as the page should get them."""
        result = []
        for name, value in headers:
            if name in _NOT_KEPT:
                continue
            if name == b"etag" and value.endswith(b'"'):
                value = value[:-1] + self.mark.encode() + b'"'
            if name == b"cache-control" and not re.search(rb"no-(store|cache)", value.lower()):
                # A copy of an earlier run of this server opens no channel.
                value = b"no-cache"
            result.append((name, value))
        if not any(name == b"cache-control" for name, _ in result):
            result.append((b"cache-control", b"no-cache"))
        return result

    async def body(
        self, chunks: AsyncIterator[bytes], headers: Headers, *, path: str, ours: str
    ) -> AsyncIterator[bytes]:
        """Yield a document with the agent in it, in the coding that it came in.

        Args:
            chunks: The document as it comes.
            headers: Those of the answer.
            path: Where it is, to say so.
            ours: The origin of the page.
        """
        policies = header_policies(_raw_value(headers, b"content-security-policy"))
        pair = CODINGS.get(value_of(headers, b"content-encoding").strip())
        if pair is None:
            coding = printable(value_of(headers, b"content-encoding"), 40)
            self._report(f"pages in `{coding}` get no agent - install `webagent-dev[build]`")
            async for chunk in chunks:
                yield chunk
            return
        reader, writer = pair[0](), pair[1]()
        ahead = _Ahead(chunks)
        raw = held = b""
        try:
            while True:
                chunk = await ahead.next(HEAD_WAIT_S if held else None)
                raw += chunk or b""
                try:
                    held += reader.feed(chunk or b"")
                except Exception:
                    # Each coding has errors of its own. What is not what it says stays as it is.
                    self._report(f"{printable(path, 200)} is not in the coding that it names")
                    writer = reader = Plain()
                    held = raw
                    break
                if not chunk or _HEAD_IS_OVER.search(held) or len(held) >= HEAD_BYTES:
                    self._check_policies(policies, held, path, ours)
                    held = self._put_in(held, nonce(policies))
                    break
            yield writer.feed(held)
            while chunk := await ahead.next(None):
                if read := reader.feed(chunk):
                    yield writer.feed(read)
            yield writer.feed(reader.end()) + writer.end()
        finally:
            await ahead.close()

    def _put_in(self, start: bytes, script_nonce: str | None) -> bytes:
        return inject(
            start,
            live_path=self._hub.live_path(self._config),
            manifest_path=self._site.state.manifest_path,
            component_origins=self._config.component_origins,
            page_options=self._config.script_options,
            forward_console=self._config.forward_console,
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
        if text not in self._told and len(self._told) < _MOST_TOLD:
            self._told[text] = None
            self._console.labelled("csp" if "Policy" in text else "proxy", text, "yellow")


def _raw_value(headers: Headers, name: bytes) -> str:
    """Return the values of a header in one line, as they are written."""
    return b", ".join(value for key, value in headers if key == name).decode("latin-1")


class _Ahead:
    """Reads chunks one at a time; one that is waited for too long is not lost."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self._chunks = chunks
        self._step: asyncio.Future[bytes] | None = None
        self._ended = False

    async def next(self, timeout_s: float | None) -> bytes:
        """Return the next chunk; empty at the end, and when nothing comes in time."""
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
        """Wait for nothing any more."""
        if self._step:
            self._step.cancel()
            await asyncio.gather(self._step, return_exceptions=True)
