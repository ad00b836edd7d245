"""A run and everything that works on it: what the loop, the steps and the actions share."""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from webagent.agent.clock import Clock
from webagent.agent.deterministic.reading.language import clear_language, denies
from webagent.agent.events import Events
from webagent.agent.permissions import Gate, PersonChannel
from webagent.agent.person import Files
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
    words_of_person,
)
from webagent.agent.storage import RunStorage
from webagent.errors import Cancelled, InvalidArguments, InvalidResult, ToolError
from webagent.llm.chat import ToolCall
from webagent.page.port import Ask, Isolation, Page
from webagent.registry import ToolRegistry

if TYPE_CHECKING:
    from webagent.agent.actions.table import ActionTable
    from webagent.agent.answer import AnswerSchema

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
                f"`{_name_of(call)}` was called before with the same arguments, and the page has not "
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
            self._last.append((_name_of(each.call), digest))
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


def _name_of(call: ToolCall) -> str:
    """Return what a model calls a call: the tool, or else the action."""
    return str(call.arguments.get("name")) if call.name == "call_tool" else call.name


_DOUBT = "before the run ends: "
"""Beginning of what a model reads about its answer. It reads that once."""

_ONCE = "do what is missing, or correct the answer; if all of it is right, give it again as it is"

_CONTROLS = frozenset(("click", "click_link", "enter_data", "search", "goto_url"))
"""Actions by which a page can do what a tool of it does."""

_TELLING_GOAL = 2
"""Words that say in which language a goal is."""

_TELLING_ANSWER = 5
"""Words that say in which language an answer is."""

_MOST_READ = 1_000_000
"""Characters of pages and results in which figures of an answer are looked for."""

_MOST_ASKED = 10
"""Different figures of an answer that are looked for."""

_MOST_FIGURES = 60
"""Different figures from which those of an answer may have been computed."""

_MOST_SUMS = 5_000

_MOST_TIMES = 5
"""How often one figure counts in a sum."""

_MOST_NAMED = 3

_DATE = re.compile(r"\d{1,4}([-./])\d{1,2}\1\d{1,4}")

_FIGURE = re.compile(r"\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?")

_WORD = re.compile(r"[\w-]+")

_MEASURE = re.compile(r"\d+[a-z]{1,4}")
"""An amount with its unit: `1500kg`."""

_LONGEST_FIGURE = 20

_LONGEST_ID = 60

_LONGEST_CLAIM = 4_000
"""Characters of an answer in which claims are looked for."""

_BETWEEN = re.compile(r"[\s.,:;'’/()+_-]+")

_PARTS = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])")
"""The words of a name: `addToBasket`."""

_SMALL = frozenset(("for", "from", "in", "into", "of", "on", "the", "to", "with"))

_PAST = {"buy": "bought", "make": "made", "pay": "paid", "put": "put", "send": "sent", "set": "set"}

_SENTENCES = re.compile(r"[.!?\n]+")


class AnswerGuard:
    """Looks for what nothing in a run speaks for in the answer of a model."""

    def __init__(self) -> None:
        self._pages: dict[int, str] = {}
        self._size = 0

    def look(self, scene: Scene) -> None:
        """Remember what a page shows."""
        text = f"{scene.snapshot.title}\n{scene.snapshot.url}\n{scene.snapshot.text}"
        if self._size <= _MOST_READ and hash(text) not in self._pages:
            self._pages[hash(text)] = text
            self._size += len(text)

    def doubts(self, finish: Finish, work: Work) -> list[str]:
        """Return what speaks against an answer; empty if it was doubted before."""
        if not finish.success or _was_doubted(work.run):
            return []
        found = [
            *_undone_steps(work),
            *_unsupported_claims(finish.text, work),
            *_hidden_failure(finish.text, work.run),
            *self._unknown_figures(finish.text, work),
        ]
        return [*found, *_other_language(finish.text, work.run.goal)]

    def _unknown_figures(self, text: str, work: Work) -> list[str]:
        """Return that ids or amounts appear nowhere, and cannot be computed from what does."""
        named = [*islice(dict.fromkeys(_figures(text)), _MOST_ASKED)]
        done = work.run.done()
        # Of pictures nobody knows what is on them, and pages before a resumption are forgotten.
        if not named or work.run.resumed or any(d.call.name == "take_screenshot" for d in done):
            return []
        results = [
            _json([d.call.arguments, d.value, d.error]) for d in done if d.call.name != "finish"
        ]
        words = [*words_of_person(work.run), *(_json(asdict(past)) for past in work.earlier)]
        read = "\n".join([*results, *self._pages.values(), *words])
        unknown = _unexplained(named, read)
        if unknown:
            manifest = work.registry.manifest.model_dump_json()
            unknown = _unexplained(unknown, "\n".join([read, manifest, work.registry.typescript()]))
        if not unknown:
            return []
        listed = ", ".join(f"`{each}`" for each in unknown[:_MOST_NAMED])
        return [f"{listed} in it appears neither in a result nor on a page nor in the goal"]


