"""Models that reply to conversations.

Each part is imported when it is first used, so that a page loads no conversation before its first goal,
and without a model no kind of model.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webagent.llm.a2a import A2AModel
    from webagent.llm.anthropic import AnthropicModel
    from webagent.llm.builtin import BuiltinModel
    from webagent.llm.chat import (
        ChatModel,
        Message,
        Replay,
        Reply,
        Role,
        ToolCall,
        ToolDefinition,
        Usage,
    )
    from webagent.llm.errors import (
        BadRequest,
        ConnectionLost,
        ContentFiltered,
        ContextTooLong,
        CredentialsRefused,
        CutStream,
        DownloadNeeded,
        ModelError,
        ModelFailed,
        ModelUnavailable,
        Overloaded,
        QuotaExhausted,
        RateLimited,
        TimedOut,
        UnreadableAnswer,
    )
    from webagent.llm.gemini import GeminiModel
    from webagent.llm.http import (
        Answer,
        BridgeFetch,
        Fetch,
        HttpxFetch,
        Limits,
        Request,
        ScriptedAnswer,
        ScriptedFetch,
    )
    from webagent.llm.module import ModuleModel
    from webagent.llm.ollama import OllamaModel
    from webagent.llm.openai import OpenAIModel
    from webagent.llm.providers import connect_model
    from webagent.llm.responses import ResponsesModel
    from webagent.llm.scripted import Held, ScriptedModel

__all__ = [
    "A2AModel",
    "Answer",
    "AnthropicModel",
    "BadRequest",
    "BridgeFetch",
    "BuiltinModel",
    "ChatModel",
    "ConnectionLost",
    "ContentFiltered",
    "ContextTooLong",
    "CredentialsRefused",
    "CutStream",
    "DownloadNeeded",
    "Fetch",
    "GeminiModel",
    "Held",
    "HttpxFetch",
    "Limits",
    "Message",
    "ModelError",
    "ModelFailed",
    "ModelUnavailable",
    "ModuleModel",
    "OllamaModel",
    "OpenAIModel",
    "Overloaded",
    "QuotaExhausted",
    "RateLimited",
    "Replay",
    "Reply",
    "Request",
    "ResponsesModel",
    "Role",
    "ScriptedAnswer",
    "ScriptedFetch",
    "ScriptedModel",
    "TimedOut",
    "ToolCall",
    "ToolDefinition",
    "UnreadableAnswer",
    "Usage",
    "connect_model",
]

_MODULES = {
    "A2AModel": "a2a",
    "Answer": "http",
    "AnthropicModel": "anthropic",
    "BadRequest": "errors",
    "BridgeFetch": "http",
    "BuiltinModel": "builtin",
    "ChatModel": "chat",
    "ConnectionLost": "errors",
    "ContentFiltered": "errors",
    "ContextTooLong": "errors",
    "CredentialsRefused": "errors",
    "CutStream": "errors",
    "DownloadNeeded": "errors",
    "Fetch": "http",
    "GeminiModel": "gemini",
    "Held": "scripted",
    "HttpxFetch": "http",
    "Limits": "http",
    "Message": "chat",
    "ModelError": "errors",
    "ModelFailed": "errors",
    "ModelUnavailable": "errors",
    "ModuleModel": "module",
    "OllamaModel": "ollama",
    "OpenAIModel": "openai",
    "Overloaded": "errors",
    "QuotaExhausted": "errors",
    "RateLimited": "errors",
    "Replay": "chat",
    "Reply": "chat",
    "Request": "http",
    "ResponsesModel": "responses",
    "Role": "chat",
    "ScriptedAnswer": "http",
    "ScriptedFetch": "http",
    "ScriptedModel": "scripted",
    "TimedOut": "errors",
    "ToolCall": "chat",
    "ToolDefinition": "chat",
    "UnreadableAnswer": "errors",
    "Usage": "chat",
    "connect_model": "providers",
}
"""The module of each name that is imported when it is first used."""


def __getattr__(name: str) -> object:
    """Import a name from its module, once."""
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module `webagent.llm` has no attribute `{name}`")
    value = getattr(import_module(f"webagent.llm.{module}"), name)
    globals()[name] = value
    return value
