"""Forwards requests of pages to the server of a model, and streams its responses back.

The key is removed from the response, and the tokens in it are counted.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from starlette.types import Message, Send

from webagent.agent.cost import TokenCost, cost_at
from webagent.json_text import utf8_json
from webagent.llm.chat import Usage
from webagent.llm.errors import ModelError
from webagent.llm.http import (
    Answer,
    Fetch,
    HttpxFetch,
    Limits,
    Request,
    error_text,
    open_answer,
)
from webagent.llm.page_model import CONTEXT_TOKENS
from webagent.llm.refusals import error_in, refusal
from webagent_site.broker.ledger import Ledger, Refusal, Spend, Spender
from webagent_site.config.llm import LlmConfig
from webagent_site.llm.allowed import Picture, RequestRefused
from webagent_site.llm.protocols import protocol_of, texts_in
from webagent_site.llm.telemetry import Telemetry
from webagent_site.llm.usage import BodyUsage, EventUsage, LineUsage, UsageCount, tokens_of

MASK = "•••"
_PASSED_HEADERS = ("retry-after", "retry-after-ms", "request-id", "x-request-id")
"""Headers of responses that pages need; those of rate limits are passed on, too."""
_STATUS = {"connection_lost": 502, "timeout": 504, "unreadable_answer": 502}

_REPLY_TOKENS = 2_000
"""Estimate for a reply whose length is not limited."""

READER_S = 30.0
"""How long a page may not read before its request ends."""


class ReaderGone(Exception):
    """The page does not read its response any more."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has failed, for the page."""

    status: int
    message: str
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    """Why, for the owner alone; empty if the message says it."""