def _was_doubted(run: Run) -> bool:
    notes = [e.text for e in run.entries if isinstance(e, Said) and e.by == "driver"]
    ends = [done.error for done in run.done() if done.call.name == "finish" and done.error]
    errors = [str(error.get("message", "")) for error in ends]
    return any(text.startswith(_DOUBT) for text in (*notes, *errors))


def _outcomes(run: Run) -> Iterator[tuple[str, bool]]:
    """Yield each tool that was called, also by programs, and whether the call was a success."""
    for done in run.done():
        if done.call.name == "call_tool":
            yield str(done.call.arguments.get("name", "")), done.ok
        elif done.call.name == "execute_js" and isinstance(done.value, dict):
            calls = done.value.get("calls")
            for call in calls if isinstance(calls, list) else ():
                yield str(call.get("name")), call.get("ok") is True


def _undone_steps(work: Work) -> list[str]:
    """Return the steps of the plan that change something and were not even tried."""
    run = work.run
    tried = {name for name, _ in _outcomes(run)}
    # A person could do the same with the page's own controls.
    if run.plan is None or any(done.ok and done.call.name in _CONTROLS for done in run.done()):
        return []
    steps = [s for s in run.plan.steps if s.tool and s.effect in ("write", "irreversible")]
    names = dict.fromkeys(step.tool for step in steps if step.tool not in tried)
    return [f"the plan has a step with `{name}`, which was not called" for name in names]


def _unsupported_claims(text: str, work: Work) -> list[str]:
    """Return the tools that an answer says have changed something, although nothing was changed."""
    effects = {each.name: each.tool.behavior.effect for each in work.registry.list()}
    changed = any(ok and effects.get(name) != "read" for name, ok in _outcomes(work.run))
    if changed or any(done.ok and done.call.name in _CONTROLS for done in work.run.done()):
        return []
    writes = [name for name, effect in effects.items() if effect in ("write", "irreversible")]
    sentences = _SENTENCES.split(text[:_LONGEST_CLAIM])
    names = [n for n in writes if any(_claims(s, n) and not denies(s) for s in sentences)]
    return [f"it says that `{name}` was done, and no such call has succeeded" for name in names]


def _claims(sentence: str, tool: str) -> bool:
    """Whether a sentence has a tool's verb in the past, and the other words of its name."""
    words = {*re.findall(r"[a-z]+", sentence.lower())}
    parts = [part.lower() for part in _PARTS.findall(tool)]
    verb, *others = [part for part in parts if part not in _SMALL] or [""]
    doubled = f"{verb}{verb[-1:]}ed"
    past = {f"{verb}ed", f"{verb}d", doubled, f"{verb[:-1]}ied", _PAST.get(verb, "")}
    # A verb alone is too little: `the list is ordered by price`.
    return bool(verb and words & past) and all(
        any(word.startswith(other) for word in words) for other in others or ["i"]
    )


def _hidden_failure(text: str, run: Run) -> list[str]:
    """Return that the last action has failed, if the answer denies nothing and does not name it."""
    taken = [done for done in run.done() if done.call.name != "finish"]
    error = taken[-1].error if taken else None
    if error is None or error.get("kind") in ("cancelled", "denied"):
        # A refusal of the person is theirs to know.
        return []
    name = _name_of(taken[-1].call)
    if name in text or denies(text):
        return []
    return [f"the last call, `{name}`, has failed, and it does not say so"]


