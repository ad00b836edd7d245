"""A remote agent, reached over A2A, in the place of a model."""

from webagent.llm.a2a.model import A2AModel

__all__ = ["A2AModel"]
