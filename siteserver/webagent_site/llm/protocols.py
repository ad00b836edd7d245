"""The protocols of providers, as the gateway sees them: paths, requests, usage and errors."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote, urlsplit

from webagent.llm.chat import Usage
from webagent_site.llm.allowed import (
    CHAT,
    GEMINI,
    MESSAGES,
    OLLAMA,
    RESPONSES,
    Form,
    RefusalCode,
    RequestRefused,
)

if TYPE_CHECKING:
    from webagent.llm.providers import ApiProtocol
    from webagent_site.config.llm import LlmConfig

_MOST_TOKENS = 1 << 40

_DEFAULT_MODEL = "default"
"""The name that a page sends if its options name no model."""

Json = Mapping[str, Any]


class GatewayProtocol(ABC):
    """A protocol; the base class is what most of them have in common."""

    path: ClassVar[str]
    """The way from the base URL to the requests."""
    needed: ClassVar[str] = "messages"
    """The field with the conversation."""
    missing: ClassVar[RefusalCode] = "invalid_messages"
    """Why a request without it is refused."""
    allowed: ClassVar[Form]
    """The fields of a request."""
    cap: ClassVar[tuple[str, ...]]
    """The fields with the longest reply; the last is the one that is sent."""

    def headers(self) -> Mapping[str, str]:
        """Return the headers of each request, next to the key."""
        return {}

    def upstream_path(self, path: str, model: str) -> str | None:
        """Return where a request is sent, below the base URL; None for a path of another protocol.

        Args:
            path: The path that the page asks for, below that of the gateway.
            model: The configured model.
        """
        return self.path if f"/{path}" == self.path else None

    def read(self, data: Json, model: str) -> dict[str, Any]:
        """Return a request as it may be forwarded, rebuilt from the allow-list.

        Args:
            data: The request of the page.
            model: The configured model.

        Raises:
            RequestRefused: It is not a conversation, names another model, or has fields that pages may
                not choose.
        """
        found = data.get(self.needed)
        if not isinstance(found, list) and not (self.needed == "input" and isinstance(found, str)):
            raise RequestRefused(
                f"the request has no `{self.needed}` - a conversation is a list of them - "
                f'send `{{"{self.needed}": […]}}`',
                self.missing,
            )
        read: dict[str, Any] = self.allowed.read(data, "request")
        check_model(read.get("model"), model)
        return read

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send.

        Args:
            data: The request as it was read.
            model: The configured model.
            count: Whether the tokens of the reply have to be reported.
        """
        return {**data, "model": model}

    def capped(
        self, body: dict[str, Any], most: int | None, window: int
    ) -> tuple[dict[str, Any], int | None]:
        """Return a body with a limit of its reply, and that limit in tokens; None for no limit.

        Args:
            body: The body.
            most: The longest reply that the site allows; None for any.
            window: The longest conversation, the reply included.

        Raises:
            RequestRefused: The page's own limit is not a number of tokens.
        """
        return _capped(body, self.cap, most)

    @abstractmethod
    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after a piece of a reply, or a whole one; None if it is not known.

        Args:
            data: The piece.
            before: The usage before it.
        """

    @abstractmethod
    def words(self, data: Json) -> Iterable[Any]:
        """Return the parts of a piece that the model wrote, for an estimate of their tokens."""

    def error(self, status: int, message: str, code: str) -> tuple[int, dict[str, Any]]:
        """Return status and body of an error in the protocol's shape."""
        kind = "server_error" if status >= 500 else "invalid_request_error"
        error = {"message": message, "type": kind, "param": None, "code": code}
        return status, {"error": error}


class ChatCompletions(GatewayProtocol):
    """Chat completions, of OpenAI and many others."""

    path = "/chat/completions"
    allowed = CHAT
    cap = ("max_completion_tokens", "max_tokens")

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send; a stream reports its tokens only where that is asked for."""
        body = super().body(data, model, count=count)
        if count and data.get("stream"):
            options = data.get("stream_options")
            others = options if isinstance(options, dict) else {}
            body["stream_options"] = {**others, "include_usage": True}
        return body

    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after a piece of a reply."""
        usage = _object(data.get("usage"))
        cached = _object(usage.get("prompt_tokens_details")).get("cached_tokens")
        return _usage(usage.get("prompt_tokens"), usage.get("completion_tokens"), cached, before)

    def words(self, data: Json) -> Iterable[Any]:
        """Return what the model wrote in a piece."""
        for choice in _objects(data.get("choices")):
            yield choice.get("delta") or choice.get("message")


class OpenAIChat(ChatCompletions):
    """Chat completions of OpenAI itself, whose newer models refuse `max_tokens`."""

    cap = ("max_tokens", "max_completion_tokens")


