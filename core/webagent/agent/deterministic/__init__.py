"""The planner that needs no model: plain rules about words, values, tools and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webagent.agent.deterministic.planner import DeterministicPlanner

__all__ = ["DeterministicPlanner"]


def __getattr__(name: str) -> object:
    """Import the planner when it is used; a model needs only the readers in this package."""
    if name != "DeterministicPlanner":
        raise AttributeError(f"module `webagent.agent.deterministic` has no attribute `{name}`")
    from webagent.agent.deterministic.planner import DeterministicPlanner

    globals()[name] = DeterministicPlanner
    return DeterministicPlanner
