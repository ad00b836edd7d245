"""What a request for a task says: every field of it judged, the first that is wrong named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from webagent_dev.agents.goal_api.intents import Credentials, Params
from webagent_dev.http.request_body import Refused, asked_of

LONGEST_GOAL = 10_000
LONGEST_WORD = 2_000
"""Of an address, of what is searched for, of a name, of a password."""
MOST_WANTED = 20
"""Kinds of things to extract."""
_SPACES = re.compile(r"[^\S\n]+")


class Invalid(Refused):
    """A field is missing or wrong."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(422, "invalid_arguments", message)
        self.path = path


@dataclass(frozen=True, slots=True)
class Asked:
    """A task that somebody wants done."""

    goal: str
    params: Params


async def task_of(request: Request) -> Asked:
    """Return the task that a request asks for.

    Raises:
        Refused: It is no JSON, or too long.
        Invalid: A field is missing or wrong.
    """
    data = await asked_of(request)
    goal = _SPACES.sub(" ", _text(data, "goal", LONGEST_GOAL)).strip()
    if not goal:
        raise Invalid("goal", "`goal` is missing - a task says in words what it wants - add it")
    params = data.get("params")
    if params is None:
        return Asked(goal, Params())
    if not isinstance(params, dict):
        raise _wrong("params", "an object")
    wanted = Params(
        url=_text(params, "url", LONGEST_WORD, "params.").strip(),
        credentials=_credentials(params.get("credentials")),
        search_query=_text(params, "search_query", LONGEST_WORD, "params.").strip(),
        extract=_extract(params.get("extract")),
    )
    return Asked(goal, wanted)


def _text(data: dict[str, Any], name: str, most: int, prefix: str = "") -> str:
    value = data.get(name)
    path = prefix + name
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(path, "a string")
    if len(value) > most:
        raise Invalid(path, f"`{path}` is too long - it may have {most} characters - write less")
    return value


def _credentials(value: Any) -> Credentials | None:
    path = "params.credentials"
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _wrong(path, "an object with `username` and `password`")
    found = {
        name: _text(value, name, LONGEST_WORD, f"{path}.") for name in ("username", "password")
    }
    for name, text in found.items():
        if not text:
            raise Invalid(
                f"{path}.{name}", f"`{path}.{name}` is missing - logging in takes both - add it"
            )
    return Credentials(**found)


def _extract(value: Any) -> tuple[str, ...]:
    path = "params.extract"
    listed = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(listed, list):
        raise _wrong(path, "a string or a list of strings")
    if len(listed) > MOST_WANTED:
        raise Invalid(
            path, f"`{path}` is too long - it may have {MOST_WANTED} entries - write less"
        )
    for at, item in enumerate(listed):
        if not isinstance(item, str) or len(item) > LONGEST_WORD:
            raise _wrong(f"{path}[{at}]", "a string such as `tables`, `links` or `text`")
    return tuple(item for item in listed if item.strip())


def _wrong(path: str, wanted: str) -> Invalid:
    return Invalid(path, f"`{path}` is of another type - it has to be {wanted} - mend it")
