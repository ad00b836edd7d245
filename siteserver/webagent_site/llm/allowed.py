"""The fields that requests of pages may have, for each protocol: an allow-list.

A request is rebuilt from it. Another field that a page chooses itself is refused by name. In
the conversation, fields that providers add to their own replies are left out; files, remote addresses
and items that belong to tools of the provider are refused there, too.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

_LONGEST_NAME = 100

_IMAGE_TYPE = r"image/[a-z+.-]{1,20}"
_BASE64 = r"[A-Za-z0-9+/=\s]*"

_REACHING = frozenset(
    {
        *("file", "filedata", "fileid", "fileuri", "fileurl", "inputfile", "imagefile", "videourl"),
        *("container", "containerid", "conversation", "previousresponseid", "serverurl"),
        *("executablecode", "codeexecutionresult", "mcpservers", "cachedcontent"),
    }
)
"""Fields that are refused wherever they are: they reach files, stored things and other servers."""


RefusalCode = Literal[
    "broker_unavailable",
    "cancelled",
    "connection_lost",
    "insufficient_quota",
    "invalid_api_key",
    "invalid_contents",
    "invalid_content_type",
    "invalid_input",
    "invalid_json",
    "invalid_messages",
    "invalid_page_token",
    "invalid_parameter",
    "invalid_tool",
    "model_not_configured",
    "model_not_found",
    "models_stopped",
    "rate_limit_exceeded",
    "reader_gone",
    "remote_image",
    "request_too_large",
    "timeout",
    "unknown_path",
    "unreadable_answer",
    "upstream_redirect",
    "wrong_origin",
]
"""Why the gateway refuses or ends a request, besides the words of providers."""


class RequestRefused(Exception):
    """A page may not send this request.

    Attributes:
        code: The reason, as one word.
    """

    def __init__(self, message: str, code: RefusalCode) -> None:
        super().__init__(message)
        self.code = code


def plain(name: str) -> str:
    """Return a name without its case; Google takes `camelCase` and `snake_case`."""
    return name.replace("_", "").lower()


class Picture(str):
    """The Base64 of an image, at a place where the provider reads an image."""


class Form(ABC):
    """The form of a value."""

    @abstractmethod
    def read(self, value: Any, name: str) -> Any:
        """Return the value as it is sent.

        Args:
            value: Anything.
            name: The field that has it, for messages.

        Raises:
            RequestRefused: It may not be sent.
        """


class _Scalar(Form):
    """A text, a number, a yes or no; or a list of them."""

    def read(self, value: Any, name: str) -> Any:
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, str | int | float):
                raise _refused(name, "has another form than the provider reads")
        return value


class _Switch(Form):
    """Yes or no. Some servers read `1` and `"true"` as a yes, too, where we would see a no."""

    def read(self, value: Any, name: str) -> Any:
        if not isinstance(value, bool):
            raise _refused(name, "is neither true nor false")
        return value


class _Pattern(Form):
    """A text of a pattern."""

    def __init__(self, pattern: str, why: str) -> None:
        self._pattern = re.compile(pattern)
        self._why = why

    def read(self, value: Any, name: str) -> Any:
        if not isinstance(value, str) or not self._pattern.fullmatch(value):
            raise _refused(name, self._why)
        return value


class _Base64(_Pattern):
    """The bytes of an image."""

    def __init__(self) -> None:
        super().__init__(_BASE64, "is not an image in Base64")

    def read(self, value: Any, name: str) -> Any:
        return Picture(super().read(value, name))


class _Open(Form):
    """Any JSON: schemas, arguments and results, which the provider does not act on."""

    def read(self, value: Any, name: str) -> Any:
        return value


class _Exactly(Form):
    def __init__(self, *values: Any) -> None:
        self._values = values

    def read(self, value: Any, name: str) -> Any:
        if not any(value == each and type(value) is type(each) for each in self._values):
            raise _refused(name, "changes what a request costs, stores or reaches")
        return value


class _Image(Form):
    """An image in the request itself."""

    _url = re.compile(f"data:{_IMAGE_TYPE};base64,{_BASE64}")

    def read(self, value: Any, name: str) -> Any:
        if not isinstance(value, str) or not self._url.fullmatch(value):
            raise RequestRefused(
                f"`{_short(name)}` is an address - the provider would fetch it - send the image "
                "itself, as a `data:` URL",
                "remote_image",
            )
        return Picture(value)


class _Fields(Form):
    """An object."""

    def __init__(self, forms: Mapping[str, Form], *, others: bool = False) -> None:
        """Allow fields.

        Args:
            forms: The fields.
            others: Whether the object may have others, which are left out. They are refused otherwise.
        """
        self._forms = forms
        self._others = others

    def own(self, key: str) -> str | None:
        """Return the name of one of these fields by its spelling; None for another field."""
        return key if key in self._forms else None

    def read(self, value: Any, name: str) -> Any:
        if not isinstance(value, Mapping):
            raise _refused(name, "has another form than the provider reads")
        read: dict[str, Any] = {}
        for key, inner in value.items():
            own = self.own(key)
            if own in read:
                raise _refused(key, f"is `{own}`, which is there twice")
            if own is not None:
                read[own] = None if inner is None else self._forms[own].read(inner, key)
            elif inner is not None and (not self._others or plain(key) in _REACHING):
                raise _refused(key, "changes what a request costs, stores or reaches")
        return read


class _GoogleFields(_Fields):
    """An object of Google, which takes `camelCase` and `snake_case`; it is sent in `camelCase`."""

    def __init__(self, forms: Mapping[str, Form], *, others: bool = False) -> None:
        super().__init__(forms, others=others)
        self._names = {plain(name): name for name in forms}

    def own(self, key: str) -> str | None:
        return self._names.get(plain(key))


class _List(Form):
    """A list; or what its form reads, where the API takes one or the other."""

    def __init__(self, form: Form, *, text: bool = False) -> None:
        self._form = form
        self._text = text

    def read(self, value: Any, name: str) -> Any:
        if self._text and isinstance(value, str):
            return value
        if not isinstance(value, list):
            raise _refused(name, "has another form than the provider reads")
        return [self._form.read(each, name) for each in value]


class _Typed(Form):
    """An object whose `type` says what it is."""

    def __init__(self, forms: Mapping[str, Form], usual: str = "") -> None:
        self._forms = forms
        self._usual = usual

    def read(self, value: Any, name: str) -> Any:
        kind = value.get("type") or self._usual if isinstance(value, Mapping) else None
        form = self._forms.get(kind) if isinstance(kind, str) else None
        if form is None:
            raise _refused(str(kind), "changes what a request costs, stores or reaches")
        return form.read(value, str(kind))


class _Tool(Form):
    """A tool that the page itself runs."""

    def __init__(self, form: _Fields, *types: str | None) -> None:
        self._form = form
        self._types = types

    def read(self, value: Any, name: str) -> Any:
        own = isinstance(value, Mapping) and value.get("type") in self._types
        try:
            return self._form.read(value if own else None, name)
        except RequestRefused as refused:
            if own and any(map(self._form.own, value)):
                raise
            raise RequestRefused(
                "a tool in the request runs at the provider - it costs, and nobody is asked "
                "before its calls - send functions only",
                "invalid_tool",
            ) from refused


def _refused(name: str, why: str) -> RequestRefused:
    return RequestRefused(
        f"`{_short(name)}` is not forwarded - it {why} - leave it out", "invalid_parameter"
    )


def _short(name: str) -> str:
    return name[:_LONGEST_NAME]


_ONE = _Scalar()
_OPEN = _Open()
_SWITCH = _Switch()
_BYTES = _Base64()
_KIND = _Pattern(_IMAGE_TYPE, "is not the type of an image")
_CACHE = _Fields({"type": _ONE, "ttl": _ONE})


def _scalars(names: str) -> dict[str, Form]:
    return dict.fromkeys(names.split(), _ONE)


def _part(scalars: str = "", **forms: Form) -> _Fields:
    """Return a part of a conversation, which the provider may have written."""
    return _Fields(_scalars(f"type {scalars}") | forms, others=True)


def _google_part(scalars: str = "", **forms: Form) -> _Fields:
    """Return the same for Google."""
    return _GoogleFields(_scalars(scalars) | forms, others=True)


_FUNCTION = _Fields(_scalars("name description strict") | {"parameters": _OPEN})
_FUNCTION_TOOL = _Tool(_Fields({"type": _ONE, "function": _FUNCTION}), "function", None)
_CALL = _part("id index", function=_part("name index", arguments=_OPEN))

_CHAT_PART = _Typed(
    {
        "text": _part("text", cache_control=_CACHE),
        "refusal": _part("refusal"),
        "image_url": _part(image_url=_Fields({"url": _Image(), "detail": _ONE})),
    }
)
CHAT = _Fields(
    _scalars(
        "model temperature top_p max_tokens max_completion_tokens stop seed presence_penalty "
        "frequency_penalty parallel_tool_calls prompt_cache_key reasoning_effort verbosity"
    )
    | {
        "stream": _SWITCH,
        "messages": _List(
            _part(
                "role name tool_call_id reasoning_content reasoning refusal",
                content=_List(_CHAT_PART, text=True),
                tool_calls=_List(_CALL),
                reasoning_details=_OPEN,
            )
        ),
        "n": _Exactly(1),
        "store": _Exactly(False),
        "stream_options": _Fields({"include_usage": _SWITCH}),
        "response_format": _Fields({"type": _ONE, "json_schema": _OPEN}),
        "tools": _List(_FUNCTION_TOOL),
        "tool_choice": _OPEN,
    }
)

_RESPONSE_TEXT = _part("text")
_RESPONSE_PARTS = _List(
    _Typed(
        {
            "input_text": _RESPONSE_TEXT,
            "output_text": _RESPONSE_TEXT,
            "refusal": _part("refusal"),
            "input_image": _part("detail", image_url=_Image()),
        }
    ),
    text=True,
)
_RESPONSE_MESSAGE = _part("role id status phase", content=_RESPONSE_PARTS)
RESPONSES = _Fields(
    _scalars(
        "model temperature top_p max_output_tokens parallel_tool_calls prompt_cache_key "
        "instructions truncation"
    )
    | {
        "stream": _SWITCH,
        "input": _List(
            _Typed(
                {
                    "message": _RESPONSE_MESSAGE,
                    "function_call": _part("id call_id name arguments status"),
                    "function_call_output": _part("id call_id status", output=_RESPONSE_PARTS),
                    "reasoning": _part("id encrypted_content status", summary=_OPEN, content=_OPEN),
                },
                "message",
            ),
            text=True,
        ),
        "store": _Exactly(False),
        "include": _List(_Exactly("reasoning.encrypted_content")),
        "reasoning": _Fields(_scalars("effort summary")),
        "text": _Fields({"verbosity": _ONE, "format": _OPEN}),
        "stream_options": _Fields({"include_obfuscation": _SWITCH}),
        "tools": _List(
            _Tool(
                _Fields(_scalars("type name description strict") | {"parameters": _OPEN}),
                *("function", None),
            )
        ),
        "tool_choice": _OPEN,
    }
)

_TEXT_BLOCK = _part("text", cache_control=_CACHE)
_IMAGE_SOURCE = _Fields({"type": _Exactly("base64"), "media_type": _KIND, "data": _BYTES})
_IMAGE_BLOCK = _part(source=_IMAGE_SOURCE, cache_control=_CACHE)
_RESULT = _List(_Typed({"text": _TEXT_BLOCK, "image": _IMAGE_BLOCK}), text=True)
_BLOCKS = _List(
    _Typed(
        {
            "text": _TEXT_BLOCK,
            "image": _IMAGE_BLOCK,
            "tool_use": _part("id name", input=_OPEN, cache_control=_CACHE),
            "tool_result": _part("tool_use_id is_error", content=_RESULT, cache_control=_CACHE),
            "thinking": _part("thinking signature"),
            "redacted_thinking": _part("data"),
        }
    ),
    text=True,
)
MESSAGES = _Fields(
    _scalars("model max_tokens temperature top_p top_k stop_sequences")
    | {
        "stream": _SWITCH,
        "messages": _List(_part("role", content=_BLOCKS)),
        "system": _List(_TEXT_BLOCK, text=True),
        "cache_control": _CACHE,
        "thinking": _Fields(_scalars("type budget_tokens display")),
        "output_config": _Fields({"effort": _ONE, "format": _OPEN}),
        "tools": _List(
            _Tool(
                _Fields(
                    _scalars("type name description strict")
                    | {"input_schema": _OPEN, "cache_control": _CACHE}
                ),
                *("custom", None),
            )
        ),
        "tool_choice": _Fields(_scalars("type name disable_parallel_tool_use")),
    }
)

_INLINE = _GoogleFields({"mimeType": _KIND, "data": _BYTES})
_GEMINI_PART = _google_part(
    "text thought thoughtSignature",
    inlineData=_INLINE,
    functionCall=_google_part("id name", args=_OPEN),
    functionResponse=_google_part(
        "id name", response=_OPEN, parts=_List(_google_part(inlineData=_INLINE))
    ),
)
_GEMINI_CONTENT = _google_part("role", parts=_List(_GEMINI_PART))
_DECLARATION = _GoogleFields(
    _scalars("name description")
    | dict.fromkeys(("parameters", "parametersJsonSchema", "response", "responseJsonSchema"), _OPEN)
)
GEMINI = _GoogleFields(
    {
        "model": _ONE,
        "contents": _List(_GEMINI_CONTENT),
        "systemInstruction": _GEMINI_CONTENT,
        "tools": _List(_Tool(_GoogleFields({"functionDeclarations": _List(_DECLARATION)}), None)),
        "toolConfig": _GoogleFields(
            {"functionCallingConfig": _GoogleFields(_scalars("mode allowedFunctionNames"))}
        ),
        "generationConfig": _GoogleFields(
            _scalars(
                "temperature topP topK maxOutputTokens stopSequences seed presencePenalty "
                "frequencyPenalty responseMimeType"
            )
            | {
                "candidateCount": _Exactly(1),
                "responseModalities": _List(_Exactly("TEXT")),
                "responseSchema": _OPEN,
                "responseJsonSchema": _OPEN,
                "thinkingConfig": _GoogleFields(
                    _scalars("includeThoughts thinkingBudget thinkingLevel")
                ),
            }
        ),
    }
)

OLLAMA = _Fields(
    _scalars("model think")
    | {
        "stream": _SWITCH,
        "messages": _List(
            _part(
                "role content thinking tool_name tool_call_id",
                images=_List(_BYTES),
                tool_calls=_List(_CALL),
            )
        ),
        "format": _OPEN,
        "options": _Fields(
            _scalars(
                "num_ctx num_predict temperature top_p top_k min_p seed stop repeat_penalty "
                "presence_penalty frequency_penalty"
            )
        ),
        "tools": _List(_FUNCTION_TOOL),
    }
)
