"""The inspector's page; its script and its style are files of the bundle like any other."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.http.assets import Assets

PAGE = "inspector.html"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
    )
)


async def inspector(assets: Assets, request: Request) -> Response:
    """Answer with the page, which asks for the owner's token before it shows anything."""
    response = await assets.named(request, PAGE)
    response.headers["content-security-policy"] = _POLICY
    response.headers["referrer-policy"] = "no-referrer"
    response.headers["cross-origin-opener-policy"] = "same-origin"
    return response
