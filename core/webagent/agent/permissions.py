"""Permission to act: the intent of an action, the policy that judges it, and the person's yes.

`Gate` is the one way through: it asks the policy about every intent, and the person where the policy
says so.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import Any, Final, Protocol

from webagent.agent.grants import Grant, control_key, kind_key, offered, quotable
from webagent.agent.person import NOT_ALLOWED, Answer, PersonChannel, Request, RequestKind
from webagent.agent.provenance import origins
from webagent.agent.redact import asks_for_secret
from webagent.agent.run import Plan, PlanStep, Run, Scene, Verdict
from webagent.confusables import skeleton
from webagent.errors import Cancelled, Denied, ToolError
from webagent.page.snapshot import Element
from webagent.registry.limits import MOST_REFUSALS, MOST_REFUSALS_IN_ALL
from webagent.registry.sentences import labels, names, sentence
from webagent.speech import Speech, say, speaking
from webagent.types import Effect


@dataclass(frozen=True, slots=True)
class Intent:
    """One action that is about to be taken."""

    action: str
    effect: Effect = "unknown"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The action's arguments; those of the tool if a tool is called."""
    tool: str = ""
    """Name of the page's tool, if one is called."""
    place: str = ""
    """Path of the page; the same label means something else on another one."""
    label: str = ""
    """The control or tool in words that a person sees: `Add to basket`."""
    to: str = ""
    """The other origin that receives data or is opened; empty for the page's own."""
    element: Element | None = None
    """The element that is clicked, followed or filled in, if it is a single one."""
    kind: str = ""
    """The kind of control, a key of `grants.KINDS`; empty if it is not one that asks."""
    reason: str = ""
    """Why its effect is not known, as the key of a text (`speech/en.json`); empty for the usual reason."""
    sends: Mapping[str, Any] = field(default_factory=dict)
    """The values that a form sends in its address and the page does not show, by name."""

    @property
    def key(self) -> str:
        """The key by which a run remembers that the person has allowed it."""
        verb = _FIELD_VERBS.get(self.action, self.action) if self.kind == "field" else self.action
        return self.tool or control_key(verb, self.label, self.place)

    @property
    def exact_key(self) -> str:
        """The key of this call of a tool and no other: its words, effect, origin and arguments."""
        what = [self.tool, self.label, self.effect, self.to, dict(self.arguments)]
        return json.dumps(what, sort_keys=True, default=str)

    @property
    def grants(self) -> tuple[Grant, ...]:
        """The grants that a person may give instead of a yes to this alone, the narrowest first."""
        if self.tool:
            # A name with a space could be the key of something else.
            return offered(self.tool) if len(self.tool.split()) == 1 else ()
        if not self.label.strip():
            return ()
        return offered(self.key, *([kind_key(self.kind, self.place)] if self.kind else []))


_FIELD_VERBS: Final[Mapping[str, str]] = {"click": "choose", "enter_data": "fill"}
"""Verbs of keys of fields: a yes to fill in a field is not one to send a form of its name."""


class Ruling(StrEnum):
    """Whether an intent runs, is asked for, or is refused."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision of a policy about one intent."""

    ruling: Ruling
    reason: str = ""
    """Why the person must be asked, or why it is refused; the person or the model reads it."""
    session: bool = False
    """Whether the person may allow the intent's `grants` for the rest of the session."""
    surprise: bool = False
    """Whether it changes something that the accepted plan does not name."""


