"""A report as one page of HTML: nothing is loaded, no script runs, whatever the site says is text."""

from __future__ import annotations

import re
from html import escape
from importlib import resources

from webagent_dev.contract.report import PROOFS, Proof, Report, ToolReport, Verdict
from webagent_dev.testing.contract.telling.words import VERDICTS, calls, parts, sentence, spent

_MARKS = {
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
        f'<li><span class="{verdict.value}">{_MARKS[verdict]}</span> {count} {VERDICTS[verdict]}</li>'
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
        f"{_MARKS[verdict]}</span> <b>{_plain(tool.name)}</b> "
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
        f'<li><span class="mark {proof.verdict.value}">{_MARKS[proof.verdict]}</span>'
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
    name = "webagent_dev.testing.contract.telling"
    return (resources.files(name) / "page.css").read_text("utf-8")
