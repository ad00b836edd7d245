"""The way of every request to a provider's API, and of its answer.

A protocol adds how a conversation is written (`ModelClient`) and how a stream is read (`Assembly`).
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, ClassVar

from webagent.json_text import utf8_json
from webagent.llm.chat import (
    Message,
    Replay,
    Reply,
    Role,
    ToolDefinition,
    Usage,
    chosen_tools,
    image_type,
    read_call,
    unique_id,
)
from webagent.llm.errors import (
    ConnectionLost,
    ContentFiltered,
    CutStream,
    ModelError,
    UnreadableAnswer,
)
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
from webagent.llm.tool_names import ToolNames

_IMAGES_OF_RESULTS = "the images that came with these answers"

MOST_CALLS = 128
"""Calls of one reply; further ones are dropped."""


@dataclass(frozen=True, slots=True)
class WrittenCall:
    """A call as the model wrote it."""

    id: str
    name: str
    arguments: Any
    """An object, its JSON, or None."""


class Assembly(ABC):
    """Collects the pieces of an answer and returns the reply.

    Attributes:
        begun: Whether any piece of a reply has come.
        finish: Why the model stopped, in the server's word; empty while it goes on.
        over: Whether nothing more comes.
    """

    cut_words: ClassVar[frozenset[str]]
    """The words of `finish` for a reply that was cut at its limit of tokens."""
    filter_words: ClassVar[frozenset[str]] = frozenset()
    """The words of `finish` for a reply that was refused or held back."""
    done_word: ClassVar[str] = ""
    """The word for `[DONE]` where the server has no other; empty if the protocol has no such end."""

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        self._on_text = on_text
        self._texts: list[str] = []
        self._refusals: list[str] = []
        """The words of a model that refuses, where they are not its reply."""
        self._usage: Usage | None = None
        self._model = ""
        self.begun = False
        self.finish = ""
        self.over = False

    @abstractmethod
    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a piece of the answer, in any shape.

        Raises:
            ModelError: The piece reports that the reply failed.
        """

    @abstractmethod
    def _calls(self) -> Iterator[WrittenCall]:
        """Yield the calls in their order."""

    def _blocks(self) -> Sequence[Mapping[str, Any]]:
        """Return the reply in its provider's own form; empty if there is nothing to repeat."""
        return ()

    def reply(self, names: ToolNames, taken: Iterable[str], client: ModelClient) -> Reply:
        """Return the reply.

        Args:
            names: The names of the tools.
            taken: Ids of earlier calls of the conversation.
            client: The client that asked.

        Raises:
            ContentFiltered: The model refuses, or a filter blocked the reply.
            UnreadableAnswer: It is empty.
        """
        refused = " ".join("".join(self._refusals).split())
        if refused:
            raise ContentFiltered(
                f"the model refuses and says `{refused[:500]}` - ask for something else"
            )
        if self.finish in self.filter_words:
            raise ContentFiltered("a filter held the model's reply back - ask for something else")
        cut = self.finish in self.cut_words
        found = list(islice(self._calls(), MOST_CALLS + 1))
        used, calls, same = set(taken), [], not cut and len(found) <= MOST_CALLS
        for written in found[:MOST_CALLS]:
            number = unique_id(used, written.id)
            used.add(number)
            call = read_call(number, names.own(written.name), written.arguments, cut=cut)
            same = same and number == written.id and not call.fault
            calls.append(call)
        text = "".join(self._texts)
        if cut and not text and not calls:
            raise UnreadableAnswer(
                "the model reached its limit of tokens before it said anything - "
                "raise the limit in `params`"
            )
        blocks = tuple(self._blocks()) if same else ()
        replay = Replay(client.provider, blocks) if blocks else None
        return Reply(text, tuple(calls), self._usage, self._model or client.name, replay)

    def _say(self, text: Any) -> None:
        """Add words, if they are any."""
        if isinstance(text, str) and text:
            self._texts.append(text)
            if self._on_text is not None:
                self._on_text(text)


