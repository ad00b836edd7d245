"""Answers that people read: the page for what is not there, and plain sentences."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import PlainTextResponse

_MISSING = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not found: {path}</title>
<style>
  :root {{ color-scheme: light dark; }}
  body {{ margin: 0; min-height: 100vh; display: grid; place-items: center;
         font: 1rem/1.6 system-ui, sans-serif; background: Canvas; color: CanvasText; }}
  main {{ max-width: 36rem; padding: 2rem; }}
  p.status {{ margin: 0; font-size: .85rem; letter-spacing: .12em; opacity: .65; }}
  h1 {{ margin: .25rem 0 1rem; font-size: 1.7rem; line-height: 1.25; }}
  code {{ padding: .1em .35em; border-radius: .3em; overflow-wrap: anywhere; box-decoration-break: clone;
         background: color-mix(in srgb, CanvasText 9%, transparent); }}
  a {{ color: LinkText; }}
</style>
</head>
<body>
<main>
<p class="status">404</p>
<h1>Nothing is served at <code>{path}</code></h1>
<p>{hint}</p>
<p>Save the file and this page loads it by itself.{home}</p>
</main>
</body>
</html>
"""


def missing_page(path: str, *, index: bool) -> bytes:
    """Return the page for a path that leads nowhere.

    Args:
        path: The decoded path that was asked for.
        index: Whether the path is that of a folder, which needs an `index.html`.
    """
    hint = (
        "There is no <code>index.html</code> in a folder of this name."
        if index
        else "There is no such file in the folder that is served."
    )
    home = "" if path == "/" else ' Or go to the <a href="/">first page</a>.'
    page = _MISSING.format(path=escape(path), hint=hint, home=home)
    return page.encode("utf-8", "replace")


def wants_html(request: Request) -> bool:
    """Whether a person waits for the answer, not a script or a stylesheet."""
    destination = request.headers.get("sec-fetch-dest")
    if destination is not None:
        return destination in ("document", "iframe", "frame")
    return "text/html" in request.headers.get("accept", "")


def sentence(text: str, status: int) -> PlainTextResponse:
    """Return one sentence as plain text, never kept by a browser."""
    return PlainTextResponse(f"{text}\n", status, headers={"cache-control": "no-store"})
