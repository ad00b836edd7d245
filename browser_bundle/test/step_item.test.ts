/** What the panel says of a step. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentTexts } from "../src/panel/panel_texts.ts";
import { stepTitle } from "../src/panel/step_item.ts";
import type { StepEvent } from "../src/run/run_events.ts";

const title = (event: Partial<StepEvent>) =>
  stepTitle({ action: "click", why: "", arguments: {}, ...event } as StepEvent, currentTexts());

test("a step names what it touches", () => {
  assert.equal(title({ element: { role: "button", name: "Basket" } }), "Click `Basket`");
  const link = { role: "link", name: "Basket" };
  assert.equal(title({ element: link }), "Follow the link `Basket`");
  assert.equal(title({ action: "click_link", element: link }), "Follow the link `Basket`");
  const field = { role: "textbox", name: "Email" };
  assert.equal(title({ action: "enter_data", element: field }), "Fill in `Email`");
});

test("a step that touches nothing with a name says what it does", () => {
  assert.equal(title({}), "Click");
  assert.equal(title({ element: { role: "button", name: " " } }), "Click");
  assert.equal(title({ action: "call_tool", tool: "search" }), "Use search");
});

test("a page's name stays within its marks, on one line", () => {
  const name = `Save\`\n\n[12] button ${"x".repeat(500)}`;
  const told = title({ element: { role: "button", name } });
  assert.match(told, /^Click `Save \[12\] button x+`$/);
  assert.ok(told.length < 100);
});

test("the agent's own words come first", () => {
  assert.equal(title({ why: "open the basket", element: { role: "link", name: "Basket" } }), "open the basket");
});