class ModelClient(ABC):
    """A model behind an HTTP API."""

    protocol: ClassVar[str]
    """The protocol, which is the beginning of `Replay.provider`."""
    base_ending: ClassVar[str] = "/v1"
    """End of the base address at the provider, for messages."""
    letter_first: ClassVar[bool] = False
    """Whether the API refuses names of tools that begin with a digit or `-`."""

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
            base_url: Base address of the API, its version included: `https://api.openai.com/v1`; in
                a page it may be only a path.
            model: Name of the model on the server.
            fetch: Sends the requests.
            api_key: Sent in the header that the protocol has for it; leave it out in a page, where
                the server has it.
            context_tokens: The longest conversation, the reply included.
            headers: Headers of each request.
            params: Changes to the body of each request, as a JSON merge patch (RFC 7396):
                `{"temperature": 0}` sets a field, and None removes one.
            limits: Time limits of an answer.

        Raises:
            ValueError: The address or the name is empty, or a header cannot be sent.
        """
        if not base_url.strip() or not model.strip():
            raise ValueError(
                "an address and a model's name are needed - "
                f'write `{type(self).__name__}("https://…{self.base_ending}", "…", fetch)`'
            )
        self._name = model.strip()
        self._url = _address(base_url.strip(), self._path())
        self._fetch = fetch
        self._headers = checked_headers(
            {
                "content-type": "application/json",
                "accept": "text/event-stream",
                **self._own_headers(api_key.strip() if api_key else ""),
            },
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

    @property
    def provider(self) -> str:
        """The protocol and the model, as in `Replay.provider`."""
        return f"{self.protocol}:{self._name}"

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
        tool_choice: str | None = None,
    ) -> Reply:
        """Return the model's reply. Cancelling the awaiting task ends the request.

        Args:
            messages: The conversation so far.
            tools: The tools that the model may call.
            on_text: Receives the words piece by piece, as they come.
            tool_choice: Name of the tool that the model has to call; None to leave it the choice.

        Raises:
            ModelError: The model gave no reply.
            ValueError: The chosen tool is not one of the tools.
        """
        called = (call.name for message in messages for call in message.calls)
        offered = (tool.name for tool in tools)
        names = ToolNames([*offered, *called], letter_first=self.letter_first)
        chosen_tools(tools, tool_choice)
        body = _merged(self._body(messages, tools, tool_choice, names), self._params)
        data = utf8_json(json.dumps(body, ensure_ascii=False))
        request = Request(self._url, headers=self._headers, body=data)
        assembly = self._assembly(on_text)
        taken = [call.id for message in messages for call in message.calls]
        try:
            async with open_answer(self._fetch, request, self._limits) as answer:
                if not 200 <= answer.status < 300:
                    raise refusal(answer.status, answer.headers, await error_text(answer))
                await self._read(answer, assembly)
            return assembly.reply(names, taken, self)
        except ModelError as error:
            raise without_secrets(error, self._headers) from error.__cause__

    async def _read(self, answer: Answer, assembly: Assembly) -> None:
        """Read an answer up to the end that its protocol has."""
        data = None
        try:
            async with aclosing(json_data(answer)) as pieces:
                async for data in pieces:
                    if data == DONE:
                        assembly.finish = assembly.finish or assembly.done_word
                        break
                    error = error_in(data)
                    if error is not None:
                        raise stream_error(error)
                    if isinstance(data, dict):
                        # Anything else between the pieces, such as a ping, is ignored.
                        assembly.add(data)
                    if assembly.over:
                        break
        except ConnectionLost as error:
            if not assembly.finish:
                raise CutStream(
                    f"the model's reply was cut - {error.message} - ask again"
                ) from error
        except CutStream:
            if not assembly.finish:
                raise
        if data is not None and not assembly.begun:
            raise UnreadableAnswer(
                f"the model's server answers with something else than `{type(self).__name__}` "
                f"reads - check the provider, and the address, which ends in `{self.base_ending}` "
                "on most servers"
            )
        if not assembly.finish:
            raise CutStream("the model's reply ends without saying that it is finished - ask again")

    @abstractmethod
    def _path(self) -> str:
        """Return the way from the base address to the requests, perhaps with a query."""

    def _own_headers(self, key: str) -> dict[str, str]:
        """Return the headers of the protocol; the key may be empty."""
        return {"authorization": f"Bearer {key}"} if key else {}

    @abstractmethod
    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        """Return the body of a request; `tool_choice` is one of the tools, or None."""

    @abstractmethod
    def _assembly(self, on_text: Callable[[str], None] | None) -> Assembly:
        """Return an empty assembly for an answer."""

    def _replayed(self, message: Message) -> tuple[Mapping[str, Any], ...]:
        """Return a message in this provider's own form, or nothing if it has no such form."""
        replay = message.replay
        return replay.blocks if replay is not None and replay.provider == self.provider else ()


