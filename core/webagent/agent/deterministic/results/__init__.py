"""What tools gave back: the things in it, which of them a goal means, and what to say about them."""

from webagent.agent.deterministic.results.answer import answer, asked_names, meant_of, told_of
from webagent.agent.deterministic.results.bounds import Asked
from webagent.agent.deterministic.results.deeds import called, done, intended, refusal_of, to_do
from webagent.agent.deterministic.results.items import (
    Field,
    Item,
    Result,
    missing_of,
    named_in,
    read_result,
)
from webagent.agent.deterministic.results.pick import COMPARING, Choice, pick

__all__ = [
    "COMPARING",
    "Asked",
    "Choice",
    "Field",
    "Item",
    "Result",
    "answer",
    "asked_names",
    "called",
    "done",
    "intended",
    "meant_of",
    "missing_of",
    "named_in",
    "pick",
    "read_result",
    "refusal_of",
    "to_do",
    "told_of",
]
