"""A remote agent as a model, over A2A."""

from webagent.llm.a2a.model import A2AModel

__all__ = ["A2AModel"]
