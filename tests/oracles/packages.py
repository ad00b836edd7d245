"""Requests as the official packages know them: by their types, and as they send them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

# The packages are imported where they are used; see `tests.oracles.readers`.


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    from anthropic.types.message_create_params import MessageCreateParamsStreaming
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
    from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

    params: dict[str, Any] = {
        "AnthropicModel": MessageCreateParamsStreaming,
        "OpenAIModel": CompletionCreateParamsStreaming,
        "ResponsesModel": ResponseCreateParamsStreaming,
    }
    return TypeAdapter(params[kind])


def _plain(value: Any) -> Any:
    """Return plain data; iterables of TypedDicts are validated only when they are read."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True, by_alias=True)
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | Iterator):
        return [_plain(inner) for inner in value]
    return value


def understood(kind: str, body: Mapping[str, Any]) -> Any:
    """Return a request as the package of its provider understands it.

    Fields that the package does not know are refused, or left out, so a request is right when it
    comes back equal.

    Raises:
        pydantic.ValidationError: The package refuses it.
    """
    if kind == "GeminiModel":
        return _understood_by_gemini(body)
    if kind == "OllamaModel":
        return _understood_by_ollama(body)
    return _plain(_adapter(kind).validate_python(body))


def gemini_arguments(model: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `generate_content_stream` for a request; unknown fields are refused."""
    from google.genai import types as gemini

    config: dict[str, Any] = {}
    if "systemInstruction" in body:
        config["system_instruction"] = _read(gemini.Content, body["systemInstruction"])
    if "tools" in body:
        config["tools"] = [_read(gemini.Tool, tool) for tool in body["tools"]]
    if "toolConfig" in body:
        config["tool_config"] = _read(gemini.ToolConfig, body["toolConfig"])
    known = {"contents", "systemInstruction", "tools", "toolConfig"}
    assert body.keys() <= known, body.keys() - known
    return {
        "model": model,
        "contents": [_read(gemini.Content, content) for content in body["contents"]],
        "config": gemini.GenerateContentConfig(**config),
    }


def _understood_by_gemini(body: Mapping[str, Any]) -> Any:
    arguments = gemini_arguments("m", body)
    config = arguments["config"]
    found: dict[str, Any] = {"contents": [_written(c) for c in arguments["contents"]]}
    if config.system_instruction:
        found["systemInstruction"] = _written(config.system_instruction)
    if config.tools:
        found["tools"] = [_written(tool) for tool in config.tools]
    if config.tool_config:
        found["toolConfig"] = _written(config.tool_config)
    return found


def _read(model: type[BaseModel], data: Any) -> Any:
    # Only as JSON are bytes Base64, as they are on the wire.
    return model.model_validate_json(json.dumps(data))


def _written(model: BaseModel) -> Any:
    return standard_base64(json.loads(model.model_dump_json(by_alias=True, exclude_unset=True)))


def standard_base64(data: Any) -> Any:
    """Return data whose `data` is Base64 of the usual alphabet; the package uses another one."""
    if isinstance(data, list):
        return [standard_base64(inner) for inner in data]
    if not isinstance(data, dict):
        return data
    return {
        key: inner.replace("-", "+").replace("_", "/")
        if key == "data" and isinstance(inner, str)
        else standard_base64(inner)
        for key, inner in data.items()
    }


def comparable(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request without the freedoms that the packages take."""
    found: dict[str, Any] = standard_base64(dict(body))
    if kind == "GeminiModel":
        # Both spellings are those of the API; an empty configuration says nothing.
        found = json.loads(
            json.dumps(found).replace("parameters_json_schema", "parametersJsonSchema")
        )
        if not found.get("generationConfig", True):
            del found["generationConfig"]
    if kind == "OllamaModel":
        for tool in found["tools"]:
            # The package leaves keywords of JSON Schema out that the server takes.
            del tool["function"]["parameters"]
    return found


def _understood_by_ollama(body: Mapping[str, Any]) -> Any:
    from ollama._types import ChatRequest

    # The package names fewer keywords of JSON Schema than the server takes.
    plain = {key: value for key, value in body.items() if key != "tools"}
    ChatRequest.model_validate(body)
    found = ChatRequest.model_validate(plain).model_dump(exclude_unset=True, by_alias=True)
    return found | ({"tools": body["tools"]} if "tools" in body else {})