def _other_language(text: str, goal: str) -> list[str]:
    """Return that an answer is clearly in another language than the goal."""
    if len(text.split()) < _TELLING_ANSWER:
        return []
    wanted, given = clear_language(goal, _TELLING_GOAL), clear_language(text, _TELLING_ANSWER)
    if not wanted or not given or wanted == given:
        return []
    return [
        f"it seems to be in `{given}`, and the goal in `{wanted}`: answer in the goal's language"
    ]


def _figures(text: str) -> Iterator[str]:
    """Yield the ids and the amounts of a text; dates, years and small whole numbers are left out."""
    yield from (word for word in _WORD.findall(text) if _is_id(word))
    rest = _WORD.sub(lambda match: " " if _is_id(match[0]) else match[0], text)
    for match in _FIGURE.finditer(_DATE.sub(" ", rest)):
        values = _values_of(match[0])
        if any(value % 1 or (value >= 1000 and not 1900 <= value <= 2100) for value, _ in values):
            yield match[0]


def _is_id(word: str) -> bool:
    """Whether a word has letters and three digits or more, as `A-10482` does."""
    return (
        len(word) <= _LONGEST_ID
        and sum(map(str.isdigit, word)) >= 3
        and any(map(str.isalpha, word))
        and not _MEASURE.fullmatch(word)
    )


def _values_of(figure: str) -> list[tuple[float, int]]:
    """Return what a figure may mean, with its decimals: `1.234` may be more than a thousand.

    A longer one than people write has no meaning here.
    """
    if len(figure) > _LONGEST_FIGURE:
        return []
    plain = re.sub(r"[ '’\u00a0\u202f]", "", figure)
    whole, mark, end = plain.replace(",", ".").rpartition(".")
    if not mark:
        return [(float(plain), 0)]
    decimal = (float(f"{whole.replace('.', '')}.{end}"), len(end))
    grouped = (float(f"{whole}{end}".replace(".", "")), 0)
    if len(end) != 3:
        return [decimal]
    return [decimal, grouped] if "." not in whole else [grouped]


def _unexplained(figures: Sequence[str], read: str) -> list[str]:
    """Return the figures that a text neither has nor gives by computing."""
    if len(read) > _MOST_READ:
        return []
    squeezed = _BETWEEN.sub("", read).casefold()
    left = [each for each in figures if _BETWEEN.sub("", each).casefold() not in squeezed]
    if not left:
        return []
    seen = {value for match in _FIGURE.finditer(read) for value, _ in _values_of(match[0])}
    return [
        each
        for each in dict.fromkeys(left)
        if not _FIGURE.fullmatch(each)
        or not any(_is_computed(value, digits, seen) for value, digits in _values_of(each))
    ]


def _is_computed(value: float, digits: int, seen: set[float]) -> bool:
    """Whether a figure is one that was seen, rounded, or may be a result of a few of them."""
    if any(round(each, digits) == value for each in seen) or len(seen) > _MOST_FIGURES:
        return True
    for one, other in product(seen, repeat=2):
        results = (one + other, one - other, one * other, one * other / 100, one / (other or 1))
        if any(round(result, digits) == value for result in results):
            return True
    unit = 10**digits
    wanted, sums = round(value * unit), {0}
    for each in seen:
        amount = round(each * unit)
        sums |= {s + n * amount for s in sums for n in range(1, _MOST_TIMES + 1) if amount}
        if len(sums) > _MOST_SUMS:
            return True
    return wanted in sums or any(wanted + round(each * unit) in sums for each in seen)


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, default=str)


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
    accept: Callable[[Plan], Awaitable[None]] = field(init=False)
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
        if self.by_model and (doubts := self.answers.doubts(finish, self)):
            raise InvalidArguments(_DOUBT + "; ".join(doubts), help=_ONCE)
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

    async def save(self) -> None:
        """Save the run as it is now."""
        await self.storage.save(self.run)

    def emit_step(self, **fields: Any) -> None:
        """Send an event about an action of the step under way."""
        self.events.emit("step", number=self.run.spent.steps + 1, **fields)
