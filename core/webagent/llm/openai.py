"""Models behind an API for chat completions, like that of OpenAI and many others."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from webagent.json_text import utf8_json
from webagent.llm.chat import Message, Reply, Role, ToolDefinition, chosen_tools, image_type
from webagent.llm.errors import ConnectionLost, CutStream, ModelError, UnreadableAnswer
from webagent.llm.http import (
    DONE,
    Answer,
    Fetch,
    Limits,
    Request,
    checked_headers,
    error_text,
    json_data,
    open_answer,
    without_secrets,
)
from webagent.llm.refusals import error_in, refusal, stream_error
from webagent.llm.stream import Assembly
from webagent.llm.tool_names import ToolNames

PATH = "/chat/completions"


class OpenAIModel:
    """A model behind an API for chat completions."""

    def __init__(
        self,
        base_url: str,
        model: str,
        fetch: Fetch,
        *,
        api_key: str | None = None,
        context_tokens: int = 32_000,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, Any] | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Create a client for a model.

        Args:
            base_url: Base address of the API: `https://api.openai.com/v1`; in a page it may be
                only a path.
            model: Name of the model on the server.
            fetch: Sends the requests.
            api_key: Sent as a bearer token; leave it out in a page, where the server has it.
            context_tokens: The longest conversation, the reply included.
            headers: Headers of each request.
            params: Fields of each request: `{"temperature": 0}`; None removes a field, such as
                `stream_options`.
            limits: Time limits of an answer.

        Raises:
            ValueError: The address or the name is empty, or a header cannot be sent.
        """
        if not base_url.strip() or not model.strip():
            raise ValueError(
                "an address and a model's name are needed - "
                'write `OpenAIModel("https://…/v1", "…", fetch)`'
            )
        address, mark, query = base_url.strip().partition("?")
        address = address.rstrip("/").removesuffix(PATH)
        self._url = f"{address}{PATH}{mark}{query}"
        self._name = model.strip()
        self._fetch = fetch
        key = {"authorization": f"Bearer {api_key.strip()}"} if api_key else {}
        self._headers = checked_headers(
            {"content-type": "application/json", "accept": "text/event-stream", **key},
            headers or {},
        )
        self._params = dict(params or {})
        self._context_tokens = context_tokens
        self._limits = limits or Limits()

    @property
    def name(self) -> str:
        """Name of the model on the server."""
        return self._name

    @property
    def context_tokens(self) -> int:
        """The longest conversation, the reply included."""
        return self._context_tokens

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the model's reply.

        Raises:
            ModelError: The model gave no reply.
        """
        names = names_of(messages, tools)
        body: dict[str, Any] = {
            "model": self._name,
            "messages": messages_json(messages, names),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools:
            body["tools"] = tools_json(tools, names)
        if chosen_tools(tools, tool_choice) is not tools:
            function = tools_json(chosen_tools(tools, tool_choice), names)[0]["function"]
            body["tool_choice"] = {"type": "function", "function": {"name": function["name"]}}
        body |= self._params
        sent = {key: value for key, value in body.items() if value is not None}
        data = utf8_json(json.dumps(sent, ensure_ascii=False))
        request = Request(self._url, headers=self._headers, body=data)
        assembly = Assembly(on_text)
        try:
            async with open_answer(self._fetch, request, self._limits) as answer:
                if not 200 <= answer.status < 300:
                    raise refusal(answer.status, answer.headers, await error_text(answer))
                try:
                    await _read(answer, assembly)
                except ConnectionLost as error:
                    if not assembly.finish:
                        raise CutStream(f"the model's reply was cut - {error.message}") from error
        except ModelError as error:
            raise without_secrets(error, self._headers) from error.__cause__
        taken = [call.id for message in messages for call in message.calls]
        reply = assembly.reply(names, taken)
        return reply if reply.model else Reply(reply.text, reply.calls, reply.usage, self._name)


async def _read(answer: Answer, assembly: Assembly) -> None:
    """Read an answer, which is a stream of events or one object."""
    async with aclosing(json_data(answer)) as pieces:
        async for data in pieces:
            if data == DONE:
                return
            error = error_in(data)
            if error is not None:
                raise stream_error(error)
            if isinstance(data, dict):
                # Anything else between the pieces, such as a ping, is ignored.
                assembly.add(data)
    if not assembly.begun:
        raise UnreadableAnswer(
            "the model's server answers with something else than chat completions - "
            "check the address, which ends in `/v1` on most servers"
        )
    if not assembly.finish and not assembly.whole:
        raise CutStream("the model's reply ends without saying that it is finished - ask again")


def names_of(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> ToolNames:
    """Return the names of all tools in a conversation."""
    called = (call.name for message in messages for call in message.calls)
    return ToolNames([*(tool.name for tool in tools), *called])


def messages_json(messages: Sequence[Message], names: ToolNames) -> list[dict[str, Any]]:
    """Return messages as the API takes them.

    Only messages of the user can have images. So images in the results of calls are sent in a
    message of the user after these results.
    """
    found: list[dict[str, Any]] = []
    shown: list[bytes] = []
    for message in messages:
        if message.role is Role.TOOL:
            answer = {"tool_call_id": message.call_id, "content": message.text}
            found.append({"role": "tool", **answer})
            shown.extend(message.images)
            continue
        if shown:
            found.append(_with_images("the images that came with these answers", shown))
            shown = []
        if message.role is Role.ASSISTANT:
            found.append(_assistant(message, names))
        elif message.images:
            found.append(_with_images(message.text, message.images))
        else:
            found.append({"role": message.role.value, "content": message.text})
    if shown:
        found.append(_with_images("the images that came with these answers", shown))
    return found


def tools_json(tools: Sequence[ToolDefinition], names: ToolNames) -> list[dict[str, Any]]:
    """Return tools as the API takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": names.safe(tool.name),
                "description": tool.description,
                "parameters": dict(tool.parameters),
            },
        }
        for tool in tools
    ]


def _assistant(message: Message, names: ToolNames) -> dict[str, Any]:
    if not message.calls:
        return {"role": "assistant", "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": names.safe(call.name),
                "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
            },
        }
        for call in message.calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _with_images(text: str, images: Sequence[bytes]) -> dict[str, Any]:
    texts = [{"type": "text", "text": text}] if text else []
    files = [{"type": "image_url", "image_url": {"url": data_url(image)}} for image in images]
    return {"role": "user", "content": [*texts, *files]}


def data_url(image: bytes) -> str:
    """Return an image as a data URL."""
    return f"data:{image_type(image)};base64,{base64.b64encode(image).decode()}"
