"""The endpoint of the numbers: pages of the site report, and the owner looks."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cached_property

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from webagent.types import Manifest
from webagent_site.broker.usage_counts import UsageCounts
from webagent_site.config.urls import USAGE_PATH
from webagent_site.errors import BrokerUnavailable
from webagent_site.http.request_body import (
    BodyTooLarge,
    ClientGone,
    RequestError,
    check_json,
    object_of,
    read_body,
)
from webagent_site.http.sentences import sentence
from webagent_site.usage.tool_usage import BadReport, ToolUsage
from webagent_site.usage.usage_page import HEADERS, usage_page

Viewer = Callable[[Request], bool | Awaitable[bool]]
"""Returns whether the sender of a request may see the numbers."""

MAX_BODY_BYTES = 16 * 1024


class UsageEndpoint:
    """Takes the reports of pages, and shows the numbers to the owner."""

    def __init__(
        self,
        check: Callable[[Request], Awaitable[None]],
        viewer: Viewer,
        manifest: Callable[[], Manifest],
        counts: UsageCounts,
        notes: Sequence[str] = (),
    ) -> None:
        """Count for the tools of a manifest.

        Args:
            check: Checks that a page of the site sends a report, and not too many; raises
                `RequestError`.
            viewer: Whether a request may see the numbers.
            manifest: Returns the manifest; called with the first request.
            counts: Where the numbers are.
            notes: Sentences about the numbers.
        """
        self._check = check
        self._viewer = viewer
        self._manifest = manifest
        self._counts = counts
        self._notes = notes

    def routes(self) -> list[Route]:
        """Return the route of the numbers."""
        return [
            Route(USAGE_PATH, self.report, methods=["POST"]),
            Route(USAGE_PATH, self.page, methods=["GET"]),
        ]

    @cached_property
    def _usage(self) -> ToolUsage:
        titles = {tool.name: tool.title for tool in self._manifest().tools}
        return ToolUsage(titles, self._counts)

    async def report(self, request: Request) -> Response:
        """Count the report of a page."""
        try:
            await self._check(request)
            check_json(request.headers.get("content-type", ""))
            await self._usage.add(object_of(await read_body(request, MAX_BODY_BYTES)))
        except RequestError as error:
            return _refused(error.status, error.kind, str(error), error.headers)
        except BrokerUnavailable as error:
            return _refused(503, "broker_unavailable", str(error), error.headers)
        except BadReport as error:
            return _refused(400, "invalid_arguments", str(error))
        except BodyTooLarge:
            message = f"the report is longer than {MAX_BODY_BYTES} bytes - send several"
            return _refused(413, "too_large", message)
        except ClientGone:
            return _refused(400, "cancelled", "the page went away")
        return Response(status_code=204, headers={"cache-control": "no-store"})

    async def page(self, request: Request) -> Response:
        """Show the numbers to the owner; for others there is nothing here."""
        may = self._viewer(request)
        # No other value is a yes.
        if (await may if inspect.isawaitable(may) else may) is not True:
            return sentence("there is nothing here", 404)
        try:
            table = await self._usage.table()
        except BrokerUnavailable as error:
            return sentence(str(error), 503)
        return HTMLResponse(usage_page(table, self._notes), headers=HEADERS)


def _refused(
    status: int, kind: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    error = {"kind": kind, "message": message}
    return JSONResponse(
        {"error": error}, status, headers={"cache-control": "no-store", **(headers or {})}
    )
