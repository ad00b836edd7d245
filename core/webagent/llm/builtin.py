"""The model that is built into some browsers (`LanguageModel`, the Prompt API)."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Literal, Protocol

from webagent.llm.chat import Message, Reply, Role, ToolDefinition, Usage
from webagent.llm.errors import (
    BadRequest,
    ContentFiltered,
    ContextTooLong,
    DownloadNeeded,
    ModelError,
    ModelFailed,
    ModelUnavailable,
    TimedOut,
)
from webagent.llm.text_calls import SpokenText, constraint, instructions, read_spoken, spoken

Availability = Literal["absent", "unavailable", "downloadable", "downloading", "available"]
"""`absent`: the browser has no such interface; `unavailable`: it has, but no model for this
device or these languages."""

_ERRORS: Mapping[str, tuple[type[ModelError], str]] = {
    "DownloadNeeded": (
        DownloadNeeded,
        "the browser's model must be downloaded first - let the person press a button that "
        "calls `prepare()`",
    ),
    "NotAllowedError": (
        DownloadNeeded,
        "the browser does not start its model now - call `prepare()` when the person presses a "
        "button, on a page whose Permissions-Policy allows `language-model`",
    ),
    "NotReadableError": (ContentFiltered, "the browser held the reply back"),
    "NotSupportedError": (
        ModelUnavailable,
        "this browser has no model of its own for this - use another model, or none",
    ),
    "QuotaExceededError": (ContextTooLong, "the conversation is too long for the browser's model"),
    "SyntaxError": (BadRequest, "the browser's model does not take the schemas of the tools"),
    "TypeError": (BadRequest, "the browser's model does not take the conversation"),
}
"""By the name of the browser's error; any other says that the model failed."""


class ModelBridge(Protocol):
    """The page's side, JSON strings in and out (`llm/builtin_model.ts`)."""

    async def model_availability(self, request: str) -> str:
        """Return whether there is a model for `{"languages"}`."""

    def model_start(self, number: int, request: str) -> None:
        """Begin a reply."""

    async def model_read(self, number: int) -> str:
        """Return what comes next: `progress`, `session`, `text`, `done` or `error`."""

    def model_close(self, number: int) -> None:
        """End a reply."""


class BuiltinModel:
    """The browser's own model. What is said to it stays on the device.

    It asks for calls in JSON, which the browser holds it to; the browser's own way to call tools
    is not used, since it would call them without asking anybody.
    """

    _numbers = itertools.count(1)

    def __init__(
        self,
        bridge: ModelBridge,
        *,
        languages: Sequence[str] = ("en",),
        context_tokens: int = 4_096,
        whole_s: float = 300.0,
    ) -> None:
        """Speak to the model of the browser around this page.

        Args:
            bridge: The page.
            languages: In which it is spoken to, and speaks.
            context_tokens: How long a conversation may be, until the browser has told.
            whole_s: Seconds that a reply may take.
        """
        self._bridge = bridge
        self._languages = list(languages)
        self._context_tokens = context_tokens
        self._whole_s = whole_s

    @property
    def name(self) -> str:
        """What prices and logs know it by."""
        return "builtin"

    @property
    def context_tokens(self) -> int:
        """How long a conversation may be, the reply included."""
        return self._context_tokens

    async def availability(self) -> Availability:
        """Return whether there is a model, and whether it has to be downloaded first."""
        request = json.dumps({"languages": self._languages})
        found: Availability = json.loads(await self._bridge.model_availability(request))
        return found

    async def prepare(self, on_progress: Callable[[float], None] | None = None) -> None:
        """Have the model downloaded, if it is not there yet, and started once.

        A browser downloads it only shortly after the person has pressed something.

        Args:
            on_progress: Hears how much has come, from 0 to 1.

        Raises:
            ModelUnavailable: There is none, or the browser does not start it now.
        """
        asked = {"initial": [], "prompt": [], "download": True}
        async with aclosing(self._told(asked)) as all_told:
            async for told in all_told:
                if told["type"] == "progress" and on_progress is not None:
                    on_progress(told["loaded"])

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Return what the model says next.

        Raises:
            ModelError: No reply could be had.
        """
        asked = _conversation(messages, tools)
        words: list[str] = []
        heard = SpokenText()
        prompt = completion = 0
        try:
            async with (
                asyncio.timeout(self._whole_s),
                aclosing(self._told({**asked, "download": False})) as all_told,
            ):
                async for told in all_told:
                    if told["type"] == "session":
                        prompt = told["prompt"]
                    elif told["type"] == "done":
                        completion = told["completion"]
                    elif told["type"] == "text":
                        words.append(told["text"])
                        said = heard.feed(told["text"]) if tools else told["text"]
                        if said and on_text is not None:
                            on_text(said)
        except TimeoutError as error:
            raise TimedOut(
                f"the browser's model did not finish within {self._whole_s:g} s"
            ) from error
        usage = Usage(prompt, completion) if prompt else None
        if not tools:
            return Reply("".join(words), usage=usage, model=self.name)
        text, calls = read_spoken("".join(words))
        return Reply(text, calls, usage, self.name)

    async def _told(self, asked: Mapping[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """Begin a reply and yield what comes, to its end."""
        number = next(self._numbers)
        self._bridge.model_start(number, json.dumps({"languages": self._languages, **asked}))
        try:
            while True:
                told = json.loads(await self._bridge.model_read(number))
                if told["type"] == "error":
                    kind, why = _ERRORS.get(
                        told["name"], (ModelFailed, "the browser's model failed")
                    )
                    raise kind(f"{why} ({told['message'][:300]})")
                if told["type"] == "session" and told["window"]:
                    self._context_tokens = told["window"]
                yield told
                if told["type"] == "done":
                    return
        finally:
            self._bridge.model_close(number)


def _conversation(messages: Sequence[Message], tools: Sequence[ToolDefinition]) -> dict[str, Any]:
    """Return a conversation as the browser takes it: what was said before, and what is answered."""
    system = [message.text for message in messages if message.role is Role.SYSTEM]
    if tools:
        system.append(instructions(tools))
    names = {call.id: call.name for message in messages for call in message.calls}
    said = [_said(m, names, bool(tools)) for m in messages if m.role is not Role.SYSTEM]
    last = max((i for i, one in enumerate(said) if one["role"] == "assistant"), default=-1) + 1
    first = [{"role": "system", "text": "\n\n".join(system)}] if system else []
    asked: dict[str, Any] = {
        "initial": [*first, *said[:last]],
        "prompt": said[last:] or [{"role": "user", "text": "Go on."}],
    }
    return asked | ({"constraint": constraint(tools)} if tools else {})


def _said(message: Message, names: Mapping[str, str], with_tools: bool) -> dict[str, Any]:
    if message.role is Role.ASSISTANT:
        text = spoken(message) if with_tools else message.text
        return {"role": "assistant", "text": text}
    text = message.text
    if message.role is Role.TOOL:
        text = f"Result of `{names.get(message.call_id, message.call_id)}`:\n{text}"
    images = [base64.b64encode(image).decode() for image in message.images]
    return {"role": "user", "text": text} | ({"images": images} if images else {})
