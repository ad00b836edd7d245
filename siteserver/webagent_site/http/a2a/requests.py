"""The requests of clients, in the shapes of A2A 1.0, and how they are read and checked.

`v0_3` turns the requests of older clients into these shapes first.
"""

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
from webagent_site.http.a2a.errors import (
    CONTENT_TYPE,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE,
    PUSH_NOT_SUPPORTED,
    TOO_LARGE,
    VERSION,
    A2aError,
)
from webagent_site.http.a2a.responses import STATES, UNUSED_STATES
from webagent_site.http.request_body import TYPE_NAMES, BodyTooLarge, ClientGone, read_body

VERSIONS = ("1.0", "0.3")
"""The versions of the protocol that are supported, the newest first."""
VERSION_NAME = "A2A-Version"
"""Of a header, or of a query parameter."""
MOST_BYTES = 8 << 20
"""Limit of a request, with the files that a person sends."""
MOST_PAGE_SIZE = 100
"""Limit of tasks on one page of a list."""
USUAL_PAGE_SIZE = 50

_LONGEST_ID = 200
_CONTENTS = ("text", "raw", "url", "data")
# ProtoJSON may write an enum as its number, too.
_USER_ROLES = ("ROLE_USER", 1)
_MEDIA_TYPES = {
    "text": re.compile(r"text/.*"),
    "data": re.compile(r"application/(?:.*\+)?json"),
    "raw": re.compile(r".*"),
}
"""The media types that are taken for each content of a part."""
_BODY_TYPES = ("application/json", "application/a2a+json")
_PATCH = re.compile(r"(\d+\.\d+)(?:\.\d+)?")
_CAPITAL = re.compile(r"(?=[A-Z])")

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True)
class SendMessageRequest:
    """A message for the agent."""

    message: dict[str, Any]
    """As 1.0 writes it, with known fields only."""
    return_immediately: bool
    """Whether the client does not wait for the task."""
    history_length: int | None
    """Limit of messages of the task in the response; None for all."""

    @property
    def parts(self) -> list[dict[str, Any]]:
        """Parts of the message; each has exactly one of `text`, `raw`, `url` and `data`."""
        parts: list[dict[str, Any]] = self.message["parts"]
        return parts


@dataclass(frozen=True, slots=True)
class GetTaskRequest:
    """A request for one task: GetTask, CancelTask or SubscribeToTask."""

    task_id: str
    history_length: int | None = None


@dataclass(frozen=True, slots=True)
class ListTasksRequest:
    """A request for a page of the list of tasks."""

    context_id: str | None
    state: str | None
    updated_since: float | None
    """In seconds since the epoch."""
    after: tuple[float, str] | None
    """Time and id of the last task of the page before."""
    page_size: int
    history_length: int | None
    include_artifacts: bool


def protocol_version(request: Request) -> str:
    """Return the version that a client speaks; without a header it is 0.3.

    Raises:
        A2aError: The version is not supported.
    """
    named = request.headers.get(VERSION_NAME) or request.query_params.get(VERSION_NAME) or ""
    match = _PATCH.fullmatch(named.strip() or VERSIONS[-1])
    if match is None or match[1] not in VERSIONS:
        raise A2aError(
            VERSION,
            f"version `{named[:50]}` of A2A is not supported - {' and '.join(VERSIONS)} are - "
            f"send the header `{VERSION_NAME}: {VERSIONS[0]}`",
            version=named[:50],
        )
    return match[1]


async def read_json_body(request: Request, *, optional: bool = False) -> Any:
    """Return the JSON of a request.

    Args:
        request: The request.
        optional: Whether an empty body is allowed, and read as an empty object.

    Raises:
        A2aError: The body is not JSON, or is not sent as JSON.
    """
    empty = request.headers.get("content-length", "0") == "0"
    if optional and empty and "transfer-encoding" not in request.headers:
        return {}
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    # Any page of the web can send text here without a preflight request, but not JSON.
    if kind not in _BODY_TYPES:
        raise A2aError(
            CONTENT_TYPE,
            "the content type of the request is not JSON - nothing else is accepted - send it with "
            "`content-type: application/json`",
            mediaType=kind[:100],
        )
    try:
        return read_json((await read_body(request, MOST_BYTES)).decode("utf-8"))
    except BodyTooLarge:
        raise A2aError(
            TOO_LARGE, f"the request is longer than {MOST_BYTES} bytes - send less"
        ) from None
    except ClientGone:
        raise A2aError(INVALID_REQUEST, "the request has no end - send it again") from None
    except UnicodeDecodeError:
        raise A2aError(PARSE, "the request is not JSON - it is not UTF-8") from None
    except ValueError as error:
        raise A2aError(PARSE, f"the request is not JSON - {error}") from None


