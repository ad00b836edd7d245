"""Google's own API for Gemini: `generateContent`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any
from urllib.parse import quote

from webagent.llm.chat import Message, Role, ToolDefinition, Usage, image_type, unique_id
from webagent.llm.client import (
    Assembly,
    ModelClient,
    WrittenCall,
    base64_text,
    objects_in,
    text_in,
    tokens_in,
)
from webagent.llm.errors import ContentFiltered, CutStream
from webagent.llm.tool_names import ToolNames

Part = dict[str, Any]

_OTHER_MODEL = "skip_thought_signature_validator"
"""The signature that the API documents for calls that another model made."""

_BROKEN = frozenset(
    {"MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "OTHER"}
)
"""Reasons of a reply that failed, and may succeed when it is asked for again."""


class GeminiModel(ModelClient):
    """A model behind Google's API for Gemini."""

    protocol = "gemini"
    base_ending = "/v1beta"
    letter_first = True

    def _path(self) -> str:
        name = self._name if "/" in self._name else f"models/{self._name}"
        return f"/{quote(name)}:streamGenerateContent?alt=sse"

    def _own_headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def _body(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolDefinition],
        tool_choice: str | None,
        names: ToolNames,
    ) -> dict[str, Any]:
        system, contents = self._conversation(messages, names)
        body: dict[str, Any] = {"contents": contents}
        if system:
            body["systemInstruction"] = {"parts": system}
        if tools:
            body["tools"] = [{"functionDeclarations": [_declaration(t, names) for t in tools]}]
        if tool_choice is not None:
            config = {"mode": "ANY", "allowedFunctionNames": [names.safe(tool_choice)]}
            body["toolConfig"] = {"functionCallingConfig": config}
        return body

    def _assembly(self, on_text: Callable[[str], None] | None) -> ContentAssembly:
        return ContentAssembly(on_text)

    def _conversation(
        self, messages: Sequence[Message], names: ToolNames
    ) -> tuple[list[Part], list[dict[str, Any]]]:
        """Return the parts of the system, and the contents.

        The results of the calls of one reply are one content, with their images after them.
        """
        system: list[Part] = []
        contents: list[dict[str, Any]] = []
        calls: dict[str, dict[str, Any]] = {}
        """Calls by id, as they are sent."""
        results: list[Part] = []
        images: list[Part] = []
        for message in messages:
            if message.role is Role.TOOL:
                call = calls.get(message.call_id, {"name": message.call_id})
                answer = {**call, "response": {"output": message.text}}
                results.append({"functionResponse": answer})
                images.extend(map(_image, message.images))
                continue
            if results:
                contents.append({"role": "user", "parts": [*results, *images]})
                results, images = [], []
            if message.role is Role.SYSTEM and not contents:
                system.extend(_texts(message.text))
                continue
            if message.role is Role.ASSISTANT:
                role, parts = "model", self._model_parts(message, names, calls)
            else:
                role, parts = "user", [*map(_image, message.images), *_texts(message.text)]
            if parts:
                contents.append({"role": role, "parts": parts})
        if results:
            contents.append({"role": "user", "parts": [*results, *images]})
        return system, contents

    def _model_parts(
        self, message: Message, names: ToolNames, calls: dict[str, dict[str, Any]]
    ) -> list[Part]:
        """Return the parts of a reply, and add its calls to those that results refer to."""
        replayed = self._replayed(message)
        if replayed:
            made = [part["functionCall"] for part in replayed if "functionCall" in part]
            for call, function in zip(message.calls, made, strict=False):
                calls[call.id] = {key: function[key] for key in ("id", "name") if key in function}
            return [dict(part) for part in replayed]
        parts = _texts(message.text)
        for number, call in enumerate(message.calls):
            calls[call.id] = {"id": call.id, "name": names.safe(call.name)}
            part: Part = {"functionCall": {**calls[call.id], "args": dict(call.arguments)}}
            if not number:
                part["thoughtSignature"] = _OTHER_MODEL
            parts.append(part)
        return parts


def _texts(text: str) -> list[Part]:
    return [{"text": text}] if text else []


def _image(image: bytes) -> Part:
    return {"inlineData": {"mimeType": image_type(image), "data": base64_text(image)}}


def _declaration(tool: ToolDefinition, names: ToolNames) -> dict[str, Any]:
    return {
        "name": names.safe(tool.name),
        "description": tool.description,
        "parametersJsonSchema": dict(tool.parameters),
    }


class ContentAssembly(Assembly):
    """Collects the pieces of a reply of `generateContent`."""

    cut_words = frozenset({"MAX_TOKENS"})
    filter_words = frozenset(
        {
            "SAFETY",
            "RECITATION",
            "LANGUAGE",
            "BLOCKLIST",
            "PROHIBITED_CONTENT",
            "SPII",
            "IMAGE_SAFETY",
            "IMAGE_PROHIBITED_CONTENT",
            "IMAGE_RECITATION",
            "MODEL_ARMOR",
        }
    )

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty assembly; `on_text` receives words as they come."""
        super().__init__(on_text)
        self._parts: list[Part] = []
        self._ids: list[str] = []
        """Ids of the calls, in their order; some models give them no ids."""

    def add(self, piece: Mapping[str, Any]) -> None:
        """Add a piece, or a whole answer.

        Raises:
            ContentFiltered: The conversation was blocked.
            CutStream: The reply failed in the middle.
        """
        self._model = text_in(piece, "modelVersion") or self._model
        self._count(piece.get("usageMetadata"))
        blocked = text_in(piece.get("promptFeedback"), "blockReason")
        if blocked:
            raise ContentFiltered(
                f"the model's server blocks the conversation for the reason `{blocked[:100]}` - "
                "ask for something else"
            )
        self.begun = self.begun or "candidates" in piece or "usageMetadata" in piece
        for candidate in objects_in(piece, "candidates"):
            if candidate.get("index", 0) in (0, None):
                for part in objects_in(candidate.get("content"), "parts"):
                    self._part(dict(part))
                reason = text_in(candidate, "finishReason")
                if reason in _BROKEN:
                    raise CutStream(
                        f"the model's reply failed for the reason `{reason}` - ask again"
                    )
                self.finish = reason or self.finish

    def _part(self, part: Part) -> None:
        is_call = "functionCall" in part
        if is_call and not text_in(part["functionCall"], "name"):
            return
        self._parts.append(part)
        if is_call:
            self._ids.append(text_in(part["functionCall"], "id") or unique_id(()))
        elif not part.get("thought"):
            self._say(part.get("text"))

    def _count(self, usage: Any) -> None:
        prompt = tokens_in(usage, "promptTokenCount") + tokens_in(usage, "toolUsePromptTokenCount")
        completion = tokens_in(usage, "candidatesTokenCount")
        completion += tokens_in(usage, "thoughtsTokenCount")
        if prompt or completion:
            cached = tokens_in(usage, "cachedContentTokenCount")
            self._usage = Usage(prompt, completion, min(cached, prompt))

    def _calls(self) -> Iterator[WrittenCall]:
        made = (part["functionCall"] for part in self._parts if "functionCall" in part)
        for number, call in zip(self._ids, made, strict=True):
            yield WrittenCall(number, call["name"], call.get("args"))

    def _blocks(self) -> list[Part]:
        """Return the parts; the pieces of a text that has no signature are one part."""
        blocks: list[Part] = []
        for plain, group in groupby(self._parts, lambda part: part.keys() == {"text"}):
            parts = list(group)
            text = "".join(text_in(part, "text") for part in parts)
            blocks.extend([{"text": text}] if plain else parts)
        return blocks
