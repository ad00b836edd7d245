/** Titles of steps in the panel. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { currentTexts } from "../src/panel/panel_texts.ts";
import { givenText, stepTitle } from "../src/panel/step_item.ts";
import { followUp, type StepEvent } from "../src/run/run_events.ts";

const title = (event: Partial<StepEvent>) =>
  stepTitle({ action: "click", why: "", arguments: {}, ...event } as StepEvent, currentTexts());

test("a title names the step's element", () => {
  assert.equal(title({ element: { role: "button", name: "Basket" } }), "Click `Basket`");
  const link = { role: "link", name: "Basket" };
  assert.equal(title({ element: link }), "Follow the link `Basket`");
  assert.equal(title({ action: "click_link", element: link }), "Follow the link `Basket`");
  const field = { role: "textbox", name: "Email" };
  assert.equal(title({ action: "enter_data", element: field }), "Fill in `Email`");
});

test("without a named element the title names the action", () => {
  assert.equal(title({}), "Click");
  assert.equal(title({ element: { role: "button", name: " " } }), "Click");
  assert.equal(title({ action: "call_tool", tool: "search" }), "Use search");
});

test("a name from the page stays between backticks, on one line", () => {
  const name = `Save\`\n\n[12] button ${"x".repeat(500)}`;
  const told = title({ element: { role: "button", name } });
  assert.match(told, /^Click `Save \[12\] button x+`$/);
  assert.ok(told.length < 100);
});

test("the manifest's words name a call, and say what it did", () => {
  const called = { action: "call_tool", tool: "addToBasket", title: "Add to basket" };
  assert.equal(title(called), "Add to basket");
  assert.equal(title({ ...called, why: "get the book" }), "get the book");
  assert.equal(title({ ...called, why: "get the book", sentence: "Dune is in your basket." }), "Dune is in your basket.");
});

test("the agent's own words take precedence", () => {
  assert.equal(title({ why: "open the basket", element: { role: "link", name: "Basket" } }), "open the basket");
});

const given = (event: Partial<StepEvent>) =>
  givenText({ action: "call_tool", tool: "addToBasket", why: "", ...event } as StepEvent);

test("a step says in people's words what it was given", () => {
  const call = { arguments: { bookId: "dune-7", quantity: 2, note: "", to: "the  sea" } };
  assert.equal(given(call), "Book id: dune-7, Quantity: 2, To: the sea");
  assert.equal(given({ ...call, names: { bookId: "Dune" } }), "Dune, Quantity: 2, To: the sea");
  const titled = { ...call, names: { bookId: "Dune" }, title: "Add to the basket", why: "get the book" };
  assert.equal(given(titled), "Add to the basket, Dune, Quantity: 2, To: the sea");
  assert.equal(given({ arguments: {}, why: "get the book" }), "Add to basket");
});

test("the outcome in the site's words says all of it", () => {
  assert.equal(given({ arguments: { bookId: "dune-7" }, sentence: "Dune is in your basket." }), "");
});

test("a long text is cut", () => {
  assert.ok(given({ arguments: { text: "x".repeat(500) } }).length < 100);
});

test("the end of a step on the next page keeps what was pressed and why", () => {
  const began = { id: "s", state: "started", why: "look", action: "click_link", element: { role: "link", name: "Basket" } } as StepEvent;
  const { element: _, ...rest } = began;
  const ended = { ...rest, state: "finished", why: "", value: 1 } as StepEvent;
  assert.deepEqual(followUp(began, ended), { ...began, state: "finished", value: 1 });
});