class Judge(Protocol):
    """A policy: it judges every action before it is taken."""

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Return whether an intent runs, is asked for, or is refused.

        It also judges the steps of a plan, so it must not have side effects.
        """


class Policy:
    """Reads run, writes ask, and what cannot be undone asks every time.

    An unknown effect counts as a write. Sending anything to another origin, or going there, asks
    every time too.
    """

    def __init__(self, *, allow: Collection[str] = (), allow_writes: bool = False) -> None:
        """Create the policy.

        Args:
            allow: Names of tools and actions, and keys of intents, whose writes need no yes.
            allow_writes: Whether all writes run without a yes.
        """
        self._allow = frozenset(allow)
        self._allow_writes = allow_writes

    async def judge(self, intent: Intent, run: Run) -> Decision:
        """Judge an intent by its effect, and by the origin that it reaches."""
        if intent.to and intent.to != run.origin:
            return Decision(Ruling.ASK, say("reason_goes_to", origin=intent.to))
        match intent.effect:
            case "read":
                return Decision(Ruling.RUN)
            case "irreversible":
                return Decision(Ruling.ASK, say("reason_irreversible"))
        keys = {grant.key for grant in intent.grants}
        names = {intent.tool, intent.action, intent.key, *keys} - {""}
        if self._allow_writes or names & self._allow or keys & {*run.allowed}:
            return Decision(Ruling.RUN)
        unknown = intent.reason or "unknown"
        reason = say(f"reason_{'write' if intent.effect == 'write' else unknown}")
        return Decision(Ruling.ASK, reason, session=bool(intent.grants))


_EFFECTS: dict[str, Effect] = {
    "read": "read",
    "write": "write",
    "irreversible": "irreversible",
    "unknown": "unknown",
}

_HELP = "go on without it, or ask what to do instead; do not try the same again"


MOST_CALLS: Final = 50
"""Equal calls that one yes may cover."""

_GATHER_S: Final = 0.05
"""How long a question waits for further calls of the same program."""


class Gate:
    """Lets an action pass if the policy or the person allows it."""

    def __init__(self, policy: Judge, person: PersonChannel, speech: Speech | None = None) -> None:
        # Programs call tools from tasks of their own.
        self._speaking = partial(speaking, speech) if speech else nullcontext
        self._policy = policy
        self._person = person
        self._turn = asyncio.Lock()
        self._refused: set[str] = set()
        self._questions: dict[tuple[str, ...], _Question] = {}

    async def permit(
        self, intent: Intent, run: Run, scene: Scene, also: Sequence[Intent] = ()
    ) -> bool:
        """Return once an action may be taken; the value is whether the person was asked.

        Args:
            intent: The action.
            run: The run.
            scene: The page.
            also: Further calls of the same tool that are about to be made. A yes covers them too.

        Raises:
            Denied: The policy refuses it, or the person says no.
            Cancelled: The person has ended the run.
        """
        decision = await self._judge(intent, run)
        if _take_accepted(intent, run) or decision is None:
            return False
        self._check_refused(intent)
        async with self._turn:
            # The answer to another request may allow this one too.
            if (decision := await self._judge(intent, run)) is not None:
                more = [each for each in also if _exact_call(each) not in self._refused]
                await self._ask([intent, *more][:MOST_CALLS], decision, run, scene)
        return True

    async def check(self, intent: Intent, run: Run) -> None:
        """Check an action that a yes to an earlier one covers.

        Raises:
            Denied: The policy refuses it, or the person has refused exactly this.
        """
        await self._judge(intent, run)
        _take_accepted(intent, run)
        self._check_refused(intent)

    async def permit_together(self, intent: Intent, run: Run, scene: Scene) -> bool:
        """Do the same for a call of a program: equal calls at the same time are one question.

        An irreversible call is a question of its own.
        """
        if intent.effect != "read":
            await self._person.until_going()
        decision = await self._judge(intent, run)
        if _take_accepted(intent, run) or decision is None:
            return False
        if intent.effect == "irreversible" or not intent.tool:
            return await self.permit(intent, run, scene)
        self._check_refused(intent)
        key = (intent.key, intent.effect, intent.to, decision.reason)
        question = self._questions.get(key)
        if question is not None and len(question.intents) < MOST_CALLS:
            question.intents.append(intent)
            await asyncio.shield(question.answer)
            return True
        question = self._questions[key] = _Question([intent])
        try:
            await question.gather()
            async with self._turn:
                if self._questions.get(key) is question:
                    del self._questions[key]
                if (now := await self._judge(intent, run)) is not None:
                    await self._ask(question.intents, now, run, scene)
        except BaseException as error:
            question.fail(error)
            raise
        finally:
            if self._questions.get(key) is question:
                del self._questions[key]
        question.answer.set_result(None)
        return True

    async def _judge(self, intent: Intent, run: Run) -> Decision | None:
        """Return a decision to ask, or None when an action may be taken."""
        changes = intent.effect != "read"
        surprise = changes and run.plan is not None and not is_planned(intent, run.plan)
        # A permission from before this run was given to another plan. Without a plan it holds for the
        # first reply, which no result of a tool has had a say in.
        unseen = surprise or (changes and run.plan is None and len(run.turns) > 1)
        judged = replace(run, allowed=run.granted) if unseen else run
        with self._speaking():
            decision = await self._policy.judge(intent, judged)
        if decision.ruling is Ruling.RUN:
            return None
        if surprise and decision.ruling is Ruling.ASK:
            decision = replace(decision, surprise=True)
        if decision.ruling is Ruling.REFUSE:
            reason = f" - {decision.reason}" if decision.reason else ""
            message = f"the policy does not allow to {_call_or_phrase(intent)}{reason}"
            raise Denied(message, tool=intent.tool or None, help=_HELP)
        return decision

    def _check_refused(self, intent: Intent) -> None:
        """Refuse what the person has refused already.

        Raises:
            Denied: It is exactly the same.
        """
        if _exact_call(intent) in self._refused:
            message = f"{NOT_ALLOWED} to {_call_or_phrase(intent)} with these arguments"
            tool = intent.tool or None
            raise Denied(f"{message}, and is not asked again", tool=tool, help=_HELP)

    async def _ask(
        self, intents: Sequence[Intent], decision: Decision, run: Run, scene: Scene
    ) -> None:
        """Ask the person for equal intents, the first of which says what they are."""
        intent = intents[0]
        self._check_refused(intent)
        calls = [each.arguments for each in intents]
        with self._speaking():
            request = approval(intent, decision, run, scene, calls)
        answer = await self._person.ask(request)
        if not answer.yes:
            self._refused.update(map(_exact_call, intents))
            # Each address has a key of its own.
            key = intent.action if intent.kind == "address" else intent.key
            self._count_no(key, intent.tool or intent.label or intent.action, run)
            said = f" and said: {answer.text}" if answer.text else ""
            message = f"{NOT_ALLOWED} to {_call_or_phrase(intent)}{said}"
            raise Denied(message, tool=intent.tool or None, help=_HELP)
        keys = [grant.key for grant in intent.grants] if decision.session else []
        if answer.grant in keys:
            key = answer.grant
        elif answer.session and keys:
            key = keys[0]
        else:
            return
        for allowed in (run.allowed, run.granted):
            if key not in allowed:
                allowed.append(key)

    async def answer_tool(self, tool: str, question: Mapping[str, Any], run: Run) -> Answer:
        """Return the person's answer to a question of a tool; a no counts as one to its use.

        Args:
            tool: The tool.
            question: `{"kind", "text", "details"}`, as the page gives it.
            run: The run.

        Raises:
            Cancelled: The person has ended the run.
        """
        kind: RequestKind = "approval" if question["kind"] == "approval" else "question"
        # The name of the tool is before its words.
        secret = asks_for_secret(question["text"].partition(" asks: ")[2])
        details = question["details"] | ({"secret": True} if secret else {})
        request = Request(kind, question["text"], details)
        answer = await self._person.ask(request, as_given=True)
        if not answer.yes:
            self._count_no(tool, tool, run)
        return answer

    def _count_no(self, key: str, what: str, run: Run) -> None:
        """Count a no, and end the run if the person has said it often enough.

        Args:
            key: The key of the tool or control.
            what: The same in words.
            run: The run.

        Raises:
            Cancelled: It was the third to this tool or control, or the tenth of all.
        """
        run.refusals[key] = run.refusals.get(key, 0) + 1
        if run.refusals[key] >= MOST_REFUSALS:
            self._person.end(f"the person said no to `{quotable(what)}` three times")
        if sum(run.refusals.values()) >= MOST_REFUSALS_IN_ALL:
            self._person.end("the person said no ten times")

    async def accept(
        self, plan: Plan, run: Run, scene: Scene, calls: Sequence[Intent] = ()
    ) -> Verdict:
        """Return whether a plan is accepted: by the policy if all of it runs, else by the person.

        A step whose effect is not known yet is judged when it is taken. A plan without any known
        effect goes to the person. One that changes a single thing does not: that asks for itself.

        Args:
            plan: The plan.
            run: The run.
            scene: The page.
            calls: The calls that the plan names with their final arguments. A person who has seen
                them may allow them with the plan.
        """
        known = [step for step in plan.steps if step.effect]
        rulings = [(await self._policy.judge(_step_intent(step), run)).ruling for step in known]
        if rulings and all(ruling is Ruling.RUN for ruling in rulings):
            return Verdict(True, "policy")
        if len([step for step in known if step.effect != "read"]) == 1:
            return Verdict(True, "policy")
        named, requests = [], []
        for each in filter(_can_be_accepted, calls):
            decision = await self._policy.judge(each, run)
            if decision.ruling is Ruling.ASK and _exact_call(each) not in self._refused:
                named.append(each.exact_key)
                request = approval(each, replace(decision, session=False), run, scene)
                requests.append({"text": request.text, "details": dict(request.details)})
        details = {"steps": plan.to_dict()["steps"]} | ({"approvals": requests} if requests else {})
        answer = await self._person.ask(Request("plan", plan.text, details))
        return Verdict(answer.yes, "person", answer.text, named if answer.approvals else ())


class _Question:
    """Equal calls that wait for one answer.

    Attributes:
        intents: The calls so far.
        answer: Is done once they may be made.
    """

    def __init__(self, intents: list[Intent]) -> None:
        self.intents = intents
        self.answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def gather(self) -> None:
        """Wait until no further call is added."""
        before = 0
        while before < len(self.intents) < MOST_CALLS:
            before = len(self.intents)
            await asyncio.sleep(_GATHER_S)

    def fail(self, error: BaseException) -> None:
        """Let the other calls fail as the one that has asked."""
        known = isinstance(error, ToolError)
        self.answer.set_exception(error if known else Cancelled("the question was withdrawn"))
        # Nobody may wait for it.
        self.answer.exception()


def _can_be_accepted(intent: Intent) -> bool:
    """Whether a yes to a plan can allow a call: it is known what it changes, and here."""
    return intent.effect == "write" and bool(intent.tool) and not (intent.to or intent.sends)


def _take_accepted(intent: Intent, run: Run) -> bool:
    """Whether the person has allowed a call with the plan; that counts once."""
    found = _can_be_accepted(intent) and intent.exact_key in run.accepted
    if found:
        run.accepted.remove(intent.exact_key)
    return found


def _exact_call(intent: Intent) -> str:
    return json.dumps([intent.key, dict(intent.arguments)], sort_keys=True, default=str)


_QUOTED: Final = re.compile(r"`([^`\n]+)`")


def is_planned(intent: Intent, plan: Plan) -> bool:
    """Whether a plan names an action that changes something.

    A step names the tool that it calls, a control by the words on it, and a form or an address by
    the action alone. A step without an effect names nothing, as nobody saw what it changes.
    """
    changing = [step for step in plan.steps if step.effect not in ("", "read")]
    if intent.tool:
        return any(step.tool == intent.tool for step in changing)
    if intent.action not in ("click", "click_link"):
        return any(step.action == intent.action for step in changing)
    presses = [step.text for step in changing if step.action in ("click", "click_link")]
    return any(_names(text, quotable(intent.label)) for text in presses)


def _names(text: str, label: str) -> bool:
    """Whether the text of a step names a control: in backticks, or else as whole words."""
    quoted = _QUOTED.findall(text.casefold())
    if quoted or not label:
        return label.casefold() in quoted
    return re.search(rf"(?<!\w){re.escape(label.casefold())}(?!\w)", text.casefold()) is not None


def _step_intent(step: PlanStep) -> Intent:
    effect = _EFFECTS.get(step.effect, "unknown")
    return Intent(step.action or "call_tool", effect, tool=step.tool, label=step.text)


def _call_or_phrase(intent: Intent) -> str:
    """Return an intent in words for the model: a tool by its name, else in a phrase."""
    return f"call `{intent.tool}`" if intent.tool else phrase_of(intent)


_ACTION_PHRASES: Final[Mapping[str, str]] = {
    "call_tool": "use {label}",
    "click": "press {label}",
    "click_link": "follow the link {label}",
    "enter_data": "fill in and send {label}",
    "drag": "drag {label}",
    "press_key": "press the key {label}",
    "answer_dialog": "answer {label} with OK",
    "upload": "upload files to {label}",
    "goto_url": "open {label}",
    "search": "search the site",
    "execute_js": "run a program in this page",
}
"""Each action in words for the model; the person's are in `speech/en.json`."""

