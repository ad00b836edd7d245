"""What clients ask for, in the shapes of A2A 1.0."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from starlette.requests import Request

from webagent.json_text import read_json
from webagent_dev.agents.a2a.card import VERSIONS
from webagent_dev.agents.a2a.errors import (
    CONTENT_TYPE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE,
    PUSH_NOT_SUPPORTED,
    TOO_LARGE,
    VERSION,
    A2aError,
)
from webagent_dev.agents.a2a.responses import FOREIGN_STATES, STATES
from webagent_dev.http.request_body import NAMES, Left, TooLong, read_body

_CAPITAL = re.compile(r"(?=[A-Z])")

_Kind = TypeVar("_Kind")


class Fields:
    """An object, and where it stands."""

    def __init__(self, data: Any, path: str = "params") -> None:
        """Read an object.

        Raises:
            A2aError: It is none.
        """
        if not isinstance(data, dict):
            raise wrong(path, "an object")
        self._data = data
        self.place = path
        """Where it stands."""

    def has(self, name: str) -> bool:
        """Whether a field is there, and not null."""
        return self._value(name) is not None

    def get(self, name: str, kind: type[_Kind], usual: _Kind) -> _Kind:
        """Return a field, or what is usual when it is left out."""
        value = self._value(name)
        if value is None:
            return usual
        if type(value) is not kind:
            raise wrong(self.path(name), NAMES[kind])
        return value

    def need(self, name: str, kind: type[_Kind]) -> _Kind:
        """Return a field that has to be there, and not empty."""
        value = self.get(name, kind, kind())
        if value in ("", []) or self._value(name) is None:
            raise wrong(self.path(name), f"{NAMES[kind]} that is not empty")
        return value

    def inner(self, name: str) -> Fields:
        """Return an object inside; an empty one when it is left out."""
        return Fields(self.get(name, dict, {}), self.path(name))

    def each(self, name: str) -> list[Fields]:
        """Return the objects of a list inside, which has to have some."""
        listed: list[Any] = self.need(name, list)
        return [Fields(item, f"{self.path(name)}[{at}]") for at, item in enumerate(listed)]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings; an empty one when it is left out."""
        listed: list[Any] = self.get(name, list, [])
        if not all(isinstance(item, str) for item in listed):
            raise wrong(self.path(name), "a list of strings")
        return listed

    def kept(self, **kinds: type) -> dict[str, Any]:
        """Return those of the fields that are there."""
        return {
            name: self.get(name, kind, kind()) for name, kind in kinds.items() if self.has(name)
        }

    def value(self, name: str) -> Any:
        """Return a field that may be anything; None when it is left out."""
        return self._value(name)

    def path(self, name: str) -> str:
        """Return where a field stands."""
        return f"{self.place}.{name}"

    def _value(self, name: str) -> Any:
        value = self._data.get(name)
        return self._data.get(_CAPITAL.sub("_", name).lower()) if value is None else value


def wrong(path: str, wanted: str) -> A2aError:
    """Return the error for a field that is missing, or not as it has to be."""
    return A2aError(
        INVALID_PARAMS,
        f"`{path[:200]}` is missing or not as it has to be - it is {wanted} - mend it and send again",
    )


MOST_AT_ONCE = 100
"""Tasks of one page of a list."""

USUAL_AT_ONCE = 50

_LONGEST_ID = 200

_CONTENTS = ("text", "raw", "url", "data")

_ROLES = ("ROLE_USER", 1)

_TEXT = re.compile(r"text/.*")

_JSON = re.compile(r"application/(?:.*\+)?json")

_ANY = re.compile(r".*")


@dataclass(frozen=True, slots=True)
class Sent:
    """A message for the agent."""

    message: dict[str, Any]
    """As 1.0 writes it, with what is known of it and nothing else."""
    at_once: bool
    """Whether the client does not wait for the task."""
    history: int | None
    """How many messages of the task it wants to see; None for all."""

    @property
    def parts(self) -> list[dict[str, Any]]:
        """Its parts; each has exactly one of `text`, `raw`, `url` and `data`."""
        parts: list[dict[str, Any]] = self.message["parts"]
        return parts


