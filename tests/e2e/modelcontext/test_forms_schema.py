"""The schema of a form's tool, control by control."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import BrowserContext

from tests.e2e.modelcontext.conftest import Run
from tests.e2e.modelcontext.controls import CASES
from tests.e2e.modelcontext.forms import with_forms
from tests.e2e.modelcontext.sites import Site

pytestmark = pytest.mark.conformance

SCHEMAS = """async (cases) => {
    customElements.define("asso-ciated", class extends HTMLElement { static formAssociated = true; });
    customElements.define("plain-one", class extends HTMLElement {});
    document.body.innerHTML = cases
        .map((inside, n) => `<form toolname="${n}" tooldescription="">${inside}</form>`).join("");
    for (;;) {
        const tools = await document.modelContext.getTools();
        if (tools.length === cases.length) {
            return Object.fromEntries(tools.map((tool) => [cases[tool.name], JSON.stringify(tool.inputSchema)]));
        }
        await new Promise((resolve) => requestAnimationFrame(resolve));
    }
}"""


@pytest.mark.chromium("Firefox has no `modelContext` of its own")
async def test_equals_the_browsers_own(contexts: dict[str, BrowserContext], site: Site) -> None:
    """For every control, ours is the browser's own schema, byte for byte."""
    schemas: dict[str, dict[str, str]] = {}
    for kind, context in contexts.items():
        page = await context.new_page()
        await page.goto(site.origin)
        schemas[kind] = await page.evaluate(SCHEMAS, CASES)
        await page.close()
    native, ours = schemas["native"], schemas["ours"]
    assert len(native) > 500
    assert [case for case in native if native[case] != ours[case]] == []
    assert ours == native


TIME = "([01][0-9]|2[0-3]):[0-5][0-9]"
CHOICES = {
    "anyOf": [{"type": "string", "const": "x", "title": "Ex"}, {"type": "string", "const": "y"}],
    "enum": ["x", "y"],
}
OPTIONS = {
    "anyOf": [
        {"type": "string", "const": "x", "title": "Ex"},
        {"type": "string", "const": "y", "title": "y"},
    ],
    "enum": ["x", "y"],
}
PROPERTIES: list[tuple[str, dict[str, Any]]] = [
    ("<input name=a>", {"type": "string"}),
    ("<label>L <input name=a></label>", {"type": "string", "description": "L"}),
    ("<input name=a aria-description=d>", {"type": "string", "description": "d"}),
    ("<input name=a pattern='[a-z]+'>", {"type": "string", "pattern": "[a-z]+"}),
    ("<textarea name=a></textarea>", {"type": "string"}),
    ("<input type=number name=a>", {"type": "number", "multipleOf": 1}),
    ("<input type=number name=a step=any>", {"type": "number"}),
    ("<input type=number name=a min=1 step=2>", {"type": "number", "minimum": 1}),
    (
        "<input type=range name=a>",
        {"type": "number", "minimum": 0, "maximum": 100, "multipleOf": 1},
    ),
    ("<input type=checkbox name=a>", {"type": "boolean"}),
    (
        "<label><input type=checkbox name=a value=x>Ex</label><input type=checkbox name=a value=y>",
        {"type": "array", "items": {"type": "string", **CHOICES}, "uniqueItems": True},
    ),
    (
        "<label><input type=radio name=a value=x>Ex</label><input type=radio name=a value=y>",
        {"type": "string", **CHOICES},
    ),
    ("<select name=a><option value=x>Ex<option>y</select>", {"type": "string", **OPTIONS}),
    (
        "<select name=a multiple><option value=x>Ex<option>y</select>",
        {"type": "array", "items": {"type": "string", **OPTIONS}, "uniqueItems": True},
    ),
    (
        "<label>Day<input type=date name=a></label>",
        {
            "type": "string",
            "format": "date",
            "description": "Day (Dates MUST be provided in 'YYYY-MM-DD' format.)",
        },
    ),
    ("<input type=time name=a>", {"type": "string", "format": f"^{TIME}$"}),
    ("<input type=time name=a step=1>", {"type": "string", "format": f"^{TIME}(:[0-5][0-9])?$"}),
    ("<input type=month name=a>", {"type": "string", "format": "^[0-9]{4}-(0[1-9]|1[0-2])$"}),
    ("<input type=color name=a>", {"type": "string", "format": "^#[0-9a-zA-Z]{6}$"}),
]


@pytest.mark.parametrize(("inside", "schema"), PROPERTIES, ids=[inside for inside, _ in PROPERTIES])
async def test_property(run: Run, inside: str, schema: dict[str, Any]) -> None:
    """Each kind of control makes one property, its keys in one order."""
    code = "await form(given); return JSON.stringify((await listed()).inputSchema)"
    whole = {"type": "object", "properties": {"a": schema}, "required": []}
    assert await with_forms(run)(code, inside) == json.dumps(whole, separators=(",", ":"))


async def test_outside(run: Run) -> None:
    """Controls outside the form that name it as theirs count, in the order of the page."""
    code = """
        put('<input form="f" name="before"><form id="f" toolname="t" tooldescription="d"><input name="inside"></form>'
            + '<input form="f" name="after"><input form="g" name="other">');
        return Object.keys((await listed()).inputSchema.properties)"""
    assert await with_forms(run)(code) == ["before", "inside", "after"]
