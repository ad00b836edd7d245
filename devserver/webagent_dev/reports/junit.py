"""A report as JUnit XML, which continuous integration shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from webagent_dev.reports.content import Report, ReportItem, Suite, Verdict, reasons

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold (section 2.2)."""

_CHILDREN = {
    Verdict.FAILED: "failure",
    Verdict.ERROR: "error",
    Verdict.NEEDS_LOGIN: "skipped",
    Verdict.SKIPPED: "skipped",
    Verdict.NOT_APPLICABLE: "skipped",
}
"""The element that each verdict puts into a test case; one that passed, if with a warning, has none."""


def junit_xml(report: Report) -> str:
    """Return the suites of a report as a document."""
    root = _element(
        "testsuites", **_sums([item for suite in report.suites for item in suite.items])
    )
    root.set("name", _clean(report.command))
    root.extend(_suite(report, suite) for suite in report.suites)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(report: Report, suite: Suite) -> ElementTree.Element:
    timestamp = report.started.isoformat(timespec="seconds")
    element = _element("testsuite", name=suite.name, **_sums(suite.items), timestamp=timestamp)
    if report.properties:
        properties = ElementTree.SubElement(element, "properties")
        for name, value in report.properties:
            properties.append(_element("property", name=name, value=value))
    element.extend(_case(suite, item) for item in suite.items)
    return element


def _case(suite: Suite, item: ReportItem) -> ElementTree.Element:
    time = _seconds(item.duration_ms)
    case = _element("testcase", name=item.name, classname=suite.class_name, time=time)
    if item.place is not None:
        case.set("file", _clean(item.place.path))
        case.set("line", str(item.place.line))
    if child := _CHILDREN.get(item.verdict):
        text = reasons(item)
        first = text[0] if text else item.verdict.value
        case.append(_element(child, message=item.message or first))
        if child != "skipped":
            place = [str(item.place)] if item.message and item.place else []
            case[-1].text = _clean("\n".join([*place, *text]))
            if item.title:
                case[-1].set("type", _clean(item.name))
    if item.remarks:
        case.append(_element("system-out"))
        case[-1].text = _clean("\n".join(item.remarks))
    return case


def _element(tag: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.Element(tag, {key: _clean(value) for key, value in attributes.items()})


def _sums(items: Sequence[ReportItem]) -> dict[str, str]:
    children = [_CHILDREN.get(item.verdict) for item in items]
    return {
        "tests": str(len(items)),
        "failures": str(children.count("failure")),
        "errors": str(children.count("error")),
        "skipped": str(children.count("skipped")),
        "time": _seconds(sum(item.duration_ms for item in items)),
    }


def _seconds(duration_ms: float) -> str:
    return f"{duration_ms / 1000:.3f}"


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\ufffd", text)