def read_send_message(params: Any) -> SendMessageRequest:
    """Read the parameters of SendMessage and SendStreamingMessage.

    Raises:
        A2aError: A field is missing or wrong.
    """
    fields = Fields(params)
    if not fields.has("message"):
        raise invalid_field(fields.path("message"), "an object")
    configuration = fields.inner("configuration")
    if configuration.has("taskPushNotificationConfig"):
        raise push_not_supported()
    configuration.texts("acceptedOutputModes")
    fields.get("metadata", dict, {})
    return SendMessageRequest(
        _message(fields.inner("message")),
        configuration.get("returnImmediately", bool, False),
        _history_length(configuration),
    )


def read_get_task(params: Any) -> GetTaskRequest:
    """Read the parameters of GetTask, CancelTask and SubscribeToTask.

    Raises:
        A2aError: A field is missing or wrong.
    """
    fields = Fields(params)
    return GetTaskRequest(
        _id(fields.required("id", str), fields.path("id")), _history_length(fields)
    )


def read_list_tasks(params: Any) -> ListTasksRequest:
    """Read the parameters of ListTasks.

    Raises:
        A2aError: A field is wrong.
    """
    fields = Fields(params)
    page_size = fields.get("pageSize", int, 0) or USUAL_PAGE_SIZE
    if not 1 <= page_size <= MOST_PAGE_SIZE:
        raise invalid_field(fields.path("pageSize"), f"a whole number from 1 to {MOST_PAGE_SIZE}")
    since = fields.get("statusTimestampAfter", str, "")
    return ListTasksRequest(
        _id(fields.get("contextId", str, ""), fields.path("contextId")) or None,
        _state(fields.get("status", str, ""), fields.path("status")),
        _seconds(since, fields.path("statusTimestampAfter")) if since else None,
        _position(fields.get("pageToken", str, ""), fields.path("pageToken")),
        page_size,
        _history_length(fields),
        fields.get("includeArtifacts", bool, False),
    )


def page_token(updated: float, task_id: str) -> str:
    """Return the token of the page after a task."""
    return base64.urlsafe_b64encode(json.dumps([updated, task_id]).encode()).decode()


class Fields:
    """Reads the fields of an object, and names their path in errors."""

    def __init__(self, data: Any, path: str = "params") -> None:
        """Read an object.

        Raises:
            A2aError: It is not an object.
        """
        if not isinstance(data, dict):
            raise invalid_field(path, "an object")
        self._data = data
        self.own_path = path
        """Path of the object itself."""

    def has(self, name: str) -> bool:
        """Whether a field is present, and not null."""
        return self._value(name) is not None

    def get(self, name: str, kind: type[_Kind], default: _Kind) -> _Kind:
        """Return a field, or the default without it."""
        value = self._value(name)
        if value is None:
            return default
        if type(value) is not kind:
            raise invalid_field(self.path(name), TYPE_NAMES[kind])
        return value

    def required(self, name: str, kind: type[_Kind]) -> _Kind:
        """Return a field that has to be present, and not empty."""
        value = self.get(name, kind, kind())
        if value in ("", []) or self._value(name) is None:
            raise invalid_field(self.path(name), f"{TYPE_NAMES[kind]} that is not empty")
        return value

    def inner(self, name: str) -> Fields:
        """Return an object inside; an empty one without it."""
        return Fields(self.get(name, dict, {}), self.path(name))

    def objects(self, name: str) -> list[Fields]:
        """Return the objects of a list inside, which has to have at least one."""
        listed: list[Any] = self.required(name, list)
        return [Fields(item, f"{self.path(name)}[{at}]") for at, item in enumerate(listed)]

    def texts(self, name: str) -> list[str]:
        """Return a list of strings; an empty one without it."""
        listed: list[Any] = self.get(name, list, [])
        if not all(isinstance(item, str) for item in listed):
            raise invalid_field(self.path(name), "a list of strings")
        return listed

    def present(self, **kinds: type) -> dict[str, Any]:
        """Return those of the fields that are present."""
        return {
            name: self.get(name, kind, kind()) for name, kind in kinds.items() if self.has(name)
        }

    def value(self, name: str) -> Any:
        """Return a field of any type; None without it."""
        return self._value(name)

    def path(self, name: str) -> str:
        """Return the path of a field."""
        return f"{self.own_path}.{name}"

    def _value(self, name: str) -> Any:
        # ProtoJSON allows the name of the schema, too: `message_id` for `messageId`.
        value = self._data.get(name)
        return self._data.get(_CAPITAL.sub("_", name).lower()) if value is None else value


