"""Passes requests on to the model's server, and its answers back as they come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.types import Send

from webagent.json_text import read_json
from webagent.llm.http import EventStream
from webagent_dev.config.llm import LlmConfig
from webagent_dev.llm.meter import Meter, Refused, Ticket
from webagent_dev.terminal import Console, printable

if TYPE_CHECKING:
    from webagent.llm.errors import ModelError
    from webagent.llm.http import Answer, Fetch, HttpxFetch

MASK = "•••"


class Redactor:
    """Replaces one secret in bytes and texts. Without a secret, everything passes as it is."""

    def __init__(self, secret: str) -> None:
        """Look for a secret, and for the way JSON may write it."""
        ways = {secret, secret.replace("/", "\\/"), secret.replace("+", "\\u002b")} - {""}
        self._needles = [way.encode() for way in sorted(ways)]
        self._held = b""

    def text(self, text: str) -> str:
        """Return a text without the secret."""
        return self._replaced(text.encode("utf-8", "replace")).decode()

    def feed(self, chunk: bytes) -> bytes:
        """Return what can be sent on; the beginning of what may be the secret is held back."""
        data = self._replaced(self._held + chunk)
        held = max((_overlap(data, needle) for needle in self._needles), default=0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """Return what was held back, once nothing more comes."""
        held, self._held = self._held, b""
        return held

    def _replaced(self, data: bytes) -> bytes:
        for needle in self._needles:
            data = data.replace(needle, MASK.encode())
        return data


def _overlap(data: bytes, needle: bytes) -> int:
    """Return how many bytes at the end of data are the beginning of a needle."""
    longest = min(len(data), len(needle) - 1)
    return next((n for n in range(longest, 0, -1) if data.endswith(needle[:n])), 0)


MOST_BYTES = 4 * 1024 * 1024
"""Of a reply in one piece; the tokens of a longer one are estimated."""


class StreamUsage:
    """Reads along in a stream of events."""

    def __init__(self, ticket: Ticket) -> None:
        """Tell a ticket what is found."""
        self._ticket = ticket
        self._events: EventStream | None = EventStream()

    def feed(self, chunk: bytes) -> None:
        """Take in bytes as they pass."""
        if self._events is None:
            return
        try:
            for event in self._events.feed(chunk):
                if event.data.startswith("{"):
                    _take(read_json(event.data), self._ticket, "delta")
        except ValueError:
            # What cannot be read is the page's to complain about; here it is only not counted.
            self._events = None

    def end(self) -> None:
        """Take note that nothing more comes."""


class WholeUsage:
    """Reads a reply in one piece, once it is there."""

    def __init__(self, ticket: Ticket) -> None:
        """Tell a ticket what is found."""
        self._ticket = ticket
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take in bytes as they pass."""
        if len(self._body) <= MOST_BYTES:
            self._body += chunk

    def end(self) -> None:
        """Read the whole."""
        try:
            _take(read_json(self._body.decode("utf-8", "replace")), self._ticket, "message")
        except ValueError:
            self._ticket.hear(self._body.decode("utf-8", "replace"))


def _take(data: Any, ticket: Ticket, said: str) -> None:
    if not isinstance(data, dict):
        return
    ticket.count(data.get("usage"))
    choices = data.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            for text in _texts(choice.get(said)):
                ticket.hear(text)


def _texts(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data]
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for value in inner for text in _texts(value)]


_KEPT = ("retry-after", "retry-after-ms", "x-request-id")
"""Headers of answers that say something to a page; so do those of limits of rate."""

