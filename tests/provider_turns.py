"""Replies in the bytes of each provider's protocol, for `tests/model_server.py`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from tests.model_server import Json, Turn, asks, says
from webagent.llm.providers import ApiProtocol

MODEL = "scripted-1"
PROMPT, COMPLETION = 100, 20
"""Tokens that every reply reports."""

_ids = count(1)


@dataclass(frozen=True)
class Protocol:
    """How to write a reply, and how to read what a request offers."""

    turn: Callable[[str, str, Json], Turn]
    """A reply of words and perhaps one call: text, name (or empty) and arguments."""
    tools: Callable[[Json], list[str]]
    """The names of the tools that a request offers."""
    results: Callable[[Json], int]
    """How many results of calls a request has."""


def _sse(*events: Json) -> bytes:
    named = "event: {type}\ndata: {data}\n\n"
    return "".join(
        named.format(type=event["type"], data=json.dumps(event))
        if "type" in event
        else f"data: {json.dumps(event)}\n\n"
        for event in events
    ).encode()


def _pieces(text: str) -> Iterator[str]:
    yield from (text[i : i + 5] for i in range(0, len(text), 5))


def _chat(text: str, name: str, arguments: Json) -> Turn:
    counts = {"prompt": PROMPT, "completion": COMPLETION}
    return asks((name, arguments), text=text, **counts) if name else says(text, **counts)


def _responses(text: str, name: str, arguments: Json) -> Turn:
    output: list[Json] = []
    events: list[Json] = []
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{next(_ids)}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
        events += [
            {
                "type": "response.output_text.delta",
                "item_id": output[0]["id"],
                "output_index": 0,
                "content_index": 0,
                "delta": piece,
                "logprobs": [],
            }
            for piece in _pieces(text)
        ]
    if name:
        output.append(
            {
                "type": "function_call",
                "id": f"fc_{next(_ids)}",
                "call_id": f"call_{next(_ids)}",
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
        )
        events += [
            {
                "type": "response.function_call_arguments.delta",
                "item_id": output[-1]["id"],
                "output_index": len(output) - 1,
                "delta": piece,
            }
            for piece in _pieces(json.dumps(arguments))
        ]
    response: Json = {
        "id": f"resp_{next(_ids)}",
        "object": "response",
        "created_at": 0,
        "model": MODEL,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [],
        "status": "in_progress",
    }
    usage = {
        "input_tokens": PROMPT,
        "output_tokens": COMPLETION,
        "total_tokens": PROMPT + COMPLETION,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    done = {**response, "status": "completed", "output": output, "usage": usage}
    all_events: list[Json] = [
        {"type": "response.created", "response": response},
        *events,
        *(
            {"type": "response.output_item.done", "output_index": index, "item": item}
            for index, item in enumerate(output)
        ),
        {"type": "response.completed", "response": done},
    ]
    return Turn(_sse(*({**event, "sequence_number": i} for i, event in enumerate(all_events))))


def _messages(text: str, name: str, arguments: Json) -> Turn:
    start = {
        "id": f"msg_{next(_ids)}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": PROMPT, "output_tokens": 1},
    }
    blocks: list[tuple[Json, list[Json]]] = []
    if text:
        deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(text)]
        blocks.append(({"type": "text", "text": ""}, deltas))
    if name:
        tool = {"type": "tool_use", "id": f"toolu_{next(_ids)}", "name": name, "input": {}}
        written = _pieces(json.dumps(arguments))
        blocks.append(
            (tool, [{"type": "input_json_delta", "partial_json": piece} for piece in written])
        )
    events: list[Json] = [{"type": "message_start", "message": start}, {"type": "ping"}]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas
        ]
        events.append({"type": "content_block_stop", "index": index})
    reason = {"stop_reason": "tool_use" if name else "end_turn", "stop_sequence": None}
    usage = {"output_tokens": COMPLETION}
    events += [
        {"type": "message_delta", "delta": reason, "usage": usage},
        {"type": "message_stop"},
    ]
    return Turn(_sse(*events))


def _gemini(text: str, name: str, arguments: Json) -> Turn:
    parts: list[Json] = [{"text": piece} for piece in _pieces(text)]
    if name:
        call = {"name": name, "args": arguments}
        parts.append({"functionCall": call, "thoughtSignature": "c2lnbmF0dXJl"})
    usage = {
        "promptTokenCount": PROMPT,
        "candidatesTokenCount": COMPLETION,
        "totalTokenCount": PROMPT + COMPLETION,
    }
    pieces: list[Json] = []
    for part in parts:
        candidate: Json = {"content": {"role": "model", "parts": [part]}, "index": 0}
        if part is parts[-1]:
            candidate["finishReason"] = "STOP"
        pieces.append({"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL})
    return Turn(_sse(*pieces))


def _ollama(text: str, name: str, arguments: Json) -> Turn:
    head = {"model": MODEL, "created_at": "2026-01-01T00:00:00Z"}
    messages: list[Json] = [{"role": "assistant", "content": piece} for piece in _pieces(text)]
    if name:
        call = {"function": {"name": name, "arguments": arguments}}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
    lines: list[Json] = [{**head, "message": message, "done": False} for message in messages]
    lines.append(
        {
            **head,
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": PROMPT,
            "eval_count": COMPLETION,
        }
    )
    body = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    return Turn(body, headers={"content-type": "application/x-ndjson"})


def _function_names(body: Json) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools", [])]


def _plain_names(body: Json) -> list[str]:
    return [tool["name"] for tool in body.get("tools", [])]


def _declared_names(body: Json) -> list[str]:
    return [
        declared["name"]
        for tool in body.get("tools", [])
        for declared in tool["functionDeclarations"]
    ]


def _tool_messages(body: Json) -> int:
    return sum(message["role"] == "tool" for message in body["messages"])


def _result_blocks(body: Json) -> int:
    return sum(
        block["type"] == "tool_result"
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    )


PROTOCOLS: Mapping[ApiProtocol, Protocol] = {
    "chat": Protocol(_chat, _function_names, _tool_messages),
    "responses": Protocol(
        _responses,
        _plain_names,
        lambda body: sum(item["type"] == "function_call_output" for item in body["input"]),
    ),
    "messages": Protocol(_messages, _plain_names, _result_blocks),
    "gemini": Protocol(
        _gemini,
        _declared_names,
        lambda body: sum(
            "functionResponse" in part for content in body["contents"] for part in content["parts"]
        ),
    ),
    "ollama": Protocol(_ollama, _function_names, _tool_messages),
}


def answer(protocol: ApiProtocol, text: str, name: str = "", arguments: Json | None = None) -> Turn:
    """Return a reply of words, and perhaps one call."""
    return PROTOCOLS[protocol].turn(text, name, arguments or {})
