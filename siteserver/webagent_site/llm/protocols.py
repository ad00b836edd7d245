"""The protocols of providers, as the gateway sees them: paths, requests, usage and errors."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import quote

from webagent.llm.chat import Usage

if TYPE_CHECKING:
    from webagent.llm.providers import ApiProtocol

_MOST_TOKENS = 1 << 40

Json = Mapping[str, Any]


class RequestRefused(Exception):
    """A page may not send this request.

    Attributes:
        code: The reason, as one word.
    """

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class GatewayProtocol(ABC):
    """A protocol; the base class is what most of them have in common."""

    path: ClassVar[str]
    """The way from the base URL to the requests."""
    costly: ClassVar[frozenset[str]] = frozenset()
    """Fields, in lower case without `_`, that change what a request costs, name another model, or
    have the provider call others."""
    needed: ClassVar[str] = "messages"
    """The field with the conversation."""
    function_types: ClassVar[frozenset[str]] = frozenset()
    """The types of tools that the page itself runs; others run at the provider, and cost."""

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

    def check(self, data: Json) -> None:
        """Check a request of a page.

        Raises:
            RequestRefused: It is not a conversation, or has fields that pages may not choose.
        """
        found = data.get(self.needed)
        if not isinstance(found, list) and not (self.needed == "input" and isinstance(found, str)):
            raise RequestRefused(
                f"the request has no `{self.needed}` - a conversation is a list of them - "
                f'send `{{"{self.needed}": […]}}`',
                f"invalid_{self.needed}",
            )
        self._check_fields(data)
        for tool in _objects(data.get("tools")):
            kind = tool.get("type")
            if self.function_types and kind is not None and kind not in self.function_types:
                raise RequestRefused(
                    "a tool in the request runs at the provider - it costs, and nobody is asked "
                    "before its calls - send functions only",
                    "invalid_tool",
                )

    def _check_fields(self, data: Json) -> None:
        for name, value in data.items():
            if value is not None and _plain(name) in self.costly:
                raise RequestRefused(
                    f"`{name[:100]}` is not forwarded - it changes what a request costs or reaches - "
                    "leave it out",
                    "invalid_parameter",
                )

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send.

        Args:
            data: The request of the page.
            model: The configured model.
            count: Whether the tokens of the reply have to be reported.
        """
        return {**data, "model": model}

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
    costly = frozenset(
        {"models", "plugins", "provider", "route", "servicetier", "websearchoptions"}
    )

    def check(self, data: Json) -> None:
        """Check a request of a page."""
        super().check(data)
        _check_count(data, "n")

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send; a stream reports its tokens only where that is asked for."""
        body = super().body(data, model, count=count)
        if count and data.get("stream") is True:
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


class Responses(GatewayProtocol):
    """OpenAI's Responses."""

    path = "/responses"
    needed = "input"
    function_types = frozenset({"custom", "function"})
    costly = frozenset(
        {
            *("accessprograms", "background", "backgroundoptions", "conversation"),
            *("previousresponseid", "prompt", "servicetier"),
        }
    )

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
    function_types = frozenset({"custom"})
    costly = frozenset(
        {
            *("container", "inferencegeo", "mcpservers", "servicetier", "speed"),
            *("userprofileid", "workspaceid"),
        }
    )

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
    costly = frozenset(
        {"cachedcontent", "model", "modelselectionconfig", "routingconfig", "servicetier"}
    )

    _PATH: ClassVar[re.Pattern[str]] = re.compile(
        r"[a-zA-Z]{1,40}/[^:]{1,200}:(generateContent|streamGenerateContent)"
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
        query = "?alt=sse" if match[1] == "streamGenerateContent" else ""
        name = model if "/" in model else f"models/{model}"
        return f"/{quote(name)}:{match[1]}{query}"

    def check(self, data: Json) -> None:
        """Check a request of a page."""
        super().check(data)
        for tool in _objects(data.get("tools")):
            if any(_plain(name) != "functiondeclarations" for name in tool):
                raise RequestRefused(
                    "a tool in the request runs at the provider - it costs, and nobody is asked "
                    "before its calls - send `functionDeclarations` only",
                    "invalid_tool",
                )
        for name, value in data.items():
            if _plain(name) == "generationconfig" and isinstance(value, Mapping):
                self._check_fields(value)
                for key, setting in value.items():
                    if _plain(key) == "candidatecount":
                        _check_count({key: setting}, key)
                    if _plain(key) == "responsemodalities" and setting not in (None, [], ["TEXT"]):
                        raise RequestRefused(
                            f"`{key}` asks for more than text - that has another price - leave it out",
                            "invalid_parameter",
                        )

    def body(self, data: Json, model: str, *, count: bool) -> dict[str, Any]:
        """Return the body to send; the model is in the path."""
        return dict(data)

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

_SPENT = "insufficient_quota"
"""The code when the budget is spent. Only OpenAI has a 429 that waiting does not help against."""


def texts_in(data: Any) -> Iterator[str]:
    """Yield all texts in data."""
    if isinstance(data, str):
        yield data
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for value in inner:
        yield from texts_in(value)


def _check_count(data: Json, name: str) -> None:
    if data.get(name) not in (None, 1):
        raise RequestRefused(
            f"`{name}` is not 1 - each reply costs money - leave it out", f"invalid_{name}"
        )


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


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
