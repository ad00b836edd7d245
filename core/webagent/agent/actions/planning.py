"""Plans in words: what a model writes, and the action by which it replaces its plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from webagent.agent.actions.base import Context, define
from webagent.agent.bounds import plain
from webagent.agent.plan import Plan, PlanStep
from webagent.registry import Binding

_BULLET = re.compile(r"[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+(\S.*)")
_QUOTED = re.compile(r"`([^`\n]{1,200})`")
_MOST_STEPS = 50
_LONGEST = 500


class MakePlan:
    """Replaces the plan by another, and has that accepted."""

    definition = define(
        "make_plan",
        "Say what you mean to do: one sentence that starts with `I will`, then one line for each "
        "step, `- …`, with the name of the tool it calls in backticks.",
        "plan",
        plan={"type": "string", "minLength": 1, "maxLength": 10_000},
    )

    async def intent(self, arguments: Mapping[str, Any], context: Context) -> None:
        """Say that there is nothing to judge."""

    async def perform(self, arguments: Mapping[str, Any], context: Context) -> Any:
        """Return that the plan was accepted; else the person's reason is the error."""
        plan = plan_of(arguments["plan"], context.scene.tools)
        await context.work.accept(plan)
        return {"accepted": True}


def plan_of(text: str, tools: Sequence[Binding]) -> Plan:
    """Return a plan that is written down: a sentence, then a line for each step.

    Args:
        text: What was written; the sentence is made to start with `I will`.
        tools: The page's, for the effects of the steps that name one.
    """
    steps, sentences = [], []
    for line in plain(text).splitlines():
        if match := _BULLET.match(line):
            steps.append(_step(match[1].strip(), tools))
        elif line.strip() and not steps:
            sentences.append(line.strip())
    said = " ".join(sentences)[:_LONGEST] or "do this"
    if not said.lower().startswith("i will"):
        first = said.split(maxsplit=1)[0]
        keep = first.isupper() or any(letter.isupper() for letter in first[1:])
        said = f"I will {said if keep else said[0].lower() + said[1:]}"
    return Plan(said, tuple(steps[:_MOST_STEPS]))


def _step(text: str, tools: Sequence[Binding]) -> PlanStep:
    named = [match[1].split("(")[0].removeprefix("global.") for match in _QUOTED.finditer(text)]
    for binding in tools:
        if binding.name in named:
            effect = binding.tool.behavior.effect
            return PlanStep(text[:_LONGEST], "call_tool", binding.name, effect)
    return PlanStep(text[:_LONGEST])
