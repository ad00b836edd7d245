"""Models that answer a conversation: what is said to them, and what comes back."""

from webagent.llm.a2a import A2AModel
from webagent.llm.builtin import BuiltinModel
from webagent.llm.chat import ChatModel, Message, Reply, Role, ToolCall, ToolDefinition, Usage
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
from webagent.llm.fetch import (
    Answer,
    BridgeFetch,
    Fetch,
    HttpxFetch,
    Request,
    ScriptedAnswer,
    ScriptedFetch,
)
from webagent.llm.openai import OpenAIModel
from webagent.llm.reading import Limits
from webagent.llm.scripted import Held, ScriptedModel

__all__ = [
    "A2AModel",
    "Answer",
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
    "Held",
    "HttpxFetch",
    "Limits",
    "Message",
    "ModelError",
    "ModelFailed",
    "ModelUnavailable",
    "OpenAIModel",
    "Overloaded",
    "QuotaExhausted",
    "RateLimited",
    "Reply",
    "Request",
    "Role",
    "ScriptedAnswer",
    "ScriptedFetch",
    "ScriptedModel",
    "TimedOut",
    "ToolCall",
    "ToolDefinition",
    "UnreadableAnswer",
    "Usage",
]
