"""The person an agent works for: the one port through which it asks.

A panel, a terminal, an A2A client and a test are persons alike.
"""

from __future__ import annotations

from base64 import b64encode
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

RequestKind = Literal["plan", "approval", "question", "file"]
"""What is asked for: yes or no to a plan, or to one action; words; a file."""


@dataclass(frozen=True, slots=True)
class Request:
    """Something an agent asks a person."""

    kind: RequestKind
    text: str
    """The question, in words."""
    details: Mapping[str, Any] = field(default_factory=dict)
    """Plain data to show: of a plan its `steps`; of an action its `action`, `tool`, `effect`,
    `arguments` and `origins` (where each argument came from), and whether it may be allowed for
    the `session`; of a file its `filename`."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"kind": self.kind, "text": self.text, "details": dict(self.details)}


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that a person gave."""

    name: str
    type: str
    """Media type; empty when it is not known."""
    data: bytes

    def to_dict(self) -> dict[str, str]:
        """Return it as plain data, its bytes in Base64."""
        return {"name": self.name, "type": self.type, "data": b64encode(self.data).decode()}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the person said."""

    yes: bool = False
    """To a plan or an action; of a question and a file, whether there is an answer at all."""
    text: str = ""
    """The answer to a question, or why not."""
    session: bool = False
    """Whether the same may be done again without asking, as long as the session lasts."""
    files: tuple[GivenFile, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        files = [file.to_dict() for file in self.files]
        return {"yes": self.yes, "text": self.text, "session": self.session, "files": files}


class Person(Protocol):
    """Whom an agent asks."""

    async def ask(self, request: Request) -> Answer:
        """Return the answer, however long it takes. Cancelling the task withdraws the request."""


class Nobody:
    """There is nobody to ask: what needs a yes is refused, and questions have no answer."""

    async def ask(self, request: Request) -> Answer:
        """Say no, unless it is only a plan that waits for somebody to look at it."""
        return Answer(request.kind == "plan", "nobody is there to be asked")


class ScriptedPerson:
    """A person whose answers are known beforehand, for tests.

    Attributes:
        asked: Every request so far.
    """

    def __init__(self, *answers: Answer) -> None:
        """Give these answers, one after the other."""
        self._answers = deque(answers)
        self.asked: list[Request] = []

    async def ask(self, request: Request) -> Answer:
        """Return the next answer.

        Raises:
            AssertionError: It was asked more often than it has answers.
        """
        self.asked.append(request)
        if not self._answers:
            raise AssertionError(f"nobody expected to be asked: {request}")
        return self._answers.popleft()
