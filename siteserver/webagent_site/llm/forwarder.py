"""Forwards requests of pages to the server of a model, and streams its responses back.

The key is removed from the response, and the tokens in it are counted.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.types import Send

from webagent.json_text import read_json, utf8_json
from webagent.llm.http import EventStream
from webagent_site.config.llm import LlmConfig
from webagent_site.llm.meter import Cost, Meter, Refusal, Ticket
from webagent_site.llm.protocols import PROTOCOLS, GatewayProtocol, texts_in

if TYPE_CHECKING:
    from webagent.llm.errors import ModelError
    from webagent.llm.http import Answer, Fetch, HttpxFetch

MASK = "•••"
MOST_BYTES = 4 * 1024 * 1024
"""Limit of a response without streaming that is parsed; the tokens of a longer one are estimated."""
_PASSED_HEADERS = ("retry-after", "retry-after-ms", "request-id", "x-request-id")
"""Headers of responses that pages need; those of rate limits are passed on, too."""
_STATUS = {"connection_lost": 502, "timeout": 504, "unreadable_answer": 502}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request has failed, for the page."""

    status: int
    message: str
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)


class ResponseSender:
    """Sends one response to a page, and knows whether it has begun."""

    def __init__(self, send: Send) -> None:
        """Send over an ASGI connection."""
        self._send = send
        self.has_begun = False

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers."""
        self.has_begun = True
        raw = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def body(self, chunk: bytes, *, more: bool) -> None:
        """Send a chunk of the body."""
        await self._send({"type": "http.response.body", "body": chunk, "more_body": more})


class Forwarder:
    """Forwards the requests of all pages to one model.

    Attributes:
        config: Which model.
        protocol: How its provider is spoken to.
    """

    def __init__(
        self,
        config: LlmConfig,
        meter: Meter,
        report: Callable[[str], None],
        *,
        fetch: Fetch | None = None,
    ) -> None:
        """Use the model of a configuration.

        Args:
            config: Which model; it has a provider.
            meter: Counts the requests to all models of the server.
            report: Called with each new failure of its server.
            fetch: Sends the requests; httpx by default.
        """
        assert config.provider is not None
        self.config = config
        self.protocol = PROTOCOLS[config.provider.protocol]
        self._meter = meter
        self._cost: Cost | None = None
        self._show = report
        self._fetch = fetch
        self._own: HttpxFetch | None = None
        self._last_message = ""

    async def close(self) -> None:
        """Close the connections."""
        if self._own:
            await self._own.close()

    async def forward(
        self, path: str, data: dict[str, Any], sender: ResponseSender
    ) -> Failure | None:
        """Forward one request; return why it failed, None once the response was sent.

        Cancelling the awaiting task cancels the request to the server of the model.

        Args:
            path: Where it is sent, below the base URL.
            data: The request of the page.
            sender: Sends the response.
        """
        from webagent.llm.errors import ModelError

        body = self.protocol.body(data, self.config.model, count=self._meter.limited)
        text = json.dumps(body, ensure_ascii=False)
        ticket = self._meter.admit(text, self._costs())
        if isinstance(ticket, Refusal):
            return self._limited(ticket)
        redactor = Redactor(self.config.api_key)
        was_sent = True
        try:
            failure = await self._exchange(path, utf8_json(text), sender, ticket, redactor)
            was_sent = failure is None
        except ModelError as error:
            was_sent = sender.has_begun or error.kind == "timeout"
            failure = self._failed(error, redactor)
        finally:
            ticket.settle(was_sent=was_sent)
        if failure is not None:
            self._report(failure.message)
        return failure

    async def _exchange(
        self, path: str, body: bytes, sender: ResponseSender, ticket: Ticket, redactor: Redactor
    ) -> Failure | None:
        from webagent.llm.http import Limits, Request, error_text, open_answer

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
        request = Request(f"{config.base_url}{path}", headers=headers, body=body)
        async with open_answer(self._sender(), request, Limits()) as answer:
            if answer.status != 200:
                return self._refusal(answer, await error_text(answer), redactor)
            await self._stream(answer, sender, ticket, redactor)
            return None

    async def _stream(
        self, answer: Answer, sender: ResponseSender, ticket: Ticket, redactor: Redactor
    ) -> None:
        """Send a response on, chunk by chunk."""
        kind = answer.headers.get("content-type", "application/octet-stream")
        count = UsageCount(ticket, self.protocol)
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
        from webagent.llm.refusals import error_in, refusal

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
            return Failure(status, self._key_refused(), "invalid_api_key", headers)
        if 300 <= answer.status < 400:
            message = (
                f"`{self.config.base_url}` redirects - the key is not sent to another address - "
                "check its address"
            )
            return Failure(502, message, "upstream_redirect", headers)
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

    def _failed(self, error: ModelError, redactor: Redactor) -> Failure:
        """Return the failure for a request without a response."""
        return Failure(_STATUS.get(error.kind, 502), redactor.text(error.message), error.kind)

    def _limited(self, refusal: Refusal) -> Failure:
        wait = refusal.retry_after_s
        headers = {} if wait is None else {"retry-after": str(wait)}
        self._report(refusal.message)
        return Failure(429, refusal.message, refusal.code, headers)

    def _report(self, message: str) -> None:
        """Report a failure; repetitions are not reported."""
        if message != self._last_message:
            self._last_message = message
            self._show(message)

    def _costs(self) -> Cost:
        from webagent.agent.cost import cost_at

        self._cost = self._cost or cost_at(self.config.price)(self.config.model)
        return self._cost

    def _sender(self) -> Fetch:
        from webagent.llm.http import HttpxFetch

        if self._fetch is None:
            self._fetch = self._own = HttpxFetch()
        return self._fetch


def _passed(headers: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {
        name: _ascii(redactor.text(value))
        for name, value in headers.items()
        if name in _PASSED_HEADERS or "ratelimit" in name
    }


def _ascii(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text[:300])


class Redactor:
    """Replaces one secret in texts and in streams of bytes; an empty secret is never found."""

    def __init__(self, secret: str) -> None:
        """Look for a secret, also as JSON may escape it."""
        spellings = {secret, secret.replace("/", "\\/"), secret.replace("+", "\\u002b")} - {""}
        self._needles = [one.encode() for one in sorted(spellings)]
        self._held = b""

    def text(self, text: str) -> str:
        """Return a text without the secret."""
        return self._replaced(text.encode("utf-8", "replace")).decode()

    def feed(self, chunk: bytes) -> bytes:
        """Return the bytes to send; an end that may be the beginning of the secret is held back."""
        data = self._replaced(self._held + chunk)
        held = max((_overlap(data, needle) for needle in self._needles), default=0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """Return the bytes that were held back, at the end of the stream."""
        held, self._held = self._held, b""
        return held

    def _replaced(self, data: bytes) -> bytes:
        for needle in self._needles:
            data = data.replace(needle, MASK.encode())
        return data


def _overlap(data: bytes, needle: bytes) -> int:
    """Return how many bytes at the end of the data are the beginning of a needle."""
    longest = min(len(data), len(needle) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(needle[:n])), 0)


class UsageCount:
    """Counts the tokens in the pieces of a response."""

    def __init__(self, ticket: Ticket, protocol: GatewayProtocol) -> None:
        """Count for a ticket what a protocol reports."""
        self._ticket = ticket
        self._protocol = protocol

    def add(self, text: str) -> None:
        """Count a piece.

        Raises:
            ValueError: It is not JSON.
        """
        data = read_json(text)
        if isinstance(data, dict):
            self._ticket.count(self._protocol.usage(data, self._ticket.counted))
            for part in self._protocol.words(data):
                for word in texts_in(part):
                    self._ticket.add_text(word)

    def estimate(self, text: str) -> None:
        """Count a response that cannot be read."""
        self._ticket.add_text(text)


class EventUsage:
    """Counts the tokens in a stream of events as it passes."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the events on to a count."""
        self._count = count
        self._events: EventStream | None = EventStream()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if self._events is None:
            return
        try:
            for event in self._events.feed(chunk):
                if event.data.startswith("{"):
                    self._count.add(event.data)
        except ValueError:
            # The page reports a malformed stream; here its tokens are just not counted.
            self._events = None

    def end(self) -> None:
        """Count an event without the empty line after it."""
        self.feed(b"\n\n")


class LineUsage:
    """Counts the tokens in a stream with one object in each line."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the lines on to a count."""
        self._count = count
        self._line = bytearray()
        self._broken = False

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._line += piece
            self._add()
        self._line += rest
        if len(self._line) > MOST_BYTES:
            self._broken = True
            self._line.clear()

    def end(self) -> None:
        """Count a line without its end."""
        self._add()

    def _add(self) -> None:
        text = self._line.decode("utf-8", "replace").strip()
        self._line.clear()
        if text and not self._broken:
            try:
                self._count.add(text)
            except ValueError:
                self._broken = True


class BodyUsage:
    """Counts the tokens in a response without streaming, at its end."""

    def __init__(self, count: UsageCount) -> None:
        """Pass the whole response on to a count."""
        self._count = count
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if len(self._body) <= MOST_BYTES:
            self._body += chunk

    def end(self) -> None:
        """Count the tokens of the whole response."""
        text = self._body.decode("utf-8", "replace")
        try:
            self._count.add(text)
        except ValueError:
            self._count.estimate(text)
