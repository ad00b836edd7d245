"""Outcomes as JUnit XML, which continuous integration shows."""

from __future__ import annotations

import re
from xml.etree import ElementTree

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