@dataclass(frozen=True, slots=True)
class Wanted:
    """A task that is asked for."""

    task_id: str
    history: int | None = None


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of tasks that is asked for."""

    context_id: str | None
    state: str | None
    since: float | None
    after: tuple[float, str] | None
    most: int
    history: int | None
    artifacts: bool


def read_sent(params: Any) -> Sent:
    """Return what SendMessage and SendStreamingMessage ask for.

    Raises:
        A2aError: It is not as it has to be.
    """
    fields = Fields(params)
    if not fields.has("message"):
        raise wrong(fields.path("message"), "an object")
    configuration = fields.inner("configuration")
    if configuration.has("taskPushNotificationConfig"):
        raise push_not_supported()
    configuration.texts("acceptedOutputModes")
    fields.get("metadata", dict, {})
    return Sent(
        _message(fields.inner("message")),
        configuration.get("returnImmediately", bool, False),
        _history(configuration),
    )


def read_wanted(params: Any) -> Wanted:
    """Return what GetTask, CancelTask and SubscribeToTask ask for.

    Raises:
        A2aError: It is not as it has to be.
    """
    fields = Fields(params)
    return Wanted(_id(fields.need("id", str), fields.path("id")), _history(fields))


def read_listed(params: Any) -> Listed:
    """Return what ListTasks asks for.

    Raises:
        A2aError: It is not as it has to be.
    """
    fields = Fields(params)
    most = fields.get("pageSize", int, 0) or USUAL_AT_ONCE
    if not 1 <= most <= MOST_AT_ONCE:
        raise wrong(fields.path("pageSize"), f"a whole number from 1 to {MOST_AT_ONCE}")
    since = fields.get("statusTimestampAfter", str, "")
    return Listed(
        _id(fields.get("contextId", str, ""), fields.path("contextId")) or None,
        _state(fields.get("status", str, ""), fields.path("status")),
        _seconds(since, fields.path("statusTimestampAfter")) if since else None,
        _cursor(fields.get("pageToken", str, ""), fields.path("pageToken")),
        most,
        _history(fields),
        fields.get("includeArtifacts", bool, False),
    )


def page_token(updated: float, task_id: str) -> str:
    """Return what asks for the page after a task."""
    return base64.urlsafe_b64encode(json.dumps([updated, task_id]).encode()).decode()


def push_not_supported() -> A2aError:
    """Return the error for everything about push notifications."""
    return A2aError(
        PUSH_NOT_SUPPORTED,
        "push notifications are not sent - the card says so - follow a task with `SubscribeToTask`, "
        "or ask for it with `GetTask`",
    )


def _message(fields: Fields) -> dict[str, Any]:
    role = fields.value("role")
    if role not in _ROLES or role is True:
        raise wrong(fields.path("role"), "`ROLE_USER`")
    message = {
        "messageId": _id(fields.need("messageId", str), fields.path("messageId")),
        "role": "ROLE_USER",
        "parts": [_part(part) for part in fields.each("parts")],
        **fields.kept(metadata=dict),
    }
    for name in ("contextId", "taskId"):
        if given := fields.get(name, str, ""):
            message[name] = _id(given, fields.path(name))
    for name in ("extensions", "referenceTaskIds"):
        if listed := fields.texts(name):
            message[name] = listed
    return message


def _part(fields: Fields) -> dict[str, Any]:
    present = [name for name in _CONTENTS if fields.has(name)]
    if len(present) != 1:
        raise wrong(fields.place, "a part with one of `text`, `raw`, `url` and `data`")
    (name,) = present
    content = fields.value(name) if name == "data" else fields.get(name, str, "")
    kept = fields.kept(mediaType=str, filename=str, metadata=dict)
    if name == "url":
        raise A2aError(
            CONTENT_TYPE,
            f"`{fields.path(name)}` names a file somewhere else - nothing is fetched here - send "
            "text, data, or the file itself in `raw`",
        )
    if name == "raw":
        content = _base64(content, fields.path(name))
    media = kept.get("mediaType", "").split(";")[0].strip().lower()
    if media and not {"text": _TEXT, "data": _JSON, "raw": _ANY}[name].fullmatch(media):
        raise unsupported_media(media, fields.path("mediaType"))
    return {name: content, **kept}


def unsupported_media(media: str, path: str) -> A2aError:
    """Return the error for a part of a kind that the agent cannot take now."""
    return A2aError(
        CONTENT_TYPE,
        f"`{path}` is `{media[:100]}`, with which nothing can be done here - the agent takes text and "
        "JSON, and files when it has asked for one - send those",
        mediaType=media[:100],
    )


def _base64(text: str, path: str) -> str:
    """Return Base64 of the usual alphabet, padded, for what may be written in either."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    padded = plain + "=" * (-len(plain) % 4)
    try:
        base64.b64decode(padded, validate=True)
    except (binascii.Error, ValueError):
        raise wrong(path, "Base64") from None
    return padded