class Responses(GatewayProtocol):
    """OpenAI's Responses."""

    path = "/responses"
    needed = "input"
    missing = "invalid_input"
    allowed = RESPONSES
    cap = ("max_output_tokens",)

    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after an event, or a whole response."""
        usage = _object(_object(data.get("response")).get("usage") or data.get("usage"))
        cached = _object(usage.get("input_tokens_details")).get("cached_tokens")
        return _usage(usage.get("input_tokens"), usage.get("output_tokens"), cached, before)

    def words(self, data: Json) -> Iterable[Any]:
        """Return what the model wrote in an event."""
        return (data.get("delta"), data.get("output"))


class Messages(GatewayProtocol):
    """Anthropic's Messages."""

    path = "/messages"
    allowed = MESSAGES
    cap = ("max_tokens",)

    _TYPES: ClassVar[Mapping[int, str]] = {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        413: "request_too_large",
        429: "rate_limit_error",
        504: "timeout_error",
        529: "overloaded_error",
    }

    def headers(self) -> Mapping[str, str]:
        """Return the version of the API that our own client speaks."""
        # Imported late: a server without a model needs no client.
        from webagent.llm.anthropic import VERSION

        return {"anthropic-version": VERSION}

    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after an event, or a whole message.

        A stream reports the conversation in its first event, and the reply in its last.
        """
        begun = _object(_object(data.get("message")).get("usage"))
        usage = begun or _object(data.get("usage"))
        if not usage:
            return before
        kept = before or Usage()
        read, stored, fresh = (
            _tokens(usage.get(key)) or 0
            for key in ("cache_read_input_tokens", "cache_creation_input_tokens", "input_tokens")
        )
        hour = _tokens(_object(usage.get("cache_creation")).get("ephemeral_1h_input_tokens")) or 0
        # To store tokens in the cache costs a quarter more, and for an hour as much again.
        prompt = fresh + read + stored + math.ceil(stored / 4 + min(hour, stored) * 3 / 4)
        # The first event counts tokens of a reply that is still to come.
        written = 0 if begun else _tokens(usage.get("output_tokens")) or kept.completion
        return Usage(prompt or kept.prompt, written, read or kept.cached)

    def words(self, data: Json) -> Iterable[Any]:
        """Return what the model wrote in an event."""
        return (data.get("delta"), data.get("content"))

    def error(self, status: int, message: str, code: str) -> tuple[int, dict[str, Any]]:
        """Return status and body of an error."""
        status = 402 if code == _SPENT else status
        kind = self._TYPES.get(status) or (
            "api_error" if status >= 500 else "invalid_request_error"
        )
        if code.endswith("_error"):
            kind = code
        return status, {"type": "error", "error": {"type": kind, "message": message}}


class Gemini(GatewayProtocol):
    """Google's `generateContent`. Its JSON has names in either case: `safetySettings`, `safety_settings`."""

    path = "/models/MODEL:generateContent"
    needed = "contents"
    missing = "invalid_contents"
    allowed = GEMINI
    cap = ("maxOutputTokens",)

    _PATH: ClassVar[re.Pattern[str]] = re.compile(
        r"[a-zA-Z]{1,40}/([^:]{1,200}):(generateContent|streamGenerateContent)"
    )
    _NAMES: ClassVar[Mapping[int, str]] = {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        402: "FAILED_PRECONDITION",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL",
        501: "UNIMPLEMENTED",
        504: "DEADLINE_EXCEEDED",
    }

    def upstream_path(self, path: str, model: str) -> str | None:
        """Return where a request is sent; its model is the configured one."""
        match = self._PATH.fullmatch(path)
        if match is None:
            return None
        check_model(match[1], model.rpartition("/")[2])
        query = "?alt=sse" if match[2] == "streamGenerateContent" else ""
        name = model if "/" in model else f"models/{model}"
        return f"/{quote(name)}:{match[2]}{query}"

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send; the model is in the path."""
        return {key: value for key, value in data.items() if key != "model"}

    def capped(
        self, body: dict[str, Any], most: int | None, window: int
    ) -> tuple[dict[str, Any], int | None]:
        """Return a body with a limit of its reply."""
        return _capped_inside(body, "generationConfig", self.cap, most)

    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after a piece of a reply; each one has the count so far."""
        usage = _object(data.get("usageMetadata"))
        if not usage:
            return before
        prompt, tools, reply, thoughts = (
            _tokens(usage.get(key)) or 0
            for key in (
                "promptTokenCount",
                "toolUsePromptTokenCount",
                "candidatesTokenCount",
                "thoughtsTokenCount",
            )
        )
        cached = usage.get("cachedContentTokenCount")
        return _usage(prompt + tools, reply + thoughts, cached, before)

    def words(self, data: Json) -> Iterable[Any]:
        """Return what the model wrote in a piece."""
        return (candidate.get("content") for candidate in _objects(data.get("candidates")))

    def error(self, status: int, message: str, code: str) -> tuple[int, dict[str, Any]]:
        """Return status and body of an error."""
        status = 402 if code == _SPENT else status
        name = self._NAMES.get(status) or ("UNAVAILABLE" if status >= 500 else "INVALID_ARGUMENT")
        if code.isupper():
            name = code
        return status, {"error": {"code": status, "message": message, "status": name}}


