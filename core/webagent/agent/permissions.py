"""The gate every action goes through: the policy judges, and the person is asked if need be."""

from __future__ import annotations

import asyncio
import json

from webagent.agent.asking import Asking
from webagent.agent.intent import Intent
from webagent.agent.person import Request
from webagent.agent.plan import Plan, PlanStep, Verdict
from webagent.agent.policy import Decision, Judge, Ruling
from webagent.agent.requests import approval, deed
from webagent.agent.run import Run
from webagent.agent.scene import Scene
from webagent.errors import Denied
from webagent.types import Effect

_EFFECTS: dict[str, Effect] = {
    "read": "read",
    "write": "write",
    "irreversible": "irreversible",
    "unknown": "unknown",
}
_HELP = "go on without it, or ask what to do instead; do not try the same again"


class Gate:
    """Lets through what the policy allows, or the person."""

    def __init__(self, policy: Judge, asking: Asking) -> None:
        """Judge by a policy, and ask a person."""
        self._policy = policy
        self._asking = asking
        self._turn = asyncio.Lock()
        self._refused: set[str] = set()

    async def permit(self, intent: Intent, run: Run, scene: Scene) -> bool:
        """Return when an action may be taken: whether the person was asked for it.

        Raises:
            Denied: The policy refuses it, or the person says no.
        """
        if await self._judge(intent, run) is None:
            return False
        async with self._turn:
            # What was answered meanwhile may allow this too.
            if (decision := await self._judge(intent, run)) is not None:
                await self._ask(intent, decision, run, scene)
        return True

    async def _judge(self, intent: Intent, run: Run) -> Decision | None:
        """Return a decision to ask, or None when an action may be taken."""
        decision = await self._policy.judge(intent, run)
        if decision.ruling is Ruling.RUN:
            return None
        if decision.ruling is Ruling.REFUSE:
            reason = f" - {decision.reason}" if decision.reason else ""
            message = f"the policy does not allow to {_named(intent)}{reason}"
            raise Denied(message, tool=intent.tool or None, help=_HELP)
        return decision

    async def _ask(self, intent: Intent, decision: Decision, run: Run, scene: Scene) -> None:
        tool = intent.tool or None
        exactly = json.dumps([intent.key, dict(intent.arguments)], sort_keys=True, default=str)
        if exactly in self._refused:
            message = f"the person did not allow to {_named(intent)} with these arguments"
            raise Denied(f"{message}, and is not asked again", tool=tool, help=_HELP)
        answer = await self._asking.ask(approval(intent, decision, run, scene))
        if not answer.yes:
            self._refused.add(exactly)
            said = f" and said: {answer.text}" if answer.text else ""
            message = f"the person did not allow to {_named(intent)}{said}"
            raise Denied(message, tool=tool, help=_HELP)
        if answer.session and decision.session and intent.key not in run.allowed:
            run.allowed.append(intent.key)

    async def accept(self, plan: Plan, run: Run) -> Verdict:
        """Return whether a plan is accepted: by the policy if all of it runs, else by the person.

        A step whose effect is not known yet is judged when it is taken; a plan that says nothing
        of any effect is shown to the person.
        """
        known = [step for step in plan.steps if step.effect]
        rulings = [(await self._policy.judge(_planned(step), run)).ruling for step in known]
        if rulings and all(ruling is Ruling.RUN for ruling in rulings):
            return Verdict(True, "policy")
        details = {"steps": plan.to_dict()["steps"]}
        answer = await self._asking.ask(Request("plan", plan.text, details))
        return Verdict(answer.yes, "person", answer.text)


def _planned(step: PlanStep) -> Intent:
    effect = _EFFECTS.get(step.effect, "unknown")
    return Intent(step.action or "call_tool", effect, tool=step.tool, label=step.text)


def _named(intent: Intent) -> str:
    """Return what is about to be done; a tool by its name, as who has called it knows it."""
    return f"call `{intent.tool}`" if intent.tool else deed(intent)
