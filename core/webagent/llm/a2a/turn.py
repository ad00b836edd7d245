"""One turn of a remote agent: a message, or a task and what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webagent.llm.a2a.parts import FoundCall, answered, calls, words
from webagent.llm.chat import Message, Reply, Role, ToolCall, ToolDefinition, id_unlike, read_call
from webagent.llm.errors import CredentialsRefused, ModelFailed, UnreadableAnswer

WAITING = frozenset({"input-required", "auth-required"})

_ENDED = frozenset({"completed", "failed", "canceled", "rejected"})

_MOST_CALLS = 128


class Turn:
    """Takes what a remote agent says, in the words of A2A 0.3 or 1.0.

    Attributes:
        context: Id of the conversation, as the agent gave it.
        task: Id of the task, empty if there is none.
        state: Of the task, in the words of 0.3: `input-required`.
    """

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Start with nothing; `on_text` hears words as they come."""
        self._on_text = on_text
        self._artifacts: dict[str, list[str]] = {}
        self._last = ""
        self._calls: dict[tuple[str, str], FoundCall] = {}
        self._answered: set[str] = set()
        self._begun = False
        self.context = ""
        self.task = ""
        self.state = ""

    @property
    def over(self) -> bool:
        """Whether nothing more is to come."""
        return self._begun and (not self.task or self.state in WAITING | _ENDED)

    def add(self, result: Any) -> None:
        """Take the result of a request, or one event of a stream.

        Raises:
            UnreadableAnswer: It is nothing that A2A has.
        """
        kind, data = _unwrapped(result)
        self._begun = True
        self.context = _text(data.get("contextId")) or self.context
        if kind == "message":
            self.task = _text(data.get("taskId")) or self.task
            self._heed(data.get("parts"))
            self._last = words(data.get("parts"))
            return
        self.task = _text(data.get("id" if kind == "task" else "taskId")) or self.task
        if kind == "artifact-update":
            self._artifact(data.get("artifact"), append=data.get("append") is True)
            return
        if kind == "task":
            artifacts = data.get("artifacts")
            for artifact in artifacts if isinstance(artifacts, list) else []:
                self._artifact(artifact, append=False)
        status = data.get("status")
        if isinstance(status, Mapping):
            self._status(status)

    def reply(self, tools: Sequence[ToolDefinition], taken: Iterable[str], name: str) -> Reply:
        """Return the whole.

        Args:
            tools: What the agent may ask for.
            taken: Ids that earlier calls of the conversation have.
            name: What to call the agent.

        Raises:
            ModelError: The agent failed, or wants what cannot be given.
        """
        if self.state in ("failed", "canceled", "rejected"):
            said = f": `{self._last[:500]}`" if self._last else ""
            raise ModelFailed(f"the remote agent says that its task is {self.state}{said}")
        if self.state == "auth-required":
            raise CredentialsRefused(
                f"the remote agent wants a sign-in that is not given here: `{self._last[:500]}`"
            )
        texts = ["".join(pieces) for pieces in self._artifacts.values()]
        if self._last and self._last not in texts:
            texts.append(self._last)
            if self._on_text is not None:
                self._on_text(("\n\n" if len(texts) > 1 else "") + self._last)
        return Reply(
            "\n\n".join(text for text in texts if text),
            self._asked({tool.name for tool in tools}, set(taken)),
            model=name,
        )

    def _asked(self, known: set[str], taken: set[str]) -> tuple[ToolCall, ...]:
        """Return the calls that are for us: the agent's own have a result already."""
        open_calls = [one for one in self._calls.values() if one.id not in self._answered]
        ours = [one for one in open_calls if one.name in known]
        if not ours and (self.state in WAITING or not self.task):
            # Nobody else can be meant; that there is no such tool is for the agent to hear.
            ours = open_calls
        found = []
        for one in ours[:_MOST_CALLS]:
            number = id_unlike(taken, one.id)
            taken.add(number)
            found.append(read_call(number, one.name, one.written))
        return tuple(found)

    def _status(self, status: Mapping[str, Any]) -> None:
        state = _text(status.get("state")).lower().removeprefix("task_state_").replace("_", "-")
        self.state = {"cancelled": "canceled"}.get(state, state) or self.state
        message = status.get("message")
        parts = message.get("parts") if isinstance(message, Mapping) else None
        self._heed(parts)
        if self.state in WAITING | _ENDED:
            # What it said on the way, such as `searching …`, is no reply.
            self._last = words(parts)

    def _artifact(self, artifact: Any, *, append: bool) -> None:
        if not isinstance(artifact, Mapping):
            return
        number, parts = _text(artifact.get("artifactId")), artifact.get("parts")
        self._heed(parts)
        text = words(parts)
        pieces = self._artifacts.get(number)
        if pieces is not None and not append:
            # The whole once more: it was heard in pieces.
            self._artifacts[number] = [text]
            return
        if pieces is None:
            pieces = self._artifacts[number] = []
            begins = bool(text) and len(self._artifacts) > 1
            self._hear(("\n\n" if begins else "") + text)
        else:
            self._hear(text)
        pieces.append(text)

    def _hear(self, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(text)

    def _heed(self, parts: Any) -> None:
        self._answered.update(answered(parts))
        for one in calls(parts):
            # A call may stand in a stream and again in what sums it up.
            key = (one.id, "" if one.id else f"{one.name} {one.written!r}")
            self._calls.setdefault(key, one)


def _unwrapped(result: Any) -> tuple[str, Mapping[str, Any]]:
    """Return what a result is, and its data: 0.3 says so in `kind`, 1.0 by the key around it."""
    if isinstance(result, Mapping):
        kind = result.get("kind")
        if kind in ("message", "task", "status-update", "artifact-update"):
            return str(kind), result
        for key, kind in _KEYS.items():
            inner = result.get(key)
            if isinstance(inner, Mapping) and "kind" not in result:
                return kind, inner
        if "status" in result and "id" in result:
            return "task", result
    raise UnreadableAnswer(
        "the remote agent answers with something else than A2A - check its address and its version"
    )


_KEYS = {
    "message": "message",
    "task": "task",
    "statusUpdate": "status-update",
    "artifactUpdate": "artifact-update",
}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Heard:
    """Up to where an agent knows a conversation."""

    messages: int
    """How many messages, its own last words among them."""
    ids: Mapping[str, str]
    """The ids of the calls it asked for last, as it knows them, by those in the conversation."""


def heard_of(messages: Sequence[Message], reply: Reply | None) -> Heard | None:
    """Return how much an agent that replied last has heard; None if it knows nothing of it.

    Whoever wrote the conversation down may have given calls other ids, have put each into a
    message of its own before its result, or have called a tool through another that takes its name
    and arguments.
    """
    said = [i for i, message in enumerate(messages) if message.role is Role.ASSISTANT]
    if not said or reply is None:
        return None
    if not reply.calls:
        last = messages[said[-1]]
        same = not last.calls and last.text == reply.text
        return Heard(said[-1] + 1, {}) if same else None
    left, ids, first = [*reply.calls], dict[str, str](), None
    for i in reversed(said):
        found = _matched(messages[i].calls, left)
        if not found:
            break
        ids |= found
        first = i
    return None if first is None else Heard(first + 1, ids)


def _matched(calls: Sequence[ToolCall], left: list[ToolCall]) -> dict[str, str]:
    """Return the agent's ids of calls that it asked for, and take them out of those left.

    Nothing if one of them is none of its own.
    """
    ids: dict[str, str] = {}
    taken = [*left]
    for call in reversed(calls):
        same = next((one for one in reversed(taken) if _same(call, one)), None)
        if same is None:
            return {}
        taken.remove(same)
        ids[call.id] = same.id
    left[:] = taken
    return ids


def _same(call: ToolCall, asked: ToolCall) -> bool:
    arguments = dict(asked.arguments)
    if call.id == asked.id or (call.name == asked.name and dict(call.arguments) == arguments):
        return True
    values = list(call.arguments.values())
    return asked.name in values and arguments in values
