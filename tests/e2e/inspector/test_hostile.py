"""The inspector shows everything that pages say of themselves as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.e2e.conftest import Serve
from tests.e2e.inspector.conftest import Inspect

PAGE = r"""<!doctype html><link rel="icon" href="data:,"><title>&#x202e;gnp.exe<b>bold</b></title><script>
const nested = (levels) => levels === 0 ? { type: "string" }
  : { type: "object", properties: { in: nested(levels - 1) }, required: ["in"] };
const object = (properties, more = {}) => ({ type: "object", properties, ...more });
const tools = {
  deep: { inputSchema: nested(14) },
  round: {
    description: "turned \u202e around <img src=x onerror=parent.hit=1>",
    inputSchema: object(
      { loop: { $ref: "#/$defs/loop" }, node: { $ref: "#/$defs/node" } },
      { $defs: { loop: { $ref: "#/$defs/loop" }, node: object({ node: { $ref: "#/$defs/node" } }) } },
    ),
  },
  proto: {
    inputSchema: JSON.parse('{"type": "object", "properties": {"__proto__": {"type": "string"}}, "required": ["__proto__"]}'),
    execute: async (given) => Object.keys(given),
  },
  slow: { inputSchema: object({ a: { type: "string", pattern: "^(a+)+$" } }, { required: ["a"] }) },
  large: {
    execute: async () => ({
      html: "<script>hit = 1<\/script>".repeat(40_000),
      list: Array.from({ length: 20_000 }, (_, n) => n),
    }),
  },
};
for (let n = 0; n < 1000; n++) tools[`tool${n}`] = {};
for (const [name, tool] of Object.entries(tools)) {
  document.modelContext.registerTool({
    name, description: "a tool", inputSchema: object({}), execute: async () => 1, ...tool,
  });
}
</script><p>A page that means no good.</p>"""

SEARCH_BUDGET = 4
"""How many times as long a search in 1,000 tools may take as making such a list by hand."""

SEARCH = """() => {
  const timed = (work) => {
    const began = performance.now();
    for (let n = 0; n < 5; n++) { work(n); document.body.offsetHeight; }
    return performance.now() - began;
  };
  const field = document.querySelector("input[type=search]");
  const search = (n) => {
    field.value = "tool".slice(0, n);
    field.dispatchEvent(new Event("input"));
  };
  const list = document.querySelector("[role=listbox]");
  const box = list.parentElement.appendChild(document.createElement("div"));
  const byHand = () => box.replaceChildren(...Array.from({ length: 1005 }, () => {
    const option = document.createElement("div");
    for (let n = 0; n < 4; n++) option.append(document.createElement("span"), "a tool");
    return option;
  }));
  timed(search);
  timed(byHand);
  const hand = timed(byHand);
  box.remove();
  const ratio = timed(search) / hand;
  search(0);
  return ratio;
}"""


@pytest.mark.conformance
async def test_a_page_cannot_harm_the_inspector(
    inspect: Inspect, serve: Serve, tmp_path: Path
) -> None:
    """Markup, odd characters, names of prototypes, endless schemas and patterns, large results."""
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    inspector = await inspect(serve(tmp_path))
    page = inspector.page
    options = page.get_by_role("listbox", name="Tools").get_by_role("option")
    await expect(options).to_have_count(1005)
    await expect(page.get_by_role("combobox", name="Page", exact=True)).to_contain_text(
        "⟨202E⟩gnp.exe<b>bold</b>"
    )

    # Each letter makes the list anew, in no more than a few times what making it takes at all.
    assert await page.evaluate(SEARCH) < SEARCH_BUDGET

    await inspector.choose("deep")
    await expect(page.locator("textarea.json")).to_have_count(1)
    await expect(inspector.main).to_contain_text("it is nested deeper than 8 levels")

    await inspector.choose("round")
    await expect(inspector.main).to_contain_text("turned ⟨202E⟩ around <img")
    await expect(inspector.main).to_contain_text("its `$ref` leads nowhere")
    for _ in range(3):
        await page.get_by_role("button", name="Add node").last.click()
    await inspector.call()
    await expect(page.locator(".callbox pre").last).to_contain_text(
        '{"node": {"node": {"node": {}}}}'
    )

    await inspector.choose("proto")
    await inspector.field("__proto__").fill("mine")
    await inspector.call()
    await expect(inspector.outcome.locator(".tree")).to_contain_text("__proto__")
    assert await page.evaluate("Object.keys(Object.prototype)") == []

    await inspector.choose("slow")
    await inspector.field("a").fill("a" * 60 + "!")
    await expect(inspector.field("a")).to_have_value("a" * 60 + "!")

    await inspector.choose("large")
    await inspector.call()
    tree = inspector.outcome.locator(".tree")
    await expect(tree).to_contain_text("20,000 items")
    await tree.get_by_text("html", exact=True).click()
    await expect(tree.get_by_role("button", name="show more")).to_be_visible()
    await inspector.outcome.get_by_role("tab", name="JSON").click()
    assert len(await inspector.outcome.inner_text()) < 50_000

    await inspector.show("Timeline")
    await inspector.rows.last.click()
    await expect(page.get_by_role("article")).to_be_visible()
    assert await page.evaluate("[window.hit, document.images.length]") == [None, 0]