_NAMELESS: Final[Mapping[str, str]] = {
    "click": "a control without a name",
    "click_link": "without words",
    "enter_data": "a form",
    "upload": "this page",
}
"""Words for a control without a name."""


def approval(
    intent: Intent,
    decision: Decision,
    run: Run,
    scene: Scene,
    calls: Sequence[Mapping[str, Any]] = (),
) -> Request:
    """Return the request for a yes to an action.

    Args:
        intent: The action.
        decision: Why the person is asked.
        run: The run, to say where the arguments came from.
        scene: The page, for the same.
        calls: The arguments of each call, if one yes covers several.
    """
    details: dict[str, Any] = {
        "action": intent.action,
        "tool": intent.tool,
        "title": intent.label,
        "effect": intent.effect,
        "arguments": dict(intent.arguments),
        "origins": origins(intent.arguments, run, scene),
        "reason": decision.reason,
    }
    grants = intent.grants if decision.session else ()
    details |= {"session": bool(grants), "grants": [grant.to_dict() for grant in grants]}
    if grants:
        details["key"] = grants[0].key
    if len(calls) > 1:
        details["calls"] = [dict(arguments) for arguments in calls]
    if decision.surprise:
        details["surprise"] = True
    if intent.to:
        details["to"] = intent.to
    if intent.sends:
        details["sends"] = dict(intent.sends)
    if similar := _similar_tools(intent.tool, scene):
        details["similar"] = similar
    if intent.element:
        details["element"] = element_dict(intent.element)
    tool = next((each for each in scene.tools if each.name == intent.tool), None)
    own = ""
    fills = tool is not None and tool.attended and not intent.to
    # Another site that the call goes to does not speak to the person.
    if tool is not None and not intent.to:
        results = [None, *run.results(scene.earlier)]
        own = (
            ""
            if len(calls) > 1 or fills
            else sentence(tool.tool.behavior.confirm, intent.arguments, results)
        )
        details["labels"] = labels(tool.params)
        details["names"] = names(intent.arguments, results)
    if own:
        details["confirm"] = True
    # The site's own sentence says already that something changes; to fill in a form changes nothing.
    silent = fills or (own and intent.effect == "write")
    question = say("may_fill_in") if fills else own or _question(intent, len(calls))
    sentences = [question, "" if silent else _sentence(decision.reason)]
    if decision.surprise:
        sentences.append(say("reason_surprise"))
    return Request("approval", " ".join(filter(None, sentences)), details)


