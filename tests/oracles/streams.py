"""Streams in the shapes in which providers send them: events, and their bytes.

No stream was recorded. Shapes are those of the official packages' types, against which each event
is validated, and of the providers' public documentation.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webagent.llm import (
    ContentFiltered,
    CutStream,
    ModelError,
    ModelFailed,
    Overloaded,
    RateLimited,
    UnreadableAnswer,
    Usage,
)

Json = dict[str, Any]

QUERY = {"query": "Wellen ☕ “leise”"}
BOOK = {"id": 7, "count": 2}
SEARCH = ("shop_search", QUERY)
ADD = ("cart_add", BOOK)


@dataclass(frozen=True)
class Stream:
    """A stream and what it says."""

    kind: str
    """The client that reads it."""
    events: Sequence[Json]
    text: str = ""
    calls: Sequence[tuple[str, Json]] = ()
    """Names, as the model writes them, and arguments."""
    usage: Usage | None = None
    finish: str = ""
    """Why the model stopped, in the provider's word."""
    refusal: str = ""
    error: type[ModelError] | None = None
    """The error that our client raises instead of a reply."""

    @property
    def body(self) -> bytes:
        """The bytes of the stream."""
        texts = [json.dumps(event, ensure_ascii=False) for event in self.events]
        if self.kind == "OllamaModel":
            return "".join(f"{text}\n" for text in texts).encode()
        if self.kind == "GeminiModel":
            return "".join(f"data: {text}\r\n\r\n" for text in texts).encode()
        if self.kind == "OpenAIModel":
            return "".join(f"data: {text}\n\n" for text in [*texts, "[DONE]"]).encode()
        types = [event["type"] for event in self.events]
        pairs = zip(types, texts, strict=True)
        return "".join(f"event: {kind}\ndata: {text}\n\n" for kind, text in pairs).encode()

    @property
    def content_type(self) -> str:
        """The content type that the provider sends."""
        return "application/x-ndjson" if self.kind == "OllamaModel" else "text/event-stream"


def halves(text: str) -> tuple[str, str]:
    """Return a text in two pieces."""
    return text[: len(text) // 2], text[len(text) // 2 :]


# --- Chat completions ----------------------------------------------------------------------


def _chunk(delta: Json, finish: str | None = None, **more: Any) -> Json:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1764000000,
        "model": "gpt-5-mini-2025-08-07",
        "choices": [choice],
        "usage": None,
        **more,
    }


_CHAT_USAGE = {
    "prompt_tokens": 120,
    "completion_tokens": 30,
    "total_tokens": 150,
    "prompt_tokens_details": {"cached_tokens": 64, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 20, "audio_tokens": 0},
}


def _chat(*deltas: Json, finish: str) -> list[Json]:
    first = _chunk({"role": "assistant", "content": None, "refusal": None})
    last = _chunk({}, usage=_CHAT_USAGE, choices=[])
    return [first, *map(_chunk, deltas), _chunk({}, finish), last]


def _chat_call(index: int, name: str, arguments: Json) -> list[Json]:
    function = {"name": name, "arguments": ""}
    head = {"index": index, "id": f"call_{name}", "type": "function", "function": function}
    pieces = halves(json.dumps(arguments, ensure_ascii=False))
    rest = [{"index": index, "function": {"arguments": piece}} for piece in pieces]
    return [{"tool_calls": [piece]} for piece in (head, *rest)]


_COUNTED = Usage(120, 30, 64)

