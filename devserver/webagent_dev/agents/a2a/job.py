"""A task while an agent works on it: its messages, its questions and its artifacts."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol
from uuid import uuid4

from webagent.agent.redact import Redactor, Vault
from webagent.errors import ToolTimeout
from webagent.page.values import plain
from webagent.registry.secrets import Mask, Secrets
from webagent_dev.agents.a2a.task_shapes import agent_message, artifact_event, status_event
from webagent_dev.agents.tasks.task import State, Task, without_secrets
from webagent_dev.agents.tasks.tasks import Tasks
from webagent_site.http.a2a.requests import SendMessageRequest
from webagent_site.http.a2a.responses import Shape

ANSWER_S = 1800.0
"""How long a question waits for its answer."""
MOST_MESSAGES = 1_000
"""Limit of messages in the history of a task."""

_YES = frozenset(
    (
        *("yes", "y", "ok", "okay", "yes please", "sure", "go ahead", "go on", "do it"),
        *("approve", "approved", "accept", "accepted", "confirm", "confirmed", "true"),
    )
)
_STOP = frozenset(("stop", "no stop", "no and stop", "stop it"))
_SHOWN_DETAILS = (
    "steps",
    "action",
    "tool",
    "similar",
    "arguments",
    "calls",
    "sends",
    "effect",
    "session",
    "grants",
    "filename",
)


class DirectReply(Exception):
    """The answer in words to a message that starts no task."""

    def __init__(self, text: str) -> None:
        super().__init__(text)


class Agent(Protocol):
    """Works on tasks."""

    def task_metadata(self, request: SendMessageRequest) -> Shape:
        """Return the metadata of a task before it begins.

        Raises:
            A2aError: The message is not something that can be worked on.
            DirectReply: The message needs an answer and no task.
        """

    async def work(self, job: Job) -> None:
        """Work on a task until it is over; the last call is `job.end`.

        Raises:
            asyncio.CancelledError: The client has cancelled it. The service then ends the task.
        """


class Job:
    """A task that is worked on."""

    def __init__(self, tasks: Tasks, request: SendMessageRequest) -> None:
        """Make the task of a message; `begin` starts it.

        Args:
            tasks: Where it is published.
            request: The first message.
        """
        self.request = request
        context = request.message.get("contextId") or str(uuid4())
        self.task = Task(str(uuid4()), "a2a", context)
        self._tasks = tasks
        # A message may contain secrets that must not be kept.
        self._secrets = Secrets()
        self._vault = Vault(self._secrets, {})
        self._mask = Mask(self._secrets, Redactor())
        self._asks_secret = False
        self._answer: asyncio.Future[SendMessageRequest] | None = None

    async def begin(self, metadata: Shape) -> None:
        """Publish the task.

        Raises:
            RateLimited: There are too many.
        """
        self._update(metadata=metadata)
        self._add_message(self.request)
        await self._tasks.begin(self.task)

    async def report(self, text: str, **metadata: object) -> None:
        """Report what is done now."""
        message = agent_message(self.task, [{"text": text}])
        about = {"metadata": metadata} if metadata else {}
        await self._set_status("working", {**message, **about})

    async def ask(self, parts: list[Shape], *, secret: bool = False) -> SendMessageRequest:
        """Ask the client, and return its answer.

        Args:
            parts: The question.
            secret: Whether the answer is a secret, which is not kept.

        Raises:
            ToolTimeout: There was no answer in time.
        """
        self._answer = asyncio.get_running_loop().create_future()
        self._asks_secret = secret
        message = agent_message(self.task, parts)
        self._add_to_history(message)
        await self._set_status("input_required", message)
        try:
            answer = await asyncio.wait_for(self._answer, ANSWER_S)
        except TimeoutError:
            raise ToolTimeout(
                f"nobody has answered within {ANSWER_S:g} s", help="send the task again"
            ) from None
        await self._set_status("working", None)
        return answer

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for an answer of the client."""
        return self._answer is not None and not self._answer.done()

    def answer(self, request: SendMessageRequest) -> None:
        """Take the answer of the client."""
        assert self._answer is not None
        self._add_message(request)
        self._answer.set_result(request)

    async def add_artifact(self, artifact: Shape) -> None:
        """Publish an artifact."""
        artifact = without_secrets(artifact, self._secrets)
        self._update(artifacts=[*self.task.data.get("artifacts", []), artifact])
        await self._tasks.publish(self.task, artifact_event(self.task, artifact))

    async def end(self, state: State, parts: list[Shape] | None = None) -> None:
        """Publish how the task has ended.

        Args:
            state: A final one.
            parts: Of the last message, if there is one.
        """
        message = agent_message(self.task, parts) if parts else None
        if message:
            self._add_to_history(message)
        await self._set_status(state, message)

    def masked(self, data: Any) -> Any:
        """Return data without secrets, as it may be shown."""
        return self._mask.data(data)

    async def _set_status(self, state: State, message: Shape | None) -> None:
        self.task.state = state
        self.task.updated = time.time()
        self.task.status_message = self._mask.record(message)
        await self._tasks.publish(self.task, status_event(self.task))

    def _add_message(self, request: SendMessageRequest) -> None:
        """Add a message of the client to the history, without the secrets in it."""
        about = {"taskId": self.task.id, "contextId": self.task.context_id}
        self._secrets.learn_arguments({"parts": request.parts})
        for part in request.parts:
            if self._asks_secret and part.get("text"):
                self._vault.hold(part["text"], "password")
            self._vault.take(part.get("text", ""))
        self._asks_secret = False
        # Files are passed on, not kept.
        parts = [
            {**part, "raw": ""} if "raw" in part else part for part in request.message["parts"]
        ]
        self._add_to_history({**request.message, "parts": parts, **about})

    def _add_to_history(self, message: Shape) -> None:
        messages = [*self.task.data.get("history", []), self._mask.record(message)]
        self._update(history=messages[-MOST_MESSAGES:])

    def _update(self, **fields: object) -> None:
        # Replaced, because readers hold the data as it was.
        data = {**self.task.data, **fields}
        self.task.data = {name: value for name, value in data.items() if value}


