"""The page of the inspector, and the view of the manifest that it shows."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from webagent_dev.live.messages import findings_message
from webagent_dev.site.state import SiteState
from webagent_site.http.assets import Assets

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


def manifest_view(state: SiteState) -> dict[str, Any]:
    """Return the state of a manifest as plain data; mostly empty for a site without one."""
    message = findings_message(state)
    report = state.report
    view: dict[str, Any] = {
        "path": message.path,
        "revision": state.revision,
        "served_stale": state.stale,
        "findings": message.findings,
        "text": None,
        "typescript": "",
        "schemas": [],
        "markdown": None,
    }
    if report is None:
        return view
    # The server answers before the language is loaded; a report means that it is.
    from webagent import generate_typescript, to_markdown
    from webagent.schema.tools import tool_schemas

    return {
        **view,
        "text": report.source.text,
        "typescript": generate_typescript(report.manifest, docs=True),
        "schemas": tool_schemas(report.manifest),
        "markdown": to_markdown(report.manifest),
    }
