"""The application under load: `POST /call` calls a tool of a page that a visitor has open."""

from __future__ import annotations

import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from tests.load.app_text import CALL_S, PAGE
from webagent_site import WebAgent
from webagent_site.broker.page_directory import PageRecord
from webagent_site.errors import BrokerUnavailable

_folder = Path(os.environ["LOAD_FOLDER"])
webagent = WebAgent(
    _folder / "webagents.md", live=True, broker=os.environ.get("LOAD_BROKER") or None
)


async def _call(request: Request) -> Response:
    given = await request.json()
    try:
        pages = await webagent.pages.of(f"session {given['session']}")
        page = next(iter(pages), None)
        if page is None:
            error = {"kind": "no_page", "message": "no page is open", "process": os.getpid()}
            return JSONResponse({"ok": False, "error": error}, 404)
        return JSONResponse(await _made(page, given))
    except BrokerUnavailable as unavailable:
        error = {"kind": "broker_unavailable", "message": str(unavailable)}
        return JSONResponse({"ok": False, "error": error}, 503, unavailable.headers)


async def _made(page: PageRecord, given: dict[str, str]) -> dict[str, object]:
    return await webagent.pages.call(
        page,
        "tool",
        "look",
        {"word": given["id"]},
        timeout_s=CALL_S,
        caller="load",
        call_id=given["id"],
    )


async def _page(_: Request) -> Response:
    return HTMLResponse(PAGE)


app = webagent.wrap(Starlette(routes=[Route("/", _page), Route("/call", _call, methods=["POST"])]))
