"""Outcomes as one HTML page that needs nothing else: no script, no request, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from html import escape
from importlib import resources

from webagent_dev.contract.proof import PROOFS, Proof, Report, ToolReport, Verdict
from webagent_dev.evals.case import Called, Case, Words
from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import shown
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.reports.text import (
    VERDICTS,
    calls,
    costs,
    expected_text,
    headline,
    made_text,
    parts,
    sentence,
    spent,
    unsteady,
)

_LONGEST = 4_000

_MARKS = {"passed": "✓", "failed": "✗", "error": "!"}

_WORDS = {
    "agrees": "as expected",
    "differs": "differs",
    "out of order": "out of order",
    "missing": "was not called",
    "not expected": "not expected",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5b6470; --paper: #fbfbf9;
  --card: #fff; --line: #dcdfe3; --good: #17713f; --bad: #b3261e; --odd: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e9ec; --soft: #a2abb6; --paper: #15181c; --card: #1d2126; --line: #343a42;
    --good: #62c48d; --bad: #ff8a80; --odd: #e5b454; } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 60rem; color: var(--ink);
  background: var(--paper); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: 0 }
p { margin: .4rem 0 }
.soft { color: var(--soft) }
.bar { display: flex; height: .6rem; margin: 1rem 0; border-radius: .3rem; overflow: hidden;
  background: var(--line) }
.bar span { min-width: 2px }
.bar .passed { background: var(--good) } .bar .failed { background: var(--bad) }
.bar .error { background: var(--odd) }
details { margin: .5rem 0; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem }
summary { display: flex; gap: .6rem; padding: .6rem .8rem; cursor: pointer; list-style: none }
summary::-webkit-details-marker { display: none }
summary:focus-visible { outline: 2px solid; outline-offset: 2px; border-radius: .5rem }
summary .name { flex: 1 }
.mark { width: 1.2em; text-align: center; font-weight: 700 }
.passed > .mark, .agrees .what { color: var(--good) }
.failed > .mark, .differs .what, .missing .what, .not-expected .what, .out-of-order .what { color: var(--bad) }
.error > .mark { color: var(--odd) }
.inside { padding: 0 .8rem .8rem 2.6rem }
blockquote { margin: .3rem 0; padding-left: .8rem; border-left: 3px solid var(--line);
  white-space: pre-wrap }
ol { margin: .6rem 0; padding-left: 1.4rem }
code { font: .9em/1.5 ui-monospace, monospace }
.what { font-size: .85em; font-weight: 600; margin-left: .5em }
@media (max-width: 32rem) { .inside { padding-left: .8rem } body { padding-top: 1rem } }
@media print { details { break-inside: avoid } }
"""


def html_report(evaluation: Evaluation, at: datetime) -> str:
    """Return the page.

    Args:
        evaluation: What to show.
        at: When it was made.
    """
    title = f"{headline(evaluation)} - {evaluation.file}"
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{_text(title)}</title>",
            f"<style>{_STYLE}</style>",
            *_body(evaluation, at),
            "</html>",
            "",
        ]
    )


def _body(evaluation: Evaluation, at: datetime) -> Iterator[str]:
    yield f"<h1>{_text(headline(evaluation))}</h1>"
    yield f"<p><code>{_text(evaluation.file)}</code>, {_text(costs(evaluation))}</p>"
    moment = at.isoformat(timespec="minutes")
    yield f'<p class="soft"><time datetime="{moment}">{at:%d %B %Y, %H:%M}</time></p>'
    yield _bar(evaluation)
    if evaluation.stopped:
        yield f"<p><strong>Not all were run:</strong> {_text(evaluation.stopped)}.</p>"
    wavering = [f"{_text(name)} ({_text(count)})" for name, count in unsteady(evaluation)]
    if wavering:
        yield f"<p><strong>Passed in some runs only:</strong> {', '.join(wavering)}.</p>"
    yield "<main>"
    several = any(outcome.run > 1 for outcome in evaluation.outcomes)
    for outcome in evaluation.outcomes:
        yield from _outcome(outcome, several=several)
    yield "</main>"


def _bar(evaluation: Evaluation) -> str:
    parts = "".join(
        f'<span class="{verdict}" style="flex:{count}"></span>'
        for verdict in ("passed", "failed", "error")
        if (count := evaluation.count(verdict))
    )
    left = evaluation.planned - len(evaluation.outcomes)
    rest = f'<span style="flex:{left}"></span>' if left else ""
    return f'<div class="bar" role="img" aria-label="{_text(headline(evaluation))}">{parts}{rest}</div>'


