"""Views of the open page for a model: parts of its text, its log and its requests, as lines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from webagent.agent.redact import Redactor, printable
from webagent.registry.secrets import MASK, is_secret
from webagent.urls import origin_of
from webagent_dev.live.report_lines import shown_place
from webagent_dev.live.timeline import Timeline
from webagent_site.config.urls import CONTROL_PATH

MOST_LINES = 100
"""Lines of a log, the latest ones."""
PROBLEMS = frozenset(("error", "uncaught", "unhandled"))
"""Levels of what is shown after an action without being asked for."""

_LONGEST_LINE = 1_000
_AROUND = 1
"""Lines of a page that are shown before and after those with the words."""
_CARD = 6
"""Lines of an item of a list that are shown with those that have the words: the price of a book."""
_BULLET = "- "
_redact = Redactor().redact


def excerpt(text: str, words: str) -> str:
    """Return the lines of a page with words in them, a line around each, and the item that it is of."""
    lines = text.split("\n")
    wanted = words.casefold()
    found = [number for number, line in enumerate(lines) if wanted in line.casefold()]
    if not found:
        return f"(nothing on the page has `{words}`)"
    shown: list[str] = []
    last = -1
    for number in found:
        first, end = _item(lines, number)
        first = max(last + 1, min(first, number - _AROUND))
        end = min(max(end, number + _AROUND + 1), len(lines))
        if shown and first > last + 1:
            shown.append("…")
        shown += lines[first:end]
        last = max(last, end - 1)
    return "\n".join(shown)


def _item(lines: Sequence[str], number: int) -> tuple[int, int]:
    """Return where the item of a list begins that a line is of, and where it ends; the line itself if it is of none."""
    first = number
    while number - first < _CARD and first > 0 and not _begins(lines[first]):
        first -= 1
    if not lines[first].startswith(_BULLET):
        return number, number + 1
    end = first + 1
    while end - first < _CARD and end < len(lines) and not _begins(lines[end]):
        end += 1
    return first, max(end, number + 1)


def _begins(line: str) -> bool:
    """Whether an item, a heading or another part of a page begins with a line."""
    return not line or line.startswith((_BULLET, "#"))


def console_lines(
    timeline: Timeline, page_id: str, *, after: int = 0, levels: frozenset[str] | None = None
) -> list[str]:
    """Return what a page has logged, and what it did not catch; secrets are hidden.

    Args:
        timeline: Has the log.
        page_id: Of the page.
        after: Number of the last entry that is known already.
        levels: Only these; None for all.
    """
    shown = []
    for entry in timeline.after(after):
        data = json.loads(entry.text)
        if data["page_id"] != page_id or data["kind"] not in ("log", "error"):
            continue
        detail = data["detail"]
        level = str(detail.get("level", "error"))
        if levels is not None and level not in levels:
            continue
        text = printable(str(detail.get("text", detail.get("message", ""))))
        place = shown_place(str(detail.get("place", "")))
        count = detail.get("count", 1)
        times = f" (×{count})" if isinstance(count, int) and count > 1 else ""
        shown.append(_redact(f"{level}: {text[:_LONGEST_LINE]}{times}{place and f' at {place}'}"))
    return shown[-MOST_LINES:]


def request_lines(requests: Any, page_url: str) -> list[str]:
    """Return the requests of a page in lines, those for our own files left out.

    A browser hides headers and bodies from scripts, so there are no cookies; secrets in an address
    are hidden here.

    Args:
        requests: As the page has listed them.
        page_url: Of the page; addresses of its origin are shortened.
    """
    here, shown = origin_of(page_url), []
    for each in requests if isinstance(requests, list) else []:
        if not isinstance(each, Mapping):
            continue
        url = _without_secrets(str(each.get("url", "")), here)
        if not url.startswith(CONTROL_PATH):
            status = each.get("status") or "failed or hidden"
            shown.append(f"{status} {each.get('by')} {url[:_LONGEST_LINE]} {each.get('ms')} ms")
    return shown[-MOST_LINES:]


def _without_secrets(url: str, here: str) -> str:
    """Return an address without its login, and without the values of its secret fields."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "an address that cannot be read"
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    hidden = [(name, MASK if is_secret(name) else value) for name, value in pairs]
    query = urlencode(hidden, safe=MASK) if hidden != pairs else parts.query
    netloc = parts.netloc.rpartition("@")[2]
    short = urlunsplit(parts._replace(netloc=netloc, query=query, fragment=""))
    return _redact(short.removeprefix(here))
