"""Models that answer a conversation: what is said to them, and what comes back."""

from webagent.llm.chat import ChatModel, Message, Reply, Role, ToolCall, ToolDefinition, Usage

__all__ = ["ChatModel", "Message", "Reply", "Role", "ToolCall", "ToolDefinition", "Usage"]