_CHAT_STREAMS = {
    "a call": Stream(
        "OpenAIModel",
        _chat({"content": "☕"}, *_chat_call(0, "refresh", {}), finish="tool_calls"),
        text="☕",
        calls=(("refresh", {}),),
        usage=_COUNTED,
        finish="tool_calls",
    ),
    "words": Stream(
        "OpenAIModel",
        _chat({"content": "Grüße, "}, {"content": "世界 🌍"}, finish="stop"),
        text="Grüße, 世界 🌍",
        usage=_COUNTED,
        finish="stop",
    ),
    "words and calls": Stream(
        "OpenAIModel",
        _chat(
            {"content": "I look."},
            *_chat_call(0, *SEARCH),
            *_chat_call(1, *ADD),
            finish="tool_calls",
        ),
        text="I look.",
        calls=(SEARCH, ADD),
        usage=_COUNTED,
        finish="tool_calls",
    ),
    "a limit of tokens": Stream(
        "OpenAIModel",
        _chat({"content": "On and"}, finish="length"),
        text="On and",
        usage=_COUNTED,
        finish="length",
    ),
    "a limit before a word": Stream(
        "OpenAIModel",
        _chat(finish="length"),
        usage=_COUNTED,
        finish="length",
        error=UnreadableAnswer,
    ),
    "a refusal": Stream(
        "OpenAIModel",
        _chat({"refusal": "I cannot "}, {"refusal": "do that."}, finish="stop"),
        usage=_COUNTED,
        finish="stop",
        refusal="I cannot do that.",
        error=ContentFiltered,
    ),
    "a filter": Stream(
        "OpenAIModel",
        _chat({"content": "The way"}, finish="content_filter"),
        text="The way",
        usage=_COUNTED,
        finish="content_filter",
        error=ContentFiltered,
    ),
}


# --- Responses -----------------------------------------------------------------------------

_REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "They want ☕."}],
    "encrypted_content": "gAAAAABo-encrypted==",
}


def _response(status: str, output: Sequence[Json] = (), **more: Any) -> Json:
    usage = {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 0},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 150,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1764000000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "gpt-5-mini-2025-08-07",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage if status in ("completed", "incomplete") else None,
        **more,
    }


def _message(text: str, status: str = "completed") -> Json:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [part],
    }


def _refusal_message(text: str) -> Json:
    return {**_message(""), "content": [{"type": "refusal", "refusal": text}]}


def _function_call(name: str, arguments: Json) -> Json:
    return {
        "id": f"fc_{name}",
        "type": "function_call",
        "status": "completed",
        "call_id": f"call_{name}",
        "name": name,
        "arguments": json.dumps(arguments, ensure_ascii=False),
    }


