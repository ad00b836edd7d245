"""The endpoint for the panel: who is connected, what each may call and did last, and the end of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final, TypeGuard
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from webagent_site.broker.grants import Grant, GrantStore
from webagent_site.config.urls import MCP_PATH
from webagent_site.errors import BrokerUnavailable
from webagent_site.http.request_body import RequestError, read_object
from webagent_site.http.visitors import Visitors
from webagent_site.text import whole

COOKIE: Final = "webagent-assistants"
"""The cookie that pages read: whether their visitor has connected an assistant."""
COOKIE_S: Final = 365 * 24 * 3600
MOST_TOOLS: Final = 500
"""Tools that one assistant may be allowed."""
_LONGEST_NAME: Final = 300


def marker_cookie(base: str, *, is_connected: bool) -> str:
    """Return the cookie by which pages of a site know whether they are to be reachable."""
    secure = "; Secure" if base.startswith("https:") else ""
    seconds = COOKIE_S if is_connected else 0
    return f"{COOKIE}=1; Path=/; Max-Age={seconds}; SameSite=Lax{secure}"


class GrantsEndpoint:
    """Shows a visitor their grants, and changes them."""

    def __init__(
        self,
        check: Callable[[Request], Awaitable[None]],
        visitors: Visitors,
        grants: GrantStore,
    ) -> None:
        """Answer pages of the site.

        Args:
            check: Checks that a page of the site sends a request, and not too many; raises
                `RequestError`.
            visitors: Those of the site.
            grants: Theirs.
        """
        self._check = check
        self._visitors = visitors
        self._grants = grants

    async def answer(self, request: Request, base: str) -> Response:
        """Do what a page asks for, and return the grants of its visitor.

        Args:
            request: `{"do": "list"}`, `{"do": "allow" | "forbid", "id", "tool"}`, or
                `{"do": "disconnect", "id"?}`; without an id all.
            base: The origin of the site, and the path of the mount.
        """
        try:
            await self._check(request)
            asked = await read_object(request, do=str)
            visitor = (await self._visitors.sender(request)).key
            grants = await self._grants.of_visitor(visitor)
            await self._change(asked, grants)
            shown = [
                _shown(each)
                for each in await self._grants.of_visitor(visitor)
                if each.stage == "tokens"
            ]
        except RequestError as error:
            return _refused(error)
        except BrokerUnavailable as error:
            return _refused(RequestError(503, "broker_unavailable", str(error), error.headers))
        return JSONResponse(
            {"address": f"{base}{MCP_PATH}", "assistants": shown},
            headers={
                "cache-control": "no-store",
                "set-cookie": marker_cookie(base, is_connected=bool(shown)),
            },
        )

    async def _change(self, asked: dict[str, Any], grants: list[Grant]) -> None:
        do, grant_id, tool = asked["do"], asked.get("id"), asked.get("tool")
        own = [each.id for each in grants if grant_id in (None, each.id)]
        if do == "disconnect":
            for each in own:
                await self._grants.remove(each)
        elif do in ("allow", "forbid") and _is_name(tool):
            if grant_id is None or not own:
                raise RequestError(
                    404,
                    "not_found",
                    "there is no such assistant - it was disconnected, or is another visitor's - look again",
                )
            await self._grants.change(
                own[0], lambda grant: _with(grant, tool, allowed=do == "allow")
            )
        elif do != "list":
            raise RequestError(
                400,
                "invalid_arguments",
                "`do` is not known, or lacks the name of a tool - it is `list`, `allow`, `forbid` or "
                "`disconnect` - correct it",
            )


def _is_name(tool: Any) -> TypeGuard[str]:
    return isinstance(tool, str) and len(tool) <= _LONGEST_NAME and whole(tool) == tool


def _with(grant: Grant, tool: str, *, allowed: bool) -> Grant | None:
    tools = [each for each in grant.tools if each != tool]
    if allowed and len(tools) < MOST_TOOLS:
        tools.append(tool)
    return replace(grant, tools=tuple(tools))


def _shown(grant: Grant) -> dict[str, Any]:
    """Return a grant as the panel shows it."""
    return {
        "id": grant.id,
        "name": grant.client_name,
        "client": host_of(grant.client_id),
        "returns_to": host_of(grant.redirect_uri),
        "connected_s": round(grant.made_s),
        "tools": list(grant.tools),
        "calls": [
            {"tool": each.tool, "at_s": round(each.at_s), "outcome": each.outcome}
            for each in grant.calls
        ],
    }


def host_of(address: str) -> str:
    """Return the host of an address of the internet; empty for a program on a visitor's device."""
    parts = urlsplit(address)
    return parts.netloc if parts.scheme == "https" else ""


def _refused(error: RequestError) -> Response:
    return JSONResponse(
        {"error": {"kind": error.kind, "message": str(error)}},
        error.status,
        headers={"cache-control": "no-store", **error.headers},
    )
