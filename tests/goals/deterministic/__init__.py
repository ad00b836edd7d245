"""The planner that needs no model: plain rules about words, values, tools and results."""

from tests.goals.deterministic.planner import DeterministicPlanner

__all__ = ["DeterministicPlanner"]