def _item_events(index: int, item: Json) -> list[Json]:
    """Return the events of one item of the output."""
    at = {"output_index": index, "item_id": item["id"]}
    events: list[Json] = []
    begun = {**item}
    if item["type"] == "message":
        part = item["content"][0]
        begun |= {"content": [], "status": "in_progress"}
        inside = {**at, "content_index": 0}
        key = "text" if "text" in part else "refusal"
        empty = {**part, key: ""}
        events.append({"type": "response.content_part.added", **inside, "part": empty})
        word = "output_text" if key == "text" else "refusal"
        more = {"logprobs": []} if key == "text" else {}
        events.extend(
            {"type": f"response.{word}.delta", **inside, "delta": piece, **more}
            for piece in halves(part[key])
        )
        events.append({"type": f"response.{word}.done", **inside, key: part[key], **more})
        events.append({"type": "response.content_part.done", **inside, "part": part})
    elif item["type"] == "function_call":
        begun |= {"arguments": "", "status": "in_progress"}
        kind = "response.function_call_arguments"
        events.extend(
            {"type": f"{kind}.delta", **at, "delta": piece} for piece in halves(item["arguments"])
        )
        done = {"name": item["name"], "arguments": item["arguments"]}
        events.append({"type": f"{kind}.done", **at, **done})
    else:
        begun |= {"summary": []}
        inside = {**at, "summary_index": 0}
        text = item["summary"][0]["text"]
        kind = "response.reasoning_summary"
        part = {"type": "summary_text", "text": ""}
        events.append({"type": f"{kind}_part.added", **inside, "part": part})
        events.append({"type": f"{kind}_text.delta", **inside, "delta": text})
        events.append({"type": f"{kind}_text.done", **inside, "text": text})
        events.append({"type": f"{kind}_part.done", **inside, "part": {**part, "text": text}})
    return [
        {"type": "response.output_item.added", "output_index": index, "item": begun},
        *events,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def _response_events(
    *items: Json, ending: str = "response.completed", last: Json | None = None
) -> list[Json]:
    events = [
        {"type": "response.created", "response": _response("in_progress")},
        {"type": "response.in_progress", "response": _response("in_progress")},
    ]
    for index, item in enumerate(items):
        events.extend(_item_events(index, item))
    events.append({"type": ending, "response": last or _response("completed", items)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


_HALF = _message("On and", "incomplete")

_RESPONSE_STREAMS = {
    "a call": Stream(
        "ResponsesModel",
        _response_events(_REASONING, _function_call("refresh", {})),
        calls=(("refresh", {}),),
        usage=_COUNTED,
        finish="completed",
    ),
    "words": Stream(
        "ResponsesModel",
        _response_events(_message("Grüße, 世界 🌍")),
        text="Grüße, 世界 🌍",
        usage=_COUNTED,
        finish="completed",
    ),
    "words and calls": Stream(
        "ResponsesModel",
        _response_events(
            _REASONING, _message("I look."), _function_call(*SEARCH), _function_call(*ADD)
        ),
        text="I look.",
        calls=(SEARCH, ADD),
        usage=_COUNTED,
        finish="completed",
    ),
    "a limit of tokens": Stream(
        "ResponsesModel",
        _response_events(
            _HALF,
            ending="response.incomplete",
            last=_response(
                "incomplete", [_HALF], incomplete_details={"reason": "max_output_tokens"}
            ),
        ),
        text="On and",
        usage=_COUNTED,
        finish="max_output_tokens",
    ),
    "a limit before a word": Stream(
        "ResponsesModel",
        _response_events(
            ending="response.incomplete",
            last=_response("incomplete", incomplete_details={"reason": "max_output_tokens"}),
        ),
        usage=_COUNTED,
        finish="max_output_tokens",
        error=UnreadableAnswer,
    ),
    "a refusal": Stream(
        "ResponsesModel",
        _response_events(_refusal_message("I cannot do that.")),
        usage=_COUNTED,
        finish="completed",
        refusal="I cannot do that.",
        error=ContentFiltered,
    ),
    "a filter": Stream(
        "ResponsesModel",
        _response_events(
            _HALF,
            ending="response.incomplete",
            last=_response("incomplete", [_HALF], incomplete_details={"reason": "content_filter"}),
        ),
        text="On and",
        usage=_COUNTED,
        finish="content_filter",
        error=ContentFiltered,
    ),
    "a failure": Stream(
        "ResponsesModel",
        _response_events(
            ending="response.failed",
            last=_response("failed", error={"code": "rate_limit_exceeded", "message": "slow down"}),
        ),
        finish="failed",
        error=RateLimited,
    ),
}


# --- Anthropic -----------------------------------------------------------------------------


def _block(index: int, block: Json, *deltas: Json) -> list[Json]:
    return [
        {"type": "content_block_start", "index": index, "content_block": block},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def _text_block(index: int, text: str) -> list[Json]:
    deltas = [{"type": "text_delta", "text": piece} for piece in halves(text)]
    return _block(index, {"type": "text", "text": ""}, *deltas)


def _tool_block(index: int, name: str, arguments: Json) -> list[Json]:
    written = json.dumps(arguments, ensure_ascii=False)
    deltas = [
        {"type": "input_json_delta", "partial_json": piece} for piece in ("", *halves(written))
    ]
    block = {"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": {}}
    return _block(index, block, *deltas)


_THINKING = _block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "They want "},
    {"type": "thinking_delta", "thinking": "books."},
    {"type": "signature_delta", "signature": "EqQBCgIYAhIM+signature/=="},
)
_REDACTED = _block(1, {"type": "redacted_thinking", "data": "EmwKAhgBEgy+redacted/=="})


def _anthropic(*blocks: Sequence[Json], stop: str, **delta: Any) -> list[Json]:
    usage = {
        "input_tokens": 16,
        "cache_creation_input_tokens": 40,
        "cache_read_input_tokens": 64,
        "output_tokens": 1,
        "service_tier": "standard",
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    return [
        {"type": "message_start", "message": message},
        {"type": "ping"},
        *(event for block in blocks for event in block),
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None, **delta},
            "usage": {"output_tokens": 30},
        },
        {"type": "message_stop"},
    ]


_ANTHROPIC_STREAMS = {
    "a call": Stream(
        "AnthropicModel",
        _anthropic(_THINKING, _tool_block(1, "refresh", {"a": "☕"}), stop="tool_use"),
        calls=(("refresh", {"a": "☕"}),),
        usage=_COUNTED,
        finish="tool_use",
    ),
    "words": Stream(
        "AnthropicModel",
        _anthropic(_text_block(0, "Grüße, 世界 🌍"), stop="end_turn"),
        text="Grüße, 世界 🌍",
        usage=_COUNTED,
        finish="end_turn",
    ),
    "words and calls": Stream(
        "AnthropicModel",
        _anthropic(
            _THINKING,
            _REDACTED,
            _text_block(2, "I look."),
            _tool_block(3, *SEARCH),
            _tool_block(4, *ADD),
            stop="tool_use",
        ),
        text="I look.",
        calls=(SEARCH, ADD),
        usage=_COUNTED,
        finish="tool_use",
    ),
    "a limit of tokens": Stream(
        "AnthropicModel",
        _anthropic(_text_block(0, "On and"), stop="max_tokens"),
        text="On and",
        usage=_COUNTED,
        finish="max_tokens",
    ),
    "a limit before a word": Stream(
        "AnthropicModel",
        _anthropic(_THINKING, stop="max_tokens"),
        usage=_COUNTED,
        finish="max_tokens",
        error=UnreadableAnswer,
    ),
    "a refusal": Stream(
        "AnthropicModel",
        _anthropic(
            _text_block(0, "The way"),
            stop="refusal",
            stop_details={
                "type": "refusal",
                "category": "cyber",
                "explanation": "I cannot do that.",
            },
        ),
        text="The way",
        usage=_COUNTED,
        finish="refusal",
        error=ContentFiltered,
    ),
    "a filter": Stream(
        "AnthropicModel",
        _anthropic(stop="refusal"),
        usage=_COUNTED,
        finish="refusal",
        error=ContentFiltered,
    ),
}


# --- Gemini --------------------------------------------------------------------------------


def _gemini(*parts: Json, finish: str | None = None, **more: Any) -> Json:
    candidate: Json = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": 120,
            "cachedContentTokenCount": 64,
            "candidatesTokenCount": 10,
            "thoughtsTokenCount": 20,
            "totalTokenCount": 150,
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "r1",
        **more,
    }


