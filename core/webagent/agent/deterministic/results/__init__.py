"""What tools gave back: the things in it, which of them a goal means, and what to say about them."""

from webagent.agent.deterministic.results.answer import answer, asked_names, told_of
from webagent.agent.deterministic.results.arguments import fit_of
from webagent.agent.deterministic.results.corrections import allowed_by, failure_of
from webagent.agent.deterministic.results.deeds import called, intended, to_do
from webagent.agent.deterministic.results.items import Field, Item, Result, missing_of, read_result
from webagent.agent.deterministic.results.pick import COMPARING, Asked, Choice, pick
from webagent.agent.deterministic.results.report import done

__all__ = [
    "COMPARING",
    "Asked",
    "Choice",
    "Field",
    "Item",
    "Result",
    "allowed_by",
    "answer",
    "asked_names",
    "called",
    "done",
    "failure_of",
    "fit_of",
    "intended",
    "missing_of",
    "pick",
    "read_result",
    "to_do",
    "told_of",
]
