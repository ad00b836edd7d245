"""The official packages as clients of a server of ours."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from tests.oracles.packages import gemini_arguments
from webagent.llm import Usage

if TYPE_CHECKING:
    from google.genai import types as gemini

KEY = "key-of-a-test"

# The packages take seconds to import, and every process of a test run reads this file.


@cache
def event_type(kind: str) -> TypeAdapter[Any]:
    """Return the type that the package of a provider has for the events of its stream."""
    import ollama
    from anthropic.types import RawMessageStreamEvent
    from google.genai import types as gemini
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import ResponseStreamEvent

    types: dict[str, Any] = {
        "OpenAIModel": ChatCompletionChunk,
        "ResponsesModel": ResponseStreamEvent,
        "AnthropicModel": RawMessageStreamEvent,
        "GeminiModel": gemini.GenerateContentResponse,
        "OllamaModel": ollama.ChatResponse,
    }
    return TypeAdapter(types[kind])


@dataclass
class Result:
    """A reply as an official package reads it."""

    text: str = ""
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    """Id, name and arguments."""
    usage: Usage | None = None
    finish: str = ""
    refusal: str = ""


async def read(kind: str, base_url: str, body: dict[str, Any]) -> Result:
    """Send a request with the official package, and return the reply that it reads."""
    return await _READERS[kind](base_url, body)


async def _chat(base_url: str, body: dict[str, Any]) -> Result:
    import openai
    from openai.lib.streaming.chat import ChatCompletionStreamState

    async with openai.AsyncOpenAI(api_key=KEY, base_url=base_url, max_retries=0) as client:
        state = ChatCompletionStreamState()
        async for chunk in await client.chat.completions.create(**body):
            state.handle_chunk(chunk)
        found = state.current_completion_snapshot
    message, usage = found.choices[0].message, found.usage
    assert usage is not None
    assert usage.prompt_tokens_details is not None
    return Result(
        message.content or "",
        [
            (call.id, call.function.name, json.loads(call.function.arguments))
            for call in message.tool_calls or []
        ],
        Usage(
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.prompt_tokens_details.cached_tokens or 0,
        ),
        found.choices[0].finish_reason or "",
        message.refusal or "",
    )


async def _responses(base_url: str, body: dict[str, Any]) -> Result:
    import openai

    deltas = []
    found = None
    async with openai.AsyncOpenAI(api_key=KEY, base_url=base_url, max_retries=0) as client:
        async for event in await client.responses.create(**body):
            # The package passes an error on as an event.
            assert event.type != "error", event.message
            if event.type == "response.output_text.delta":
                deltas.append(event.delta)
            found = getattr(event, "response", found)
    assert found is not None
    assert "".join(deltas) == found.output_text
    details, usage = found.incomplete_details, found.usage
    parts = [part for item in found.output if item.type == "message" for part in item.content]
    return Result(
        found.output_text,
        [
            (item.call_id, item.name, json.loads(item.arguments))
            for item in found.output
            if item.type == "function_call"
        ],
        usage
        and Usage(
            usage.input_tokens, usage.output_tokens, usage.input_tokens_details.cached_tokens
        ),
        (details and details.reason) or found.status or "",
        "".join(part.refusal for part in parts if part.type == "refusal"),
    )


async def _anthropic(base_url: str, body: dict[str, Any]) -> Result:
    import anthropic

    arguments = {key: value for key, value in body.items() if key != "stream"}
    # The package adds the version itself.
    origin = base_url.removesuffix("/v1")
    async with (
        anthropic.AsyncAnthropic(api_key=KEY, base_url=origin, max_retries=0) as client,
        client.messages.stream(**arguments) as stream,
    ):
        found = await stream.get_final_message()
    usage = found.usage
    created, cached = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
    return Result(
        "".join(block.text for block in found.content if block.type == "text"),
        [
            (block.id, block.name, block.input)
            for block in found.content
            if block.type == "tool_use"
        ],
        Usage(usage.input_tokens + created + cached, usage.output_tokens, cached),
        found.stop_reason or "",
    )


async def _gemini(base_url: str, body: dict[str, Any]) -> Result:
    from google import genai
    from google.genai import types as gemini

    found = Result()
    options = gemini.HttpOptions(base_url=base_url.removesuffix("/v1"), api_version="v1")
    client = genai.Client(api_key=KEY, http_options=options)
    with contextlib.closing(client):
        async with client.aio as models:
            chunks = await models.models.generate_content_stream(**gemini_arguments("m", body))
            async for chunk in chunks:
                _add_chunk(found, chunk)
    return found


def _add_chunk(found: Result, chunk: gemini.GenerateContentResponse) -> None:
    usage, blocked = chunk.usage_metadata, chunk.prompt_feedback
    assert usage is not None
    found.usage = Usage(
        usage.prompt_token_count or 0,
        (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        usage.cached_content_token_count or 0,
    )
    if blocked is not None and blocked.block_reason is not None:
        found.finish = blocked.block_reason.value
    for candidate in chunk.candidates or []:
        if candidate.finish_reason is not None:
            found.finish = candidate.finish_reason.value
        for part in (candidate.content and candidate.content.parts) or []:
            if part.text and not part.thought:
                found.text += part.text
            if part.function_call is not None:
                call = part.function_call
                found.calls.append((call.id or "", call.name or "", call.args))


async def _ollama(base_url: str, body: dict[str, Any]) -> Result:
    import ollama

    found = Result()
    client = ollama.AsyncClient(
        host=base_url.removesuffix("/api"), headers={"authorization": f"Bearer {KEY}"}
    )
    async with client._client:
        async for line in await client.chat(**body):
            found.text += line.message.content or ""
            for call in line.message.tool_calls or []:
                # The package does not read ids.
                name = call.function.name
                found.calls.append((f"call_{name}", name, dict(call.function.arguments)))
            if line.done:
                found.finish = line.done_reason or ""
                found.usage = Usage(line.prompt_eval_count or 0, line.eval_count or 0)
    return found


_READERS = {
    "OpenAIModel": _chat,
    "ResponsesModel": _responses,
    "AnthropicModel": _anthropic,
    "GeminiModel": _gemini,
    "OllamaModel": _ollama,
}
