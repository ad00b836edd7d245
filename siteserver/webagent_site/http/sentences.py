"""Sentences as responses, and whether a person would see a page in their place."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse


def wants_html(request: Request) -> bool:
    """Whether a request is for a page that a person sees, not for a script or a stylesheet."""
    destination = request.headers.get("sec-fetch-dest")
    if destination is not None:
        return destination in ("document", "iframe", "frame")
    return "text/html" in request.headers.get("accept", "")


def sentence(text: str, status: int) -> PlainTextResponse:
    """Return one sentence as plain text that browsers do not cache."""
    return PlainTextResponse(f"{text}\n", status, headers={"cache-control": "no-store"})
