"""One set of tools in the applications of five frameworks, each with its own login and CSRF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from starlette.exceptions import HTTPException

from webagent.errors import Denied, NotLoggedIn, ToolError
from webagent_site.tools.server_tools import ServerTools

SECRET = "password of the database"


def add_tools(tools: ServerTools) -> None:
    """Declare functions that need no request."""

    @tools.tool(effect="read")
    def double(number: int) -> int:
        """Double a number."""
        return number * 2

    @tools.tool(effect="read")
    async def triple(number: int) -> int:
        """Triple a number."""
        return number * 3

    @tools.tool(effect="read")
    def fails(how: str = "") -> int:
        """Fail in one of several ways."""
        known: dict[str, Exception] = {
            "sold": ToolError("the last one was just sold"),
            "guest": NotLoggedIn("please sign in first"),
            "denied": Denied("only for members"),
            "teapot": HTTPException(418, SECRET),
            "framework": HTTPException(403, SECRET),
            "upstream": HTTPException(503, SECRET),
        }
        raise known.get(how, ValueError(SECRET))

    @tools.tool(effect="read")
    def lies() -> int:
        """Return something else than a number."""
        return SECRET  # type: ignore[return-value]


def wsgi_body(
    application: Callable[..., Iterable[bytes]], environ: dict[str, Any]
) -> tuple[str, bytes]:
    """Return the status line and the body of an answer."""
    lines: list[str] = []
    body = b"".join(application(environ, lambda line, headers: lines.append(line)))
    return lines[0], body
