"""Forwards requests of pages to the server of the model, and streams its responses back.

The key is removed from the response, and the tokens in it are counted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.types import Send

from webagent.json_text import read_json, utf8_json
from webagent.llm.http import EventStream
from webagent_dev.config.llm import LlmConfig
from webagent_dev.llm.meter import Meter, Refusal, Ticket
from webagent_dev.terminal import Console, printable

if TYPE_CHECKING:
    from webagent.llm.errors import ModelError
    from webagent.llm.http import Answer, Fetch, HttpxFetch

MASK = "•••"
MOST_BYTES = 4 * 1024 * 1024
"""Limit of a response without streaming that is parsed; the tokens of a longer one are estimated."""
_PASSED_HEADERS = ("retry-after", "retry-after-ms", "x-request-id")
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
    """Forwards the requests of all pages to one model."""

    def __init__(self, config: LlmConfig, console: Console, *, fetch: Fetch | None = None) -> None:
        """Use the model of a configuration.

        Args:
            config: Which model.
            console: Where failures of its server are shown.
            fetch: Sends the requests; httpx by default.
        """
        self._config = config
        self._console = console
        self._fetch = fetch
        self._own: HttpxFetch | None = None
        self._meter: Meter | None = None
        self._last_message = ""

    async def close(self) -> None:
        """Close the connections."""
        if self._own:
            await self._own.close()

    async def forward(self, data: dict[str, Any], sender: ResponseSender) -> Failure | None:
        """Forward one request; return why it failed, None once the response was sent.

        Cancelling the awaiting task cancels the request to the server of the model.
        """
        from webagent.llm.errors import ModelError

        meter = self._meter = self._meter or self._make_meter()
        stream = data.get("stream") is True
        body = {**data, "model": self._config.model}
        if stream and meter.limited:
            options = data.get("stream_options")
            others = options if isinstance(options, dict) else {}
            body["stream_options"] = {**others, "include_usage": True}
        text = json.dumps(body, ensure_ascii=False)
        ticket = meter.admit(text)
        if isinstance(ticket, Refusal):
            return self._limited(ticket)
        redactor = Redactor(self._config.api_key)
        was_sent = True
        try:
            failure = await self._exchange(utf8_json(text), sender, ticket, redactor)
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
        self, body: bytes, sender: ResponseSender, ticket: Ticket, redactor: Redactor
    ) -> Failure | None:
        from webagent.llm.http import Limits, Request, error_text, open_answer

        key = self._config.api_key
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            # Compressed streams come in larger chunks.
            "accept-encoding": "identity",
            **({"authorization": f"Bearer {key}"} if key else {}),
        }
        request = Request(f"{self._config.base_url}/chat/completions", headers=headers, body=body)
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
        usage = StreamUsage(ticket) if "event-stream" in kind else BodyUsage(ticket)
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
        if error.kind == "credentials_refused":
            # The message of the server may contain a part of the key.
            return Failure(status, self._key_refused(), "invalid_api_key", headers)
        if 300 <= answer.status < 400:
            message = (
                f"`{self._config.base_url}` redirects - the key is not sent to another address - "
                "check the address in `--llm-base-url`"
            )
            return Failure(502, message, "upstream_redirect", headers)
        text = " ".join(str(found.get("message") or "").split())[:500]
        message = text or f"the model's server answers with status {answer.status}"
        code = found.get("code") or found.get("type")
        code = code if isinstance(code, str) and len(code) <= 100 else error.kind
        return Failure(status, redactor.text(message), redactor.text(code), headers)

    def _key_refused(self) -> str:
        name = self._config.api_key_env
        refused = f"the key of `{name}`" if name else "to answer without a key"
        remedy = (
            f"check `{name}`, and whether it may use `{self._config.model}`"
            if name
            else "name the variable that holds one with `--llm-api-key-env NAME`"
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
        """Show a failure in the terminal; repetitions are not shown."""
        if message != self._last_message:
            self._last_message = message
            self._console.labelled("model", printable(message, 500), "red")

    def _make_meter(self) -> Meter:
        from webagent.agent.cost import TokenCost

        return Meter(TokenCost(self._config.model), self._config.max_usd)

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


class StreamUsage:
    """Counts the tokens in a stream of events as it passes."""

    def __init__(self, ticket: Ticket) -> None:
        """Count for a ticket."""
        self._ticket = ticket
        self._events: EventStream | None = EventStream()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if self._events is None:
            return
        try:
            for event in self._events.feed(chunk):
                if event.data.startswith("{"):
                    _count(read_json(event.data), self._ticket, "delta")
        except ValueError:
            # The page reports a malformed stream; here its tokens are just not counted.
            self._events = None

    def end(self) -> None:
        """Do nothing: all events were counted as they passed."""


class BodyUsage:
    """Counts the tokens in a response without streaming, at its end."""

    def __init__(self, ticket: Ticket) -> None:
        """Count for a ticket."""
        self._ticket = ticket
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Read bytes as they pass."""
        if len(self._body) <= MOST_BYTES:
            self._body += chunk

    def end(self) -> None:
        """Count the tokens of the whole response."""
        try:
            _count(read_json(self._body.decode("utf-8", "replace")), self._ticket, "message")
        except ValueError:
            self._ticket.add_text(self._body.decode("utf-8", "replace"))


def _count(data: Any, ticket: Ticket, key: str) -> None:
    if not isinstance(data, dict):
        return
    ticket.count(data.get("usage"))
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            for text in _texts(choice.get(key)):
                ticket.add_text(text)


def _texts(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for value in inner for text in _texts(value)]
