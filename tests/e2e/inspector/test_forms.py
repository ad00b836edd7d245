"""Forms made from schemas, in a page that gives back what it was given."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.async_api import expect

from tests.e2e.conftest import Serve
from tests.e2e.inspector.conftest import Inspect

ORDER = {
    "type": "object",
    "required": ["items", "customer", "when"],
    "properties": {
        "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Item"}},
        "customer": {
            "oneOf": [
                {
                    "type": "object",
                    "required": ["email"],
                    "properties": {"email": {"type": "string", "format": "email"}},
                },
                {"type": "integer"},
            ]
        },
        "when": {"type": "string", "format": "date"},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "paid": {"type": "boolean"},
        "anything": {},
    },
    "$defs": {
        "Item": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
        }
    },
}
PAGE = f"""<!doctype html><link rel=icon href=data:,><title>Bare</title><script>
document.modelContext.registerTool({{ name: "order", description: "Gives back what it is given.",
  inputSchema: {json.dumps(ORDER)}, execute: async (given) => given }});</script>"""


async def test_a_form_of_every_kind_of_field(
    inspect: Inspect, serve: Serve, tmp_path: Path
) -> None:
    """The values of the form arrive in the page; JSON and form are two views of them."""
    (tmp_path / "index.html").write_text(PAGE)
    inspector = await inspect(serve(tmp_path))
    page = inspector.page
    await page.get_by_role("option", name="order").click()
    await inspector.field("id", "0 object").fill("a")
    await inspector.button("Add an item").click()
    await expect(inspector.field("id", "1 object")).to_be_focused()
    await inspector.field("id", "1 object").fill("b")
    await inspector.field("count", "1 object").fill("2")
    await page.get_by_label("which customer").select_option("integer")
    await inspector.field("value", "customer").fill("7")
    await inspector.field("when").fill("2026-01-31")
    await inspector.button("Add labels").click()
    await inspector.button("Add a member").click()
    await page.get_by_label("name of the member").fill("__proto__")
    await inspector.field("value", "labels").fill("x")
    await inspector.field("paid").select_option("false")
    await inspector.field("anything").fill('{"a": [1, null]}')
    await inspector.call()
    await inspector.outcome.get_by_role("tab", name="JSON").click()
    given = {
        "items": [{"id": "a"}, {"id": "b", "count": 2}],
        "customer": 7,
        "when": "2026-01-31",
        "labels": {"__proto__": "x"},
        "paid": False,
        "anything": {"a": [1, None]},
    }
    assert json.loads(await inspector.outcome.locator("pre").inner_text()) == given

    await page.locator(".arguments").get_by_role("tab", name="JSON").click()
    text = page.locator("textarea.json")
    assert json.loads(await text.input_value()) == given
    await text.fill(
        json.dumps(given | {"items": [{"id": "c"}], "customer": {"email": "a@b.example"}})
    )
    await page.get_by_role("tab", name="Form").click()
    await expect(inspector.field("id", "0 object")).to_have_value("c")
    await expect(inspector.field("email")).to_have_value("a@b.example")
    await page.get_by_role("button", name="leave out paid").click()
    await expect(page.locator(".callbox pre").last).not_to_contain_text("paid")

    await inspector.show("Manifest")
    await expect(inspector.main).to_contain_text("This site has no manifest.")