_STATUS = {"connection_lost": 502, "timeout": 504, "unreadable_answer": 502}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a page gets no reply."""

    status: int
    message: str
    code: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Sent:
    """What a page has been sent so far of one answer."""

    def __init__(self, send: Send) -> None:
        """Send over an ASGI connection."""
        self._send = send
        self.begun = False

    async def start(self, status: int, headers: Mapping[str, str]) -> None:
        """Send status and headers."""
        self.begun = True
        raw = [(name.encode("ascii"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def body(self, chunk: bytes, *, more: bool) -> None:
        """Send a piece of the body."""
        await self._send({"type": "http.response.body", "body": chunk, "more_body": more})


class Forwarder:
    """Asks one model for all pages."""

    def __init__(self, config: LlmConfig, console: Console, *, fetch: Fetch | None = None) -> None:
        """Ask the model of a configuration.

        Args:
            config: Which model.
            console: Where it is said when the model's server fails.
            fetch: Sends the requests; by default httpx does, from the first one on.
        """
        self._config = config
        self._console = console
        self._fetch = fetch
        self._own: HttpxFetch | None = None
        self._meter: Meter | None = None
        self._last_said = ""

    async def close(self) -> None:
        """Close the connections."""
        if self._own:
            await self._own.close()

    async def forward(self, data: dict[str, Any], sent: Sent) -> Failure | None:
        """Pass one request on; return why it failed, None when the answer was sent.

        Ending the task that waits here ends the request to the model's server.
        """
        from webagent.llm.errors import ModelError

        meter = self._meter = self._meter or self._metered()
        stream = data.get("stream") is True
        body = {**data, "model": self._config.model}
        if stream and meter.limited:
            options = data.get("stream_options")
            others = options if isinstance(options, dict) else {}
            body["stream_options"] = {**others, "include_usage": True}
        text = json.dumps(body, ensure_ascii=False)
        ticket = meter.admit(text)
        if isinstance(ticket, Refused):
            return self._too_much(ticket)
        redactor = Redactor(self._config.api_key)
        asked = True
        try:
            # Half a character that stands alone has no bytes; it is sent as `?`.
            failure = await self._ask(text.encode("utf-8", "replace"), sent, ticket, redactor)
            asked = failure is None
        except ModelError as error:
            asked = sent.begun or error.kind == "timeout"
            failure = self._failed(error, redactor)
        finally:
            ticket.settle(asked=asked)
        if failure is not None:
            self._say(failure.message)
        return failure

    async def _ask(
        self, body: bytes, sent: Sent, ticket: Ticket, redactor: Redactor
    ) -> Failure | None:
        from webagent.llm.http import Limits, Request, error_text, open_answer

        key = self._config.api_key
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream, application/json",
            # Compressed streams come in larger pieces.
            "accept-encoding": "identity",
            **({"authorization": f"Bearer {key}"} if key else {}),
        }
        request = Request(f"{self._config.base_url}/chat/completions", headers=headers, body=body)
        async with open_answer(self._sender(), request, Limits()) as answer:
            if answer.status != 200:
                return self._refusal(answer, await error_text(answer), redactor)
            await self._pass(answer, sent, ticket, redactor)
            return None

    async def _pass(self, answer: Answer, sent: Sent, ticket: Ticket, redactor: Redactor) -> None:
        """Send an answer on piece by piece."""
        kind = answer.headers.get("content-type", "application/octet-stream")
        usage = StreamUsage(ticket) if "event-stream" in kind else WholeUsage(ticket)
        headers = {"content-type": _ascii(kind), **_passed(answer.headers, redactor)}
        await sent.start(200, headers | {"cache-control": "no-store"})
        async for chunk in answer.chunks:
            usage.feed(chunk)
            if piece := redactor.feed(chunk):
                await sent.body(piece, more=True)
        usage.end()
        await sent.body(redactor.rest(), more=False)

    def _refusal(self, answer: Answer, body: str, redactor: Redactor) -> Failure:
        """Return what a page is told when the model's server refuses."""
        from webagent.llm.refusals import error_in, refusal

        try:
            found = error_in(json.loads(body)) or {}
        except (ValueError, RecursionError):
            found = {}
        error = refusal(answer.status, answer.headers, body)
        status = answer.status if 400 <= answer.status < 600 else 502
        headers = _passed(answer.headers, redactor)
        if error.kind == "credentials_refused":
            # What a server says of a key may repeat a part of it.
            return Failure(status, self._no_entry(), "invalid_api_key", headers)
        if 300 <= answer.status < 400:
            message = (
                f"`{self._config.base_url}` redirects - a key does not travel on - "
                "check the address in `--llm-base-url`"
            )
            return Failure(502, message, "upstream_redirect", headers)
        words = " ".join(str(found.get("message") or "").split())[:500]
        message = words or f"the model's server answers with status {answer.status}"
        code = found.get("code") or found.get("type")
        code = code if isinstance(code, str) and len(code) <= 100 else error.kind
        return Failure(status, redactor.text(message), redactor.text(code), headers)

    def _no_entry(self) -> str:
        name = self._config.api_key_env
        held = f"the key of `{name}`" if name else "to answer without a key"
        remedy = (
            f"check `{name}`, and whether it may use `{self._config.model}`"
            if name
            else "name the variable that holds one with `--llm-api-key-env NAME`"
        )
        return f"the model's server refuses {held} - {remedy}"

    def _failed(self, error: ModelError, redactor: Redactor) -> Failure:
        """Return what a page is told when there is no answer."""
        return Failure(_STATUS.get(error.kind, 502), redactor.text(error.message), error.kind)

    def _too_much(self, refused: Refused) -> Failure:
        wait = refused.retry_after_s
        headers = {} if wait is None else {"retry-after": str(wait)}
        self._say(refused.message)
        return Failure(429, refused.message, refused.code, headers)

    def _say(self, message: str) -> None:
        """Show a failure in the terminal; one that repeats itself is shown once."""
        if message != self._last_said:
            self._last_said = message
            self._console.labelled("model", printable(message, 500), "red")

    def _metered(self) -> Meter:
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
        if name in _KEPT or "ratelimit" in name
    }


def _ascii(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text[:300])