def _address(base_url: str, path: str) -> str:
    address, _, given = base_url.partition("?")
    path, _, own = path.partition("?")
    query = "&".join(part for part in (given, own) if part)
    return f"{address.rstrip('/').removesuffix(path)}{path}" + (f"?{query}" if query else "")


def _merged(data: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return data changed by a JSON merge patch (RFC 7396)."""
    found = dict(data)
    for key, value in patch.items():
        if value is None:
            found.pop(key, None)
        elif isinstance(value, Mapping):
            inner = found.get(key)
            found[key] = _merged(inner if isinstance(inner, Mapping) else {}, value)
        else:
            found[key] = value
    return found


def function_json(tool: ToolDefinition, names: ToolNames) -> dict[str, Any]:
    """Return a tool as a function, in the form of OpenAI, which others have too."""
    return {
        "name": names.safe(tool.name),
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }


def images_after_results(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages for an API that takes images from the user alone.

    The images in the results of calls are in a message of the user after these results, since no
    other message may be between them.
    """
    images: list[bytes] = []
    for message in messages:
        if message.role is Role.TOOL:
            images.extend(message.images)
            yield replace(message, images=())
            continue
        if images:
            yield Message(Role.USER, _IMAGES_OF_RESULTS, images=tuple(images))
            images = []
        yield message
    if images:
        yield Message(Role.USER, _IMAGES_OF_RESULTS, images=tuple(images))


def cache_key(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> str:
    """Return a key that requests with the same tools and the same first stable prefix share.

    It is empty if nothing is stable. Later stable messages do not change it, so that the steps of
    a conversation have one key.
    """
    end = next((n for n, message in enumerate(messages, 1) if message.stable), 0)
    if not end:
        return ""
    prefix = [
        [[tool.name, tool.description, dict(tool.parameters)] for tool in tools],
        [[message.role.value, message.text] for message in messages[:end]],
    ]
    return hashlib.sha256(utf8_json(json.dumps(prefix, ensure_ascii=False))).hexdigest()[:32]


def text_in(data: Any, key: str) -> str:
    """Return a text of an object; empty if it has no such text."""
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, str) else ""


def tokens_in(data: Any, key: str) -> int:
    """Return a number of tokens of an object; 0 if it has no such number."""
    value = data.get(key) if isinstance(data, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0
    return max(int(value), 0)


def objects_in(data: Any, key: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list of an object; empty if it has no such list."""
    value = data.get(key) if isinstance(data, Mapping) else None
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def base64_text(image: bytes) -> str:
    """Return an image in Base64."""
    return base64.b64encode(image).decode()


def data_url(image: bytes) -> str:
    """Return an image as a data URL."""
    return f"data:{image_type(image)};base64,{base64_text(image)}"
