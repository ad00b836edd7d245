"""A run and everything that works on it: what the loop, the steps and the actions share."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from webagent.agent.answer import AnswerGuard, AnswerSchema, name_of
from webagent.agent.clock import Clock
from webagent.agent.events import Events
from webagent.agent.permissions import Gate
from webagent.agent.person import Files, PersonChannel
from webagent.agent.planner import Decider
from webagent.agent.redact import Vault
from webagent.agent.run import (
    Done,
    Entry,
    Finish,
    PastRun,
    Plan,
    Run,
    Said,
    Scene,
    calls_made,
)
from webagent.agent.storage import RunStorage
from webagent.errors import Cancelled, InvalidResult, ToolError
from webagent.llm.chat import ToolCall
from webagent.page.port import Ask, Isolation, Page
from webagent.registry import ToolRegistry
from webagent.registry.sentences import sentence
from webagent.speech import say

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable

_MOST_SAME = 2
"""Times the same call may be made while the page does not change. One more ends the run."""

_MOST_REPEATS = 9
"""The same for actions that are repeated with good reason."""

_REPEATED = frozenset(("scroll", "wait"))

_TIMES = {3: "third", 10: "tenth"}

_MOST_FAILURES = 5
"""Failures in a row after which a run ends."""

_STALE = 3
"""Steps in a row without anything new after which a model is warned."""

_MOST_STALE = 6
"""Steps in a row without anything new after which a run ends."""

_CYCLE = 4
"""Calls in which two alternate, when a model is warned."""

_OTHERWISE = (
    "Use the results that are there, try another way or other arguments, or `finish` and say what "
    "is missing."
)

_MOST_MISFITS = 3
"""Answers with data that the caller does not want after which a run ends."""


class LoopGuard:
    """Ends a run that goes round in circles or fails again and again.

    Attributes:
        given_up: Why no further answer is taken; None while one is.
    """

    def __init__(self) -> None:
        self._tried: Counter[tuple[str, int, str]] = Counter()
        self._failures = 0
        self._misfits = 0
        self._seen: set[int] = set()
        """Digests of all states of the page, and of all calls with their outcomes."""
        self._last: deque[tuple[str, int]] = deque(maxlen=_CYCLE)
        self._stale = 0
        self._warnings: list[str] = []
        self._warned: set[str] = set()
        self.given_up: ToolError | None = None

    def try_call(self, call: ToolCall, scene: Scene) -> None:
        """Count a call; an end of the run that was refused may be tried again.

        Raises:
            Cancelled: The same call was made too often on the same state of the page.
        """
        if call.name == "finish":
            return
        what = json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)
        key = (scene.snapshot.url, scene.snapshot.revision, what)
        most = _MOST_REPEATS if call.name in _REPEATED else _MOST_SAME
        if self._tried[key] >= most:
            raise Cancelled(
                f"`{call.name}` was to be called with the same arguments for the "
                f"{_TIMES[most + 1]} time, and the page has not changed",
                help="say what is missing, or ask for it in other words",
            )
        self._tried[key] += 1
        if self._tried[key] == most:
            self._warn(
                f"`{name_of(call)}` was called before with the same arguments, and the page has not "
                "changed since. One more such call ends the run"
            )

    def look(self, scene: Scene, done: Sequence[Done] = ()) -> None:
        """Compare a step with all steps before it.

        Args:
            scene: The page after it.
            done: Its actions.

        Raises:
            Cancelled: Too many steps in a row have brought nothing new.
        """
        news = self._is_new(hash((scene.snapshot.url, scene.snapshot.text)))
        for each in done:
            what = [each.call.name, dict(each.call.arguments), each.value, each.error]
            digest = hash(json.dumps(what, sort_keys=True, default=str))
            news = self._is_new(digest) or news
            self._last.append((name_of(each.call), digest))
        if news:
            self._stale = 0
        elif any(each.call.name not in _REPEATED for each in done):
            self._stale += 1
        first, second = [*self._last][:2] if len(self._last) == _CYCLE else (None, None)
        if first and second and first != second and [*self._last] == [first, second] * 2:
            self._warn(
                f"`{first[0]}` and `{second[0]}` have taken turns, with the same arguments and the "
                "same results each time"
            )
        if self._stale == _STALE:
            self._warn(
                f"the last {_STALE} steps have changed nothing on the page and found nothing new"
            )
        if self._stale >= _MOST_STALE:
            raise Cancelled(
                f"the last {_MOST_STALE} steps have changed nothing on the page and found nothing new",
                help="say what is missing, or ask for it in other words",
            )

    def warning(self) -> str:
        """Return what the next step should know of the repetition so far, once; often empty."""
        warnings = "; ".join(self._warnings)
        self._warnings.clear()
        return f"{warnings}. {_OTHERWISE}" if warnings else ""

    def _is_new(self, digest: int) -> bool:
        known = digest in self._seen
        self._seen.add(digest)
        return not known

    def _warn(self, text: str) -> None:
        if text not in self._warned:
            self._warned.add(text)
            self._warnings.append(text)

    def count(self, done: Done) -> None:
        """Count the outcome of an action.

        Raises:
            Cancelled: Too many actions in a row have failed.
            InvalidResult: Too many answers had data that the caller does not want.
        """
        self._failures = 0 if done.ok else self._failures + 1
        if self.given_up is not None:
            raise self.given_up
        self._check(str((done.error or {}).get("message", "")))

    def count_misfit(self, error: InvalidResult, *, last: bool) -> None:
        """Count an answer with data that the caller does not want.

        Args:
            error: What is wrong with them.
            last: Whether another answer would be the same, as without a model.
        """
        self._misfits += 1
        if last:
            help_ = "let a model decide, or write a schema for what the tools return"
        else:
            help_ = "ask for data that the site has, or write a schema that allows less"
        if last or self._misfits >= _MOST_MISFITS:
            self.given_up = InvalidResult(error.message, path=error.path, help=help_)

    def count_empty_reply(self) -> None:
        """Count a reply without words and calls.

        Raises:
            Cancelled: Too many replies or actions in a row were of no use.
        """
        self._failures += 1
        self._check("there was neither a call nor words")

    def _check(self, last: str) -> None:
        if self._failures >= _MOST_FAILURES:
            raise Cancelled(
                f"{_MOST_FAILURES} actions in a row have failed, the last with: {last}",
                help="look at what failed, and ask again in other words",
            )


@dataclass(slots=True)
class Work:
    """One run and the parts that work on it."""

    run: Run
    page: Page
    registry: ToolRegistry
    actions: ActionTable
    gate: Gate
    person: PersonChannel
    events: Events
    files: Files
    storage: RunStorage
    clock: Clock
    vault: Vault
    isolation: Isolation = "sandbox"
    earlier: Sequence[PastRun] = ()
    """The runs before this one."""
    guard: LoopGuard = field(default_factory=LoopGuard)
    answers: AnswerGuard = field(default_factory=AnswerGuard)
    answer: AnswerSchema | None = None
    """The shape of the data that the caller wants; None if any will do."""
    by_model: bool = False
    """Whether a model decides, which can be corrected."""
    modelless: Decider | None = None
    """Decides instead of the model, which has failed."""
    accept: Callable[[Plan, Scene], Awaitable[None]] = field(init=False)
    """Has a plan accepted and makes it the run's, or raises Denied. The loop sets it."""

    def asker(self, tool: str) -> Ask:
        """Return a function that has the questions of a tool answered by the person."""

        async def ask(question: dict[str, Any]) -> dict[str, Any]:
            answer = await self.gate.answer_tool(tool, question, self.run)
            return {"yes": answer.yes, "text": answer.text}

        return ask

    def note(self, entry: Entry) -> None:
        """Add an entry to the transcript."""
        self.run.entries.append(entry)

    def say(self, text: str) -> None:
        """Add words of the agent to the transcript, and send them as an event."""
        self.note(Said("agent", text))
        self.events.emit("text", text=text, final=True)

    def check_finish(self, finish: Finish) -> Finish:
        """Return the end of the run, if it may end so.

        Raises:
            InvalidResult: The data are not what the caller wants.
            InvalidArguments: Something speaks against the answer of a model, which reads that once.
        """
        if self.answer is not None and not finish.success:
            finish = replace(finish, data=None)
        elif self.answer is not None:
            try:
                self.answer.check(finish.data)
            except InvalidResult as error:
                self.guard.count_misfit(error, last=not self.by_model)
                raise
        if self.by_model:
            self.answers.check(finish, self.run, self.registry, self.earlier)
        return finish

    def look(self, scene: Scene, done: Sequence[Done] = ()) -> None:
        """Look at the page after a step; a model is warned of steps that repeat.

        Args:
            scene: The page.
            done: The actions of the step.

        Raises:
            Cancelled: Too many steps in a row have brought nothing new.
        """
        self.guard.look(scene, done)
        if self.by_model:
            self.answers.look(scene)
            if warning := self.guard.warning():
                self.note(Said("driver", warning))

    def told(self) -> list[str]:
        """Return what the tools have changed so far, in sentences for the person."""
        tools, said = {each.name: each for each in self.registry.list()}, []
        for name, arguments, value in calls_made(self.run):
            tool = tools.get(name)
            if tool is None or tool.tool.behavior.effect == "read":
                continue
            # Another site that a call went to does not speak to the person.
            own = tool.tool.behavior.done if tool.origin in ("", self.run.origin) else ""
            results = [value, *self.run.results(self.earlier)]
            title = tool.tool.title or name
            said.append(sentence(own, arguments, results) or say("used", tool=title))
        return said

    async def save(self) -> None:
        """Save the run as it is now."""
        await self.storage.save(self.run)

    @property
    def busy_s(self) -> float:
        """Seconds of the clock without those that a person's answers have taken."""
        return self.clock.seconds() - self.person.waited_s

    def emit_step(self, **fields: Any) -> None:
        """Send an event about an action of the step under way."""
        self.events.emit("step", number=self.run.spent.steps + 1, **fields)
