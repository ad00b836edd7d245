"""A report as one HTML page that loads nothing: no script, no request, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib import resources

from webagent_dev.reports.content import VERDICT_WORDS, Block, Report, ReportItem, Verdict
from webagent_dev.reports.text import message_parts

_LONGEST = 4_000
"""Characters of a text that the page shows."""

_MARKS = {
    Verdict.PASSED: "✓",
    Verdict.WARNING: "△",
    Verdict.FAILED: "✗",
    Verdict.ERROR: "!",
    Verdict.NEEDS_LOGIN: "○",
    Verdict.SKIPPED: "–",
    Verdict.NOT_APPLICABLE: "·",
}

_DETAILS = {"call": "the call", "declared": "declared", "path": "where in the answer"}
"""The words of the page for the details of a part."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(report: Report) -> str:
    """Return the page."""
    style = (resources.files("webagent_dev.reports") / "html.css").read_text("utf-8")
    mark = _MARKS[Verdict.PASSED if report.ok else Verdict.FAILED]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            f"<title>{mark} {_text(report.title)}: {_text(report.summary)}</title>",
            f"<style>\n{style}</style>",
            "</head>",
            "<body>",
            *_header(report),
            "<main>",
            *_to_mend(report),
            *_section(report.items_title, (_item(item) for item in report.items)),
            *_section("One after the other", [_list(report.sequences)] if report.sequences else []),
            *_not_called(report),
            *_remarks(report),
            "</main>",
            _footer(report),
            "</body>",
            "</html>",
            "",
        ]
    )


def _header(report: Report) -> Iterator[str]:
    yield f'<header>\n<h1>{_text(report.title)}</h1>\n<p class="soft">{_prose(report.subject)}</p>'
    style = "passed" if report.ok else "failed"
    yield f'<p class="answer {style}">{_prose(report.answer)}</p>'
    shares = [(verdict.value, count) for verdict, count in report.tally.items()]
    shares += [("not_run", report.not_run)] if report.not_run else []
    bar = "".join(f'<i class="{style}" style="flex:{count}"></i>' for style, count in shares)
    yield f'<div class="bar" role="img" aria-label="{_text(report.summary)}">{bar}</div>'
    key = "".join(
        f"<li>{_mark(verdict)} {count} {VERDICT_WORDS[verdict]}</li>"
        for verdict, count in report.tally.items()
    )
    key += f"<li>{report.not_run} not run</li>" if report.not_run else ""
    yield f'<ul class="key">{key}</ul>\n</header>'


def _section(title: str, content: Iterable[str]) -> Iterator[str]:
    parts = [*content]
    if parts:
        yield "\n".join(["<section>", f"<h2>{title}</h2>", *parts, "</section>"])


def _to_mend(report: Report) -> Iterator[str]:
    """Yield a card for each part that failed and says what to do."""
    cards = [
        _card(part, item.name) for item in report.items for part in item.parts if _has_card(part)
    ]
    cards += [_card(item) for item in report.sequences if _has_card(item)]
    yield from _section("To mend", cards)


def _has_card(item: ReportItem) -> bool:
    return item.verdict is Verdict.FAILED and bool(item.title)


def _card(item: ReportItem, owner: str = "") -> str:
    what, why, remedy = message_parts(item.message)
    rows = [("why it matters", _prose(why)), ("what to do", _prose(remedy))]
    details = dict(item.details)
    rows += [(words, _code(details.get(key, ""))) for key, words in _DETAILS.items()]
    rows.append(("in the manifest", _text(str(item.place)) if item.place else ""))
    listed = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows if value)
    heading = f"<code>{_text(owner)}</code> · " if owner else ""
    return (
        f'<article class="card {item.verdict.value}">\n'
        f'<h3 class="soft">{heading}{_prose(item.title.rstrip("."))}</h3>\n'
        f'<p class="what">{_prose(what)}</p>\n<dl>{listed}</dl>\n</article>'
    )


def _item(item: ReportItem) -> str:
    # A failure without a card above is open, so that nobody misses it.
    broken = item.verdict in (Verdict.FAILED, Verdict.ERROR)
    opened = " open" if broken and not any(map(_has_card, item.parts)) else ""
    place = f'<p class="soft">{_text(str(item.place))}</p>' if item.place else ""
    measure = _text(item.measure) or VERDICT_WORDS[item.verdict]
    parts = _list(item.parts) if item.parts else ""
    before, after = (_blocks(blocks) for blocks in (item.before, item.after))
    return (
        f"<details{opened}>\n<summary>{_mark(item.verdict)} <b>{_text(item.name)}</b> "
        f'<span class="soft">{_text(item.note)}</span>'
        f'<span class="soft end">{measure}</span></summary>\n'
        f"<div>{before}{parts}{after}{place}</div>\n</details>"
    )


def _list(items: Iterable[ReportItem]) -> str:
    return f'<ul class="parts">{"".join(map(_line, items))}</ul>'


def _line(item: ReportItem) -> str:
    what = _prose(item.title) if item.title else f"<code>{_text(item.name)}</code>"
    note = f' <span class="soft">({_text(item.note)})</span>' if item.note else ""
    message = f" — {_prose(item.message)}" if item.message else ""
    remarks = "".join(f'<span class="remark">{_prose(text)}</span>' for text in item.remarks)
    return f"<li>{_mark(item.verdict)}{what}{note}{message}{remarks}</li>"


def _blocks(blocks: Iterable[Block]) -> str:
    return "".join(_block(block) for block in blocks)


def _block(block: Block) -> str:
    match block.kind:
        case "code":
            return _code(block.text)
        case "quote":
            return f"<blockquote>{_text(block.text)}</blockquote>"
        case "text":
            return f"<p>{_prose(block.text)}</p>"


def _not_called(report: Report) -> Iterator[str]:
    """Yield the items that were not called, each with the line that would have it called."""
    rows = "".join(
        f"<tr><td><code>{_text(item.name)}</code></td><td>{_prose(item.remedy)}</td>"
        f'<td class="soft">{_text(str(item.place or ""))}</td></tr>'
        for item in report.items
        if item.remedy
    )
    content = ["<p>Each of these would be proven too, with:</p>", f"<table>{rows}</table>"]
    yield from _section("Not called", content if rows else [])


def _remarks(report: Report) -> Iterator[str]:
    remarks = [f"{name} passed in {count} runs" for name, count in report.unsteady]
    lines = "".join(f"<li>{_prose(text)}</li>" for text in (*remarks, *report.remarks))
    yield from _section("Also", [f"<ul>{lines}</ul>"] if lines else [])


def _footer(report: Report) -> str:
    at = f'<time datetime="{report.started.isoformat()}">{report.started:%d %B %Y, %H:%M}</time>'
    return f"<footer>{' · '.join([at, *map(_prose, report.footer)])}</footer>"


def _mark(verdict: Verdict) -> str:
    words = VERDICT_WORDS[verdict]
    return (
        f'<span class="mark {verdict.value}" role="img" aria-label="{words}" title="{words}">'
        f"{_MARKS[verdict]}</span>"
    )


def _code(text: str) -> str:
    return f"<pre>{_text(text)}</pre>" if text else ""


def _prose(text: str) -> str:
    """Return words as HTML; text in backticks is code."""
    parts = _text(text).split("`")
    if len(parts) % 2 == 0:
        # The number of backticks is odd, so at least one of them opens nothing.
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def _text(text: str) -> str:
    """Return text as HTML shows it; invisible characters, and those that turn lines, become `�`."""
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return escape("".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in cut))