def _state(text: str, path: str) -> str | None:
    """Return the state of which tasks are wanted; one in which none is finds none."""
    name = f"TASK_STATE_{text.upper().replace('-', '_').removeprefix('TASK_STATE_')}"
    if name in ("TASK_STATE_", "TASK_STATE_UNSPECIFIED"):
        return None
    if name in FOREIGN_STATES:
        return name
    for state, known in STATES.items():
        if known == name:
            return state
    raise wrong(path, "a state such as `TASK_STATE_WORKING`")


def _id(text: str, path: str) -> str:
    if len(text) > _LONGEST_ID:
        raise wrong(path, f"a string of at most {_LONGEST_ID} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise wrong(path, "a string of whole characters") from None
    return text


def _history(fields: Fields) -> int | None:
    if not fields.has("historyLength"):
        return None
    length = fields.get("historyLength", int, 0)
    if length < 0:
        raise wrong(fields.path("historyLength"), "a whole number from 0 on")
    return length


def _cursor(token: str, path: str) -> tuple[float, str] | None:
    if not token:
        return None
    try:
        updated, task_id = read_json(base64.urlsafe_b64decode(token).decode())
        if not isinstance(updated, float) or not isinstance(task_id, str):
            raise TypeError
        task_id.encode()
    except (ValueError, TypeError):
        raise wrong(path, "the `nextPageToken` of the page before") from None
    return updated, task_id


def _seconds(text: str, path: str) -> float:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise wrong(path, "a time such as `2026-01-31T10:30:00.000Z`") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


MOST_BYTES = 8 << 20
"""Of a request; files that a person gives are in it."""

VERSION_NAME = "A2A-Version"
"""Of a header, or of a query parameter."""

_JSON_asked = ("application/json", "application/a2a+json")

_PATCH = re.compile(r"(\d+\.\d+)(?:\.\d+)?")


def version_of(request: Request) -> str:
    """Return the version that a client speaks; one that does not say so speaks 0.3.

    Raises:
        A2aError: It is not spoken here.
    """
    said = request.headers.get(VERSION_NAME) or request.query_params.get(VERSION_NAME) or ""
    match = _PATCH.fullmatch(said.strip() or VERSIONS[-1])
    if match is None or match[1] not in VERSIONS:
        raise A2aError(
            VERSION,
            f"version `{said[:50]}` of A2A is not spoken here - {' and '.join(VERSIONS)} are - "
            f"send the header `{VERSION_NAME}: {VERSIONS[0]}`",
            version=said[:50],
        )
    return match[1]


async def json_of(request: Request, *, optional: bool = False) -> Any:
    """Return the JSON of a request.

    Args:
        request: Whose body.
        optional: Whether there may be none, which is an empty object.

    Raises:
        A2aError: There is none, or it does not say that it is JSON: any page of the web can send
            text here without asking.
    """
    empty = request.headers.get("content-length", "0") == "0"
    if optional and empty and "transfer-encoding" not in request.headers:
        return {}
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind not in _JSON_asked:
        raise A2aError(
            CONTENT_TYPE,
            "the request does not say that it is JSON - nothing else is taken - send it with "
            "`content-type: application/json`",
            mediaType=kind[:100],
        )
    try:
        return read_json((await read_body(request, MOST_BYTES)).decode("utf-8"))
    except TooLong:
        raise A2aError(
            TOO_LARGE, f"the request is longer than {MOST_BYTES} bytes - send less"
        ) from None
    except Left:
        raise A2aError(INVALID_REQUEST, "the request came to no end - send it again") from None
    except UnicodeDecodeError:
        raise A2aError(PARSE, "the request is no JSON - it is no UTF-8") from None
    except ValueError as error:
        raise A2aError(PARSE, f"the request is no JSON - {error}") from None
