"""The person whom an agent works for, and the files of a session.

The agent asks everything through one port. The panel, a terminal, an A2A client and a test
implement it.
"""

from __future__ import annotations

import asyncio
import itertools
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, Protocol, TypeVar

from webagent.errors import Cancelled
from webagent.page.port import Ask
from webagent.schema import check_schema

if TYPE_CHECKING:
    from webagent.agent.clock import Clock
    from webagent.agent.events import Events
    from webagent.agent.redact import Vault

Value = TypeVar("Value")

RequestKind = Literal["plan", "approval", "question", "file"]
"""The kinds of requests: yes or no to a plan, yes or no to one action, words, or a file."""


NOBODY: Final = "nobody is there to be asked"
"""The answer to each request where no person is."""
NOT_ALLOWED: Final = "the person did not allow"
"""How the error of an action begins that the person has refused."""

_MOST_FILES = 50

_END_S: Final = 2.0
"""How long a call may take to end with its run."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the agent to the person."""

    kind: RequestKind
    text: str
    """The question, in words."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Plain data to show. A plan has its `steps`, and perhaps the `approvals` that a yes to it may
    give. An action has `action`, `tool`, `effect`, `arguments`, `origins` (where each argument came
    from), `labels` of the parameters, `names` of the things that ids name, and `grants` (what may be
    allowed for the session instead, the narrowest first). A question may have the `schema` of its
    answer, as `answer_form` returns it. A file has its `filename`."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": self.kind, "text": self.text, "details": dict(self.details)}


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that a person gave."""

    name: str
    type: str
    """Media type; empty if it is not known."""
    data: bytes

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data, its bytes in Base64."""
        return {"name": self.name, "type": self.type, "data": b64encode(self.data).decode()}


@dataclass(frozen=True, slots=True)
class Answer:
    """The person's answer."""

    yes: bool = False
    """Yes to a plan or an action. For a question or a file: whether there is an answer at all."""
    text: str = ""
    """The answer to a question, or the reason for a no."""
    session: bool = False
    """Allows for the session what the first of the request's `grants` allows."""
    files: tuple[GivenFile, ...] = ()
    grant: str = ""
    """Key of one of the request's `grants`: what may be done in this session without asking again."""
    stop: bool = False
    """Ends the run; then the answer is a no."""
    data: Mapping[str, Any] | None = None
    """The values for the `schema` of a question, by name; None for words alone."""
    approvals: bool = False
    """Whether a yes to a plan is one to its `approvals` too: the person has seen them."""
    pause: bool = False
    """The person takes over; the same is asked again when they let the run go on."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        files = [file.to_dict() for file in self.files]
        return {
            "yes": self.yes,
            "text": self.text,
            "session": self.session,
            "files": files,
            "grant": self.grant,
            "stop": self.stop,
            "data": None if self.data is None else dict(self.data),
            "approvals": self.approvals,
            "pause": self.pause,
        }


class Person(Protocol):
    """The person whom an agent asks."""

    async def ask(self, request: Request) -> Answer:
        """Return the answer, however long it takes. Cancelling the task withdraws the request."""


def asker(person: Person) -> Ask:
    """Return a function that has the questions of tools answered by a person."""

    async def ask(question: dict[str, Any]) -> dict[str, Any]:
        request = Request(question["kind"], question["text"], question["details"])
        answer = await person.ask(request)
        return {"yes": answer.yes, "text": answer.text}

    return ask


class Nobody:
    """The person of a run in which nobody can be asked. It accepts plans and refuses the rest."""

    async def ask(self, request: Request) -> Answer:
        """Answer yes to a plan, and no to everything else."""
        return Answer(request.kind == "plan", NOBODY)


class ScriptedPerson:
    """A person with prepared answers, for tests.

    Attributes:
        asked: Every request so far.
    """

    def __init__(self, *answers: Answer) -> None:
        """Answer with these, in order."""
        self._answers = deque(answers)
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        """Return the next answer.

        Raises:
            AssertionError: There are more requests than answers.
        """
        self.asked.append(request)
        if not self._answers:
            raise AssertionError(f"nobody expected to be asked: {request}")
        return self._answers.popleft()


def _fitting(request: Request, answer: Answer) -> dict[str, Any]:
    """Return the data of an answer if they fit the question, and words for them if it has none."""
    schema, data = request.details.get("schema"), answer.data
    if request.kind != "question" or schema is None or data is None:
        return {"data": None}
    fields = schema["properties"]
    known = {name: value for name, value in data.items() if name in fields}
    # The fields of a browser have no zone, which the formats of JSON Schema want.
    plain = {
        name: {k: v for k, v in inner.items() if k != "format"} for name, inner in fields.items()
    }
    if check_schema(known, schema | {"properties": plain}):
        return {"data": None}
    return {"data": known, "text": answer.text or ", ".join(map(str, known.values()))}


KeepPause = Callable[[bool], Coroutine[Any, Any, None]]
"""Stores with a run whether it is paused."""


class PersonChannel:
    """Sends requests to the person, one at a time, and measures how long answers take.

    Attributes:
        ended: Why nobody is asked any more, once the person has ended the run.
        keep_pause: Stores with the run whether it is paused; the loop sets it.
    """

    def __init__(self, person: Person, events: Events, clock: Clock, vault: Vault) -> None:
        self._vault = vault
        self._person = person
        self._events = events
        self._clock = clock
        self._numbers = itertools.count(1)
        self._turn = asyncio.Lock()
        self.ended: Cancelled | None = None
        self._end = asyncio.Event()
        self._waiting = 0
        self._going = asyncio.Event()
        self._going.set()
        self._waits = 0
        self._waits_since = 0.0
        self._waited_s = 0.0
        self.keep_pause: KeepPause | None = None

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer, or the person has taken over."""
        return self._waiting > 0 or self.paused

    @property
    def waited_s(self) -> float:
        """Seconds that answers and pauses have taken so far."""
        under_way = self._clock.seconds() - self._waits_since if self._waits else 0.0
        return self._waited_s + under_way

    @property
    def paused(self) -> bool:
        """Whether the person has taken over."""
        return not self._going.is_set()

    def pause(self) -> None:
        """Let the person take over: the action under way ends, and no other begins."""
        if not self.paused:
            self._going.clear()
            self._begin_wait()
            self._events.emit("paused")

    def go_on(self) -> None:
        """Let the run go on."""
        if self.paused:
            self._going.set()
            self._end_wait()
            self._events.emit("continued")

    async def until_going(self) -> None:
        """Return once the run is not paused."""
        if not self.paused:
            return
        if self.keep_pause:
            await self.keep_pause(True)
        await self._going.wait()
        if self.keep_pause:
            await self.keep_pause(False)

    def end(self, message: str) -> NoReturn:
        """Ask nobody any more: the person has ended the run.

        Raises:
            Cancelled: Always; it is the outcome of the run.
        """
        self.ended = Cancelled(message, help="ask what to do instead, and start again")
        self._end.set()
        raise self.ended

    async def unless_ended(self, doing: Coroutine[Any, Any, Value]) -> Value:
        """Return the outcome of something that is given up once the person has ended the run.

        Raises:
            Cancelled: The person has ended the run.
        """
        work, end = asyncio.ensure_future(doing), asyncio.ensure_future(self._end.wait())
        try:
            await asyncio.wait([work, end], return_when=asyncio.FIRST_COMPLETED)
            if self.ended is not None:
                raise self.ended
            return await work
        finally:
            end.cancel()
            work.cancel()
            # A page that does not respond is not waited for.
            await asyncio.wait([work], timeout=_END_S)
            if work.done() and not work.cancelled():
                work.exception()

    async def ask(self, request: Request, *, as_given: bool = False) -> Answer:
        """Return the person's answer; other requests wait for their turn.

        Args:
            request: The request.
            as_given: Whether secrets stay in the answer, as for a tool that asks; else they become
                placeholders.

        Raises:
            Cancelled: The person has ended the run.
        """
        self._waiting += 1
        try:
            async with self._turn:
                await self.until_going()
                while (answer := await self._ask(request, as_given)).pause:
                    self.pause()
                    await self.until_going()
                return answer
        finally:
            self._waiting -= 1

    async def _ask(self, request: Request, as_given: bool) -> Answer:
        if self.ended is not None:
            raise self.ended
        request = self._vault.shown(request)
        number = f"ask-{next(self._numbers)}"
        self._events.emit("asked", id=number, request=request.to_dict())
        self._begin_wait()
        try:
            given = await self._person.ask(request)
        finally:
            self._end_wait()
        if given.pause and not given.stop:
            return given
        given = replace(given, pause=False, **_fitting(request, given))
        answer = self._vault.answer(request, given)
        text = answer.text
        self._events.emit("answered", id=number, yes=answer.yes and not answer.stop, text=text)
        if answer.stop:
            self.end("the person stopped the run" + (f" and said: {text}" if text else ""))
        return given if as_given else answer

    def _begin_wait(self) -> None:
        # A pause during a question is one wait, and its time counts once.
        if not self._waits:
            self._waits_since = self._clock.seconds()
        self._waits += 1

    def _end_wait(self) -> None:
        self._waits -= 1
        if not self._waits:
            self._waited_s += self._clock.seconds() - self._waits_since