def question_parts(request: dict[str, Any]) -> list[Shape]:
    """Return a request of the agent as parts: in words, and as data.

    Args:
        request: `{kind, text, details}`; the kind is `plan`, `approval`, `question` or `file`.
    """
    details = request.get("details")
    shown = plain(details) if isinstance(details, dict) else {}
    kind = str(request.get("kind", ""))
    data = {
        "kind": kind,
        "details": {name: shown[name] for name in _SHOWN_DETAILS if shown.get(name)},
        "answer": {
            "question": "words",
            "file": "a part with `raw` and `filename`",
        }.get(
            kind,
            'yes, no or stop, or a data part {"yes": true, "session": true}, {"yes": true, '
            '"grant": KEY} or {"stop": true}',
        ),
    }
    return [{"text": str(request.get("text", ""))}, {"data": data}]


def read_answer(request: SendMessageRequest, kind: str) -> dict[str, Any]:
    """Return the answer of a client as the page takes it: `{yes, text, session, files, grant, stop}`.

    Args:
        request: The message of the client.
        kind: Of the request.
    """
    text = " ".join(part["text"] for part in request.parts if "text" in part).strip()
    files = [
        {
            "name": part.get("filename", "file"),
            "type": part.get("mediaType", ""),
            "data": part["raw"],
        }
        for part in request.parts
        if "raw" in part
    ]
    data: dict[str, Any] = {}
    for part in request.parts:
        if isinstance(part.get("data"), dict):
            data.update(part["data"])
    words = data["text"] if isinstance(data.get("text"), str) else text
    if isinstance(data.get("yes"), bool):
        yes = data["yes"]
    elif kind == "question":
        yes = bool(words)
    elif kind == "file":
        yes = bool(files)
    else:
        yes = text.lower().strip(" .!") in _YES
    grant = data.get("grant")
    plain_words = "".join(c for c in text.lower() if c.isalpha() or c == " ").strip()
    stop = data.get("stop") is True or (kind in ("plan", "approval") and plain_words in _STOP)
    return {
        "yes": yes,
        "text": words,
        "session": data.get("session") is True,
        "files": files,
        "grant": grant if isinstance(grant, str) else "",
        "stop": stop,
    }


def is_yes(request: SendMessageRequest) -> bool:
    """Whether a client approves of one action."""
    return read_answer(request, "approval")["yes"] is True
