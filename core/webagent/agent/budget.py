"""How much a run may use up."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from webagent.agent.run import Spent
from webagent.errors import Cancelled, ToolError, ToolTimeout

_CONTINUE = "tell what was done so far, or start again with a larger budget"


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a run may use up; None sets no limit."""

    steps: int = 50
    tokens: int | None = None
    """Of prompts and replies together."""
    seconds: float = 600.0
    """Without the time that a person takes to answer."""
    usd: Decimal | None = None

    def problem(self, spent: Spent) -> ToolError | None:
        """Return why a run may not go on, or None if it may."""
        used = spent.usage.prompt + spent.usage.completion
        if spent.steps >= self.steps:
            return _used_up(f"{self.steps} steps")
        if spent.seconds >= self.seconds:
            message = f"the {self.seconds:g} s that the run may take are over"
            return ToolTimeout(message, help=_CONTINUE)
        if self.tokens is not None and used >= self.tokens:
            return _used_up(f"{self.tokens} tokens")
        if self.usd is None:
            return None
        if spent.usd is None:
            return Cancelled(
                f"what the model costs is not known, so {self.usd} USD cannot be kept to",
                help="give the prices of the model, or a budget of tokens instead",
            )
        return _used_up(f"{self.usd} USD") if Decimal(spent.usd) >= self.usd else None


def _used_up(what: str) -> Cancelled:
    return Cancelled(f"the run's budget of {what} is used up", help=_CONTINUE)
