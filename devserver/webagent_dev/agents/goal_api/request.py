"""Reads the request for a task; an error names the first field that is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from webagent_site.http.request_body import RequestError, read_object

LONGEST_GOAL = 10_000
LONGEST_TEXT = 2_000
"""Limit of an address, a search query, a username and a password."""
MOST_EXTRACT = 20
"""Limit of kinds of things to extract."""
_SPACES = re.compile(r"[^\S\n]+")


class InvalidField(RequestError):
    """A field is missing or wrong."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(422, "invalid_arguments", message)
        self.path = path


@dataclass(frozen=True, slots=True)
class Credentials:
    """Username and password; used once, and never shown."""

    username: str = field(repr=False)
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters of a task besides its goal."""

    url: str = ""
    credentials: Credentials | None = None
    search_query: str = ""
    extract: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """A task of a client."""

    goal: str
    params: Params


async def read_task_request(request: Request) -> TaskRequest:
    """Read the request for a task.

    Raises:
        RequestError: It is not JSON, or too long.
        InvalidField: A field is missing or wrong.
    """
    data = await read_object(request)
    goal = _SPACES.sub(" ", _text(data, "goal", LONGEST_GOAL)).strip()
    if not goal:
        raise InvalidField(
            "goal", "`goal` is missing - a task says in words what it wants - add it"
        )
    params = data.get("params")
    if params is None:
        return TaskRequest(goal, Params())
    if not isinstance(params, dict):
        raise _wrong_type("params", "an object")
    read = Params(
        url=_text(params, "url", LONGEST_TEXT, "params.").strip(),
        credentials=_credentials(params.get("credentials")),
        search_query=_text(params, "search_query", LONGEST_TEXT, "params.").strip(),
        extract=_extract(params.get("extract")),
    )
    return TaskRequest(goal, read)


def _text(data: dict[str, Any], name: str, most: int, prefix: str = "") -> str:
    value = data.get(name)
    path = prefix + name
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong_type(path, "a string")
    if len(value) > most:
        raise InvalidField(
            path, f"`{path}` is too long - it may have up to {most} characters - write less"
        )
    return value


def _credentials(value: Any) -> Credentials | None:
    path = "params.credentials"
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _wrong_type(path, "an object with `username` and `password`")
    found = {
        name: _text(value, name, LONGEST_TEXT, f"{path}.") for name in ("username", "password")
    }
    for name, text in found.items():
        if not text:
            raise InvalidField(
                f"{path}.{name}", f"`{path}.{name}` is missing - logging in takes both - add it"
            )
    return Credentials(**found)


def _extract(value: Any) -> tuple[str, ...]:
    path = "params.extract"
    listed = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(listed, list):
        raise _wrong_type(path, "a string or a list of strings")
    if len(listed) > MOST_EXTRACT:
        raise InvalidField(
            path, f"`{path}` is too long - it may have up to {MOST_EXTRACT} entries - write less"
        )
    for at, item in enumerate(listed):
        if not isinstance(item, str) or len(item) > LONGEST_TEXT:
            raise _wrong_type(f"{path}[{at}]", "a string such as `tables`, `links` or `text`")
    return tuple(item for item in listed if item.strip())


def _wrong_type(path: str, expected: str) -> InvalidField:
    return InvalidField(path, f"`{path}` has another type - it has to be {expected} - correct it")
