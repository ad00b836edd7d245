"""The page of the owner: a table of the tools, without a script."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from webagent_site.broker.usage_counts import ToolNumbers, UsageTable

_STYLE = """
:root { color-scheme: light dark; --line: light-dark(#d5d9e0, #3a404c); --quiet: light-dark(#5a6270, #a3abb8); }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#fff, #16181d); color: light-dark(#1a1d23, #e8eaee); }
h1 { margin: 0; font-size: 1.5rem; }
p, small { color: var(--quiet); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .5rem .75rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th:first-child { text-align: left; font-weight: 600; overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 500; }
small { display: block; font-weight: 400; }
@media (max-width: 40rem) {
  table, tbody { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { display: block; padding: .75rem 0; border-bottom: 1px solid var(--line); }
  tbody th { display: block; padding: 0 0 .25rem; border: 0; }
  td { display: flex; justify-content: space-between; gap: 1rem; padding: .1rem 0; border: 0; }
  td::before { content: attr(data-name); color: var(--quiet); }
}
"""
_HASH = base64.b64encode(sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
}
"""Headers of the page: it loads nothing, and is kept nowhere."""

_COLUMNS = ("Calls", "Errors", "95 % within", "Refused", "Stopped", "Helped", "Did not help")


def usage_page(table: UsageTable, notes: Sequence[str]) -> str:
    """Return the page as HTML.

    Args:
        table: The tools, in the order in which they are shown.
        notes: Sentences about the numbers.
    """
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("Tool", *_COLUMNS))
    began = f"{table.since:%Y-%m-%d %H:%M} {table.since.tzname() or ''}".strip()
    texts = " ".join((f"Since {began}.", *notes))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Use of the tools</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style>'
        f"<main><h1>Use of the tools</h1><p>{escape(texts)}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(map(_row, table.tools))}</tbody></table>"
        f"{'' if table.tools else '<p>The manifest has no tools.</p>'}</main></html>"
    )


def _row(tool: ToolNumbers) -> str:
    named = f"{escape(tool.title)}<small>{escape(tool.name)}</small>"
    kinds = "".join(f"<small>{kind} {count}</small>" for kind, count in tool.errors.most_common())
    cells = (
        tool.calls,
        f"<span>{tool.errors.total()}{kinds}</span>",
        _time(tool.p95_ms),
        tool.refusals,
        tool.stops,
        tool.helpful,
        tool.unhelpful,
    )
    shown = "".join(
        f'<td data-name="{name}">{cell}</td>' for name, cell in zip(_COLUMNS, cells, strict=True)
    )
    return f'<tr><th scope="row">{named if tool.title else escape(tool.name)}</th>{shown}</tr>'


def _time(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "–"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"
