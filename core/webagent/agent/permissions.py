"""The gate every action goes through: the policy judges, and the person is asked if need be."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.person import Answer, Person, Request
from webagent.agent.provenance import origins
from webagent.agent.redact import printable
from webagent.agent.run import Plan, PlanStep, Run, Scene, Verdict
from webagent.errors import Denied
from webagent.page.snapshot import Element
from webagent.registry.secrets import MASK
from webagent.types import Effect


class PersonChannel:
    """The way to the person during a run.

    Attributes:
        waited_s: Seconds that answers have taken so far.
    """

    def __init__(self, person: Person, events: Events, clock: Clock) -> None:
        """Ask this person, and tell of it."""
        self._person = person
        self._events = events
        self._clock = clock
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()
        self.waited_s = 0.0
        self._waiting = 0

    @property
    def busy(self) -> bool:
        """Whether an answer is waited for."""
        return self._waiting > 0

    async def ask(self, request: Request) -> Answer:
        """Return the person's answer; requests that come meanwhile wait for their turn."""
        self._waiting += 1
        try:
            async with self._turn:
                return await self._ask(request)
        finally:
            self._waiting -= 1

    async def _ask(self, request: Request) -> Answer:
        number = f"ask-{next(self._numbers)}"
        self._events.emit("asked", id=number, request=request.to_dict())
        started = self._clock.seconds()
        try:
            answer = await self._person.ask(request)
        finally:
            self.waited_s += self._clock.seconds() - started
        text = MASK if request.details.get("secret") and answer.text else answer.text
        self._events.emit("answered", id=number, yes=answer.yes, text=text)
        return answer


@dataclass(frozen=True, slots=True)
class Intent:
    """One action that is about to be taken."""

    action: str
    effect: Effect = "unknown"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Of a tool's call, the tool's own."""
    tool: str = ""
    """Which tool of the page is called, if one is."""
    place: str = ""
    """Path of the page it is done on; the same words mean other things elsewhere."""
    label: str = ""
    """What it is done to, in words that a person sees: `Add to basket`."""
    to: str = ""
    """The other origin that is sent something, or gone to; empty for the page's own."""
    element: Element | None = None
    """What is clicked, followed or filled in, when that is one thing."""

    @property
    def key(self) -> str:
        """By what it is remembered that the person has allowed it."""
        return self.tool or f"{self.action} {self.label} on {self.place}"


class Ruling(StrEnum):
    """What becomes of an intent."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a policy says of one intent."""

    ruling: Ruling
    reason: str = ""
    """Why it has to be asked for, or is refused; for the person, or for the model."""
    session: bool = False
    """Whether the person may allow it for the rest of the session."""


class Judge(Protocol):
    """A policy: one question, answered for every action before it is taken."""

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Return whether an intent runs, is asked for, or is refused.

        It is asked of each step of a plan too, so it must do nothing but judge.
        """


class Policy:
    """Reads run, writes ask, and what cannot be taken back asks every time.

    What says nothing of its effect counts as a write. Whatever is sent to another origin, and
    going there, asks every time too.
    """

    def __init__(self, *, allow: Collection[str] = (), allow_writes: bool = False) -> None:
        """Create the policy.

        Args:
            allow: Tools, actions, and keys of intents, whose writes need no yes.
            allow_writes: Whether no write needs one.
        """
        self._allow = frozenset(allow)
        self._allow_writes = allow_writes

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Return what becomes of an intent, by its effect and by whom it reaches."""
        if intent.to and intent.to != run.origin:
            return Decision(Ruling.ASK, f"this goes to another site: `{intent.to}`")
        match intent.effect:
            case "read":
                return Decision(Ruling.RUN)
            case "irreversible":
                return Decision(Ruling.ASK, "this cannot be taken back")
        names = {intent.tool, intent.action, intent.key} - {""}
        allowed = names & self._allow or intent.key in run.allowed
        if self._allow_writes or allowed:
            return Decision(Ruling.RUN)
        unknown = "the site does not say what this changes"
        reason = "this changes something" if intent.effect == "write" else unknown
        return Decision(Ruling.ASK, reason, session=bool(intent.tool or intent.label))


_ACTION_PHRASES: Final[Mapping[str, str]] = {
    "call_tool": "use {label}",
    "click": "press {label}",
    "click_link": "follow the link {label}",
    "enter_data": "fill in and send {label}",
    "goto_url": "open {label}",
    "search": "search the site",
    "execute_js": "run a program in this page",
}
"""What is done, as a person would say it, by the action."""

_NAMELESS: Final[Mapping[str, str]] = {
    "click": "a control without a name",
    "click_link": "without words",
    "enter_data": "a form",
}
"""What a thing without a name is called."""

_LONGEST_LABEL = 120


def approval(intent: Intent, decision: Decision, run: Run, scene: Scene) -> Request:
    """Return the request for a yes to an action.

    Args:
        intent: What is about to be done.
        decision: Why it has to be asked for.
        run: In which what is given may have been found.
        scene: The page, where it may stand.
    """
    details: dict[str, Any] = {
        "action": intent.action,
        "tool": intent.tool,
        "title": intent.label,
        "effect": intent.effect,
        "arguments": dict(intent.arguments),
        "origins": origins(intent.arguments, run, scene),
        "session": decision.session,
        "reason": decision.reason,
    }
    if decision.session:
        details["key"] = intent.key
    if intent.to:
        details["to"] = intent.to
    if intent.element:
        element = intent.element
        details["element"] = {"pp_id": element.id, "role": element.role, "name": element.name}
    question = f"May I {phrase_of(intent)}?"
    return Request(
        "approval", " ".join(filter(None, (question, _sentence(decision.reason)))), details
    )


def phrase_of(intent: Intent) -> str:
    """Return what is about to be done, as it follows “May I”: ``press `Save` ``."""
    following = intent.element is not None and intent.element.role == "link"
    action = "click_link" if following else intent.action
    words = _ACTION_PHRASES.get(action, f"take the action `{intent.action}`")
    label = _line(intent.label)
    return words.format(label=f"`{label}`" if label else _NAMELESS.get(action, "it"))


def _line(text: str) -> str:
    """Return words of a page on one line, which end no code of theirs."""
    line = " ".join(printable(text.replace("`", "'")).split())
    return line if len(line) <= _LONGEST_LABEL else f"{line[:_LONGEST_LABEL]}…"


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""


_EFFECTS: dict[str, Effect] = {
    "read": "read",
    "write": "write",
    "irreversible": "irreversible",
    "unknown": "unknown",
}

_HELP = "go on without it, or ask what to do instead; do not try the same again"


class Gate:
    """Lets through what the policy allows, or the person."""

    def __init__(self, policy: Judge, asking: PersonChannel) -> None:
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
    return f"call `{intent.tool}`" if intent.tool else phrase_of(intent)