class Ollama(GatewayProtocol):
    """Ollama's own API, whose streams have one object in each line."""

    path = "/chat"
    allowed = OLLAMA
    cap = ("num_predict",)

    def capped(
        self, body: dict[str, Any], most: int | None, window: int
    ) -> tuple[dict[str, Any], int | None]:
        """Return a body with a limit of its reply, and of the memory that the server reserves."""
        options = dict(body.get("options") or {})
        if type(options.get("num_predict")) is int and options["num_predict"] < 0:
            # The server's words for no limit.
            del options["num_predict"]
        if options.get("num_ctx") is not None:
            options["num_ctx"] = min(_number("num_ctx", options["num_ctx"]), window)
        body = {**body, "options": options} if "options" in body else body
        return _capped_inside(body, "options", self.cap, most)

    def usage(self, data: Json, before: Usage | None) -> Usage | None:
        """Return the usage after a line; the last one has it."""
        return _usage(data.get("prompt_eval_count"), data.get("eval_count"), 0, before)

    def words(self, data: Json) -> Iterable[Any]:
        """Return what the model wrote in a line."""
        return (data.get("message"),)

    def error(self, status: int, message: str, code: str) -> tuple[int, dict[str, Any]]:
        """Return status and body of an error."""
        return 402 if code == _SPENT else status, {"error": message}


PROTOCOLS: Mapping[ApiProtocol, GatewayProtocol] = {
    "chat": ChatCompletions(),
    "responses": Responses(),
    "messages": Messages(),
    "gemini": Gemini(),
    "ollama": Ollama(),
}

_OPENAI = OpenAIChat()


def protocol_of(llm: LlmConfig) -> GatewayProtocol:
    """Return how the provider of a model is spoken to."""
    assert llm.provider is not None
    if llm.provider.protocol == "chat" and urlsplit(llm.base_url).hostname == "api.openai.com":
        return _OPENAI
    return PROTOCOLS[llm.provider.protocol]


_SPENT = "insufficient_quota"
"""The code when the budget is spent. Only OpenAI has a 429 that waiting does not help against."""


def texts_in(data: Any) -> Iterator[str]:
    """Yield all texts in data."""
    if isinstance(data, str):
        yield data
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for value in inner:
        yield from texts_in(value)


def check_model(named: Any, model: str) -> None:
    """Check the model that a page names; the configured one is used if it names none.

    Raises:
        RequestRefused: It names another.
    """
    if named not in (None, "", _DEFAULT_MODEL, model):
        raise RequestRefused(
            f"`{str(named)[:100]}` is not a model of this site - pages cannot choose one - "
            "leave `model` out, or reload the page",
            "model_not_found",
        )


def _capped(
    body: dict[str, Any], names: Sequence[str], most: int | None
) -> tuple[dict[str, Any], int | None]:
    chosen = [_number(name, body[name]) for name in names if body.get(name) is not None]
    if most is None:
        return body, max(chosen, default=None)
    # A server may not read the field that the page has chosen, and would write on and on.
    kept = {key: value for key, value in body.items() if key not in names}
    limit = min([*chosen, most])
    return {**kept, names[-1]: limit}, limit


def _capped_inside(
    body: dict[str, Any], name: str, names: Sequence[str], most: int | None
) -> tuple[dict[str, Any], int | None]:
    inner, limit = _capped(body.get(name) or {}, names, most)
    return ({**body, name: inner} if inner or name in body else body), limit


def _number(name: str, value: Any) -> int:
    if type(value) is not int or not 0 < value < _MOST_TOKENS:
        raise RequestRefused(
            f"`{name}` is not a number of tokens - it limits the request - write one above 0",
            "invalid_parameter",
        )
    return value


def _object(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _usage(prompt: Any, completion: Any, cached: Any, before: Usage | None) -> Usage | None:
    known, written = _tokens(prompt), _tokens(completion)
    if known is None or written is None:
        return before
    return Usage(known, written, _tokens(cached) or 0)


def _tokens(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value < _MOST_TOKENS else None
