"""The person whom an agent works for, and the files of a session.

The agent asks everything through one port. The panel, a terminal, an A2A client and a test
implement it.
"""

from __future__ import annotations

from base64 import b64encode
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, Protocol

from webagent.page.port import Ask

RequestKind = Literal["plan", "approval", "question", "file"]
"""The kinds of requests: yes or no to a plan, yes or no to one action, words, or a file."""


NOT_ALLOWED: Final = "the person did not allow"
"""How the error of an action begins that the person has refused."""

_MOST_FILES = 50


@dataclass(frozen=True, slots=True)
class Request:
    """A request of the agent to the person."""

    kind: RequestKind
    text: str
    """The question, in words."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Plain data to show. A plan has its `steps`. An action has `action`, `tool`, `effect`,
    `arguments`, `origins` (where each argument came from), `labels` of the parameters, `names` of
    the things that ids name, and `grants` (what may be allowed for the
    session instead, the narrowest first). A file has its `filename`."""

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
        return Answer(request.kind == "plan", "nobody is there to be asked")


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


class Files:
    """The files of a session by name: those that the person gave, screenshots, and those of tools.

    They are in memory only, and do not outlive the page.
    """

    def __init__(self) -> None:
        self._given: dict[str, GivenFile] = {}
        self._pictures: dict[str, GivenFile] = {}

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
        name = f"screenshot-{len(self._pictures) + 1}.png"
        self._pictures[name] = GivenFile(name, "image/png", data)
        return name

    def keep(self, file: GivenFile) -> str:
        """Keep a file that a tool has returned; return its name, which is its own here."""
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