_GEMINI_STREAMS = {
    "words": Stream(
        "GeminiModel",
        [
            _gemini({"text": "Grüße, "}),
            _gemini({"text": "世界 "}),
            _gemini({"text": "🌍"}),
            _gemini({"text": "", "thoughtSignature": "c2lnbmF0dXJlMQ=="}, finish="STOP"),
        ],
        text="Grüße, 世界 🌍",
        usage=_COUNTED,
        finish="STOP",
    ),
    "words and calls": Stream(
        "GeminiModel",
        [
            _gemini({"text": "They want books.", "thought": True}),
            _gemini({"text": "I look."}),
            _gemini(
                {
                    "functionCall": {
                        "id": f"call_{SEARCH[0]}",
                        "name": SEARCH[0],
                        "args": SEARCH[1],
                    },
                    "thoughtSignature": "c2lnbmF0dXJlMg==",
                },
                {"functionCall": {"id": f"call_{ADD[0]}", "name": ADD[0], "args": ADD[1]}},
            ),
            _gemini({"text": ""}, finish="STOP"),
        ],
        text="I look.",
        calls=(SEARCH, ADD),
        usage=_COUNTED,
        finish="STOP",
    ),
    "a limit of tokens": Stream(
        "GeminiModel",
        [_gemini({"text": "On and"}, finish="MAX_TOKENS")],
        text="On and",
        usage=_COUNTED,
        finish="MAX_TOKENS",
    ),
    "a limit before a word": Stream(
        "GeminiModel",
        [_gemini(finish="MAX_TOKENS")],
        usage=_COUNTED,
        finish="MAX_TOKENS",
        error=UnreadableAnswer,
    ),
    "a refusal": Stream(
        "GeminiModel",
        [
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 120, "totalTokenCount": 120},
                "modelVersion": "gemini-2.5-flash",
            }
        ],
        usage=Usage(120),
        finish="PROHIBITED_CONTENT",
        error=ContentFiltered,
    ),
    "a filter": Stream(
        "GeminiModel",
        [_gemini({"text": "The way"}), _gemini(finish="SAFETY")],
        text="The way",
        usage=_COUNTED,
        finish="SAFETY",
        error=ContentFiltered,
    ),
    "a failure": Stream(
        "GeminiModel",
        [_gemini(finish="MALFORMED_FUNCTION_CALL")],
        usage=_COUNTED,
        finish="MALFORMED_FUNCTION_CALL",
        error=CutStream,
    ),
}


