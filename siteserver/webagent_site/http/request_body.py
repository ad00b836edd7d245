"""The body of a request: its bytes up to a limit, as a JSON object, and the fields of that object."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from starlette.requests import ClientDisconnect, Request

from webagent.json_text import read_json

MAX_BODY_BYTES = 4 * 1024 * 1024
"""The largest body of a request with a JSON object."""

MAX_TIMEOUT_MS = 24 * 3_600_000
"""The longest time that a request may ask for."""

TYPE_NAMES = {
    str: "a string",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a whole number",
}
"""The names of types in messages."""


class BodyTooLarge(Exception):
    """The body is longer than it may be."""


class ClientGone(Exception):
    """The client went away before the end of the body."""


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Args:
        request: The request.
        most: The largest number of bytes that it may have.

    Raises:
        BodyTooLarge: It has more.
        ClientGone: It did not arrive completely.
    """
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise BodyTooLarge
    except ClientDisconnect:
        raise ClientGone from None
    return bytes(body)


async def skip_body(request: Request, most: int) -> None:
    """Read the body of a request that is refused, up to a number of bytes, and keep nothing.

    Proxies that are written in Go, such as Caddy, may lose a response that comes before the end of its
    request.
    """
    size = 0
    with suppress(ClientDisconnect):
        async for chunk in request.stream():
            size += len(chunk)
            if size > most:
                return


class RequestError(Exception):
    """A request cannot be answered: a status, the kind of the error, a message, and headers."""

    def __init__(
        self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.headers = headers or {}


async def read_object(request: Request, **fields: type) -> dict[str, Any]:
    """Return the JSON object of a request.

    Args:
        request: The request.
        **fields: The type of each field that it must have.

    Raises:
        RequestError: It is not JSON, not an object, too large, or lacks a field.
    """
    check_json(request.headers.get("content-type", ""))
    try:
        body = await read_body(request, MAX_BODY_BYTES)
    except BodyTooLarge:
        raise RequestError(
            413,
            "too_large",
            f"the request is longer than {MAX_BODY_BYTES} bytes - it could not be passed to a page - "
            "send less",
        ) from None
    except ClientGone:
        raise RequestError(
            400,
            "cancelled",
            "the request did not arrive completely - the client went away - send it again",
        ) from None
    data = object_of(body)
    for name, wanted in fields.items():
        if type(data.get(name)) is not wanted:
            raise RequestError(
                400,
                "invalid_arguments",
                f"`{name}` is missing or of another type - it has to be {TYPE_NAMES[wanted]} - "
                "send it as a field of the request",
            )
    return data


def check_json(content_type: str) -> None:
    """Refuse a request that is not sent as JSON, as forms of other sites are.

    Raises:
        RequestError: The content type is another one.
    """
    if content_type.split(";", maxsplit=1)[0].strip().lower() != "application/json":
        raise RequestError(
            415,
            "invalid_arguments",
            "the request has another content type than JSON - nothing else is accepted - send it with "
            "`content-type: application/json`",
        )


def object_of(body: bytes) -> dict[str, Any]:
    """Return the JSON object that is the body of a request.

    Raises:
        RequestError: It is not JSON, or not an object.
    """
    try:
        data = read_json(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise RequestError(
            400, "invalid_arguments", "the request is not JSON - it is not UTF-8 - send one object"
        ) from None
    except ValueError as error:
        raise RequestError(
            400, "invalid_arguments", f"the request is not JSON - {error} - send one object"
        ) from None
    if not isinstance(data, dict):
        raise RequestError(
            400,
            "invalid_arguments",
            "the request is not an object - its fields say what to do - send `{…}`",
        )
    return data


def optional_field(data: dict[str, Any], name: str, wanted: type, usual: Any) -> Any:
    """Return a field of a type, or a default if it is left out."""
    value = data.get(name)
    if value is None:
        return usual
    if type(value) is not wanted:
        raise RequestError(
            400,
            "invalid_arguments",
            f"`{name}` is of another type - it has to be {TYPE_NAMES[wanted]} - leave it out, or correct it",
        )
    return value


def files_field(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the files in an object: `[{name, type, data}]`, with their bytes in Base64."""
    files = optional_field(data, "files", list, [])
    names = ("name", "type", "data")
    for file in files:
        if not isinstance(file, dict) or any(not isinstance(file.get(n), str) for n in names):
            raise RequestError(
                400,
                "invalid_arguments",
                "`files` has an item that is not a file - each has a `name`, a `type` and `data` in Base64 - "
                "correct it",
            )
    return [{name: file[name] for name in names} for file in files]


def timeout_field_s(data: dict[str, Any], usual_ms: int) -> float:
    """Return how long a request may take, in seconds."""
    timeout_ms = optional_field(data, "timeout_ms", int, usual_ms)
    if not 0 < timeout_ms <= MAX_TIMEOUT_MS:
        raise RequestError(
            400,
            "invalid_arguments",
            f"`timeout_ms` is out of range - it must be from 1 to {MAX_TIMEOUT_MS} milliseconds - write a number "
            "between",
        )
    return float(timeout_ms / 1000)


def query_number(request: Request, name: str) -> int:
    """Return a number of the query, 0 if it is left out."""
    text = request.query_params.get(name, "0")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise RequestError(
            400,
            "invalid_arguments",
            f"`{name}` is not a number - entries are counted from 1 - leave it out, or write one",
        )
    return int(text)
