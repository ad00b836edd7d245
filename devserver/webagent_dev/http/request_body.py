"""What requests of the owner's interface say: a JSON object, its fields, and numbers in addresses."""

from __future__ import annotations

from typing import Any

from starlette.requests import ClientDisconnect, Request

from webagent.json_text import read_json


class TooLong(Exception):
    """The body is longer than it may be."""


class Left(Exception):
    """Whoever asked went away before the end of the body."""


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request.

    Args:
        request: Whose.
        most: How many bytes it may have.

    Raises:
        TooLong: It has more.
        Left: It came to no end.
    """
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise TooLong
    except ClientDisconnect:
        raise Left from None
    return bytes(body)


BODY_BYTES = 4 * 1024 * 1024
"""The longest request."""

LONGEST_MS = 24 * 3_600_000
"""The most that a request may ask for."""

NAMES = {
    str: "a string",
    dict: "an object",
    list: "a list",
    bool: "true or false",
    int: "a whole number",
}
"""Types, as messages name them."""


class Refused(Exception):
    """A request that cannot be answered, as status, kind and message."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


async def asked_of(request: Request, **fields: type) -> dict[str, Any]:
    """Return the JSON object of a request, with fields of the types that it must have."""
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(
            415,
            "invalid_arguments",
            "the request does not say that it is JSON - nothing else is taken - send it with "
            "`content-type: application/json`",
        )
    try:
        body = await read_body(request, BODY_BYTES)
        data = read_json(body.decode("utf-8"))
    except TooLong:
        raise Refused(
            413,
            "too_large",
            f"the request is longer than {BODY_BYTES} bytes - a page could not be passed it - "
            "send less",
        ) from None
    except Left:
        raise Refused(
            400, "cancelled", "the request came to no end - whoever asked went away - ask again"
        ) from None
    except UnicodeDecodeError:
        raise Refused(
            400, "invalid_arguments", "the request is no JSON - it is no UTF-8 - send one object"
        ) from None
    except ValueError as error:
        raise Refused(
            400, "invalid_arguments", f"the request is no JSON - {error} - send one object"
        ) from None
    if not isinstance(data, dict):
        raise Refused(
            400,
            "invalid_arguments",
            "the request is no object - what is asked for stands in fields - send `{…}`",
        )
    for name, wanted in fields.items():
        if type(data.get(name)) is not wanted:
            raise Refused(
                400,
                "invalid_arguments",
                f"`{name}` is missing or of another type - it has to be {NAMES[wanted]} - "
                f"send it as a field of the request",
            )
    return data


def optional(data: dict[str, Any], name: str, wanted: type, usual: Any) -> Any:
    """Return a field of a type, or what is usual when it is left out."""
    value = data.get(name)
    if value is None:
        return usual
    if type(value) is not wanted:
        raise Refused(
            400,
            "invalid_arguments",
            f"`{name}` is of another type - it has to be {NAMES[wanted]} - leave it out, or mend it",
        )
    return value


def files_of(data: dict[str, Any]) -> list[dict[str, str]]:
    """Return the files of an answer: `[{name, type, data}]`, their bytes in Base64."""
    files = optional(data, "files", list, [])
    names = ("name", "type", "data")
    for file in files:
        if not isinstance(file, dict) or any(not isinstance(file.get(n), str) for n in names):
            raise Refused(
                400,
                "invalid_arguments",
                "`files` holds something else than files - each has a `name`, a `type` and `data` in "
                "Base64 - mend it",
            )
    return [{name: file[name] for name in names} for file in files]


def timeout_s_of(data: dict[str, Any], usual_ms: int) -> float:
    """Return how long something may take, in seconds."""
    timeout_ms = optional(data, "timeout_ms", int, usual_ms)
    if not 0 < timeout_ms <= LONGEST_MS:
        raise Refused(
            400,
            "invalid_arguments",
            f"`timeout_ms` is out of range - nothing takes more than {LONGEST_MS} milliseconds, or "
            "less than 1 - write a number between",
        )
    return float(timeout_ms / 1000)


def number_of(request: Request, name: str) -> int:
    """Return a number of the address, 0 when it is left out."""
    text = request.query_params.get(name, "0")
    if not text.isascii() or not text.isdigit() or len(text) > 15:
        raise Refused(
            400,
            "invalid_arguments",
            f"`{name}` is no number - entries are counted from 1 - leave it out, or write one",
        )
    return int(text)
