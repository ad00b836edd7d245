"""Outcomes as JUnit XML, which continuous integration shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree import ElementTree as ET

from webagent_dev.contract.proof import PROOFS, Proof, Report, Verdict
from webagent_dev.evals.outcome import Evaluation, Outcome
from webagent_dev.reports.text import row_lines

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""


def junit_xml(evaluation: Evaluation) -> str:
    """Return a document with one test case for each run."""
    suite = ElementTree.Element(
        "testsuite",
        name=_clean(evaluation.file),
        tests=str(len(evaluation.outcomes)),
        failures=str(evaluation.count("failed")),
        errors=str(evaluation.count("error")),
        skipped="0",
        time=f"{evaluation.seconds:.3f}",
    )
    several = any(outcome.run > 1 for outcome in evaluation.outcomes)
    for outcome in evaluation.outcomes:
        name = outcome.case.name + (f" ({outcome.run})" if several else "")
        test = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_clean(evaluation.file),
            name=_clean(name),
            file=_clean(evaluation.file),
            line=str(outcome.case.line),
            time=f"{outcome.seconds:.3f}",
        )
        if not outcome.passed:
            kind = "error" if outcome.verdict == "error" else "failure"
            lines = _lines(outcome)
            first = lines[0] if lines else outcome.verdict
            told = ElementTree.SubElement(test, kind, message=_clean(first))
            told.text = _clean("\n".join(lines))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _lines(outcome: Outcome) -> list[str]:
    marked = [text.strip() for text, style in row_lines(outcome) if style != "dim"]
    said = [f"it asked: {question}" for question in outcome.asked]
    end = outcome.problem or (f"it said: {outcome.said}" if outcome.said else "")
    return [*marked, *said, *([end] if end else [])]


def _clean(text: str) -> str:
    return _NO_XML.sub("�", text)


_UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold (section 2.2)."""


def junit(report: Report) -> str:
    """Return the report as a document."""
    suites = [(tool.name, tool.proofs) for tool in report.tools]
    if report.sequences:
        suites.append(("sequences", report.sequences))
    root = ET.Element("testsuites", _sums([p for _, proofs in suites for p in proofs]))
    root.set("name", _text(f"webagent-dev test {report.site}"))
    for name, proofs in suites:
        suite = ET.SubElement(root, "testsuite", {"name": _text(name), **_sums(proofs)})
        suite.set("timestamp", report.started)
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", {"name": "seed", "value": str(report.seed)})
        for proof in proofs:
            _case(suite, name, proof)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, "unicode")}\n'


def _case(suite: ET.Element, tool: str, proof: Proof) -> None:
    case = ET.SubElement(
        suite,
        "testcase",
        {
            "name": proof.name,
            "classname": _text(f"webagents.{tool}"),
            "time": _seconds(proof.duration_ms),
        },
    )
    if proof.place is not None:
        case.set("file", _text(proof.place.path))
        case.set("line", str(proof.place.line))
    if proof.verdict is Verdict.FAILED:
        failure = ET.SubElement(
            case, "failure", {"message": _text(proof.message), "type": proof.name}
        )
        lines = [
            str(proof.place or ""),
            PROOFS[proof.name],
            proof.message,
            proof.call and f"call: {proof.call}",
            proof.path and f"path: {proof.path}",
            proof.declared and f"declared: {proof.declared}",
        ]
        failure.text = _text("\n".join(line for line in lines if line))
    elif proof.verdict is not Verdict.PASSED:
        ET.SubElement(case, "skipped", {"message": _text(proof.message)})
    if proof.remarks:
        ET.SubElement(case, "system-out").text = _text("\n".join(proof.remarks))


def _sums(proofs: Sequence[Proof]) -> dict[str, str]:
    failed = sum(proof.verdict is Verdict.FAILED for proof in proofs)
    skipped = sum(proof.verdict in (Verdict.SKIPPED, Verdict.NEEDS_LOGIN) for proof in proofs)
    return {
        "tests": str(len(proofs)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(skipped),
        "time": _seconds(sum(proof.duration_ms for proof in proofs)),
    }


def _seconds(duration_ms: float) -> str:
    return f"{duration_ms / 1000:.3f}"


def _text(text: str) -> str:
    return _UNSPEAKABLE.sub("\ufffd", text)
