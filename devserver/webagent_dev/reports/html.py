"""Outcomes as one HTML page that needs nothing else: no script, no request, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from html import escape

from webagent_dev.evals.case import Called, Case, Words
from webagent_dev.evals.comparison import Row
from webagent_dev.evals.constraints import shown
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.reports.text import costs, expected_text, headline, made_text, unsteady

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