def _outcome(outcome: Outcome, *, several: bool) -> Iterator[str]:
    verdict = outcome.verdict
    number = f' <span class="soft">run {outcome.run}</span>' if several else ""
    yield f"<details{'' if outcome.passed else ' open'}>"
    yield (
        f'<summary class="{verdict}"><span class="mark" role="img" aria-label="{verdict}">'
        f'{_MARKS[verdict]}</span><span class="name">{_text(outcome.case.name)}{number}</span>'
        f'<span class="soft">{outcome.seconds:.1f} s</span></summary>'
    )
    yield '<div class="inside">'
    yield from _messages(outcome.case)
    if outcome.rows:
        yield "<ol>"
        for row in outcome.rows:
            yield from _row(row)
        yield "</ol>"
    elif not outcome.problem:
        yield "<p>Nothing was called.</p>"
    for question in outcome.asked:
        yield f"<p>It asked: {_prose(question)}</p>"
    if outcome.problem:
        yield f"<p>{_prose(outcome.problem)}</p>"
    elif outcome.said:
        yield f'<p class="soft">It said: {_prose(outcome.said)}</p>'
    yield "</div></details>"


def _messages(case: Case) -> Iterator[str]:
    for message in case.messages:
        match message:
            case Words(by_person=True, text=text):
                yield f"<blockquote>{_text(text)}</blockquote>"
            case Words(text=text):
                yield f'<blockquote class="soft">Agent: {_text(text)}</blockquote>'
            case Called(name=name, arguments=arguments):
                yield f'<p class="soft"><code>{_text(name)} {_text(shown(arguments))}</code></p>'
            case _:
                yield f'<p class="soft"><code>→ {_text(shown(message.response))}</code></p>'


def _row(row: Row) -> Iterator[str]:
    kind = row.verdict.replace(" ", "-")
    text = made_text(row.made) if row.made else expected_text(row.expected) if row.expected else ""
    yield f'<li class="{kind}"><code>{_text(text)}</code>'
    yield f'<span class="what">{_WORDS[row.verdict]}</span>'
    for difference in row.differences:
        yield f"<p>{_prose(str(difference))}</p>"
    if row.made and row.made.error and not row.differences:
        yield f"<p>{_prose(row.made.error.get('message', ''))}</p>"
    yield "</li>"


def _prose(text: str) -> str:
    """Return words as HTML; what stands in backticks is code."""
    parts = _text(text).split("`")
    if len(parts) % 2 == 0:
        # One of them opens nothing.
        return "`".join(parts)
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def _text(text: str) -> str:
    """Return text as HTML shows it, without what could turn a line around."""
    cut = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    plain = "".join(c if c.isprintable() or c in "\n\t" else "�" for c in cut)
    return escape(plain)


_MARKS_page = {
    Verdict.PASSED: "✓",
    Verdict.FAILED: "✗",
    Verdict.NEEDS_LOGIN: "○",
    Verdict.SKIPPED: "–",
}

_CODE = re.compile(r"`([^`]+)`")

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(report: Report) -> str:
    """Return the report as a page."""
    name = report.manifest or report.site
    body = "\n".join(
        part
        for part in (
            _head(report, name),
            _broken(report),
            _tools(report),
            _sequences(report),
            _left(report),
            _remarks(report),
            _foot(report),
        )
        if part
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{'✓' if report.ok else '✗'} {_plain(name)}</title>\n"
        f"<style>\n{_style()}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _head(report: Report, name: str) -> str:
    broken = sum(len(tool.failures) for tool in report.tools) + sum(
        proof.verdict is Verdict.FAILED for proof in report.sequences
    )
    kept = "keeps every promise that was tried"
    promises = "1 promise" if broken == 1 else f"{broken} promises"
    answer = kept if report.ok else f"breaks {promises} of its manifest"
    ended = ", and the test was ended early" if report.interrupted else ""
    bar = "".join(
        f'<i class="{verdict.value}" style="flex:{count}"></i>'
        for verdict, count in report.tally.items()
        if count
    )
    key = "".join(
        f'<li><span class="{verdict.value}">{_MARKS_page[verdict]}</span> {count} {VERDICTS[verdict]}</li>'
        for verdict, count in report.tally.items()
        if count
    )
    style = "passed" if report.ok else "failed"
    return (
        f"<header>\n<h1>{_plain(name)}</h1>\n<p class=soft>{_plain(report.site)}</p>\n"
        f'<p class="answer">The site <b class="{style}">{answer}</b>{ended}.</p>\n'
        f'<div class="bar" role="img" aria-label="{_plain(sentence(report))}">{bar}</div>\n'
        f'<ul class="key">{key}</ul>\n</header>'
    )


def _broken(report: Report) -> str:
    """Return a card for each thing that is to be mended."""
    cards = [
        _card(proof, tool.name)
        for tool in report.tools
        for proof in tool.proofs
        if proof.verdict is Verdict.FAILED
    ]
    cards += [_card(p, "") for p in report.sequences if p.verdict is Verdict.FAILED]
    return "<section>\n<h2>To mend</h2>\n" + "\n".join(cards) + "\n</section>" if cards else ""


def _card(proof: Proof, tool: str) -> str:
    what, why, remedy = parts(proof)
    rows = [
        ("why it matters", _words(why)),
        ("what to do", _words(remedy)),
        ("the call", _block(proof.call)),
        ("declared", _block(proof.declared)),
        ("where in the answer", f"<code>{_plain(proof.path)}</code>" if proof.path else ""),
        ("in the manifest", _plain(str(proof.place)) if proof.place else ""),
    ]
    told = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows if value)
    heading = f"<code>{_plain(tool)}</code> · " if tool else ""
    return (
        f'<article class="card {proof.verdict.value}">\n'
        f'<h3 class="soft">{heading}{PROOFS[proof.name].rstrip(".").replace("`", "")}</h3>\n'
        f'<p class="what">{_words(what)}</p>\n<dl>{told}</dl>\n</article>'
    )


