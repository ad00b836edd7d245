"""Bodies of requests, read no further than they may be long."""

from __future__ import annotations

from starlette.requests import ClientDisconnect, Request


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
