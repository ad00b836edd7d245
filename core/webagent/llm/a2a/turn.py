"""One turn of a remote agent: a message, or a task with its updates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webagent.llm.a2a.parts import FoundCall, calls, result_ids, words
from webagent.llm.chat import Message, Reply, Role, ToolCall, ToolDefinition, read_call, unique_id
from webagent.llm.errors import CredentialsRefused, ModelFailed, UnreadableAnswer

WAITING = frozenset({"input-required", "auth-required"})

_ENDED = frozenset({"completed", "failed", "canceled", "rejected"})

_MOST_CALLS = 128


class Turn:
    """Collects the results of a remote agent, in A2A 0.3 or 1.0.

    Attributes:
        context: Id of the conversation, from the agent.
        task: Id of the task; empty if there is none.
        state: State of the task, in the words of 0.3: `input-required`.
    """

    def __init__(self, on_text: Callable[[str], None] | None = None) -> None:
        """Create an empty turn; `on_text` receives words as they come."""
        self._on_text = on_text
        self._artifacts: dict[str, list[str]] = {}
        self._last = ""
        self._calls: dict[tuple[str, str], FoundCall] = {}
        self._result_ids: set[str] = set()
        self._begun = False
        self.context = ""
        self.task = ""
        self.state = ""

    @property
    def over(self) -> bool:
        """Whether the agent is done, or waits for us."""
        return self._begun and (not self.task or self.state in WAITING | _ENDED)

    def add(self, result: Any) -> None:
        """Add the result of a request, or one event of a stream.

        Raises:
            UnreadableAnswer: It is not A2A.
        """
        kind, data = _unwrapped(result)
        self._begun = True
        self.context = _text(data.get("contextId")) or self.context
        if kind == "message":
            self.task = _text(data.get("taskId")) or self.task
            self._collect_calls(data.get("parts"))
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
        """Return the agent's reply.

        Args:
            tools: The tools that the agent may call.
            taken: Ids of earlier calls of the conversation.
            name: Name of the agent.

        Raises:
            ModelError: The agent failed, or requires a sign-in.
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
            self._our_calls({tool.name for tool in tools}, set(taken)),
            model=name,
        )

    def _our_calls(self, known: set[str], taken: set[str]) -> tuple[ToolCall, ...]:
        """Return the calls for us; the agent's own calls have a result already."""
        open_calls = [one for one in self._calls.values() if one.id not in self._result_ids]
        ours = [one for one in open_calls if one.name in known]
        if not ours and (self.state in WAITING or not self.task):
            # The calls can only be for us. If there is no such tool, the agent gets the error.
            ours = open_calls
        found = []
        for one in ours[:_MOST_CALLS]:
            number = unique_id(taken, one.id)
            taken.add(number)
            found.append(read_call(number, one.name, one.written))
        return tuple(found)

    def _status(self, status: Mapping[str, Any]) -> None:
        state = _text(status.get("state")).lower().removeprefix("task_state_").replace("_", "-")
        self.state = {"cancelled": "canceled"}.get(state, state) or self.state
        message = status.get("message")
        parts = message.get("parts") if isinstance(message, Mapping) else None
        self._collect_calls(parts)
        if self.state in WAITING | _ENDED:
            # Earlier words, such as `searching …`, are not the reply.
            self._last = words(parts)

    def _artifact(self, artifact: Any, *, append: bool) -> None:
        if not isinstance(artifact, Mapping):
            return
        number, parts = _text(artifact.get("artifactId")), artifact.get("parts")
        self._collect_calls(parts)
        text = words(parts)
        pieces = self._artifacts.get(number)
        if pieces is not None and not append:
            # This is the whole artifact after its pieces, which were reported already.
            self._artifacts[number] = [text]
            return
        if pieces is None:
            pieces = self._artifacts[number] = []
            begins = bool(text) and len(self._artifacts) > 1
            self._report(("\n\n" if begins else "") + text)
        else:
            self._report(text)
        pieces.append(text)

    def _report(self, text: str) -> None:
        if text and self._on_text is not None:
            self._on_text(text)

    def _collect_calls(self, parts: Any) -> None:
        self._result_ids.update(result_ids(parts))
        for one in calls(parts):
            # A call may be in a stream, and again in the summary of the stream.
            key = (one.id, "" if one.id else f"{one.name} {one.written!r}")
            self._calls.setdefault(key, one)


def _unwrapped(result: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the kind of a result and its data: 0.3 has `kind`, 1.0 a key around the data."""
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
class KnownPart:
    """The part of a conversation that an agent knows already."""

    messages: int
    """Number of messages, including its own last reply."""
    ids: Mapping[str, str]
    """The agent's ids of its last calls, by their ids in the conversation."""


def known_part(messages: Sequence[Message], reply: Reply | None) -> KnownPart | None:
    """Return the part of a conversation up to an agent's last reply; None if that is not in it.

    The conversation may have other ids for calls, may have each call in a message of its own before
    its result, or may call a tool through another one that takes its name and arguments.
    """
    said = [i for i, message in enumerate(messages) if message.role is Role.ASSISTANT]
    if not said or reply is None:
        return None
    if not reply.calls:
        last = messages[said[-1]]
        same = not last.calls and last.text == reply.text
        return KnownPart(said[-1] + 1, {}) if same else None
    left, ids, first = [*reply.calls], dict[str, str](), None
    for i in reversed(said):
        found = _matched(messages[i].calls, left)
        if not found:
            break
        ids |= found
        first = i
    return None if first is None else KnownPart(first + 1, ids)


def _matched(calls: Sequence[ToolCall], left: list[ToolCall]) -> dict[str, str]:
    """Return the agent's ids of its calls in a message, and remove these calls from `left`.

    Return nothing if one of the calls is not the agent's.
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