class ResponseSender:
    """Sends one response to a page, and knows whether it has begun and ended."""

    def __init__(self, send: Send) -> None:
        """Send over an ASGI connection."""
        self._send = send
        self.has_begun = False
        self.has_ended = False

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers."""
        self.has_begun = True
        raw = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
        await self._sent({"type": "http.response.start", "status": status, "headers": raw})

    async def body(self, chunk: bytes, *, more: bool) -> None:
        """Send a chunk of the body."""
        # The page may leave as soon as it has the last one.
        self.has_ended = not more
        await self._sent({"type": "http.response.body", "body": chunk, "more_body": more})

    async def _sent(self, message: Message) -> None:
        limit = asyncio.timeout(READER_S)
        try:
            async with limit:
                await self._send(message)
        except TimeoutError:
            if not limit.expired():
                raise
            raise ReaderGone from None


class Forwarder:
    """Forwards the requests of all pages to one model.

    Attributes:
        config: Which model.
        protocol: How its provider is spoken to.
    """

    def __init__(
        self,
        config: LlmConfig,
        ledger: Ledger,
        report: Callable[[str], None],
        *,
        most_tokens: int | None = None,
        whole_s: float = 300.0,
        strangers: bool = False,
        fetch: Fetch | None = None,
    ) -> None:
        """Use the model of a configuration.

        Args:
            config: Which model; it has a provider.
            ledger: Counts the requests to all models of the server.
            report: Called with each new failure of its server.
            most_tokens: The longest reply; None for what the page asks for.
            whole_s: The longest time of a reply, in seconds.
            strangers: Whether pages belong to others than the owner, who do not read where the server
                is and how its key is named.
            fetch: Sends the requests; httpx by default.
        """
        assert config.provider is not None
        self.config = config
        self.protocol = protocol_of(config)
        self._ledger = ledger
        self._most_tokens = most_tokens
        self._window = config.known.context_tokens or CONTEXT_TOKENS
        self._whole_s = whole_s
        self._strangers = strangers
        self._cost: TokenCost | None = None
        self._show = report
        self._telemetry = Telemetry(config)
        self._fetch = fetch
        self._own: HttpxFetch | None = None
        self._last_message = ""

    async def close(self) -> None:
        """Close the connections."""
        if self._own:
            await self._own.close()

    async def forward(
        self,
        path: str,
        data: dict[str, Any],
        sender: ResponseSender,
        spenders: Sequence[Spender],
    ) -> Failure | None:
        """Forward one request; return why it failed, None once the response was sent.

        Cancelling the awaiting task cancels the request to the server of the model.

        Args:
            path: Where it is sent, below the base URL.
            data: The request of the page.
            sender: Sends the response.
            spenders: Who pays for it.
        """
        counts = any(spender.budget.counts_tokens for spender in spenders)
        try:
            read = self.protocol.read(data, self.config.model)
            body = self.protocol.body(read, self.config.model, count=counts)
            body, reply = self.protocol.capped(body, self._most_tokens, self._window)
        except RequestRefused as refused:
            status = 404 if refused.code == "model_not_found" else 400
            return self._noted(Failure(status, str(refused), refused.code))
        text = json.dumps(body, ensure_ascii=False)
        pictures = [found for found in texts_in(body) if isinstance(found, Picture)]
        most = Usage(tokens_of(text, pictures), reply or _REPLY_TOKENS)
        count = UsageCount(self.protocol, most)
        reservation = await self._ledger.reserve(spenders, self._spend(most))
        if isinstance(reservation, Refusal):
            self._report(reservation.message)
            return self._noted(_limited(reservation))
        span = self._telemetry.start()
        failure: Failure | None = Failure(499, "the page went away", "cancelled")
        try:
            failure = await self._exchange(path, utf8_json(text), sender, count)
        except ReaderGone:
            failure = Failure(
                408,
                f"the page did not read its response for {READER_S:g} s - the request was ended - "
                "send it again",
                "reader_gone",
            )
        except ModelError as error:
            if not sender.has_begun and error.kind != "timeout":
                # A request that never reached the model is counted, and costs nothing.
                count.costs = False
            failure = self._failed(error)
        finally:
            if sender.has_ended:
                # A page that has everything may leave before the connections are tidied up.
                failure = None
            usage = count.usage(whole=failure is None)
            spent = self._spend(usage)
            why = (failure.status, failure.code, failure.reason) if failure else None
            self._telemetry.end(span, usage, spent, why)
            await asyncio.shield(self._ledger.settle(reservation, spent))
        if failure is not None and failure.code != "reader_gone":
            self._report(failure.reason or failure.message)
        return failure

    def _noted(self, failure: Failure) -> Failure:
        self._telemetry.refused(failure.status, failure.code)
        return failure

    def _spend(self, usage: Usage) -> Spend:
        usd = self._costs().cost(usage.prompt, usage.completion, usage.cached)
        return Spend(1, usage.prompt + usage.completion, usd or Decimal(0))

    async def _exchange(
        self, path: str, body: bytes, sender: ResponseSender, count: UsageCount
    ) -> Failure | None:
        redactor = Redactor(self.config.api_key)

        config = self.config
        assert config.provider is not None
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            # Compressed streams come in larger chunks.
            "accept-encoding": "identity",
            **self.protocol.headers(),
            **config.provider.key_header(config.api_key),
        }
        limits = Limits(whole_s=self._whole_s)
        request = Request(f"{config.base_url}{path}", headers=headers, body=body)
        async with open_answer(self._sender(), request, limits) as answer:
            if answer.status != 200:
                count.costs = False
                return self._refusal(answer, await error_text(answer), redactor)
            await self._stream(answer, sender, count, redactor)
            return None

    async def _stream(
        self, answer: Answer, sender: ResponseSender, count: UsageCount, redactor: Redactor
    ) -> None:
        """Send a response on, chunk by chunk."""
        kind = answer.headers.get("content-type", "application/octet-stream")
        usage: EventUsage | LineUsage | BodyUsage
        if "event-stream" in kind:
            usage = EventUsage(count)
        else:
            usage = LineUsage(count) if "ndjson" in kind else BodyUsage(count)
        headers = {"content-type": _ascii(kind), **_passed(answer.headers, redactor)}
        await sender.start(200, headers | {"cache-control": "no-store"})
        async for chunk in answer.chunks:
            usage.feed(chunk)
            if redacted := redactor.feed(chunk):
                await sender.body(redacted, more=True)
        usage.end()
        await sender.body(redactor.rest(), more=False)

    def _refusal(self, answer: Answer, body: str, redactor: Redactor) -> Failure:
        """Return the failure for a response with an error."""
        try:
            found = error_in(json.loads(body)) or {}
        except (ValueError, RecursionError):
            found = {}
        error = refusal(answer.status, answer.headers, body)
        status = answer.status if 400 <= answer.status < 600 else 502
        headers = _passed(answer.headers, redactor)
        if error.retry_after_s is not None and not {"retry-after", "retry-after-ms"} & set(headers):
            # Some providers write it into the body, of which only the message is passed on.
            headers["retry-after"] = str(math.ceil(error.retry_after_s))
        if error.kind == "credentials_refused":
            # The message of the server may contain a part of the key.
            failure = Failure(status, self._key_refused(), "invalid_api_key", headers)
            return self._for_visitors(failure, "the model's server refuses the key of this site")
        if 300 <= answer.status < 400:
            message = (
                f"`{self.config.base_url}` redirects - the key is not sent to another address - "
                "check its address"
            )
            failure = Failure(502, message, "upstream_redirect", headers)
            return self._for_visitors(failure, "the model's server redirects to another address")
        text = " ".join(str(found.get("message") or "").split())[:500]
        message = text or f"the model's server answers with status {answer.status}"
        words = (found.get(key) for key in ("code", "type", "status"))
        code = next((w for w in words if isinstance(w, str) and 0 < len(w) <= 100), error.kind)
        return Failure(status, redactor.text(message), redactor.text(code), headers)

    def _key_refused(self) -> str:
        name = self.config.api_key_env
        refused = f"the key of `{name}`" if name else "to answer without a key"
        remedy = (
            f"check `{name}`, and whether it may use `{self.config.model}`"
            if name
            else "name the variable that holds one with "
            f"`{self.config.option('api_key_env', 'NAME')}`"
        )
        return f"the model's server refuses {refused} - {remedy}"

    def _failed(self, error: ModelError) -> Failure:
        """Return the failure for a request without a response."""
        redactor = Redactor(self.config.api_key)
        failure = Failure(_STATUS.get(error.kind, 502), redactor.text(error.message), error.kind)
        if error.kind in ("timeout", "unreadable_answer"):
            return failure
        return self._for_visitors(failure, "the model's server cannot be reached")

    def _for_visitors(self, failure: Failure, sentence: str) -> Failure:
        """Return a failure as visitors read it; its own message is the reason in the log."""
        if not self._strangers:
            return failure
        message = f"{sentence} - the log of the site has the reason - go on without the model"
        return replace(failure, message=message, reason=failure.message)

    def _report(self, message: str) -> None:
        """Report a failure; repetitions are not reported."""
        if message != self._last_message:
            self._last_message = message
            self._show(message)

    def _costs(self) -> TokenCost:
        self._cost = self._cost or cost_at(self.config.price)(self.config.model)
        return self._cost

    def _sender(self) -> Fetch:
        if self._fetch is None:
            self._fetch = self._own = HttpxFetch()
        return self._fetch


def _limited(refusal: Refusal) -> Failure:
    return Failure(refusal.status, refusal.message, refusal.code, refusal.headers)


def _passed(headers: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {
        name: _ascii(redactor.text(value))
        for name, value in headers.items()
        if name in _PASSED_HEADERS or "ratelimit" in name
    }


def _ascii(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text[:300])


class Redactor:
    """Replaces one secret in texts and in streams of bytes; an empty secret is never found.

    JSON may escape any character of it, so those that need no escape are passed on without one.
    """

    def __init__(self, secret: str) -> None:
        """Look for a secret, also as JSON has to write it."""
        spellings = {secret, json.dumps(secret)[1:-1]} - {""}
        self._needles = [one.encode() for one in sorted(spellings)]
        self._held = b""
        self._cut = b""

    def text(self, text: str) -> str:
        """Return a text without the secret."""
        # A text need not be JSON, and then a key with a backslash is there as it is.
        plain = self._replaced(text.encode("utf-8", "replace"))
        return self._replaced(_unescaped(plain)).decode()

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes to send; an end that may be the beginning of the secret is held back."""
        chunk = self._cut + chunk
        end = len(chunk) - _cut_escape(chunk)
        self._cut = chunk[end:]
        data = self._replaced(self._held + _unescaped(chunk[:end]))
        held = max((_overlap(data, needle) for needle in self._needles), default=0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """Return the bytes that were held back, at the end of the stream."""
        held, self._held, self._cut = self._held + self._cut, b"", b""
        return held

    def _replaced(self, data: bytes) -> bytes:
        for needle in self._needles:
            data = data.replace(needle, MASK.encode())
        return data


_ESCAPE = re.compile(rb"\\(?:u00([2-7][0-9a-fA-F])|[/\\])")
"""An escape of a character that a key may have."""
_CUT_ESCAPE = re.compile(rb"\\(?:u[0-9a-fA-F]{0,3})?")


def _unescaped(data: bytes) -> bytes:
    """Return JSON without the escapes that it does not need."""
    return _ESCAPE.sub(_written, data)


def _written(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return json.dumps(chr(int(escape[1], 16)))[1:-1].encode()
    return b"/" if escape[0] == b"\\/" else escape[0]


def _cut_escape(data: bytes) -> int:
    """Return how many bytes at the end of the data are the beginning of an escape."""
    at = data.rfind(b"\\", -5)
    if at < 0 or not _CUT_ESCAPE.fullmatch(data, at):
        return 0
    run = at + 1 - len(data[: at + 1].rstrip(b"\\"))
    return len(data) - at if run % 2 else 0


def _overlap(data: bytes, needle: bytes) -> int:
    """Return how many bytes at the end of the data are the beginning of a needle."""
    longest = min(len(data), len(needle) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(needle[:n])), 0)