class Files:
    """The files of a session by name: those that the person gave, screenshots, and those of tools.

    They are in memory only, and do not outlive the page.
    """

    def __init__(self) -> None:
        self._given: dict[str, GivenFile] = {}
        self._pictures: dict[str, GivenFile] = {}
        self._screenshots = 0

    def give(self, files: Iterable[GivenFile]) -> None:
        """Keep files that the person gave; the oldest go first when there are too many."""
        for file in files:
            self._given[file.name] = file
            while len(self._given) > _MOST_FILES:
                del self._given[next(iter(self._given))]

    def get(self, name: str) -> GivenFile | None:
        """Return a file that the person gave."""
        return self._given.get(name)

    @property
    def names(self) -> list[str]:
        """The names of the files that the person gave."""
        return [*self._given]

    def picture(self, data: bytes) -> str:
        """Keep a screenshot, a PNG file; return its name."""
        self._screenshots += 1
        return self.keep(GivenFile(f"screenshot-{self._screenshots}.png", "image/png", data))

    def keep(self, file: GivenFile) -> str:
        """Keep a file that a tool has returned; return its name, which is its own here.

        The oldest go first when there are too many.
        """
        stem, dot, ending = file.name.rpartition(".")
        stem, ending = (stem, dot + ending) if stem else (file.name, "")
        name, number = file.name, 2
        while name in self._pictures or name in self._given:
            name, number = f"{stem}-{number}{ending}", number + 1
        self._pictures[name] = replace(file, name=name)
        while len(self._pictures) > _MOST_FILES:
            del self._pictures[next(iter(self._pictures))]
        return name

    def find_picture(self, name: str) -> GivenFile | None:
        """Return a screenshot, or a file that a tool has returned, by its name."""
        return self._pictures.get(name)

    @property
    def pictures(self) -> tuple[GivenFile, ...]:
        """Screenshots and files that tools have returned, in the order in which they came."""
        return tuple(self._pictures.values())

    def forget_pictures(self) -> None:
        """Drop those of an earlier run."""
        self._pictures.clear()
        self._screenshots = 0
