"""What an HTTP request brings: the version of the protocol, and JSON."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request

from webagent.json_text import read_json
from webagent_dev.agents.a2a.card import VERSIONS
from webagent_dev.agents.a2a.errors import (
    CONTENT_TYPE,
    INVALID_REQUEST,
    PARSE,
    TOO_LARGE,
    VERSION,
    A2aError,
)
from webagent_dev.endpoints.body import Left, TooLong, read_body

MOST_BYTES = 8 << 20
"""Of a request; files that a person gives are in it."""
VERSION_NAME = "A2A-Version"
"""Of a header, or of a query parameter."""
_JSON = ("application/json", "application/a2a+json")
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
    if kind not in _JSON:
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
