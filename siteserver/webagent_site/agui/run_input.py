"""The request of a front end: `RunAgentInput` of AG-UI, of which little is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from webagent_site.http.request_body import RequestError, optional_field, read_object
from webagent_site.text import printable

LONGEST_ID = 200
LONGEST_GOAL = 10_000
"""Limits, in characters."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The answer to an interrupt."""

    interrupt: str
    is_cancelled: bool
    payload: Any


@dataclass(frozen=True, slots=True)
class RunInput:
    """A goal, or the answers to interrupts."""

    thread: str
    run: str
    goal: str
    """Empty with answers."""
    page_id: str
    """The tab that the front end wants; empty for the one last used."""
    resume: list[Resume]
    is_current: bool
    """Whether the front end says that it speaks a version of AG-UI; older ones do not."""


async def read_input(request: Request, is_own_call: Callable[[str], bool]) -> RunInput:
    """Return what a front end asks for.

    Args:
        request: Its request.
        is_own_call: Whether the agent has made the tool call of an id.

    Raises:
        RequestError: It is not such a request, or it brings messages that are not the visitor's.
    """
    data = await read_object(request, threadId=str, runId=str, messages=list)
    thread, run = (_named(data, name) for name in ("threadId", "runId"))
    goal = _goal(data["messages"], is_own_call)
    resume = [_resume(each) for each in optional_field(data, "resume", list, [])]
    if not resume and not goal:
        raise _wrong("`messages` has no message of the user - its text is the goal - add one")
    props = data.get("forwardedProps")
    page_id = optional_field(props, "page_id", str, "") if isinstance(props, dict) else ""
    is_current = isinstance(data.get("protocolVersion"), str)
    return RunInput(thread, run, "" if resume else goal, page_id, resume, is_current)


def _named(data: dict[str, Any], name: str) -> str:
    value: str = data[name]
    if not 0 < len(value) <= LONGEST_ID:
        raise _wrong(
            f"`{name}` is empty or too long - it has up to {LONGEST_ID} characters - correct it"
        )
    return value


def _goal(messages: list[Any], is_own_call: Callable[[str], bool]) -> str:
    """Return the text of the last message of the user; the others are checked alone."""
    goal = ""
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if role == "user":
            goal = _text(message.get("content"))
        elif role == "tool":
            if not is_own_call(str(message.get("toolCallId"))):
                raise _wrong(
                    "`messages` has the result of a tool that the agent has not called - it calls tools of "
                    "the page alone - leave it out"
                )
        elif role != "assistant":
            raise _wrong(
                f"`messages` has one of the role `{printable(str(role), 40)}` - nobody but the site's "
                "owner instructs the agent - send messages of the user alone"
            )
    if len(goal) > LONGEST_GOAL:
        raise _wrong(
            f"the goal is longer than {LONGEST_GOAL} characters - that is no goal - say less"
        )
    return goal.strip()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        if len(texts) == len(content):
            return "\n".join(texts)
    raise _wrong(
        "a message of the user has something else than text - the agent reads text - send text"
    )


def _resume(entry: Any) -> Resume:
    if (
        not isinstance(entry, dict)
        or not isinstance(entry.get("interruptId"), str)
        or entry.get("status") not in ("resolved", "cancelled")
    ):
        raise _wrong(
            "`resume` has an item that answers nothing - each has an `interruptId` and a `status` - "
            "write `resolved` or `cancelled`"
        )
    return Resume(entry["interruptId"], entry["status"] == "cancelled", entry.get("payload"))


def _wrong(message: str) -> RequestError:
    return RequestError(400, "invalid_arguments", message)
