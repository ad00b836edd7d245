"""Findings on what was seen in a page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.devserver.audit.kit import site
from webagent.diagnostics import Severity
from webagent.page.offers import PageTool, Target
from webagent_dev.audit.page_facts import PageFacts, page_findings
from webagent_dev.publish.preflight.checks import SiteFinding

TOOL = PageTool(
    Target("modelContext", "search"),
    "Finds books.",
    input_schema={
        "type": "object",
        "properties": {"q": {"type": "string", "description": "Words."}},
    },
)
FIELD = {"name": "q", "tag": "<input name=q>", "required": True}
FORM = {"toolname": "search", "tooldescription": "Find.", "tag": "<form>", "controls": [FIELD]}


def findings(body: str = "<form>", **seen: Any) -> list[SiteFinding]:
    none: dict[str, Any] = {
        "names": ("search",),
        "registered": (),
        "forms": (),
        "violations": (),
        "shifts": {},
    }
    return [*page_findings(site(body), PageFacts(**(none | seen)))]


def rules(**seen: Any) -> list[str]:
    return [one.finding.rule for one in findings(**seen)]


def tool(**changed: Any) -> PageTool:
    return replace(TOOL, **changed)


def shift(worst: float) -> dict[str, Any]:
    return {"412 pixels": {"worst": worst, "moved": "<img src=a.png>"}}


def test_a_page_as_it_should_be_has_no_findings() -> None:
    """Tools with descriptions, forms that are tools, and nothing that moves."""
    assert rules(registered=(TOOL,), forms=(FORM,), shifts=shift(0.1)) == []


@pytest.mark.parametrize(
    ("seen", "rule"),
    [
        ({"names": ()}, "page-without-tools"),
        ({"names": tuple(f"t{i}" for i in range(41))}, "too-many-tools"),
        ({"registered": (tool(description=" "),)}, "tool-not-described"),
        ({"registered": (tool(input_schema={"type": "objekt"}),)}, "tool-schema-invalid"),
        ({"registered": (tool(input_schema={"properties": ["q"]}),)}, "tool-schema-invalid"),
        (
            {"registered": (tool(input_schema={"type": "object", "properties": {"q": {}}}),)},
            "parameter-not-described",
        ),
        ({"forms": (FORM | {"toolname": "", "tooldescription": ""},)}, "form-without-tool"),
        ({"forms": (FORM | {"tooldescription": ""},)}, "form-half-described"),
        ({"forms": (FORM | {"toolname": ""},)}, "form-half-described"),
        ({"forms": (FORM | {"controls": [FIELD | {"name": ""}]},)}, "field-without-name"),
        (
            {"violations": ({"id": "button-name", "help": "H", "tag": "<b>"},)},
            "element-without-name",
        ),
        ({"violations": ({"id": "aria-roles", "help": "H", "tag": "<b>"},)}, "wrong-aria"),
        ({"shifts": shift(0.11)}, "layout-shift"),
    ],
)
def test_each_rule_finds_what_it_is_for(seen: dict[str, Any], rule: str) -> None:
    """That, and nothing else."""
    assert rules(**seen) == [rule]


def test_a_broken_tool_is_an_error() -> None:
    """A required field without a name, and a page that moves far."""
    optional = FIELD | {"name": "", "required": False}
    (far,) = findings(shifts=shift(0.3))
    required, other = findings(forms=(FORM | {"controls": [FIELD | {"name": ""}, optional]},))

    assert far.finding.severity is required.finding.severity is Severity.ERROR
    assert other.finding.severity is Severity.WARNING


def test_the_place_is_the_tag_in_the_html() -> None:
    """Its beginning where a script has made it."""
    seen = {"violations": ({"id": "button-name", "help": "H", "tag": '<button id="b"></button>'},)}
    (there,) = findings('<p>\n<button id="b"></button>', **seen)
    (made,) = findings("<p>", **seen)

    assert there.source.position(there.finding.span.start).line == 2
    assert there.source.text[slice(*there.finding.span)] == '<button id="b">'
    assert made.finding.span == (0, 0)


def test_many_findings_are_cut() -> None:
    """A hostile page has as many as it likes."""
    violation = {"id": "button-name", "help": "H", "tag": "<b>"}
    forms = tuple(FORM | {"toolname": "", "tooldescription": ""} for _ in range(100))

    assert len(findings(violations=(violation,) * 10_000, forms=forms)) <= 60
