"""Pages for people, about what is missing."""

from __future__ import annotations

from html import escape

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
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
<p class="status">{status}</p>
{text}
</main>
</body>
</html>
"""
_RELOAD_SCRIPT = """\
<script type="module">
  for (;;) {{
    await new Promise((resolve) => setTimeout(resolve, 300));
    const up = await fetch("{probe}", {{ cache: "no-store" }}).then((r) => r.status === 204, () => false);
    if (up) break;
  }}
  location.replace(location.href);
</script>
"""


def missing_page(path: str, *, index: bool) -> bytes:
    """Return the page for a path that leads to no file.

    Args:
        path: The decoded path of the request.
        index: Whether it is the path of a folder, which needs an `index.html`.
    """
    hint = (
        "There is no <code>index.html</code> in a folder of this name."
        if index
        else "This file does not exist in the served folder."
    )
    home = "" if path == "/" else ' Or go to the <a href="/">first page</a>.'
    text = (
        f"<h1>Nothing is served at <code>{escape(path)}</code></h1>\n<p>{hint}</p>\n"
        f"<p>Save the file, and this page loads it.{home}</p>"
    )
    page = _PAGE.format(title=f"Not found: {escape(path)}", status=404, text=text)
    return page.encode("utf-8", "replace")


def away_page(origin: str, reason: str, probe: str, *, again: bool) -> bytes:
    """Return the page for an upstream that does not answer.

    Args:
        origin: Its origin.
        reason: What happened to the request.
        probe: URL path that responds with 204 once the upstream is up.
        again: Whether the page may be requested again.
    """
    text = (
        f"<h1>Nothing answers at <code>{escape(origin)}</code></h1>\n"
        f"<p><code>webagent-dev</code> passes requests on to that server, and {escape(reason)}.</p>\n"
    )
    if again:
        text += "<p>Start it, and this page loads.</p>\n" + _RELOAD_SCRIPT.format(probe=probe)
    else:
        text += '<p>Start it, and send the form again from <a href="">the previous page</a>.</p>'
    page = _PAGE.format(title="Waiting for the server", status=502, text=text)
    return page.encode("utf-8", "replace")


def token_page() -> bytes:
    """Return the page for a visitor without the token of a server that others can reach."""
    text = (
        "<h1>This server needs a token</h1>\n"
        "<p>Others can reach it too, so it responds only to visitors with its token.</p>\n"
        "<p>The terminal in which it runs shows a URL with the token: open that URL.</p>"
    )
    page = _PAGE.format(title="A token is needed", status=401, text=text)
    return page.encode()