def invalid_field(path: str, expected: str) -> A2aError:
    """Return the error for a field that is missing or wrong."""
    return A2aError(
        INVALID_PARAMS,
        f"`{path[:200]}` is missing or wrong - it has to be {expected} - correct it and send it again",
    )


def unsupported_media(media: str, path: str) -> A2aError:
    """Return the error for a part of a media type that the agent does not take now."""
    return A2aError(
        CONTENT_TYPE,
        f"`{path}` is `{media[:100]}`, which is not supported - the agent takes text and JSON, and "
        "files when it has asked for one - send those",
        mediaType=media[:100],
    )


def push_not_supported() -> A2aError:
    """Return the error for everything about push notifications."""
    return A2aError(
        PUSH_NOT_SUPPORTED,
        "push notifications are not sent - the card says so - follow a task with `SubscribeToTask`, "
        "or ask for it with `GetTask`",
    )


def _message(fields: Fields) -> dict[str, Any]:
    role = fields.value("role")
    # `True` equals 1.
    if role not in _USER_ROLES or role is True:
        raise invalid_field(fields.path("role"), "`ROLE_USER`")
    message = {
        "messageId": _id(fields.required("messageId", str), fields.path("messageId")),
        "role": "ROLE_USER",
        "parts": [_part(part) for part in fields.objects("parts")],
        **fields.present(metadata=dict),
    }
    for name in ("contextId", "taskId"):
        if value := fields.get(name, str, ""):
            message[name] = _id(value, fields.path(name))
    for name in ("extensions", "referenceTaskIds"):
        if listed := fields.texts(name):
            message[name] = listed
    return message


def _part(fields: Fields) -> dict[str, Any]:
    names = [name for name in _CONTENTS if fields.has(name)]
    if len(names) != 1:
        raise invalid_field(fields.own_path, "a part with one of `text`, `raw`, `url` and `data`")
    (name,) = names
    content = fields.value(name) if name == "data" else fields.get(name, str, "")
    about = fields.present(mediaType=str, filename=str, metadata=dict)
    if name == "url":
        raise A2aError(
            CONTENT_TYPE,
            f"`{fields.path(name)}` is the address of a file - nothing is fetched here - send "
            "text, data, or the file itself in `raw`",
        )
    if name == "raw":
        content = _base64(content, fields.path(name))
    media = about.get("mediaType", "").split(";")[0].strip().lower()
    if media and not _MEDIA_TYPES[name].fullmatch(media):
        raise unsupported_media(media, fields.path("mediaType"))
    return {name: content, **about}


def _base64(text: str, path: str) -> str:
    """Return Base64 in the standard alphabet with padding, for either alphabet."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    padded = plain + "=" * (-len(plain) % 4)
    try:
        base64.b64decode(padded, validate=True)
    except (binascii.Error, ValueError):
        raise invalid_field(path, "Base64") from None
    return padded


def _state(text: str, path: str) -> str | None:
    """Return the state that tasks have to be in; None for any."""
    name = f"TASK_STATE_{text.upper().replace('-', '_').removeprefix('TASK_STATE_')}"
    if name in ("TASK_STATE_", "TASK_STATE_UNSPECIFIED"):
        return None
    if name in UNUSED_STATES:
        # No task of ours is in it: the list is empty.
        return name
    for state, known in STATES.items():
        if known == name:
            return state
    raise invalid_field(path, "a state such as `TASK_STATE_WORKING`")


def _id(text: str, path: str) -> str:
    if len(text) > _LONGEST_ID:
        raise invalid_field(path, f"a string of at most {_LONGEST_ID} characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        # JSON can hold one half of a surrogate pair, and SQLite cannot.
        raise invalid_field(path, "a string of whole characters") from None
    return text


def _history_length(fields: Fields) -> int | None:
    if not fields.has("historyLength"):
        return None
    length = fields.get("historyLength", int, 0)
    if length < 0:
        raise invalid_field(fields.path("historyLength"), "a whole number from 0 on")
    return length


def _position(token: str, path: str) -> tuple[float, str] | None:
    """Return the time and the id in a page token."""
    if not token:
        return None
    try:
        updated, task_id = read_json(base64.urlsafe_b64decode(token).decode())
        if not isinstance(updated, float) or not isinstance(task_id, str):
            raise TypeError
        task_id.encode()
    except (ValueError, TypeError):
        raise invalid_field(path, "the `nextPageToken` of the page before") from None
    return updated, task_id


def _seconds(text: str, path: str) -> float:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise invalid_field(path, "a time such as `2026-01-31T10:30:00.000Z`") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