# --- Ollama --------------------------------------------------------------------------------


def _line(done: str = "", **message: Any) -> Json:
    counts = {
        "done_reason": done,
        "total_duration": 1,
        "load_duration": 1,
        "prompt_eval_count": 120,
        "prompt_eval_duration": 1,
        "eval_count": 30,
        "eval_duration": 1,
    }
    return {
        "model": "qwen3:8b",
        "created_at": "2025-11-27T12:00:00.000000Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": bool(done),
        **(counts if done else {}),
    }


_OLLAMA_STREAMS = {
    "words": Stream(
        "OllamaModel",
        [_line(content="Grüße, "), _line(content="世界 🌍"), _line("stop")],
        text="Grüße, 世界 🌍",
        usage=Usage(120, 30),
        finish="stop",
    ),
    "words and calls": Stream(
        "OllamaModel",
        [
            _line(thinking="They want "),
            _line(thinking="books."),
            _line(content="I look."),
            _line(
                tool_calls=[
                    {
                        "id": f"call_{SEARCH[0]}",
                        "function": {"index": 0, "name": SEARCH[0], "arguments": SEARCH[1]},
                    }
                ]
            ),
            _line(
                tool_calls=[
                    {
                        "id": f"call_{ADD[0]}",
                        "function": {"index": 1, "name": ADD[0], "arguments": ADD[1]},
                    }
                ]
            ),
            _line("stop"),
        ],
        text="I look.",
        calls=(SEARCH, ADD),
        usage=Usage(120, 30),
        finish="stop",
    ),
    "a limit of tokens": Stream(
        "OllamaModel",
        [_line(content="On and"), _line("length")],
        text="On and",
        usage=Usage(120, 30),
        finish="length",
    ),
    "a limit before a word": Stream(
        "OllamaModel",
        [_line(thinking="Hm"), _line("length")],
        usage=Usage(120, 30),
        finish="length",
        error=UnreadableAnswer,
    ),
}

STREAMS: dict[str, dict[str, Stream]] = {
    "OpenAIModel": _CHAT_STREAMS,
    "ResponsesModel": _RESPONSE_STREAMS,
    "AnthropicModel": _ANTHROPIC_STREAMS,
    "GeminiModel": _GEMINI_STREAMS,
    "OllamaModel": _OLLAMA_STREAMS,
}
"""Streams by the client that reads them, and by what they say."""

ERRORS: dict[str, tuple[Json, type[ModelError]]] = {
    "OpenAIModel": (
        {"error": {"message": "try again", "type": "server_error", "code": None}},
        Overloaded,
    ),
    "ResponsesModel": (
        {
            "type": "error",
            "code": "server_error",
            "message": "try again",
            "param": None,
            "sequence_number": 9,
        },
        Overloaded,
    ),
    "AnthropicModel": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        Overloaded,
    ),
    "GeminiModel": (
        {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
        Overloaded,
    ),
    "OllamaModel": ({"error": "an error was encountered while running the model"}, ModelFailed),
}
"""An error in the middle of a stream, by client."""