def element_dict(element: Element) -> dict[str, Any]:
    """Return an element as requests and events name it."""
    return {"pp_id": element.id, "role": element.role, "name": element.name}


def _similar_tools(name: str, scene: Scene) -> list[str]:
    """Return the page's other tools whose names look the same."""
    others = [binding.name for binding in scene.tools if binding.name != name]
    same = skeleton(name)
    return [other for other in others if skeleton(other) == same] if name else []


def phrase_of(intent: Intent) -> str:
    """Return an intent in words for the model, as they follow `to`: ``press `Save` ``."""
    words = _ACTION_PHRASES.get(_kind_of(intent), f"take the action `{intent.action}`")
    label = quotable(intent.label)
    return words.format(label=f"`{label}`" if label else _NAMELESS.get(_kind_of(intent), "it"))


def _kind_of(intent: Intent) -> str:
    """Return an action as it is worded: a click on a link follows it."""
    element = intent.element
    follows = intent.action == "click" and element is not None and element.role == "link"
    return "click_link" if follows else intent.action


def _question(intent: Intent, times: int) -> str:
    """Return the question to the person for an intent without words of its own."""
    kind, label = _kind_of(intent), quotable(intent.label)
    if kind not in _ACTION_PHRASES:
        return say("may_act", action=intent.action)
    if not label and kind in _NAMELESS:
        return say(f"may_{kind}_nameless")
    return say(f"may_{kind}", label=label or intent.tool or "…", count=max(times, 1))


def _sentence(reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]}." if reason else ""