def _tools(report: Report) -> str:
    if not report.tools:
        return ""
    rows = "\n".join(_tool(tool) for tool in report.tools)
    return f"<section>\n<h2>All tools</h2>\n{rows}\n</section>"


def _tool(tool: ToolReport) -> str:
    made = f"{calls(tool)} · {spent(tool.duration_ms)}" if tool.calls else VERDICTS[tool.verdict]
    proofs = "".join(_line(proof) for proof in tool.proofs)
    observed = (
        f"<p>It gave this, which may be written under <code>### Output</code>:</p>{_block(tool.observed)}"
        if tool.observed
        else ""
    )
    place = f'<p class="soft">{_plain(str(tool.place))}</p>' if tool.place else ""
    verdict = tool.verdict
    return (
        f'<details>\n<summary><span class="{verdict.value}" title="{VERDICTS[verdict]}">'
        f"{_MARKS_page[verdict]}</span> <b>{_plain(tool.name)}</b> "
        f'<span class="soft">{tool.effect}</span><span class="soft end">{made}</span></summary>\n'
        f'<div>{_block(tool.declaration)}<ul class="proofs">{proofs}</ul>{observed}{place}</div>\n'
        "</details>"
    )


def _line(proof: Proof) -> str:
    # Of sequences there may be several, which their messages tell apart.
    untold = proof.verdict is Verdict.PASSED and proof.name != "sequence"
    told = "" if untold else f" — {_words(proof.message)}"
    made = f' <span class="soft">({proof.calls} calls)</span>' if proof.calls > 1 else ""
    remarks = "".join(f'<span class="remark">{_words(text)}</span>' for text in proof.remarks)
    return (
        f'<li><span class="mark {proof.verdict.value}">{_MARKS_page[proof.verdict]}</span>'
        f"{_words(PROOFS[proof.name])}{made}{told}{remarks}</li>"
    )


def _sequences(report: Report) -> str:
    if not report.sequences:
        return ""
    lines = "".join(_line(proof) for proof in report.sequences)
    return f'<section>\n<h2>One after the other</h2>\n<ul class="proofs">{lines}</ul>\n</section>'


def _left(report: Report) -> str:
    """Return what was not called, each with the line that would have it called."""
    left = [tool for tool in report.tools if tool.allow]
    if not left:
        return ""
    rows = "".join(
        f"<tr><td><code>{_plain(tool.name)}</code></td><td>{_words(tool.allow)}</td>"
        f'<td class="soft">{_plain(str(tool.place or ""))}</td></tr>'
        for tool in left
    )
    return (
        "<section>\n<h2>Not called</h2>\n<p>Each of these would be proven too, with:</p>\n"
        f"<table>{rows}</table>\n</section>"
    )


def _remarks(report: Report) -> str:
    if not report.remarks:
        return ""
    lines = "".join(f"<li>{_words(text)}</li>" for text in report.remarks)
    return f"<section>\n<h2>Beside that</h2>\n<ul>{lines}</ul>\n</section>"


def _foot(report: Report) -> str:
    return (
        f"<footer>{_plain(report.started)} · {spent(report.duration_ms)} · the same arguments again: "
        f"<code>webagent-dev test --seed {report.seed}</code></footer>"
    )


def _block(text: str) -> str:
    return f"<pre>{_plain(text)}</pre>" if text else ""


def _words(text: str) -> str:
    """Return a text in which what stands in backticks is code."""
    return _CODE.sub(r"<code>\1</code>", _plain(text))


def _plain(text: str) -> str:
    """Return a text as HTML shows it; what cannot be seen, or turns lines around, is shown as `�`."""
    seen = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
    return escape(seen)


def _style() -> str:
    name = "webagent_dev.reports"
    return (resources.files(name) / "html.css").read_text("utf-8")
