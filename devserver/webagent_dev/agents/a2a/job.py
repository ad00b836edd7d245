"""One task while an agent works on it: what it says, asks and makes of it."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any, Protocol
from uuid import uuid4

from webagent.agent.redact import Redactor
from webagent.errors import ToolTimeout
from webagent.registry.secrets import Mask, Secrets
from webagent_dev.agents.a2a.requests import Sent
from webagent_dev.agents.a2a.responses import Shape, agent_message, artifact_event, status_event
from webagent_dev.agents.page_output import plain
from webagent_dev.agents.tasks.task import State, Task
from webagent_dev.agents.tasks.tasks import Tasks

_SPOKEN = re.compile(
    r"\b(?:passwor[dt]|passwd|passphrase|passcode|pwd|kennwort|contraseña|senha|wachtwoord)"
    r"(?:[ \t]{1,3}(?:is|was|to|of|ist|es|é)\b)?[ \t]{0,3}[:=,]?[ \t]{0,3}"
    r"(?:(?P<mark>[\"'`])(?P<quoted>[^\"'`\s]{1,200})(?P=mark)|(?P<bare>[^\s\"'`<>]{1,200}))",
    re.IGNORECASE,
)

_ODD = re.compile(r"\d|[^\w.:;,!?'-]|[a-z][A-Z]")
"""What no word of a sentence has in it."""

_AFTER = ".,;:!?"


def spoken_passwords(text: str) -> list[str]:
    """Return what stands behind words such as `password`, where it is quoted or no plain word."""
    found = []
    for match in _SPOKEN.finditer(text):
        bare = (match["bare"] or "").rstrip(_AFTER)
        if match["quoted"] or _ODD.search(bare):
            found.append(match["quoted"] or bare)
    return found


ANSWER_S = 1800.0
"""How long a question waits."""

MOST_MESSAGES = 1_000
"""Of the history of a task that are kept."""


class Reply(Exception):
    """An answer in words to a message of which no task is made."""

    def __init__(self, text: str) -> None:
        """Say it."""
        super().__init__(text)


class Agent(Protocol):
    """Whoever does the work."""

    async def work(self, job: Job) -> None:
        """Work on a task until it is over; the last thing is `job.end`.

        Raises:
            asyncio.CancelledError: The client does not want it any more, which is told for it.
        """

    def look(self, sent: Sent) -> Shape:
        """Return the metadata of a task before it begins.

        Raises:
            A2aError: It is nothing that could be worked on.
            Reply: A word will do.
        """


class Job:
    """A task that is worked on."""

    def __init__(self, tasks: Tasks, sent: Sent) -> None:
        """Begin nothing yet.

        Args:
            tasks: Where it is told.
            sent: The message with which it begins.
        """
        self.sent = sent
        context = sent.message.get("contextId") or str(uuid4())
        self.task = Task(str(uuid4()), "a2a", context)
        self._tasks = tasks
        # A message may bring what nobody should read later.
        self._secrets = Secrets()
        self._mask = Mask(self._secrets, Redactor())
        self._answer: asyncio.Future[Sent] | None = None

    async def begin(self, metadata: Shape) -> None:
        """Make the task known.

        Raises:
            RateLimited: There are too many.
        """
        self._put(metadata=metadata)
        self._add(self.sent)
        await self._tasks.begin(self.task)

    async def say(self, text: str, **metadata: object) -> None:
        """Tell what is done now."""
        message = agent_message(self.task, [{"text": text}])
        await self._status("working", {**message, **({"metadata": metadata} if metadata else {})})

    async def ask(self, parts: list[Shape]) -> Sent:
        """Ask the client, and return what it answers.

        Raises:
            ToolTimeout: It has not, for a long time.
        """
        self._answer = asyncio.get_running_loop().create_future()
        message = agent_message(self.task, parts)
        self._history(message)
        await self._status("input_required", message)
        try:
            answer = await asyncio.wait_for(self._answer, ANSWER_S)
        except TimeoutError:
            raise ToolTimeout(
                f"nobody has answered within {ANSWER_S:g} s", help="send the task again"
            ) from None
        await self._status("working", None)
        return answer

    @property
    def asks(self) -> bool:
        """Whether an answer is waited for."""
        return self._answer is not None and not self._answer.done()

    def answer(self, sent: Sent) -> None:
        """Take the client's answer."""
        assert self._answer is not None
        self._add(sent)
        self._answer.set_result(sent)

    async def give(self, artifact: Shape) -> None:
        """Give an artifact."""
        artifact = self._without_given(artifact)
        self._put(artifacts=[*self.task.data.get("artifacts", []), artifact])
        await self._tasks.tell(self.task, artifact_event(self.task, artifact))

    async def end(self, state: State, parts: list[Shape] | None = None) -> None:
        """Say how the task has ended.

        Args:
            state: One that is over.
            parts: What there is to say.
        """
        message = agent_message(self.task, parts) if parts else None
        if message:
            self._history(message)
        await self._status(state, message)

    async def _status(self, state: State, message: Shape | None) -> None:
        self.task.state = state
        self.task.updated = time.time()
        self.task.said = self._mask.data(message)
        await self._tasks.tell(self.task, status_event(self.task))

    def hidden(self, data: Any) -> Any:
        """Return data as it may be told, without secrets."""
        return self._mask.data(data)

    def _without_given(self, data: Any) -> Any:
        """Return data without the secrets that the client has given; else a result is whole."""
        match data:
            case str():
                return self._secrets.mask_text(data)
            case list():
                return [self._without_given(item) for item in data]
            case dict():
                return {key: self._without_given(value) for key, value in data.items()}
            case _:
                return data

    def _add(self, sent: Sent) -> None:
        """Keep a message of the client, without the secrets in it."""
        about = {"taskId": self.task.id, "contextId": self.task.context_id}
        spoken = [word for part in sent.parts for word in spoken_passwords(part.get("text", ""))]
        self._secrets.learn_arguments({"parts": sent.parts, "password": spoken})
        # Files are passed on, not kept.
        parts = [{**part, "raw": ""} if "raw" in part else part for part in sent.message["parts"]]
        self._history({**sent.message, "parts": parts, **about})

    def _history(self, message: Shape) -> None:
        messages = [*self.task.data.get("history", []), self._mask.data(message)]
        self._put(history=messages[-MOST_MESSAGES:])

    def _put(self, **fields: object) -> None:
        data = {**self.task.data, **fields}
        self.task.data = {name: value for name, value in data.items() if value}


_YES = frozenset(
    (
        *("yes", "y", "ok", "okay", "yes please", "sure", "go ahead", "go on", "do it"),
        *("approve", "approved", "accept", "accepted", "confirm", "confirmed", "true"),
    )
)

_DETAILS = ("steps", "action", "tool", "arguments", "effect", "session", "filename")


def question(request: dict[str, Any]) -> list[Shape]:
    """Return a request of the agent as parts: in words, and as data.

    Args:
        request: `{kind, text, details}`; the kind is `plan`, `approval`, `question` or `file`.
    """
    details = request.get("details")
    shown = plain(details) if isinstance(details, dict) else {}
    kind = str(request.get("kind", ""))
    data = {
        "kind": kind,
        "details": {name: shown[name] for name in _DETAILS if shown.get(name)},
        "answer": {
            "question": "words",
            "file": "a part with `raw` and `filename`",
        }.get(kind, 'yes or no, or a data part {"yes": true, "session": true}'),
    }
    return [{"text": str(request.get("text", ""))}, {"data": data}]


def answer(sent: Sent, kind: str) -> dict[str, Any]:
    """Return what a client says as the page takes it: `{yes, text, session, files}`.

    Args:
        sent: The client's message.
        kind: Of the request.
    """
    text = " ".join(part["text"] for part in sent.parts if "text" in part).strip()
    files = [
        {
            "name": part.get("filename", "file"),
            "type": part.get("mediaType", ""),
            "data": part["raw"],
        }
        for part in sent.parts
        if "raw" in part
    ]
    data: dict[str, Any] = {}
    for part in sent.parts:
        if isinstance(part.get("data"), dict):
            data.update(part["data"])
    said = data["text"] if isinstance(data.get("text"), str) else text
    if isinstance(data.get("yes"), bool):
        yes = data["yes"]
    elif kind == "question":
        yes = bool(said)
    elif kind == "file":
        yes = bool(files)
    else:
        yes = text.lower().strip(" .!") in _YES
    return {"yes": yes, "text": said, "session": data.get("session") is True, "files": files}


def agreed(sent: Sent) -> bool:
    """Whether a client says yes to one thing."""
    return answer(sent, "approval")["yes"] is True
